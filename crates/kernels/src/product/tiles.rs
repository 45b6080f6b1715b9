//! Large products tile by tile, for WebAssembly: as many rows and columns as its engines keep in
//! registers. (With most other tiles, or two rows of the right matrix at a time, V8 moves sums to
//! memory and back and takes twice as long.)

use std::array;
use std::cell::RefCell;
use std::ops::Range;

use pulp::Simd;

use super::{Before, Matrix, Place};

#[cfg(target_family = "wasm")]
pub(super) use wasm::*;

/// Registers side by side in the narrower tiles for what wider ones leave of a row.
const NARROW: usize = 2;
/// Rows of the right matrix that are gone through at a time: so many of a tile's columns stay in
/// the processor's first cache.
const DEPTH: usize = 256;
/// Tiles below each other that are gone through at a time: so many rows stay in its second cache.
const BAND: usize = 32;

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Room that is used again.
#[derive(Default)]
struct Room {
    left: Vec<f32>,
    right: Vec<f32>,
}

#[cfg(target_family = "wasm")]
mod wasm {
    /// Multiplications of a product from which on packing its matrices pays.
    pub const LARGE: usize = 1 << 18;

    /// Rows of a tile.
    pub const DOWN: usize = TILE[0];
    /// Its registers side by side.
    pub const ACROSS: usize = TILE[1];
    const TILE: [usize; 2] = if cfg!(feature = "relaxed-simd") {
        [3, 3]
    } else {
        [4, 2]
    };

    /// The instructions that the program was built for.
    #[cfg(not(feature = "relaxed-simd"))]
    pub fn simd() -> Option<pulp::wasm::Simd128> {
        pulp::wasm::Simd128::try_new()
    }

    /// The same, with fused multiplications.
    #[cfg(feature = "relaxed-simd")]
    pub fn simd() -> Option<pulp::wasm::RelaxedSimd> {
        pulp::wasm::enable_relaxed_simd();
        pulp::wasm::RelaxedSimd::try_new()
    }
}

/// `left · right`, where both fit together and the place is large enough, in tiles of so many rows
/// and registers side by side.
#[inline(always)]
pub(super) fn product<S: Simd, const DOWN: usize, const ACROSS: usize>(
    simd: S,
    mut place: Place,
    before: Before,
    left: Matrix,
    right: Matrix,
) {
    let ([m, k], [_, n]) = (left.shape, right.shape);
    if before == Before::Gone {
        (0..m).for_each(|row| place.row(row, n).fill(0.0));
    }
    let wide = n.min(wide_registers(n.div_ceil(S::F32_LANES), ACROSS) * S::F32_LANES);
    ROOM.with_borrow_mut(|room| {
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            let columns = left.columns(first, depth);
            let columns = Columns::<DOWN>::new(columns, &mut room.left);
            let rows = right.rows(first, depth);
            let strips = pack_strips::<S, ACROSS>(&mut room.right, rows.columns(0, wide));
            add_strips::<S, DOWN, ACROSS>(simd, place.again(), 0..wide, &columns, strips);
            let strips = pack_strips::<S, NARROW>(&mut room.right, rows.columns(wide, n - wide));
            add_strips::<S, DOWN, NARROW>(simd, place.again(), wide..n, &columns, strips);
        }
    });
}

/// How many of a row's registers wide tiles take, so that narrower ones take the rest: none is left
/// with a single register, but in a row of one.
fn wide_registers(registers: usize, across: usize) -> usize {
    let rest = |narrow: usize| registers.saturating_sub(narrow * NARROW);
    let fits = |rest: &usize| rest.is_multiple_of(across);
    (0..across).map(rest).find(fits).unwrap_or(registers)
}

/// Columns of the left matrix.
enum Columns<'a, const DOWN: usize> {
    /// As they lie, where the numbers of a row are side by side.
    InRows(Matrix<'a>),
    /// Laid out tile by tile, of so many rows.
    Packed(&'a [[f32; DOWN]], usize),
}

impl<'a, const DOWN: usize> Columns<'a, DOWN> {
    #[inline(always)]
    fn new(matrix: Matrix<'a>, room: &'a mut Vec<f32>) -> Self {
        if matrix.steps[1] == 1 {
            return Self::InRows(matrix);
        }
        let copy = |from: &[f32], to: &mut [f32]| {
            if let (Some(from), Some(to)) = (from.first_chunk::<DOWN>(), to.first_chunk_mut()) {
                *to = *from;
            }
        };
        let packed = pack(room, matrix.transposed(), DOWN, copy);
        Self::Packed(packed.as_chunks().0, matrix.height())
    }

    fn height(&self) -> usize {
        match self {
            Self::InRows(matrix) => matrix.height(),
            Self::Packed(_, height) => *height,
        }
    }

    /// The product of the tile from this row on with these rows.
    #[inline(always)]
    fn tile<S: Simd, const ACROSS: usize>(
        &self,
        simd: S,
        row: usize,
        rows: &[[S::f32s; ACROSS]],
    ) -> [[S::f32s; ACROSS]; DOWN] {
        match self {
            Self::InRows(matrix) => {
                let [height, depth] = matrix.shape;
                let left: [&[f32]; DOWN] = array::from_fn(|i| {
                    let row = (row + i).min(height - 1);
                    &matrix.numbers[row * matrix.steps[0]..][..depth]
                });
                let column = |k: usize| array::from_fn(|i| left[i][k]);
                tile(simd, (0..depth).map(column), rows)
            }
            Self::Packed(columns, _) => {
                let columns = &columns[row / DOWN * rows.len()..][..rows.len()];
                tile(simd, columns.iter().copied(), rows)
            }
        }
    }
}

/// The product of these columns with strips of rows, added to those columns of the place.
#[inline(always)]
fn add_strips<S: Simd, const DOWN: usize, const ACROSS: usize>(
    simd: S,
    mut place: Place,
    range: Range<usize>,
    left: &Columns<DOWN>,
    strips: &[[S::f32s; ACROSS]],
) {
    let broad = ACROSS * S::F32_LANES;
    let count = range.len().div_ceil(broad);
    if count == 0 {
        return;
    }
    let height = left.height();
    for band in (0..height).step_by(BAND * DOWN) {
        for (strip, rows) in strips.chunks_exact(strips.len() / count).enumerate() {
            let first = range.start + strip * broad;
            let columns = first..range.end.min(first + broad);
            for row in (band..height.min(band + BAND * DOWN)).step_by(DOWN) {
                let sums = left.tile(simd, row, rows);
                for (i, sums) in sums.iter().enumerate().take(height - row) {
                    let place = place.row(row + i, columns.end);
                    add(simd, &mut place[columns.clone()], sums);
                }
            }
        }
    }
}

/// The sum of products of columns with rows.
#[inline(always)]
fn tile<S: Simd, const DOWN: usize, const ACROSS: usize>(
    simd: S,
    columns: impl Iterator<Item = [f32; DOWN]>,
    rows: &[[S::f32s; ACROSS]],
) -> [[S::f32s; ACROSS]; DOWN] {
    let mut sums = [[simd.splat_f32s(0.0); ACROSS]; DOWN];
    for (column, row) in columns.zip(rows) {
        for (sums, x) in sums.iter_mut().zip(column) {
            let x = simd.splat_f32s(x);
            for (sum, &y) in sums.iter_mut().zip(row) {
                *sum = simd.mul_add_e_f32s(x, y, *sum);
            }
        }
    }
    sums
}

#[inline(always)]
fn add<S: Simd, const ACROSS: usize>(simd: S, place: &mut [f32], sums: &[S::f32s; ACROSS]) {
    let (whole, rest) = S::as_mut_simd_f32s(place);
    for (place, &sum) in whole.iter_mut().zip(sums) {
        *place = simd.add_f32s(*place, sum);
    }
    if !rest.is_empty() {
        let sum = simd.add_f32s(simd.partial_load_f32s(rest), sums[whole.len()]);
        simd.partial_store_f32s(rest, sum);
    }
}

/// The right matrix in strips of so many registers side by side.
#[inline(always)]
fn pack_strips<'a, S: Simd, const ACROSS: usize>(
    room: &'a mut Vec<f32>,
    matrix: Matrix,
) -> &'a [[S::f32s; ACROSS]] {
    let copy = |from: &[f32], to: &mut [f32]| {
        let ((from, _), (to, _)) = (S::as_simd_f32s(from), S::as_mut_simd_f32s(to));
        if let (Some(from), Some(to)) = (from.first_chunk::<ACROSS>(), to.first_chunk_mut()) {
            *to = *from;
        }
    };
    let packed = pack(room, matrix, ACROSS * S::F32_LANES, copy);
    S::as_simd_f32s(packed).0.as_chunks().0
}

/// Strips of so many columns, one after the other, of each its rows; the last is filled up with
/// zeros. `copy` copies a row of a strip.
#[inline(always)]
fn pack<'a>(
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
