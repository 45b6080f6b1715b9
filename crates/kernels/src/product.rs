//! Matrix products of slices, written to existing slices: burn's own product first allocates a
//! zeroed result and copies it.

mod block;
mod matrix;
#[cfg(any(target_family = "wasm", test))]
mod tiles;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::threads::par_map;
use matrix::reach;

pub use matrix::{Matrix, MatrixMut, contiguous_rows, non_negative_strides};

/// How a product treats the elements that the target holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Overwrites the target without reading it (β = 0 in BLAS).
    Overwrite,
    /// Adds the product to the target (β = 1).
    Accumulate,
}

/// Writes `left · right` to `place`, or adds it, as `before` says.
///
/// # Panics
/// If the shapes do not match, or `place` is too small.
pub fn product(place: MatrixMut<'_>, before: Output, left: Matrix, right: Matrix) {
    let [m, _, n] = sizes(left, right);
    assert!(place.step >= n && reach([m, n], [place.step, 1]) <= place.numbers.len());
    // SAFETY: `place` has all rows, as asserted above, is initialised everywhere, and is borrowed
    // mutably.
    #[allow(unsafe_code)] // There is no safe way to call `gemm`.
    unsafe {
        multiply(place.numbers.as_mut_ptr(), place.step, before, left, right);
    }
}

/// Computes `left · right`, row after row.
///
/// # Panics
/// If the shapes do not match.
pub fn product_of(left: Matrix, right: Matrix) -> Vec<f32> {
    let [rows, _, columns] = sizes(left, right);
    let mut numbers = Vec::with_capacity(rows * columns);
    written(
        &mut numbers.spare_capacity_mut()[..rows * columns],
        left,
        right,
    );
    // SAFETY: `written` has initialised all elements.
    #[allow(unsafe_code)] // Filling them first would take as long as some products do.
    unsafe {
        numbers.set_len(rows * columns);
    }
    numbers
}

/// Product that all threads compute block by block.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    /// Left matrix, `[M, K]`.
    pub left: Matrix<'a>,
    /// Right matrix, `[K, N]`.
    pub right: Matrix<'a>,
    /// Number of rows and of columns of a block; blocks at the end may be smaller. In WebAssembly
    /// blocks have all columns.
    pub block: [usize; 2],
}

impl Blocks<'_> {
    /// Number of rows and of columns of the product.
    fn shape(&self) -> [usize; 2] {
        let [rows, _, columns] = sizes(self.left, self.right);
        [rows, columns]
    }

    /// Returns the first row, the first column and the shape of each block, row by row.
    fn places(&self) -> impl Iterator<Item = ([usize; 2], [usize; 2])> {
        let [rows, columns] = self.shape();
        let [down, across] = self.block;
        // The tiles of WebAssembly write to slices, and slices of whole rows do not overlap.
        let across = if cfg!(target_family = "wasm") {
            columns
        } else {
            across
        };
        assert!(
            down > 0 && (across > 0 || columns == 0),
            "a block has elements"
        );
        (0..rows).step_by(down).flat_map(move |row| {
            let height = down.min(rows - row);
            let firsts = (0..columns).step_by(across.max(1));
            firsts.map(move |column| ([row, column], [height, across.min(columns - column)]))
        })
    }
}

/// Block of a product that a job has just computed.
pub struct Block<'a> {
    first: *mut f32,
    /// Stride from one row to the next.
    step: usize,
    shape: [usize; 2],
    borrowed: PhantomData<&'a mut [f32]>,
}

impl Block<'_> {
    /// Returns the rows of the block.
    pub fn rows(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let (first, step, [rows, columns]) = (self.first, self.step, self.shape);
        (0..rows).map(move |row| {
            // SAFETY: the block's rows are initialised, belong to this block alone, which is
            // borrowed mutably, and do not overlap.
            #[allow(unsafe_code)] // Blocks side by side share no slice.
            unsafe {
                std::slice::from_raw_parts_mut(first.add(row * step), columns)
            }
        })
    }
}

/// Where a block begins in the memory of a product.
struct Place(*mut f32);

// SAFETY: each place is given to one job, which writes its own block only.
#[allow(unsafe_code)]
unsafe impl Send for Place {}

/// Multiplies N pairs of matrices on all threads, block by block. Calls `finish` for each block as
/// soon as it is computed, with the index of the pair and the first row and column of the block.
/// Returns the products and the return values of `finish`. The products are not zeroed first.
///
/// # Panics
/// If the shapes of a pair do not match, or a block has no rows or columns.
pub fn in_blocks<const N: usize, R: Send>(
    products: [Blocks; N],
    finish: impl Fn(usize, [usize; 2], Block) -> R + Sync + Send,
) -> ([Vec<f32>; N], Vec<R>) {
    let length = |product: &Blocks| product.shape().iter().product::<usize>();
    let mut results = products.map(|product| Vec::<f32>::with_capacity(length(&product)));
    let jobs = results.iter_mut().zip(&products).enumerate();
    let jobs = jobs.flat_map(|(at, (room, product))| {
        let step = product.shape()[1];
        let numbers = room.spare_capacity_mut().as_mut_ptr().cast::<f32>();
        product.places().map(move |(first, shape)| {
            // Within the capacity: the block lies in the product.
            let place = Place(numbers.wrapping_add(first[0] * step + first[1]));
            (at, product, first, shape, step, place)
        })
    });
    let results_of_jobs = par_map(jobs, |(at, product, first, shape, step, place)| {
        let Place(place) = place;
        let left = product.left.rows(first[0], shape[0]);
        let right = product.right.columns(first[1], shape[1]);
        // SAFETY: the block lies in the capacity of its product, of which no other job writes any
        // element, and which is not read before.
        #[allow(unsafe_code)] // There is no safe way to call `gemm`.
        unsafe {
            multiply(place, step, Output::Overwrite, left, right);
        }
        let block = Block {
            first: place,
            step,
            shape,
            borrowed: PhantomData,
        };
        finish(at, first, block)
    });
    for (result, product) in results.iter_mut().zip(&products) {
        // SAFETY: the capacity is this length, and the jobs, whose blocks cover the product without
        // gaps, have written all of it.
        #[allow(unsafe_code)] // Filling it first would take as long as some products do.
        unsafe {
            result.set_len(length(product));
        }
    }
    (results, results_of_jobs)
}

/// Writes `left · right` row after row to `room`, which has exactly the product's size.
fn written<'a>(room: &'a mut [MaybeUninit<f32>], left: Matrix, right: Matrix) -> &'a mut [f32] {
    let [rows, _, columns] = sizes(left, right);
    assert_eq!(room.len(), rows * columns);
    // SAFETY: `room` has all rows of the product and is borrowed mutably; its previous content is
    // not read; the product initialises all of it.
    #[allow(unsafe_code)] // Filling it first would take as long as some products do.
    unsafe {
        multiply(
            room.as_mut_ptr().cast(),
            columns,
            Output::Overwrite,
            left,
            right,
        );
        room.assume_init_mut()
    }
}

/// Writes or adds `left · right` to rows from `place` on that are `step` elements apart, and so
/// initialises these rows.
///
/// # Safety
/// The memory from `place` on must hold all rows, initialised if the product is added, and nothing
/// else may use these rows meanwhile, in WebAssembly nor what lies between them; no two rows may
/// overlap.
#[allow(unsafe_code)] // It calls `gemm` and `Target::new`.
unsafe fn multiply(place: *mut f32, step: usize, before: Output, left: Matrix, right: Matrix) {
    #[cfg(target_family = "wasm")]
    {
        let [m, _, n] = sizes(left, right);
        let length = reach([m, n], [step, 1]);
        // SAFETY: required of the caller.
        let target = unsafe {
            let room = std::slice::from_raw_parts_mut(place.cast(), length);
            tiles::Target::new(room, step, before)
        };
        tiles::Product {
            target,
            left,
            right,
        }
        .make();
    }
    #[cfg(not(target_family = "wasm"))]
    {
        let [m, k, n] = sizes(left, right);
        let [left_down, left_right] = left.steps.map(|step| step as isize);
        let [right_down, right_right] = right.steps.map(|step| step as isize);
        let adds = before == Output::Accumulate;
        // SAFETY: a matrix holds all elements that its shape and strides reach (`Matrix::strided`);
        // the rest is required of the caller.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                place,
                1,
                step as isize,
                adds,
                left.numbers.as_ptr(),
                left_right,
                left_down,
                right.numbers.as_ptr(),
                right_right,
                right_down,
                f32::from(u8::from(adds)),
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    }
}

/// Sizes M, K and N of a product: its rows, the terms of each sum, and its columns.
///
/// # Panics
/// If the shapes do not match.
fn sizes(left: Matrix, right: Matrix) -> [usize; 3] {
    let ([rows, terms], [inner, columns]) = (left.shape, right.shape);
    assert_eq!(terms, inner, "columns of the left and rows of the right");
    [rows, terms, columns]
}

#[cfg(test)]
mod tests;
