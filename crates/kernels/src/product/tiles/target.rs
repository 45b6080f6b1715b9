//! Target of a product in tiles.

use std::mem::MaybeUninit;
use std::ops::Range;

use pulp::{Simd, bytemuck};

use super::super::Output;

/// Rows to write, which may be uninitialised.
pub(in super::super) struct Target<'a> {
    numbers: &'a mut [MaybeUninit<f32>],
    /// Stride from one row to the next.
    step: usize,
    before: Output,
}

impl<'a> Target<'a> {
    /// Creates a target of rows that are `step` elements apart. The rows are read only if the
    /// product is added to them.
    ///
    /// # Safety
    /// If the product is added, all rows must be initialised.
    #[allow(unsafe_code)] // Filling them first would take as long as some products do.
    pub unsafe fn new(numbers: &'a mut [MaybeUninit<f32>], step: usize, before: Output) -> Self {
        Self {
            numbers,
            step,
            before,
        }
    }

    /// Writes a product without terms: zeros, or nothing if the product is added.
    pub(super) fn have_numbers(mut self, rows: usize, columns: usize) {
        if self.before == Output::Overwrite {
            for row in 0..rows {
                self.row(row, 0..columns).fill(MaybeUninit::new(0.0));
            }
        }
    }

    /// Adds all later sums to the target: called once the first terms of all sums are written.
    pub(super) fn add_from_now_on(&mut self) {
        self.before = Output::Accumulate;
    }

    #[inline(always)]
    fn row(&mut self, row: usize, columns: Range<usize>) -> &mut [MaybeUninit<f32>] {
        &mut self.numbers[row * self.step..][columns]
    }

    /// Writes these sums to some columns of a row, or adds them to the columns.
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
        // SAFETY: the columns are initialised, as `new` requires, or by the first terms of the
        // sums.
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
