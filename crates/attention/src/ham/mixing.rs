//! Weighted sum of levels.

use burn::tensor::{Device, Tensor, TensorData};

/// Computes Σ shares_i · level_i for levels `[B, H, T, D]` and shares `[1 or H, d]`. One product
/// mixes all levels, since each operation on a GPU costs a launch.
pub(super) fn mixed(levels: Vec<Tensor<4>>, shares: Tensor<2>) -> Tensor<4> {
    let [mixes, depth] = shares.dims();
    let shares = shares.swap_dims(0, 1).reshape([depth, 1, 1, mixes, 1]); // [d, 1, 1, 1 or H, 1]
    // Heads become the last axis but one, so that the shares of a head broadcast over positions.
    let levels = levels.into_iter().map(|level| level.swap_dims(1, 2));
    let levels = Tensor::stack::<5>(levels.collect(), 0); // [d, B, T, H, D]
    (levels * shares)
        .sum_dim(0) // [1, B, T, H, D]
        .squeeze_dim::<4>(0) // [B, T, H, D]
        .swap_dims(1, 2) // [B, H, T, D]
}

/// Shares `[1, d]` of a mix that is its last level alone: 1 for the last, 0 for the others.
pub(super) fn last_alone(depth: usize, device: &Device) -> Tensor<2> {
    let mut shares = vec![0.0f32; depth];
    if let Some(last) = shares.last_mut() {
        *last = 1.0;
    }
    Tensor::from_data(TensorData::new(shares, [1, depth]), device)
}
