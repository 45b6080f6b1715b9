//! Shares of levels, and sums of levels by shares.

use burn::tensor::activation::softmax;
use burn::tensor::{Bool, Device, Tensor, TensorData};
use strata_kernels::attention::MASKED_SCORE;

use crate::host;

/// Computes the shares of the first `levels` levels: softmax of `mix` over the last axis,
/// `[…, d]` → `[…, levels]`. Levels of `muted`, counted from 0, have share 0, and the shares of the
/// others sum to 1.
pub(crate) fn shares<const R: usize>(mix: Tensor<R>, levels: usize, muted: &[usize]) -> Tensor<R> {
    let mix = if levels < mix.dims()[R - 1] {
        mix.narrow(R - 1, 0, levels)
    } else {
        mix
    };
    let absent: Vec<bool> = (0..levels).map(|level| muted.contains(&level)).collect();
    if !absent.contains(&true) {
        return softmax(mix, R - 1);
    }
    let mut shape = [1; R];
    shape[R - 1] = levels;
    let absent = TensorData::new(absent, shape);
    let absent = Tensor::<R, Bool>::from_data(absent, &mix.device()).expand(mix.dims());
    softmax(mix.mask_fill(absent, MASKED_SCORE), R - 1)
}

/// Shares `[1, 1 or H, 1, d]` of a mix that serves all queries, from `[1 or H, d]`.
pub(crate) fn for_all_queries(shares: Tensor<2>) -> Tensor<4> {
    let [mixes, levels] = shares.dims();
    shares.reshape([1, mixes, 1, levels])
}

/// Computes Σ shares_i · level_i for levels `[B, H, T, D]` and shares
/// `[B or 1, H or 1, T or 1, d]`. One product mixes all levels, since each operation on a GPU costs
/// a launch.
pub(crate) fn mixed(levels: Vec<Tensor<4>>, shares: Tensor<4>) -> Tensor<4> {
    if host::is_host(&shares.device()) {
        return mixed_on_host(levels, shares);
    }
    // No axis is swapped: the gradient of the shares would be a sum over a permuted tensor, which
    // burn 0.22 computes wrong on a GPU where the axis that is contiguous in memory is not the last.
    let shares = shares.unsqueeze_dim::<5>(4); // [B, H, T, d, 1]
    let levels = Tensor::stack::<5>(levels, 3); // [B, H, T, d, D]
    (levels * shares)
        .sum_dim(3) // [B, H, T, 1, D]
        .squeeze_dim::<4>(3) // [B, H, T, D]
}

/// Computes the same on the CPU, 1.1 to 2.6 times as fast: heads become the last axis but one, so
/// that the shares of a head broadcast over positions.
fn mixed_on_host(levels: Vec<Tensor<4>>, shares: Tensor<4>) -> Tensor<4> {
    let shares = shares.permute([3, 0, 2, 1]).unsqueeze_dim::<5>(4); // [d, B, T, H, 1]
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
