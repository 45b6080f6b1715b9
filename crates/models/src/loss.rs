//! Cross-entropy over target tokens without padding, with label smoothing (Szegedy et al. 2016, 7).

use burn::tensor::Tensor;
use strata_kernels::cross_entropy as of_rows;

use crate::Tokens;

/// Computes the mean loss over the tokens of `target` that are not padding, in nats: `[1]`.
///
/// Smoothing ε gives (1 − ε) to the right class and ε/V to each of the V classes. A batch of
/// nothing but padding has the loss 0.
///
/// # Shapes
/// - logits `[B, T, V]`, target `[B, T]` → `[1]`
pub fn cross_entropy(logits: Tensor<3>, target: &Tokens, smoothing: f64) -> Tensor<1> {
    let [b, t, v] = logits.dims();
    let rows = logits.reshape([b * t, v]); // [B·T, V]
    of_rows(rows, target.ids().to_vec(), shares(target), smoothing)
}

/// Share of each token in the mean log-likelihood, negated: 0 for padding, −1 / their count for all
/// others. The count is known on the host.
pub(crate) fn shares(target: &Tokens) -> Vec<f32> {
    let count = target.count().max(1) as f32;
    let share = |&padding: &bool| if padding { 0.0 } else { -1.0 / count };
    target.padding().iter().map(share).collect()
}
