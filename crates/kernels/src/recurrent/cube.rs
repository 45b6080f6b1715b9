//! Common parts of recurrent layers on a GPU.

use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Cube, TensorMetadata};
use burn::tensor::{Shape, s};
use burn_cubecl::cubecl::{self, prelude::*};

/// Rearranges the rows of all steps, one step after the other for each direction:
/// `[S, directions, B, columns]` → `[1, directions, S·B, columns]`
pub(crate) fn rows(all: FloatTensor<Cube>) -> FloatTensor<Cube> {
    let [steps, directions, b, columns] = all.shape().dims();
    let all = Cube::float_swap_dims(all, 0, 1); // [directions, S, B, columns]
    Cube::float_reshape(all, Shape::new([1, directions, steps * b, columns]))
}

/// Computes the gradient of the weights, Σ hᵀ · gradient of h U over the steps, as one product:
/// `[1, directions, H, columns]`.
///
/// # Shapes
/// - initial h `[1, directions, B, H]`, states `[S, directions, B, H or more]` that begin with h,
///   gradients of h U as [`rows`]
pub(crate) fn of_weights(
    first: FloatTensor<Cube>,
    states: FloatTensor<Cube>,
    of_products: FloatTensor<Cube>,
) -> FloatTensor<Cube> {
    let ([steps, ..], [.., h]) = (states.shape().dims::<4>(), first.shape().dims::<4>());
    let before = match steps {
        1 => first,
        _ => {
            let known = Cube::float_slice(states, &s![..steps - 1, .., .., ..h]); // [S − 1, directions, B, H]
            Cube::float_cat(vec![first, known], 0) // [S, directions, B, H]
        }
    };
    Cube::float_matmul(Cube::float_swap_dims(rows(before), 2, 3), of_products)
}

#[cube]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0f32 / (1.0f32 + (-x).exp())
}
