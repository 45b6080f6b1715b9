//! Levels mixed by their shares.

use burn::tensor::{Device, Tensor, TensorData};

/// Σ shares_i · level_i: one product for all levels `[B, H, T, D]`, since each operation on a
/// GPU costs a launch. Shares `[1 or H, d]`.
pub(super) fn mixed(levels: Vec<Tensor<4>>, shares: Tensor<2>) -> Tensor<4> {
    let [mixes, depth] = shares.dims();
    let shares = shares.swap_dims(0, 1).reshape([depth, 1, 1, mixes, 1]);
    // The numbers of a position lie together, of all heads.
    let levels = levels.into_iter().map(|level| level.swap_dims(1, 2));
    let levels = Tensor::stack::<5>(levels.collect(), 0);
    (levels * shares)
        .sum_dim(0)
        .squeeze_dim::<4>(0)
        .swap_dims(1, 2)
}

/// The last level's share is 1, `[1, d]`.
pub(super) fn last_alone(depth: usize, device: &Device) -> Tensor<2> {
    let mut shares = vec![0.0f32; depth];
    if let Some(last) = shares.last_mut() {
        *last = 1.0;
    }
    Tensor::from_data(TensorData::new(shares, [1, depth]), device)
}
