//! A mix of the levels of multilevel attention in burn's operations.

use burn::tensor::Tensor;

/// Computes Σ shares_i · Aⁱ V, i = 1 … N: the mix of *Hierarchical Attention: What Really Counts in
/// Various NLP Tasks* on the levels of *Multilevel Attention* (Zhou and Li).
///
/// # Shapes
/// - attention `[B, H, S, S]`, values `[B, H, S, D_v]`, shares `[B or 1, H or 1, S or 1, N]` →
///   `[B, H, S, D_v]`
///
/// # Panics
/// If there is no level.
pub fn mixed_powers(attention: Tensor<4>, values: Tensor<4>, shares: Tensor<4>) -> Tensor<4> {
    let levels = (0..shares.dims()[3]).scan(values, |state, level| {
        *state = attention.clone().matmul(state.clone()); // [B, H, S, D_v]
        Some(state.clone() * shares.clone().narrow(3, level, 1))
    });
    let sum = levels.reduce(|sum, level| sum + level);
    sum.expect("there is at least one level")
}
