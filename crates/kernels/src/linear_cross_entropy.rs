//! Cross-entropy of the logits of a linear layer, without ever holding all logits: an operation for
//! large vocabularies.

#[cfg(feature = "flex")]
mod block;
#[cfg(feature = "flex")]
mod host;

use burn::tensor::Tensor;

/// Smallest number of logits of which only some rows are held at a time. Fewer logits are quicker
/// to compute as a whole.
#[cfg(feature = "flex")]
const MANY: usize = 1 << 23;

/// Cross-entropy of rows, and the number of rows that are predicted correctly; `[1]` each.
#[derive(Clone, Debug)]
pub struct CrossEntropy {
    /// Cross-entropy with label smoothing.
    pub loss: Tensor<1>,
    /// Cross-entropy without label smoothing; has no gradient.
    pub plain_loss: Tensor<1>,
    /// Number of rows whose class has the highest logit, rows of share 0 excluded; has no gradient.
    pub correct: Tensor<1>,
}

/// Computes the [`cross_entropy`](crate::cross_entropy()) of the logits x W + b. Returns `None` if
/// the logits are few or no kernel supports the tensors; the caller then computes the logits.
///
/// The gradients are computed along with the loss, while a row's logits are at hand, so that the
/// logits are neither kept nor computed twice. (As "cut cross-entropy", Wijmans et al. 2024, and
/// Liger, Hsu et al. 2024, do on a GPU.)
///
/// # Shapes
/// - x `[rows, D]`, weight `[D, V]`, bias `[V]`; classes and shares, one per row
pub fn linear_cross_entropy(
    x: &Tensor<2>,
    weight: &Tensor<2>,
    bias: Option<&Tensor<1>>,
    classes: &[u32],
    shares: &[f32],
    smoothing: f64,
) -> Option<CrossEntropy> {
    #[cfg(feature = "flex")]
    {
        let ([rows, _], [_, v]) = (x.dims(), weight.dims());
        let ours = crate::on_cpu(x) && crate::on_cpu(weight) && bias.is_none_or(crate::on_cpu);
        if ours && rows * v >= MANY {
            let targets = host::Targets {
                classes: classes.to_vec(),
                shares: shares.to_vec(),
                smoothing: smoothing as f32,
            };
            return Some(host::linear_cross_entropy(
                x,
                weight,
                bias,
                targets,
                host::Blocks::of(v),
            ));
        }
    }
    let _ = (x, weight, bias, classes, shares, smoothing);
    None
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, TensorData, Tolerance};

    use super::*;
    use crate::naive;
    use crate::testing::Draws;

    /// Draws x, weight and bias. x is not contiguous, and the weight is not if `tied`, as where an
    /// embedding is also the output layer.
    fn draw(rows: usize, d: usize, v: usize, tied: bool) -> [Tensor<2>; 3] {
        let mut draws = Draws::new(3, &Device::flex().autodiff());
        let mut draw = |shape: [usize; 2]| draws.normal(shape, 0.1, 1.0);
        let x = draw([d, rows]).transpose();
        let weight = if tied {
            draw([v, d]).transpose()
        } else {
            draw([d, v])
        };
        [x, weight, draw([1, v])]
    }

    /// Computes losses with and without smoothing by `of` x, weight and bias, and the gradients of
    /// three times the former.
    fn losses_and_gradients(
        drawn: &[Tensor<2>; 3],
        with_bias: bool,
        of: impl Fn(&Tensor<2>, &Tensor<2>, Option<&Tensor<1>>) -> [Tensor<1>; 2],
    ) -> Vec<TensorData> {
        let leaves = drawn.clone().map(Tensor::require_grad);
        let [x, weight, bias] = &leaves;
        let bias = bias.clone().squeeze_dim(0);
        let [loss, plain] = of(x, weight, with_bias.then_some(&bias));
        let loss = loss * 3.0;
        let found = loss.backward();
        let mut all = vec![loss.into_data(), plain.into_data()];
        let gradients = leaves.iter().filter_map(|leaf| leaf.grad(&found));
        all.extend(gradients.map(Tensor::into_data));
        all
    }

    #[test]
    fn losses_and_gradients_are_those_of_the_formula() {
        for (rows, d, v) in [(1, 1, 1), (3, 4, 5), (17, 8, 64), (70, 16, 1103)] {
            let classes: Vec<u32> = (0..rows).map(|row| (row * 7 % v) as u32).collect();
            let shares: Vec<f32> = (0..rows).map(|row| -0.2 * (row % 3) as f32).collect();
            for (smoothing, with_bias) in [(0.0, true), (0.1, false)] {
                for tied in [false, true] {
                    let drawn = draw(rows, d, v, tied);
                    let expected = losses_and_gradients(&drawn, with_bias, |x, weight, bias| {
                        let logits = naive::linear(x.clone(), weight.clone(), bias.cloned());
                        let loss = |e| naive::cross_entropy(logits.clone(), &classes, &shares, e);
                        [loss(smoothing), loss(0.0)]
                    });
                    // Blocks of some rows and columns, and one block.
                    for (block_rows, columns) in [(32, 64), (rows, v)] {
                        let found = losses_and_gradients(&drawn, with_bias, |x, weight, bias| {
                            let targets = host::Targets {
                                classes: classes.clone(),
                                shares: shares.clone(),
                                smoothing: smoothing as f32,
                            };
                            let blocks = host::Blocks {
                                rows: block_rows,
                                columns,
                            };
                            let found =
                                host::linear_cross_entropy(x, weight, bias, targets, blocks);
                            [found.loss, found.plain_loss]
                        });
                        assert_eq!(found.len(), expected.len());
                        for (found, expected) in found.iter().zip(&expected) {
                            let near = Tolerance::<f32>::rel_abs(1e-5, 1e-5);
                            found.assert_approx_eq(expected, near);
                        }
                    }
                }
            }
        }
    }

    fn of_logits(logits: Tensor<2>, classes: &[u32], shares: &[f32]) -> CrossEntropy {
        let [_, v] = logits.dims();
        let targets = host::Targets {
            classes: classes.to_vec(),
            shares: shares.to_vec(),
            smoothing: 0.0,
        };
        let blocks = host::Blocks {
            rows: 2,
            columns: 2,
        };
        let weight = Tensor::eye(v, &logits.device());
        host::linear_cross_entropy(&logits, &weight, None, targets, blocks)
    }

    #[test]
    fn the_first_of_equal_logits_is_predicted_and_padding_never() {
        let rows = [
            [1.0, 3.0, 3.0, 0.0],
            [1.0, 3.0, 3.0, 0.0],
            [0.0, 0.0, 0.0, 9.0],
            [0.0, 0.0, 0.0, 9.0],
        ];
        let logits = Tensor::<2>::from_data(rows, &Device::flex());
        let shares = [-1.0, -1.0, -1.0, 0.0];
        let found = of_logits(logits, &[1, 2, 3, 3], &shares);
        assert_eq!(found.correct.into_scalar::<f32>(), 2.0);
    }

    #[test]
    fn nan_gives_nan_and_padding_gives_nothing() {
        let logits = Tensor::<2>::from_data([[1.0, f32::NAN], [1e30, -1e30]], &Device::flex());
        let loss = |shares: [f32; 2]| -> f32 {
            let found = of_logits(logits.clone(), &[0, 0], &shares);
            found.loss.into_scalar()
        };
        assert!(loss([-1.0, -1.0]).is_nan());
        assert_eq!(loss([0.0, -1.0]), 0.0);
    }

    #[test]
    fn few_logits_are_left_to_the_caller() {
        let [x, weight, bias] = draw(4, 2, 8, false);
        let bias = bias.reshape([8]);
        let found = linear_cross_entropy(&x, &weight, Some(&bias), &[0; 4], &[-0.25; 4], 0.0);
        assert!(found.is_none());
    }
}
