//! Additive score in burn's operations.

use burn::tensor::Tensor;

/// Computes the additive score vᵀ tanh(q + k) of every query and key (Bahdanau et al. 2015, A.1.2),
/// where q = W h and k = U g are the projected queries and keys, given doubled: the arguments are
/// 2 q and 2 k, and v is the energy.
///
/// # Shapes
/// - query `[B, H, T, A]`, keys `[B, H, S, A]`, energy `[A]` → `[B, H, T, S]`
pub fn additive_scores(query: Tensor<4>, keys: Tensor<4>, energy: Tensor<1>) -> Tensor<4> {
    let [a] = energy.dims();
    let sums = query.unsqueeze_dim::<5>(3) + keys.unsqueeze_dim::<5>(2); // [B, H, T, S, A]
    let terms = (sums * 0.5).tanh() * energy.reshape([1, 1, 1, 1, a]);
    terms.sum_dim(4).squeeze_dim(4) // [B, H, T, S]
}
