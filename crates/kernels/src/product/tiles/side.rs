//! The two matrices of a product in tiles, read in place or from a packed copy.

use std::array;

use pulp::Simd;

use super::super::Matrix;

/// One matrix of a product: elements, and the step from one term of the sums to the next.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub numbers: &'a [f32],
    pub step: usize,
}

/// Left matrix of a product, read column by column.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    pub side: Side<'a>,
    /// Stride from one row to the next.
    down: usize,
    shape: [usize; 2],
}

impl<'a> Left<'a> {
    pub fn new(matrix: Matrix<'a>, room: &'a mut Vec<f32>) -> Self {
        /// Stride from which the elements of a column evict each other from the L1 cache.
        const FAR: usize = 512;
        let (shape @ [height, depth], [down, right]) = (matrix.shape, matrix.steps);
        let (numbers, step, down) = if down == 1 && right >= FAR {
            let rows = first(room, height * depth);
            matrix.transpose_into(rows);
            (&*rows, 1, depth)
        } else {
            (matrix.numbers, right, down)
        };
        Self {
            side: Side { numbers, step },
            down,
            shape,
        }
    }

    pub fn height(&self) -> usize {
        self.shape[0]
    }

    pub fn depth(&self) -> usize {
        self.shape[1]
    }

    /// Offsets at which a tile's rows begin. Rows beyond the last row repeat the last row.
    #[inline(always)]
    pub fn starts<const DOWN: usize>(&self, row: usize) -> [usize; DOWN] {
        array::from_fn(|i| (row + i).min(self.height() - 1) * self.down)
    }
}

/// Right matrix of a product, read row by row.
#[derive(Clone, Copy)]
pub(super) struct Right<'a> {
    side: Side<'a>,
    /// Stride from one column to the next in the first row.
    right: usize,
}

impl<'a> Right<'a> {
    /// Prepares the right matrix for a left one with `rows` rows: in place, or packed in strips of
    /// `ACROSS` registers, the last of which is padded with zeros.
    pub fn new<S: Simd, const ACROSS: usize>(
        matrix: Matrix<'a>,
        rows: usize,
        room: &'a mut Vec<f32>,
    ) -> Self {
        /// Length, from the first to the last element, of a matrix that stays in the L1 cache.
        const NEAR: usize = 1 << 13;
        /// Number of rows of the left matrix up to which packing does not pay.
        const FEW: usize = 4;
        let broad = ACROSS * S::F32_LANES;
        let ([depth, width], [down, right]) = (matrix.shape, matrix.steps);
        let is_whole = right == 1 && width.is_multiple_of(broad);
        let (numbers, step, right) = if is_whole && (rows <= FEW || depth * down <= NEAR) {
            (matrix.numbers, down, 1)
        } else {
            (strips::<S, ACROSS>(matrix, room), broad, depth)
        };
        Self {
            side: Side { numbers, step },
            right,
        }
    }

    /// Returns the strip that begins with this column.
    #[inline(always)]
    pub fn strip(&self, column: usize) -> Side<'a> {
        Side {
            numbers: &self.side.numbers[column * self.right..],
            ..self.side
        }
    }
}

/// Packs a matrix in strips of `ACROSS` registers: strip after strip, each row by row.
fn strips<'a, S: Simd, const ACROSS: usize>(matrix: Matrix, room: &'a mut Vec<f32>) -> &'a [f32] {
    let broad = ACROSS * S::F32_LANES;
    let ([depth, width], [down, right]) = (matrix.shape, matrix.steps);
    let all = first(room, depth * width.next_multiple_of(broad));
    let begins = (0..width).step_by(broad);
    for (begin, strip) in begins.zip(all.chunks_exact_mut(depth * broad)) {
        let columns = matrix.columns(begin, broad.min(width - begin));
        let width = columns.shape[1];
        if down == 1 && width == broad {
            columns.transpose_into(strip);
            continue;
        }
        for (row, place) in strip.chunks_exact_mut(broad).enumerate() {
            let numbers = &columns.numbers[row * down..];
            if right == 1 && width == broad {
                copy::<S, ACROSS>(numbers, place);
                continue;
            }
            for (column, place) in place.iter_mut().enumerate() {
                let is_there = column < width;
                *place = if is_there {
                    numbers[column * right]
                } else {
                    0.0
                };
            }
        }
    }
    all
}

/// Copies `ACROSS` registers inline, which are too few for a call of `memcpy`.
#[inline(always)]
fn copy<S: Simd, const ACROSS: usize>(numbers: &[f32], place: &mut [f32]) {
    let ((from, _), (to, _)) = (S::as_simd_f32s(numbers), S::as_mut_simd_f32s(place));
    if let (Some(from), Some(to)) = (from.first_chunk::<ACROSS>(), to.first_chunk_mut()) {
        *to = *from;
    }
}

/// Returns the first `count` elements of a buffer, which grows if necessary.
fn first(room: &mut Vec<f32>, count: usize) -> &mut [f32] {
    if room.len() < count {
        room.resize(count, 0.0);
    }
    &mut room[..count]
}
