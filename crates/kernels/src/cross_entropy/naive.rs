//! Cross-entropy with label smoothing in burn's operations.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};

/// Computes Σ_rows share · Σ_classes target · log p, `[1]`, where p is the softmax of the logits
/// and the target is smoothed (Szegedy et al. 2016, section 7): (1 − ε) for the right class, plus
/// ε/V for every class. Shares of −1/n give the mean loss over n rows.
///
/// # Shapes
/// - logits `[rows, V]`; classes and shares, one per row
pub fn cross_entropy(
    logits: Tensor<2>,
    classes: &[u32],
    shares: &[f32],
    smoothing: f64,
) -> Tensor<1> {
    let ([rows, v], device) = (logits.dims(), logits.device());
    let classes = classes
        .iter()
        .map(|&class| class as i32)
        .collect::<Vec<_>>();
    let classes = Tensor::<2, Int>::from_data(TensorData::new(classes, [rows, 1]), &device);
    let shares = Tensor::<2>::from_data(TensorData::new(shares.to_vec(), [rows, 1]), &device);
    let all = Tensor::<1, Int>::arange(0..v as i64, &device).unsqueeze_dim::<2>(0); // [1, V]
    let right = all
        .expand([rows, v])
        .equal(classes.expand([rows, v]))
        .float(); // 1 or 0, [rows, V]
    let target = right * (1.0 - smoothing) + smoothing / v as f64;
    (log_softmax(logits, 1) * target * shares).sum()
}
