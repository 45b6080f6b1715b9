//! Softmax with masked keys, in burn's operations.

use burn::tensor::{Tensor, activation};

use crate::attention::MASKED_SCORE;

/// Computes the softmax over the last axis, e^s / Σ e^s (Bridle 1990). Keys at [`MASKED_SCORE`] get
/// weight 0, even if the whole row is masked.
///
/// # Shapes
/// - scores `[…, S]` → `[…, S]`
pub fn softmax<const R: usize>(scores: Tensor<R>) -> Tensor<R> {
    // 1 for a visible key, 0 for a masked one. A row whose keys are all masked would otherwise get
    // equal weights.
    let visible = scores.clone().greater_elem(MASKED_SCORE / 2.0);
    let visible = visible.float().cast(scores.dtype());
    activation::softmax(scores, R - 1) * visible
}
