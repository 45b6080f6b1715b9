//! What kernels for graphics cards have in common.

use burn::tensor::{DType, Shape};
use burn_cubecl::cubecl::prelude::*;
use burn_cubecl::cubecl::{self, calculate_cube_count_elemwise};
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;

/// Units of a cube.
pub const UNITS: usize = 64;

/// Room for numbers in F32, contiguous, where another tensor lies.
pub fn room<const D: usize>(beside: &CubeTensor, shape: [usize; D]) -> CubeTensor {
    let (client, device) = (beside.client.clone(), beside.device.clone());
    empty_device_contiguous_dtype(client, device, Shape::new(shape), DType::F32)
}

/// The lengths of a tensor's axes.
pub fn dims<const D: usize>(tensor: &CubeTensor) -> [usize; D] {
    std::array::from_fn(|axis| tensor.meta.shape()[axis])
}

/// Cubes for `count` units that have nothing to do with each other, and how large each cube is.
pub fn units(beside: &CubeTensor, count: usize) -> (CubeCount, CubeDim) {
    let size = CubeDim::new_1d(UNITS as u32);
    let cubes = calculate_cube_count_elemwise(&beside.client, count, size);
    (cubes, size)
}

/// `cubes` cubes of [`UNITS`] units each; there may be some more.
pub fn together(beside: &CubeTensor, cubes: usize) -> (CubeCount, CubeDim) {
    units(beside, cubes * UNITS)
}

/// The highest of a number of each unit of the cube, known to all of them. `seats` has one for each.
#[cube]
pub(crate) fn highest_of_cube(number: f32, seats: &mut Shared<[f32]>) -> f32 {
    let unit = UNIT_POS as usize;
    seats[unit] = number;
    sync_cube();
    let mut half = comptime!(UNITS / 2).runtime();
    while half > 0 {
        if unit < half {
            let other = seats[unit + half];
            seats[unit] = seats[unit].max(other);
        }
        sync_cube();
        half /= 2;
    }
    let highest = seats[0];
    // Nobody takes a seat again before everybody has seen it.
    sync_cube();
    highest
}

/// The sum of a number of each unit of the cube, known to all of them. `seats` has one for each.
#[cube]
pub(crate) fn sum_of_cube(number: f32, seats: &mut Shared<[f32]>) -> f32 {
    let unit = UNIT_POS as usize;
    seats[unit] = number;
    sync_cube();
    let mut half = comptime!(UNITS / 2).runtime();
    while half > 0 {
        if unit < half {
            let other = seats[unit + half];
            seats[unit] += other;
        }
        sync_cube();
        half /= 2;
    }
    let sum = seats[0];
    // Nobody takes a seat again before everybody has seen the sum.
    sync_cube();
    sum
}
