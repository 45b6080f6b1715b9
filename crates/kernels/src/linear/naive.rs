//! Linear layer and rectifier in burn's operations.

use burn::tensor::Tensor;
use burn::tensor::activation::relu;

/// Computes the linear layer x W + b, or x W without a bias.
///
/// # Shapes
/// - x `[…, D]`, weight `[D, E]`, bias `[E]` → `[…, E]`
pub fn linear<const R: usize>(
    x: Tensor<R>,
    weight: Tensor<2>,
    bias: Option<Tensor<1>>,
) -> Tensor<R> {
    let product = x.matmul(weight.unsqueeze()); // […, E]
    match bias {
        Some(bias) => product + bias.unsqueeze(),
        None => product,
    }
}

/// Computes the rectified linear layer max(0, x W + b) (Nair and Hinton 2010).
///
/// # Shapes
/// - as in [`linear`]
pub fn rectified_linear<const R: usize>(
    x: Tensor<R>,
    weight: Tensor<2>,
    bias: Tensor<1>,
) -> Tensor<R> {
    relu(linear(x, weight, Some(bias)))
}
