//! What the loss gets besides the error of the predictions.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::{Batch, SiteWeights, Tokens};

/// What a mechanism wants to be added to the loss, `[1]`; nothing where no site wants anything.
///
/// - The ponder cost of a pyramid by ACT.
/// - For hard attention (Xu et al. 2015, 4.1), whose draws have no gradient: a term whose gradient
///   is the score-function estimate (Williams 1992) of that of the expected loss,
///   Σ (loss of the item − baseline) ∇ log p(its draws). The baseline is the mean loss of the
///   batch's other items, which knows nothing of this item's draws and so leaves the estimate
///   unbiased. The term's own value means nothing.
///
/// # Shapes
/// - logits `[B, T, V]` of this pass, of which the sites' parts are
pub fn auxiliary_loss(
    logits: &Tensor<3>,
    sites: &[SiteWeights],
    batch: &Batch,
    device: &Device,
) -> Option<Tensor<1>> {
    let costs = sites.iter().filter_map(|site| site.auxiliary.cost.clone());
    let mut advantage = None;
    let draws = sites.iter().filter_map(|site| {
        let drawn = site.auxiliary.log_probability.clone()?; // [B, H, T, 1]
        let [b, _, t, _] = drawn.dims();
        let queries = match site.site.starts_with("encoder") {
            true => &batch.source,
            false => &batch.target_in,
        };
        let real: Vec<f32> = queries.padding().iter().map(|&it| f32::from(!it)).collect();
        let real = Tensor::<4>::from_data(TensorData::new(real, [b, 1, t, 1]), device);
        let advantage =
            advantage.get_or_insert_with(|| of_items(logits.clone(), &batch.target_out, device));
        Some((drawn * real * advantage.clone()).sum())
    });
    costs.chain(draws).reduce(|sum, term| sum + term)
}

/// How much more each item adds to the loss than it would at the mean of the others: `[B, 1, 1, 1]`.
fn of_items(logits: Tensor<3>, target: &Tokens, device: &Device) -> Tensor<4> {
    let [b, t, v] = logits.dims();
    let logs = log_softmax(logits.detach().reshape([b * t, v]), 1);
    let classes: Tensor<2, Int> = target.tensor(device).reshape([b * t, 1]);
    let right = logs.gather(1, classes).reshape([b, t]);
    let column = |values: Vec<f32>, columns| {
        Tensor::<2>::from_data(TensorData::new(values, [b, columns]), device)
    };
    let padding = target.padding();
    let count = target.count().max(1) as f32;
    let lengths: Vec<f32> = target
        .lengths()
        .iter()
        .map(|&it| it.max(1) as f32)
        .collect();
    let real = column(padding.iter().map(|&it| -f32::from(!it)).collect(), t);
    let means = (right * real).sum_dim(1) / column(lengths.clone(), 1); // loss per token, [B, 1]
    let others = (b as f64 - 1.0).max(1.0);
    let baseline = (means.clone().sum().unsqueeze::<2>() - means.clone()) / others;
    let shares = column(lengths.iter().map(|length| length / count).collect(), 1);
    ((means - baseline) * shares).reshape([b, 1, 1, 1])
}
