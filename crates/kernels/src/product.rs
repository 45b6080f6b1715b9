//! Matrix products of slices, written to existing slices: burn's own product first allocates a
//! zeroed result and copies it.

mod block;
#[cfg(any(target_family = "wasm", test))]
mod tiles;

use std::mem::MaybeUninit;

use burn::backend::flex::FlexTensor;

use crate::threads::par_map;
use crate::vector::vectorised;
use block::{BLOCK, turned};

/// A strided matrix in a slice.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    numbers: &'a [f32],
    /// Rows and columns.
    shape: [usize; 2],
    /// Strides: from one row to the next, and from one column to the next.
    steps: [usize; 2],
}

impl<'a> Matrix<'a> {
    /// A contiguous matrix, row after row.
    ///
    /// # Panics
    /// If the slice is too short.
    pub fn new(numbers: &'a [f32], shape: [usize; 2]) -> Self {
        Self::strided(numbers, shape, [shape[1], 1])
    }

    /// A matrix with these strides, from one row to the next and from one column to the next.
    ///
    /// # Panics
    /// If the slice is too short.
    pub fn strided(numbers: &'a [f32], shape: [usize; 2], steps: [usize; 2]) -> Self {
        assert!(reach(shape, steps) <= numbers.len());
        Self {
            numbers,
            shape,
            steps,
        }
    }

    /// The last two axes of a tensor, at these indices of the other axes.
    ///
    /// # Panics
    /// If the tensor has fewer axes, or is flipped along one (see [`non_negative_strides`]).
    pub fn of(tensor: &'a FlexTensor, places: &[usize]) -> Self {
        let layout = tensor.layout();
        let (shape, strides) = (layout.shape(), layout.strides());
        let step = |axis: usize| usize::try_from(strides[axis]).expect("nothing is flipped");
        let axes = places.len();
        let ahead = places.iter().enumerate().map(|(axis, at)| at * step(axis));
        let start = layout.start_offset() + ahead.sum::<usize>();
        let shape = [shape[axes], shape[axes + 1]];
        let numbers = tensor.storage::<f32>();
        Self::strided(
            numbers.get(start..).unwrap_or_default(),
            shape,
            [step(axes), step(axes + 1)],
        )
    }

    /// Rows and columns.
    pub fn shape(self) -> [usize; 2] {
        self.shape
    }

    /// Strides: from one row to the next, and from one column to the next.
    pub fn steps(self) -> [usize; 2] {
        self.steps
    }

    /// Number of rows.
    pub fn height(self) -> usize {
        self.shape[0]
    }

    /// A row as a slice.
    ///
    /// # Panics
    /// If there is no such row, or rows are not contiguous (see [`contiguous_rows`]).
    #[inline(always)]
    pub fn row(self, row: usize) -> &'a [f32] {
        let ([_, columns], [down, right]) = (self.shape, self.steps);
        assert!(right == 1 || columns <= 1, "numbers side by side");
        &self.numbers[row * down..][..columns]
    }

    /// `count` rows from `first` on.
    ///
    /// # Panics
    /// If the matrix has fewer.
    #[must_use]
    pub fn rows(self, first: usize, count: usize) -> Self {
        let start = (first * self.steps[0]).min(self.numbers.len());
        Self::strided(&self.numbers[start..], [count, self.shape[1]], self.steps)
    }

    /// `count` columns from `first` on.
    ///
    /// # Panics
    /// If the matrix has fewer.
    #[must_use]
    pub fn columns(self, first: usize, count: usize) -> Self {
        self.transposed().rows(first, count).transposed()
    }

    /// The transpose, without a copy.
    #[must_use]
    pub fn transposed(self) -> Self {
        let ([rows, columns], [down, right]) = (self.shape, self.steps);
        Self {
            shape: [columns, rows],
            steps: [right, down],
            ..self
        }
    }

    /// A copy of the elements, row after row.
    pub fn copied(self) -> Vec<f32> {
        if self.steps[0] == 1 {
            let mut copied = vec![0.0; self.shape.iter().product()];
            self.transpose_into(&mut copied);
            return copied;
        }
        self.gather_rows(0..self.height())
    }

    /// Writes a matrix whose columns are contiguous row after row, in blocks that read and write
    /// whole cache lines.
    ///
    /// # Panics
    /// If columns are not contiguous, or `place` has another number of elements.
    pub fn transpose_into(self, place: &mut [f32]) {
        let ([rows, columns], [down, right]) = (self.shape, self.steps);
        assert!(down == 1 && place.len() == rows * columns);
        for (first, place) in place.chunks_mut((BLOCK * columns).max(1)).enumerate() {
            let first = first * BLOCK;
            let height = place.len() / columns;
            let whole = if height == BLOCK {
                columns - columns % BLOCK
            } else {
                0
            };
            for begin in (0..whole).step_by(BLOCK) {
                let block = turned(std::array::from_fn(|column| {
                    let numbers = &self.numbers[first + (begin + column) * right..];
                    numbers.first_chunk().expect("a column has all rows")
                }));
                for (row, numbers) in place.chunks_exact_mut(columns).zip(&block) {
                    row[begin..begin + BLOCK].copy_from_slice(numbers);
                }
            }
            for (row, place) in place.chunks_exact_mut(columns).enumerate() {
                for (column, place) in place.iter_mut().enumerate().skip(whole) {
                    *place = self.numbers[first + row + column * right];
                }
            }
        }
    }

    /// A copy of these rows, one after the other.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn gather_rows(self, rows: impl ExactSizeIterator<Item = usize>) -> Vec<f32> {
        let ([_, columns], [_, right]) = (self.shape, self.steps);
        let mut picked = Vec::with_capacity(rows.len() * columns);
        for row in self.reaches(rows) {
            match right {
                1 => picked.extend_from_slice(row),
                _ => picked.extend((0..columns).map(|column| row[column * right])),
            }
        }
        picked
    }

    /// For each of these rows the slice from its first to its last element.
    fn reaches(self, rows: impl Iterator<Item = usize>) -> impl Iterator<Item = &'a [f32]> {
        let ([_, columns], [down, right]) = (self.shape, self.steps);
        let length = reach([1, columns], [0, right]);
        // Without columns the slice may end before a row's offset.
        let rows = rows.filter(move |_| columns > 0);
        rows.map(move |row| &self.numbers[row * down..][..length])
    }

    /// Sum over the rows.
    pub fn column_sums(self) -> Vec<f32> {
        let mut sums = vec![0.0; self.shape[1]];
        let rows = self.reaches(0..self.height());
        if self.steps[1] != 1 {
            for row in rows {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum += row[column * self.steps[1]];
                }
            }
            return sums;
        }
        vectorised(
            #[inline(always)]
            || {
                for row in rows {
                    for (sum, x) in sums.iter_mut().zip(row) {
                        *sum += x;
                    }
                }
            },
        );
        sums
    }
}

/// The tensor, copied if any of its strides is negative.
pub fn non_negative_strides(tensor: FlexTensor) -> FlexTensor {
    let is_flipped = tensor.layout().strides().iter().any(|step| *step < 0);
    if is_flipped {
        return tensor.to_contiguous();
    }
    tensor
}

/// The tensor, copied if its rows (last axis) are not contiguous or a stride is negative.
pub fn contiguous_rows(tensor: FlexTensor) -> FlexTensor {
    let tensor = non_negative_strides(tensor);
    let layout = tensor.layout();
    if layout.strides().last() != Some(&1) {
        return tensor.to_contiguous();
    }
    tensor
}

/// A matrix to write to.
pub struct MatrixMut<'a> {
    numbers: &'a mut [f32],
    /// Stride from one row to the next.
    step: usize,
}

impl<'a> MatrixMut<'a> {
    /// Contiguous rows, `step` elements from the beginning of one to that of the next.
    pub fn new(numbers: &'a mut [f32], step: usize) -> Self {
        Self { numbers, step }
    }

    /// A reborrow of the whole matrix.
    pub fn reborrow(&mut self) -> MatrixMut<'_> {
        MatrixMut::new(self.numbers, self.step)
    }

    /// A reborrow from a row on.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn from_row(&mut self, row: usize) -> MatrixMut<'_> {
        MatrixMut::new(&mut self.numbers[row * self.step..], self.step)
    }

    /// The first `width` elements of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&mut self, row: usize, width: usize) -> &mut [f32] {
        &mut self.numbers[row * self.step..][..width]
    }
}

/// Use of the elements that the target holds before a product is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Overwritten, not read (β = 0 in BLAS).
    Overwrite,
    /// The product is added to them (β = 1).
    Accumulate,
}

/// Writes or adds `left · right`.
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

/// These elements as possibly uninitialised ones. The caller must leave every one of them
/// initialised.
#[allow(unsafe_code)] // The result could be used to uninitialise the slice.
unsafe fn uninitialised(numbers: &mut [f32]) -> &mut [MaybeUninit<f32>] {
    // SAFETY: both types have the same layout; the caller keeps the elements initialised.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), numbers.len()) }
}

/// `left · right`, row after row.
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
    // SAFETY: `written` has initialised all of them.
    #[allow(unsafe_code)] // Filling them first would take as long as some products do.
    unsafe {
        numbers.set_len(rows * columns);
    }
    numbers
}

/// Products of N pairs `(left, right, rows)`, computed on all threads in parts of `rows` rows, and
/// the return values of `finish`, which is called for each part as soon as it is computed: with the
/// index of the pair, the index of the part's first row, and the part. The results are not zeroed
/// first.
///
/// # Panics
/// If the shapes of a pair do not match, or its `rows` is 0.
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

/// Writes `left · right` row after row to `room`, which has exactly this size.
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

/// Writes or adds `left · right` to rows that are `step` elements apart, and so initialises them.
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

/// M, K and N of a product: its rows, the terms of each sum, and its columns.
///
/// # Panics
/// If the shapes do not match.
fn sizes(left: Matrix, right: Matrix) -> [usize; 3] {
    let ([rows, terms], [inner, columns]) = (left.shape, right.shape);
    assert_eq!(terms, inner, "columns of the left and rows of the right");
    [rows, terms, columns]
}

/// Length of the slice from the first element of a matrix to its last.
fn reach([rows, columns]: [usize; 2], [down, right]: [usize; 2]) -> usize {
    if rows == 0 || columns == 0 {
        return 0;
    }
    (rows - 1) * down + (columns - 1) * right + 1
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, Scalar, WithSimd};
    use tiles::{Product, Target};

    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        assert_definition(product);
    }

    #[test]
    fn tiles_give_the_product_too() {
        fn in_tiles<'a>(
            place: MatrixMut<'a>,
            before: Output,
            left: Matrix<'a>,
            right: Matrix<'a>,
        ) -> Product<'a> {
            // SAFETY: a `MatrixMut` is initialised everywhere, and a product writes only numbers.
            #[allow(unsafe_code)]
            let target = unsafe { Target::new(uninitialised(place.numbers), place.step, before) };
            Product {
                target,
                left,
                right,
            }
        }
        assert_definition(|place, before, left, right| {
            Arch::new().dispatch(in_tiles(place, before, left, right));
        });
        // Scalar "registers" take other tiles for the rest of a row.
        assert_definition(|place, before, left, right| {
            in_tiles(place, before, left, right).with_simd(Scalar::new());
        });
    }

    fn assert_definition(product: impl Fn(MatrixMut, Output, Matrix, Matrix)) {
        // Both sides are strided and transposed; the target's rows have gaps.
        let numbers: Vec<f32> = (0..12_000)
            .map(|i| ((i * 37 % 101) as f32) / 50.0 - 1.0)
            .collect();
        const SIZES: [[usize; 3]; 9] = [
            [1, 1, 1],
            [3, 5, 2],
            [17, 9, 33],
            [64, 20, 31],
            [2, 0, 3],
            [5, 300, 9],
            [140, 6, 70],
            [600, 7, 3],
            [3, 8, 300],
        ];
        for [m, k, n] in SIZES {
            for (left_steps, right_steps) in [
                ([k + 2, 1], [n + 1, 1]),
                ([1, m + 3], [n + 1, 1]),
                ([k + 2, 1], [1, k + 3]),
                ([2, 2 * m], [2 * n, 2]),
            ] {
                let left = Matrix::strided(&numbers, [m, k], left_steps);
                let right = Matrix::strided(&numbers[7..], [k, n], right_steps);
                let step = n + 2;
                for before in [Output::Overwrite, Output::Accumulate] {
                    let mut found = vec![0.5; m * step];
                    if before == Output::Overwrite {
                        // NaN shows whether overwritten elements are read.
                        let rows = found.chunks_exact_mut(step);
                        rows.for_each(|row| row[..n].fill(f32::NAN));
                    }
                    product(MatrixMut::new(&mut found, step), before, left, right);
                    for (at, found) in found.iter().enumerate() {
                        let (row, column) = (at / step, at % step);
                        let is_kept = before == Output::Accumulate || column >= n;
                        let start = if is_kept { 0.5 } else { 0.0 };
                        let terms = (0..if column < n { k } else { 0 }).map(|i| {
                            let left = numbers[row * left_steps[0] + i * left_steps[1]];
                            left * numbers[7 + i * right_steps[0] + column * right_steps[1]]
                        });
                        let expected = start + terms.sum::<f32>();
                        assert!((found - expected).abs() < 1e-4, "{m} {k} {n}: {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_in_parts_are_whole_products() {
        let numbers: Vec<f32> = (0..2000u16).map(|i| f32::from(i % 17) - 8.0).collect();
        let matrix = |shape| Matrix::new(&numbers, shape);
        for [rows, inner, columns] in [[7, 5, 9], [40, 3, 33], [0, 4, 2], [3, 4, 0], [2, 0, 3]] {
            for part in [1, 3, 64] {
                let pair = (matrix([rows, inner]), matrix([inner, columns]), part);
                let other = (
                    matrix([columns, rows]).transposed(),
                    matrix([columns, 2]),
                    part,
                );
                let doubled = |at: usize, first: usize, numbers: &mut [f32]| {
                    numbers.iter_mut().for_each(|x| *x *= 2.0);
                    (at, first, numbers.len())
                };
                let (found, parts) = in_parts([pair, other], doubled);
                for ((left, right, _), found) in [pair, other].into_iter().zip(found) {
                    let width = right.shape[1];
                    let mut expected = vec![0.0; rows * width];
                    product(
                        MatrixMut::new(&mut expected, width),
                        Output::Overwrite,
                        left,
                        right,
                    );
                    assert_eq!(product_of(left, right), expected);
                    expected.iter_mut().for_each(|x| *x *= 2.0);
                    assert_eq!(found, expected);
                }
                let widths = [columns, 2];
                let expected = [0, 1].into_iter().flat_map(|at| {
                    let firsts = (0..if widths[at] > 0 { rows } else { 0 }).step_by(part);
                    firsts.map(move |it| (at, it, part.min(rows - it) * widths[at]))
                });
                assert_eq!(parts, expected.collect::<Vec<_>>());
            }
        }
    }

    /// Strides of 0 included: one element stands for a whole row or column, as in broadcast
    /// gradients.
    #[test]
    fn rows_are_copied_and_summed_whatever_their_steps() {
        let numbers: Vec<f32> = (0..4000u16).map(f32::from).collect();
        for steps in [[8, 1], [1, 7], [9, 2], [0, 1], [1, 0], [0, 0], [1, 70]] {
            for [rows, columns] in [[5, 4], [1, 3], [0, 3], [3, 0], [37, 50], [32, 16]] {
                let matrix = Matrix::strided(&numbers, [rows, columns], steps);
                let number =
                    |row: usize, column: usize| (row * steps[0] + column * steps[1]) as f32;
                let all = (0..rows).flat_map(|row| (0..columns).map(move |it| number(row, it)));
                assert_eq!(matrix.copied(), all.collect::<Vec<f32>>());
                let sum = |column| (0..rows).map(|row| number(row, column)).sum();
                let sums: Vec<f32> = (0..columns).map(sum).collect();
                assert_eq!(matrix.column_sums(), sums);
            }
        }
    }

    #[test]
    #[should_panic = "numbers.len()"]
    fn a_matrix_does_not_reach_beyond_its_numbers() {
        Matrix::new(&[0.0; 5], [2, 3]);
    }

    #[test]
    #[should_panic = "numbers.len()"]
    fn a_product_does_not_reach_beyond_its_place() {
        let one = Matrix::new(&[1.0; 4], [2, 2]);
        let mut place = [0.0; 3];
        product(MatrixMut::new(&mut place, 2), Output::Overwrite, one, one);
    }
}
