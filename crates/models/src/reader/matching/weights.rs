//! Attention weights of a matching, assembled from its steps when they are shown.

use burn::tensor::Tensor;
use strata_attention::{AttentionWeights, SoftWeights};

use super::Levels;
use crate::recurrent::order::{reorder, reversed};

/// Assembles the weights of all steps, `[B, directions, P, Q]` for each level, from those of each
/// step, `[B, directions, 1, Q]`. The second direction read each passage reversed.
pub(super) fn in_text_order(
    levels: Vec<Vec<Tensor<4>>>,
    lengths: &[usize],
    shares: Option<Tensor<2>>,
) -> AttentionWeights {
    let own = levels.into_iter().map(|steps| {
        let [b, directions, _, q] = steps[0].dims();
        let dims = [b, directions, steps.len(), q];
        let lengths = lengths.to_vec();
        SoftWeights::lazy(dims, move || level(steps, &lengths))
    });
    Levels::weights(own.collect(), shares)
}

fn level(steps: Vec<Tensor<4>>, lengths: &[usize]) -> Tensor<4> {
    let all = Tensor::cat(steps, 2); // [B, directions, P, Q]
    let [b, directions, p, _] = all.dims();
    if directions == 1 {
        return all;
    }
    let direction = |at| -> Tensor<3> { all.clone().narrow(1, at, 1).squeeze_dim(1) }; // [B, P, Q]
    let order = reversed(b, p, Some(lengths), &all.device());
    Tensor::stack(vec![direction(0), reorder(direction(1), order)], 1)
}
