//! Squared norm in burn's operations.

use burn::tensor::Tensor;

/// Computes the squared L2 norm Σ x², `[n]` → `[1]`. Also runs where no kernel supports the tensor.
pub fn sum_of_squares(x: Tensor<1>) -> Tensor<1> {
    x.square().sum()
}
