//! Rows that one unit processes alone, or all units of a cube together.

// `#[cube]` generates an undocumented module for each function.
#![allow(missing_docs)]

use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::tensor::CubeTensor;

use super::{UNITS, units};

/// Length up to which one unit processes a row alone: units that share a row wait for each other,
/// which costs more than a short row.
const SHORT: usize = 256;

/// True if one unit processes a row of this length, false if a cube does.
pub fn alone(length: usize) -> bool {
    length <= SHORT
}

/// Number of cubes for `rows` rows of this length (rounded up), and the size of each cube.
pub fn for_rows(beside: &CubeTensor, rows: usize, length: usize) -> (CubeCount, CubeDim) {
    let each = if alone(length) { 1 } else { UNITS };
    units(beside, rows * each)
}

/// Row of this unit, index of the first element that the unit processes, and step from one of its
/// elements to the next.
#[cube]
pub fn own_row(#[comptime] alone: bool) -> (usize, usize, usize) {
    if comptime!(alone) {
        (ABSOLUTE_POS, 0usize.runtime(), 1usize.runtime())
    } else {
        (CUBE_POS, UNIT_POS as usize, UNITS.runtime())
    }
}

/// Maximum of one number from each of the units that share the row, returned to all of them.
/// `seats` has one slot per unit.
#[cube]
pub fn highest_of_row(number: f32, seats: &mut Shared<[f32]>, #[comptime] alone: bool) -> f32 {
    together(number, seats, alone, true)
}

/// Sum of one number from each of the units that share the row, returned to all of them. `seats`
/// has one slot per unit.
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
        // No unit may write its slot again before all units have read the result.
        sync_cube();
        found
    }
}
