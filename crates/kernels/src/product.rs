//! Matrix products of slices, written to existing slices: burn's own product first allocates a
//! zeroed result and copies it.

mod block;
mod matrix;
#[cfg(any(target_family = "wasm", test))]
mod tiles;

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
    // mutably; only numbers are written.
    #[allow(unsafe_code)] // There is no safe way to call `gemm`.
    unsafe {
        multiply(
            uninitialised(place.numbers),
            place.step,
            before,
            left,
            right,
        );
    }
}

/// Views these elements as possibly uninitialised elements. The caller must leave every element
/// initialised.
#[allow(unsafe_code)] // The result could be used to uninitialise the slice.
unsafe fn uninitialised(numbers: &mut [f32]) -> &mut [MaybeUninit<f32>] {
    // SAFETY: both types have the same layout; the caller keeps the elements initialised.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
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

/// Multiplies N pairs `(left, right, rows)` on all threads, in parts of `rows` rows. Calls `finish`
/// for each part as soon as it is computed, with the index of the pair, the index of the part's
/// first row, and the part. Returns the products and the return values of `finish`. The products
/// are not zeroed first.
///
/// # Panics
/// If the shapes of a pair do not match, or `rows` is 0.
pub fn in_parts<const N: usize, R: Send>(
    pairs: [(Matrix, Matrix, usize); N],
    finish: impl Fn(usize, usize, &mut [f32]) -> R + Sync + Send,
) -> ([Vec<f32>; N], Vec<R>) {
    let length = |(left, right, _): (Matrix, Matrix, usize)| {
        let [rows, _, columns] = sizes(left, right);
        rows * columns
    };
    let mut products = pairs.map(|pair| Vec::with_capacity(length(pair)));
    let jobs = products.iter_mut().zip(pairs).enumerate();
    let jobs = jobs.flat_map(|(at, (room, pair))| {
        let (left, right, part) = pair;
        assert!(part > 0, "a part has a row at least");
        let room = &mut room.spare_capacity_mut()[..length(pair)];
        let rooms = room.chunks_mut((part * right.shape[1]).max(1)).enumerate();
        rooms.map(move |(place, room)| (at, place * part, room, left, right))
    });
    let results = par_map(jobs, |(at, first, room, left, right)| {
        let width = right.shape[1];
        let left = left.rows(first, room.len() / width);
        finish(at, first, written(room, left, right))
    });
    for (product, pair) in products.iter_mut().zip(pairs) {
        // SAFETY: the capacity is this length, and the jobs, whose parts cover it without gaps,
        // have written all of it.
        #[allow(unsafe_code)] // As above.
        unsafe {
            product.set_len(length(pair));
        }
    }
    (products, results)
}

/// Writes `left · right` row after row to `room`, which has exactly the product's size.
fn written<'a>(room: &'a mut [MaybeUninit<f32>], left: Matrix, right: Matrix) -> &'a mut [f32] {
    let [rows, _, columns] = sizes(left, right);
    assert_eq!(room.len(), rows * columns);
    // SAFETY: `room` has all rows of the product and is borrowed mutably; its previous content is
    // not read; the product initialises all of it.
    #[allow(unsafe_code)] // Filling it first would take as long as some products do.
    unsafe {
        multiply(room, columns, Output::Overwrite, left, right);
        room.assume_init_mut()
    }
}

/// Writes or adds `left · right` to rows that are `step` elements apart, and so initialises these
/// rows.
///
/// # Safety
/// `room` must hold all rows, initialised if the product is added; no two rows may overlap.
#[allow(unsafe_code)] // It calls `gemm` and `Target::new`.
unsafe fn multiply(
    room: &mut [MaybeUninit<f32>],
    step: usize,
    before: Output,
    left: Matrix,
    right: Matrix,
) {
    #[cfg(target_family = "wasm")]
    {
        // SAFETY: required of the caller.
        let target = unsafe { tiles::Target::new(room, step, before) };
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
                room.as_mut_ptr().cast(),
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
