//! The right matrix of a product in tiles.

use pulp::Simd;

use super::super::Matrix;

/// The right matrix in strips of so many registers side by side.
pub(super) enum Strips<'a, S: Simd, const ACROSS: usize> {
    /// As it lies, where the numbers of a row are side by side.
    InRows(Matrix<'a>),
    /// One strip after the other, of each so many rows; the last is filled up with zeros.
    Packed(&'a [[S::f32s; ACROSS]], usize),
}

impl<'a, S: Simd, const ACROSS: usize> Strips<'a, S, ACROSS> {
    /// For a left matrix of so many rows.
    #[inline(always)]
    pub fn new(matrix: Matrix<'a>, rows: usize, room: &'a mut Vec<f32>) -> Self {
        /// Numbers of so few rows stay in the processor's first cache.
        const FEW: usize = 1 << 13;
        let ([depth, width], [down, right]) = (matrix.shape, matrix.steps);
        let broad = ACROSS * S::F32_LANES;
        let is_whole = width.is_multiple_of(broad) && right == 1 && down >= broad;
        if is_whole && (rows <= 4 || depth * down <= FEW) {
            return Self::InRows(matrix);
        }
        let copy = |from: &[f32], to: &mut [f32]| {
            let ((from, _), (to, _)) = (S::as_simd_f32s(from), S::as_mut_simd_f32s(to));
            if let (Some(from), Some(to)) = (from.first_chunk::<ACROSS>(), to.first_chunk_mut()) {
                *to = *from;
            }
        };
        let packed = pack(room, matrix, broad, copy);
        Self::Packed(S::as_simd_f32s(packed).0.as_chunks().0, depth)
    }
}

/// So many registers of each row, from this column on.
#[inline(always)]
pub(super) fn contiguous_rows<'a, S: Simd, const ACROSS: usize>(
    matrix: Matrix<'a>,
    first: usize,
) -> impl ExactSizeIterator<Item = &'a [S::f32s; ACROSS]> {
    let rows = matrix.numbers[first..].chunks(matrix.steps[0]);
    rows.take(matrix.height()).map(|row| {
        let (registers, _) = S::as_simd_f32s(row);
        registers
            .first_chunk::<ACROSS>()
            .expect("a row has the registers of a tile")
    })
}

/// Strips of so many columns, one after the other, of each its rows; the last is filled up with
/// zeros. `copy` copies a row of a strip.
#[inline(always)]
pub(super) fn pack<'a>(
    room: &'a mut Vec<f32>,
    matrix: Matrix,
    broad: usize,
    copy: impl Fn(&[f32], &mut [f32]),
) -> &'a [f32] {
    let ([rows, columns], [down, right]) = (matrix.shape, matrix.steps);
    let length = rows * columns.next_multiple_of(broad);
    if room.len() < length {
        room.resize(length, 0.0);
    }
    let strips = room[..length].chunks_exact_mut(rows * broad);
    for (first, strip) in (0..columns).step_by(broad).zip(strips) {
        let width = broad.min(columns - first);
        if down == 1 && right > 1 && width == broad && rows >= 4 && broad.is_multiple_of(4) {
            turn(&matrix.numbers[first * right..], right, rows, broad, strip);
            continue;
        }
        for (row, place) in strip.chunks_exact_mut(broad).enumerate() {
            let from = row * down + first * right;
            if right == 1 && width == broad {
                copy(&matrix.numbers[from..][..broad], place);
                continue;
            }
            for (column, place) in place.iter_mut().enumerate() {
                let is_there = column < width;
                *place = if is_there {
                    matrix.numbers[from + column * right]
                } else {
                    0.0
                };
            }
        }
    }
    &room[..length]
}

/// Lays a strip out whose columns lie side by side: in squares of four by four.
#[inline(always)]
fn turn(columns: &[f32], step: usize, rows: usize, broad: usize, strip: &mut [f32]) {
    const SIDE: usize = 4;
    for begin in (0..rows).step_by(SIDE) {
        // The last square may begin among rows that are there already.
        let begin = begin.min(rows - SIDE);
        for first in (0..broad).step_by(SIDE) {
            let square: [[f32; SIDE]; SIDE] = std::array::from_fn(|column| {
                let numbers = &columns[(first + column) * step + begin..];
                *numbers.first_chunk().expect("a column has all rows")
            });
            for row in 0..SIDE {
                let place = strip[(begin + row) * broad + first..].first_chunk_mut();
                *place.expect("a strip has all rows") = square.map(|column| column[row]);
            }
        }
    }
}
