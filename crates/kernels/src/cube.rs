//! Common parts of kernels for GPUs.

mod row;

use burn::tensor::{DType, Shape};
use burn_cubecl::cubecl::calculate_cube_count_elemwise;
use burn_cubecl::cubecl::ir::{ElemType, FloatKind};
use burn_cubecl::cubecl::prelude::*;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;

pub use row::{alone, for_rows, highest_of_row, own_row, sum_of_row};

/// Units of a cube.
pub const UNITS: usize = 64;

/// Room for numbers in F32, contiguous, where another tensor lies.
pub fn room<const D: usize>(beside: &CubeTensor, shape: [usize; D]) -> CubeTensor {
    room_in(beside, shape, DType::F32)
}

/// Room for numbers in the precision of another tensor, contiguous, where it lies.
pub fn room_as<const D: usize>(beside: &CubeTensor, shape: [usize; D]) -> CubeTensor {
    room_in(beside, shape, beside.dtype)
}

fn room_in<const D: usize>(beside: &CubeTensor, shape: [usize; D], dtype: DType) -> CubeTensor {
    let (client, device) = (beside.client.clone(), beside.device.clone());
    empty_device_contiguous_dtype(client, device, Shape::new(shape), dtype)
}

/// What the numbers of a tensor are, for kernels that take all precisions. They compute in F32.
pub fn element(tensor: &CubeTensor) -> ElemType {
    ElemType::Float(match tensor.dtype {
        DType::F16 => FloatKind::F16,
        DType::BF16 => FloatKind::BF16,
        _ => FloatKind::F32,
    })
}

/// The lengths of a tensor's axes.
pub fn dims<const D: usize>(tensor: &CubeTensor) -> [usize; D] {
    std::array::from_fn(|axis| tensor.meta.shape()[axis])
}

/// Numbers that are read at once, where rows have this many or a multiple of it.
const LANES: usize = 4;

/// Number of elements that can be read at once of rows of all these lengths.
pub fn lanes<const N: usize>(lengths: [usize; N]) -> usize {
    let whole = lengths.iter().all(|length| length.is_multiple_of(LANES));
    if whole { LANES } else { 1 }
}

/// Cubes for `count` units that have nothing to do with each other, and how large each cube is.
pub fn units(beside: &CubeTensor, count: usize) -> (CubeCount, CubeDim) {
    let size = CubeDim::new_1d(UNITS as u32);
    let cubes = calculate_cube_count_elemwise(&beside.client, count, size);
    (cubes, size)
}
