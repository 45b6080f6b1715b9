//! Hierarchical attention in burn's operations.

use burn::tensor::Tensor;

use crate::attention::dot::naive::dot_attention;

/// Computes Σ shares_i · q_i, where q_i is the output of level i (*Hierarchical Attention: What
/// Really Counts in Various NLP Tasks*): q₀ = Q and q_i = Attention(q_{i−1}, K, V) (Ham-V) or, if
/// `chained`, q_i = Attention(q_{i−1}, q_{i−1}, q_{i−1}) from the second level on (Ham-S).
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]`, shares `[1 or H, d]`, an
///   additive mask `[B or 1, H or 1, T or 1, S]` → `[B, H, T, D_v]`; with several levels D = D_v, if
///   chained also T = S
pub fn dot_hierarchy(
    [query, keys, values]: [Tensor<4>; 3],
    shares: Tensor<2>,
    mask: Option<Tensor<4>>,
    scale: f64,
    chained: bool,
) -> Tensor<4> {
    let [mixes, depth] = shares.dims();
    let shares = shares.reshape([1, mixes, 1, depth]);
    let levels = (0..depth).scan(query, |state, level| {
        let below = state.clone();
        let inputs = if chained && level > 0 {
            [below.clone(), below.clone(), below]
        } else {
            [below, keys.clone(), values.clone()]
        };
        *state = dot_attention(inputs, mask.clone(), scale, 1); // [B, H, T, D_v]
        Some(state.clone() * shares.clone().narrow(3, level, 1))
    });
    let sum = levels.reduce(|sum, level| sum + level);
    sum.expect("there is at least one level")
}
