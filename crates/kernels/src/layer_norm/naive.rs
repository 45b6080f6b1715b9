//! Layer normalisation in burn's operations.

use burn::tensor::Tensor;

/// Normalises each row (Ba et al. 2016, equation 4): (x − μ) / √(σ² + ε) · γ + β, where μ is the
/// mean of the row and σ² the mean of (x − μ)².
///
/// # Shapes
/// - x `[…, D]`, gamma and beta `[D]` → `[…, D]`
pub fn layer_norm<const R: usize>(
    x: Tensor<R>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    epsilon: f64,
) -> Tensor<R> {
    let centred = x.clone() - x.mean_dim(R - 1);
    let variance = centred.clone().square().mean_dim(R - 1); // […, 1]
    centred / (variance + epsilon).sqrt() * gamma.unsqueeze() + beta.unsqueeze()
}
