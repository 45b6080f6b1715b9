//! On a GPU.

use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Cube, TensorMetadata};
use burn::tensor::{Shape, s};
use burn_cubecl::cubecl::{self, prelude::*};

/// What is there of every step, a direction's one after the other: `[S, directions, B, columns]` →
/// `[1, directions, S·B, columns]`
pub(crate) fn rows(all: FloatTensor<Cube>) -> FloatTensor<Cube> {
    let [steps, directions, b, columns] = all.shape().dims();
    let all = Cube::float_swap_dims(all, 0, 1);
    Cube::float_reshape(all, Shape::new([1, directions, steps * b, columns]))
}

/// The gradient of the weights, Σ over the steps of hᵀ · that of the products, as one product:
/// `[1, directions, H, columns]`.
///
/// # Shapes
/// - h at first `[1, directions, B, H]`, states `[S, directions, B, H or more]`, h first of all, the
///   products' gradients as [`rows`]
pub(crate) fn of_weights(
    first: FloatTensor<Cube>,
    states: FloatTensor<Cube>,
    of_products: FloatTensor<Cube>,
) -> FloatTensor<Cube> {
    let ([steps, ..], [.., h]) = (states.shape().dims::<4>(), first.shape().dims::<4>());
    let before = match steps {
        1 => first,
        _ => {
            let known = Cube::float_slice(states, &s![..steps - 1, .., .., ..h]);
            Cube::float_cat(vec![first, known], 0)
        }
    };
    Cube::float_matmul(Cube::float_swap_dims(rows(before), 2, 3), of_products)
}

#[cube]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0f32 / (1.0f32 + (-x).exp())
}
