//! Common parts of GPU kernels.

mod row;

use burn::tensor::{DType, Shape};
use burn_cubecl::cubecl::calculate_cube_count_elemwise;
use burn_cubecl::cubecl::ir::{ElemType, FloatKind};
use burn_cubecl::cubecl::prelude::*;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;

pub use row::{alone, for_rows, highest_of_row, own_row, sum_of_row};

/// Number of units in a cube.
pub const UNITS: usize = 64;

/// Allocates an uninitialised contiguous F32 tensor on the device of `beside`.
pub fn empty<const D: usize>(beside: &CubeTensor, shape: [usize; D]) -> CubeTensor {
    empty_in(beside, shape, DType::F32)
}

/// Allocates an uninitialised contiguous tensor on the device and in the precision of `beside`.
pub fn empty_as<const D: usize>(beside: &CubeTensor, shape: [usize; D]) -> CubeTensor {
    empty_in(beside, shape, beside.dtype)
}

fn empty_in<const D: usize>(beside: &CubeTensor, shape: [usize; D], dtype: DType) -> CubeTensor {
    let (client, device) = (beside.client.clone(), beside.device.clone());
    empty_device_contiguous_dtype(client, device, Shape::new(shape), dtype)
}

/// Element type of a tensor, for kernels that read and write all precisions but compute in F32.
pub fn element(tensor: &CubeTensor) -> ElemType {
    ElemType::Float(match tensor.dtype {
        DType::F16 => FloatKind::F16,
        DType::BF16 => FloatKind::BF16,
        _ => FloatKind::F32,
    })
}

/// Shape of a tensor.
pub fn dims<const D: usize>(tensor: &CubeTensor) -> [usize; D] {
    std::array::from_fn(|axis| tensor.meta.shape()[axis])
}

/// Number of elements that are read at once if row lengths are multiples of it.
const LANES: usize = 4;

/// Number of elements that can be read at once from rows of these lengths.
pub fn lanes<const N: usize>(lengths: [usize; N]) -> usize {
    let whole = lengths.iter().all(|length| length.is_multiple_of(LANES));
    if whole { LANES } else { 1 }
}

/// Number of cubes for `count` independent units, and the size of each cube.
pub fn units(beside: &CubeTensor, count: usize) -> (CubeCount, CubeDim) {
    let size = CubeDim::new_1d(UNITS as u32);
    let cubes = calculate_cube_count_elemwise(&beside.client, count, size);
    (cubes, size)
}
