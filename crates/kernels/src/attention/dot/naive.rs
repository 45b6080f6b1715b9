//! Dot-product attention in burn's operations.

use burn::tensor::Tensor;

use crate::attention::softmax::naive::softmax;

/// Computes the context Aᴺ V with A = softmax(c · Q Kᵀ + mask) (Vaswani et al. 2017, equation 1;
/// N > 1: Zhou and Li, *Multilevel Attention*). c is `scale`, N is `levels`.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]`, an additive mask
///   `[B or 1, H or 1, T or 1, S]` → `[B, H, T, D_v]`; with several levels T = S
pub fn dot_attention(
    [query, keys, values]: [Tensor<4>; 3],
    mask: Option<Tensor<4>>,
    scale: f64,
    levels: usize,
) -> Tensor<4> {
    let scores = query.matmul(keys.swap_dims(2, 3)) * scale; // [B, H, T, S]
    let weights = softmax(match mask {
        Some(mask) => scores + mask,
        None => scores,
    });
    (0..levels).fold(values, |values, _| weights.clone().matmul(values)) // [B, H, T, D_v]
}
