//! AdamW in burn's operations.

use burn::tensor::Tensor;

use super::AdamStep;

/// Updates parameters θ and moments m, v by one AdamW step (Loshchilov and Hutter 2019, algorithm
/// 2):
///
/// - g ← `scale` · g
/// - m ← β₁ m + (1 − β₁) g
/// - v ← β₂ v + (1 − β₂) g²
/// - θ ← `decay` · θ − `rate` · m / (√v + `epsilon`)
///
/// The paper divides m by 1 − β₁ᵗ and v by 1 − β₂ᵗ. Here `rate` and `epsilon` contain these
/// corrections (Kingma and Ba 2015, end of section 2), so that no pass over the moments is needed.
///
/// # Shapes
/// - all tensors `[n]`
pub fn adamw(
    parameters: Tensor<1>,
    gradient: Tensor<1>,
    [first, second]: [Tensor<1>; 2],
    step: &AdamStep,
) -> (Tensor<1>, [Tensor<1>; 2]) {
    let gradient = gradient * step.scale;
    let first = first * step.first[0] + gradient.clone() * step.first[1];
    let second = second * step.second[0] + gradient.square() * step.second[1];
    let change = first.clone() / (second.clone().sqrt() + step.epsilon) * step.rate;
    (parameters * step.decay - change, [first, second])
}
