//! Rows of heads in a unit's registers, for all GPU kernels of attention.

use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::tensor::CubeTensor;

use crate::cube::{dims, empty_as};

/// Number of elements that are read at once if all row lengths are multiples of it.
pub(super) const LANES: usize = 4;

pub(super) fn lanes<const N: usize>(tensors: [&CubeTensor; N]) -> usize {
    let whole = |tensor: &CubeTensor| {
        let (shape, strides) = (tensor.meta.shape(), tensor.meta.strides());
        shape[3].is_multiple_of(LANES)
            && strides[3] == 1
            && strides[..3]
                .iter()
                .all(|stride| stride.is_multiple_of(LANES))
    };
    if tensors.into_iter().all(whole) {
        LANES
    } else {
        1
    }
}

/// Allocates an uninitialised `[B, H, T, D]` on the device and in the precision of `beside`; in
/// memory `[B, T, H, D]`, the layout of a layer's input.
pub(super) fn heads(beside: &CubeTensor, [b, h, t, d]: [usize; 4]) -> CubeTensor {
    let mut rows = empty_as(beside, [b, t, h, d]);
    rows.meta.swap(1, 2);
    rows
}

/// Broadcasts axes of length 1 by a stride of 0.
pub(super) fn broadcast(mut mask: CubeTensor) -> CubeTensor {
    let shape = dims::<4>(&mask);
    for (stride, length) in mask.meta.strides.iter_mut().zip(shape) {
        if length == 1 {
            *stride = 0;
        }
    }
    mask
}

/// Item, head and row of this unit.
#[cube]
pub(super) fn place(heads: usize, rows: usize) -> (usize, usize, usize) {
    place_at(ABSOLUTE_POS, heads, rows)
}

/// Item, head and row of the row with index `at` in `[B, H, T]`.
#[cube]
pub(super) fn place_at(at: usize, heads: usize, rows: usize) -> (usize, usize, usize) {
    let of_heads = at / rows;
    (of_heads / heads, of_heads % heads, at % rows)
}

/// Offset of a row of a head in `[B, H, T, D]`, in vectors.
#[cube]
pub(super) fn row_of<E: Float, N: Size>(
    tensor: &Tensor<Vector<E, N>>,
    item: usize,
    head: usize,
    row: usize,
) -> usize {
    (item * tensor.stride(0) + head * tensor.stride(1) + row * tensor.stride(2)) / N::value()
}

/// Stride from one vector of a row to the next.
#[cube]
pub(super) fn step_of<E: Float, N: Size>(tensor: &Tensor<Vector<E, N>>) -> usize {
    let lanes = N::value().comptime();
    if comptime!(lanes == 1) {
        tensor.stride(3)
    } else {
        1usize.runtime()
    }
}

/// Loads the row that begins at `start` into registers.
#[cube]
pub(super) fn taken<E: Float, N: Size>(
    tensor: &Tensor<Vector<E, N>>,
    start: usize,
    #[comptime] width: usize,
) -> Array<Vector<f32, N>> {
    let step = step_of(tensor);
    let mut row = Array::<Vector<f32, N>>::new(width);
    #[unroll]
    for at in 0..width {
        row[at] = Vector::cast_from(tensor[start + at * step]);
    }
    row
}

#[cube]
pub(super) fn nothing<N: Size>(#[comptime] width: usize) -> Array<Vector<f32, N>> {
    let mut row = Array::<Vector<f32, N>>::new(width);
    #[unroll]
    for at in 0..width {
        row[at] = Vector::new(0.0f32);
    }
    row
}

/// Computes the dot product of a row in registers with the row that begins at `start`.
#[cube]
pub(super) fn product<E: Float, N: Size>(
    row: &Array<Vector<f32, N>>,
    tensor: &Tensor<Vector<E, N>>,
    start: usize,
    #[comptime] width: usize,
) -> f32 {
    let step = step_of(tensor);
    let mut sums = Vector::new(0.0f32);
    #[unroll]
    for at in 0..width {
        sums += row[at] * Vector::cast_from(tensor[start + at * step]);
    }
    let mut sum = 0.0f32;
    #[unroll]
    for lane in 0..N::value() {
        sum += sums.extract(lane);
    }
    sum
}

/// Adds the row that begins at `start`, times `factor`, to a row in registers.
#[cube]
pub(super) fn add<E: Float, N: Size>(
    row: &mut Array<Vector<f32, N>>,
    factor: f32,
    tensor: &Tensor<Vector<E, N>>,
    start: usize,
    #[comptime] width: usize,
) {
    let step = step_of(tensor);
    let factor = Vector::new(factor);
    #[unroll]
    for at in 0..width {
        row[at] += factor * Vector::cast_from(tensor[start + at * step]);
    }
}

/// Writes a row from registers, times `factor`, to its place in `[B, H, T, D]`.
#[cube]
pub(super) fn put<E: Float, N: Size>(
    own: &Array<Vector<f32, N>>,
    factor: f32,
    tensor: &mut Tensor<Vector<E, N>>,
    item: usize,
    head: usize,
    row: usize,
    #[comptime] width: usize,
) {
    let start = item * tensor.stride(0) + head * tensor.stride(1) + row * tensor.stride(2);
    let lanes = N::value().comptime();
    let start = start / lanes;
    let step = if comptime!(lanes == 1) {
        tensor.stride(3)
    } else {
        1usize.runtime()
    };
    let factor = Vector::new(factor);
    #[unroll]
    for at in 0..width {
        tensor[start + at * step] = Vector::cast_from(own[at] * factor);
    }
}
