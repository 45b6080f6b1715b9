//! Matrices in slices: the operands and the target of a product.

use burn::backend::flex::FlexTensor;

use super::block::{BLOCK, transpose_block};
use crate::vector::vectorised;

/// Strided matrix in a slice.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    pub(super) numbers: &'a [f32],
    /// Number of rows and of columns.
    pub(super) shape: [usize; 2],
    /// Strides: from one row to the next, and from one column to the next.
    pub(super) steps: [usize; 2],
}

impl<'a> Matrix<'a> {
    /// Creates a contiguous matrix, row after row.
    ///
    /// # Panics
    /// If the slice is too short.
    pub fn new(numbers: &'a [f32], shape: [usize; 2]) -> Self {
        Self::strided(numbers, shape, [shape[1], 1])
    }

    /// Creates a matrix with these strides, from one row to the next and from one column to the
    /// next.
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

    /// Views the last two axes of a tensor, at these indices of the other axes.
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

    /// Number of rows and of columns.
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

    /// Returns a row as a slice.
    ///
    /// # Panics
    /// If there is no such row, or rows are not contiguous (see [`contiguous_rows`]).
    #[inline(always)]
    pub fn row(self, row: usize) -> &'a [f32] {
        let ([_, columns], [down, right]) = (self.shape, self.steps);
        assert!(right == 1 || columns <= 1, "numbers side by side");
        &self.numbers[row * down..][..columns]
    }

    /// Views `count` rows from `first` on.
    ///
    /// # Panics
    /// If the matrix has fewer rows.
    #[must_use]
    pub fn rows(self, first: usize, count: usize) -> Self {
        let start = (first * self.steps[0]).min(self.numbers.len());
        Self::strided(&self.numbers[start..], [count, self.shape[1]], self.steps)
    }

    /// Views `count` columns from `first` on.
    ///
    /// # Panics
    /// If the matrix has fewer columns.
    #[must_use]
    pub fn columns(self, first: usize, count: usize) -> Self {
        self.transposed().rows(first, count).transposed()
    }

    /// Transposes the matrix without a copy.
    #[must_use]
    pub fn transposed(self) -> Self {
        let ([rows, columns], [down, right]) = (self.shape, self.steps);
        Self {
            shape: [columns, rows],
            steps: [right, down],
            ..self
        }
    }

    /// Copies the elements, row after row.
    pub fn copied(self) -> Vec<f32> {
        if self.steps[0] == 1 {
            let mut copied = vec![0.0; self.shape.iter().product()];
            self.transpose_into(&mut copied);
            return copied;
        }
        self.gather_rows(0..self.height())
    }

    /// Copies a matrix of contiguous columns to `place` row after row, in blocks that read and
    /// write whole cache lines.
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
                let block = transpose_block(std::array::from_fn(|column| {
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

    /// Copies these rows, one after the other.
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

    /// Returns, for each of these rows, the slice from the row's first to its last element.
    fn reaches(self, rows: impl Iterator<Item = usize>) -> impl Iterator<Item = &'a [f32]> {
        let ([_, columns], [down, right]) = (self.shape, self.steps);
        let length = reach([1, columns], [0, right]);
        // Without columns the slice may end before a row's offset.
        let rows = rows.filter(move |_| columns > 0);
        rows.map(move |row| &self.numbers[row * down..][..length])
    }

    /// Sums each column over the rows.
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

/// Copies the tensor if any of its strides is negative.
pub fn non_negative_strides(tensor: FlexTensor) -> FlexTensor {
    let is_flipped = tensor.layout().strides().iter().any(|step| *step < 0);
    if is_flipped {
        return tensor.to_contiguous();
    }
    tensor
}

/// Copies the tensor if its rows (last axis) are not contiguous or a stride is negative.
pub fn contiguous_rows(tensor: FlexTensor) -> FlexTensor {
    let tensor = non_negative_strides(tensor);
    let layout = tensor.layout();
    if layout.strides().last() != Some(&1) {
        return tensor.to_contiguous();
    }
    tensor
}

/// Matrix to write to.
pub struct MatrixMut<'a> {
    pub(super) numbers: &'a mut [f32],
    /// Stride from one row to the next.
    pub(super) step: usize,
}

impl<'a> MatrixMut<'a> {
    /// Creates a matrix of contiguous rows, whose beginnings are `step` elements apart.
    pub fn new(numbers: &'a mut [f32], step: usize) -> Self {
        Self { numbers, step }
    }

    /// Reborrows the whole matrix.
    pub fn reborrow(&mut self) -> MatrixMut<'_> {
        MatrixMut::new(self.numbers, self.step)
    }

    /// Reborrows the matrix from a row on.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn from_row(&mut self, row: usize) -> MatrixMut<'_> {
        MatrixMut::new(&mut self.numbers[row * self.step..], self.step)
    }

    /// Returns the first `width` elements of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub fn row(&mut self, row: usize, width: usize) -> &mut [f32] {
        &mut self.numbers[row * self.step..][..width]
    }
}

/// Length of the slice from the first element of a matrix to its last.
pub(super) fn reach([rows, columns]: [usize; 2], [down, right]: [usize; 2]) -> usize {
    if rows == 0 || columns == 0 {
        return 0;
    }
    (rows - 1) * down + (columns - 1) * right + 1
}
