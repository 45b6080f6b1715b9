//! Cross-entropy over real target tokens, with label smoothing (Szegedy et al. 2016, 7).

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::Tokens;

/// Mean loss over the tokens of `target` that are not padding, in nats: `[1]`.
///
/// Smoothing ε gives (1 − ε) to the right class and ε/V to each of the V classes.
/// A batch without real tokens has the loss 0.
///
/// # Shapes
/// - logits `[B, T, V]`, target `[B, T]` → `[1]`
pub fn cross_entropy(
    logits: Tensor<3>,
    target: &Tokens,
    smoothing: f64,
    device: &Device,
) -> Tensor<1> {
    let [b, t, v] = logits.dims();
    let logs = log_softmax(logits.reshape([b * t, v]), 1);
    let classes: Tensor<2, Int> = target.tensor(device).reshape([b * t, 1]);
    let right = logs.clone().gather(1, classes); // [B·T, 1]
    // Padding weighs 0, the others 1 / their count: known on the host.
    let count = target.count().max(1) as f32;
    let share = |&padding: &bool| if padding { 0.0 } else { -1.0 / count };
    let shares: Vec<f32> = target.padding().iter().map(share).collect();
    let shares = Tensor::<2>::from_data(TensorData::new(shares, [b * t, 1]), device);
    let of_right = (right * shares.clone()).sum();
    if smoothing == 0.0 {
        return of_right;
    }
    let of_all = (logs.sum_dim(1) * shares).sum();
    of_right * (1.0 - smoothing) + of_all * (smoothing / v as f64)
}
