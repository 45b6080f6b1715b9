//! Large products tile by tile, for WebAssembly: as many rows and columns as its engines keep in
//! registers. (With a larger tile, or two rows of the right matrix at a time, V8 moves sums to
//! memory and back and takes twice as long.)

use std::array;
use std::cell::RefCell;

use pulp::Simd;

use super::{Before, Matrix, Place};

/// Rows of a tile.
const DOWN: usize = 4;
/// Registers side by side in a tile.
const ACROSS: usize = 2;
/// Rows of the right matrix that are gone through at a time: so many of a tile's columns stay in
/// the processor's first cache.
const DEPTH: usize = 256;

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Room that is used again.
#[derive(Default)]
struct Room {
    left: Vec<f32>,
    right: Vec<f32>,
}

/// Multiplications of a product from which on packing its matrices pays.
#[cfg(target_family = "wasm")]
pub(super) const LARGE: usize = 1 << 18;

/// `left · right`, where both fit together and the place is large enough.
#[inline(always)]
pub(super) fn product<S: Simd>(
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
    ROOM.with_borrow_mut(|room| {
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            let left = left.transposed().rows(first, depth).transposed();
            add_strips(simd, place.again(), left, right.rows(first, depth), room);
        }
    });
}

/// `left · right`, added to what is in the place.
#[inline(always)]
fn add_strips<S: Simd>(simd: S, mut place: Place, left: Matrix, right: Matrix, room: &mut Room) {
    let ([m, depth], [_, n]) = (left.shape, right.shape);
    let broad = ACROSS * S::F32_LANES;
    let in_rows = left.steps[1] == 1;
    let packed = if in_rows {
        &[]
    } else {
        let copy = |from: &[f32], to: &mut [f32]| {
            if let (Some(from), Some(to)) = (from.first_chunk::<DOWN>(), to.first_chunk_mut()) {
                *to = *from;
            }
        };
        pack(&mut room.left, left.transposed(), DOWN, copy)
    };
    let copy = |from: &[f32], to: &mut [f32]| {
        let ((from, _), (to, _)) = (S::as_simd_f32s(from), S::as_mut_simd_f32s(to));
        if let (Some(from), Some(to)) = (from.first_chunk::<ACROSS>(), to.first_chunk_mut()) {
            *to = *from;
        }
    };
    let right = pack(&mut room.right, right, broad, copy);
    for (strip, rows) in right.chunks_exact(depth * broad).enumerate() {
        let columns = strip * broad..n.min((strip + 1) * broad);
        let (rows, _) = S::as_simd_f32s(rows);
        let (rows, _) = rows.as_chunks::<ACROSS>();
        for row in (0..m).step_by(DOWN) {
            let sums = if in_rows {
                let left: [&[f32]; DOWN] = array::from_fn(|i| {
                    let row = (row + i).min(m - 1);
                    &left.numbers[row * left.steps[0]..][..depth]
                });
                let column = |k: usize| array::from_fn(|i| left[i][k]);
                tile(simd, (0..depth).map(column), rows)
            } else {
                let columns = &packed[row * depth..][..DOWN * depth];
                let (columns, _) = columns.as_chunks::<DOWN>();
                tile(simd, columns.iter().copied(), rows)
            };
            for (i, sums) in sums.iter().enumerate().take(m - row) {
                let place = place.row(row + i, columns.end);
                add(simd, &mut place[columns.clone()], sums);
            }
        }
    }
}

/// The sum of products of columns with rows.
#[inline(always)]
fn tile<S: Simd>(
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
fn add<S: Simd>(simd: S, place: &mut [f32], sums: &[S::f32s; ACROSS]) {
    let (whole, rest) = S::as_mut_simd_f32s(place);
    for (place, &sum) in whole.iter_mut().zip(sums) {
        *place = simd.add_f32s(*place, sum);
    }
    if !rest.is_empty() {
        let sum = simd.add_f32s(simd.partial_load_f32s(rest), sums[whole.len()]);
        simd.partial_store_f32s(rest, sum);
    }
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
