//! Rows that a unit goes through alone, or the units of a cube together.

// `#[cube]` writes a module for each function, without a word about it.
#![allow(missing_docs)]

use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::tensor::CubeTensor;

use super::{UNITS, units};

/// Numbers of a row that one unit goes through alone: the units of a cube that share a row wait for
/// each other, which costs more than a short row.
const SHORT: usize = 256;

/// True if rows of this length have a unit each, and not a cube.
pub fn alone(length: usize) -> bool {
    length <= SHORT
}

/// Cubes for `rows` rows of this length, and how large each cube is; there may be some more.
pub fn for_rows(beside: &CubeTensor, rows: usize, length: usize) -> (CubeCount, CubeDim) {
    let each = if alone(length) { 1 } else { UNITS };
    units(beside, rows * each)
}

/// The row of this unit, the first of its numbers, and how far it is from each to the next.
#[cube]
pub fn own_row(#[comptime] alone: bool) -> (usize, usize, usize) {
    if comptime!(alone) {
        (ABSOLUTE_POS, 0usize.runtime(), 1usize.runtime())
    } else {
        (CUBE_POS, UNIT_POS as usize, UNITS.runtime())
    }
}

/// The highest of a number of each unit that shares the row, known to all of them. `seats` has one
/// for each.
#[cube]
pub fn highest_of_row(number: f32, seats: &mut Shared<[f32]>, #[comptime] alone: bool) -> f32 {
    together(number, seats, alone, true)
}

/// The sum of a number of each unit that shares the row, known to all of them. `seats` has one for
/// each.
#[cube]
pub fn sum_of_row(number: f32, seats: &mut Shared<[f32]>, #[comptime] alone: bool) -> f32 {
    together(number, seats, alone, false)
}

#[cube]
fn together(
    number: f32,
    seats: &mut Shared<[f32]>,
    #[comptime] alone: bool,
    #[comptime] highest: bool,
) -> f32 {
    if comptime!(alone) {
        number
    } else {
        let unit = UNIT_POS as usize;
        seats[unit] = number;
        sync_cube();
        let mut half = comptime!(UNITS / 2).runtime();
        while half > 0 {
            if unit < half {
                let other = seats[unit + half];
                if comptime!(highest) {
                    seats[unit] = seats[unit].max(other);
                } else {
                    seats[unit] += other;
                }
            }
            sync_cube();
            half /= 2;
        }
        let found = seats[0];
        // Nobody takes a seat again before everybody has seen what was found.
        sync_cube();
        found
    }
}
