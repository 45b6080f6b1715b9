//! Where a product in tiles goes to.

use std::mem::MaybeUninit;
use std::ops::Range;

use pulp::{Simd, bytemuck};

use super::super::Output;

/// Rows that may have no numbers yet.
pub(in super::super) struct Target<'a> {
    numbers: &'a mut [MaybeUninit<f32>],
    /// From one row to the next.
    step: usize,
    before: Output,
}

impl<'a> Target<'a> {
    /// Rows, so many numbers from the beginning of one to that of the next. What is there is read only
    /// if the product is added to it.
    ///
    /// # Safety
    /// If the product is added, all rows have numbers.
    #[allow(unsafe_code)] // To fill them first would take as long as some products do.
    pub unsafe fn new(numbers: &'a mut [MaybeUninit<f32>], step: usize, before: Output) -> Self {
        Self {
            numbers,
            step,
            before,
        }
    }

    /// A product without terms.
    pub(super) fn have_numbers(mut self, rows: usize, columns: usize) {
        if self.before == Output::Overwrite {
            for row in 0..rows {
                self.row(row, 0..columns).fill(MaybeUninit::new(0.0));
            }
        }
    }

    /// The first terms of all sums are there: others are added to them.
    pub(super) fn add_from_now_on(&mut self) {
        self.before = Output::Accumulate;
    }

    #[inline(always)]
    fn row(&mut self, row: usize, columns: Range<usize>) -> &mut [MaybeUninit<f32>] {
        &mut self.numbers[row * self.step..][columns]
    }

    /// Writes these sums to some columns of a row, or adds them.
    #[inline(always)]
    pub(super) fn put<S: Simd, const ACROSS: usize>(
        &mut self,
        simd: S,
        row: usize,
        columns: Range<usize>,
        sums: &[S::f32s; ACROSS],
    ) {
        let before = self.before;
        let place = self.row(row, columns);
        if before == Output::Overwrite {
            let (whole, rest) = S::as_uninit_mut_simd_f32s(place);
            if let Some(whole) = whole.first_chunk_mut::<ACROSS>() {
                for (place, &sum) in whole.iter_mut().zip(sums) {
                    place.write(sum);
                }
                return;
            }
            for (place, &sum) in whole.iter_mut().zip(sums) {
                place.write(sum);
            }
            let sums: &[f32] = bytemuck::cast_slice(&sums[whole.len()..]);
            for (place, &sum) in rest.iter_mut().zip(sums) {
                place.write(sum);
            }
            return;
        }
        // SAFETY: there are numbers, as was promised, or as the first terms have left them.
        #[allow(unsafe_code)]
        let place = unsafe { place.assume_init_mut() };
        let (whole, rest) = S::as_mut_simd_f32s(place);
        if let Some(whole) = whole.first_chunk_mut::<ACROSS>() {
            for (place, &sum) in whole.iter_mut().zip(sums) {
                *place = simd.add_f32s(*place, sum);
            }
            return;
        }
        for (place, &sum) in whole.iter_mut().zip(sums) {
            *place = simd.add_f32s(*place, sum);
        }
        let sums: &[f32] = bytemuck::cast_slice(&sums[whole.len()..]);
        for (place, &sum) in rest.iter_mut().zip(sums) {
            *place += sum;
        }
    }
}
