//! Batched matrix products, also of single rows.

use burn::tensor::Tensor;

use crate::host;

/// Computes `left · right`.
///
/// On a GPU, single rows (a query while decoding, the descent through a pyramid) are multiplied as
/// a sum of products: on WebGPU burn 0.22's matrix product of many single rows of 4 numbers returns
/// wrong numbers without an error.
///
/// # Shapes
/// - left `[B, H, T, K]`, right `[B, H, K, M]` → `[B, H, T, M]`
pub(crate) fn product(left: Tensor<4>, right: Tensor<4>) -> Tensor<4> {
    if left.dims()[2] > 1 || host::is_host(&left.device()) {
        return left.matmul(right);
    }
    (left.swap_dims(2, 3) * right).sum_dim(2) // [B, H, K, M] → [B, H, 1, M]
}
