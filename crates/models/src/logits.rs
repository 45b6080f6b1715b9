//! Logits of a pass, computed or still to be computed from the rows that the output layer reads.

use burn::tensor::{DType, Int, Tensor};
use strata_kernels::{CrossEntropy, linear, linear_cross_entropy};

use crate::loss::{cross_entropy, shares};
use crate::{PAD, Tokens};

/// Logits of a teacher-forced pass.
///
/// A loss over a large vocabulary is computed from the output layer, some rows at a time, because
/// the logits of all rows would take most of the memory.
#[derive(Clone, Debug)]
pub enum Logits {
    /// Computed logits, `[B, T, V]`.
    Computed(Tensor<3>),
    /// Output layer that computes the logits x W + b.
    Linear {
        /// Input x, `[B, T, D]`.
        x: Tensor<3>,
        /// Weight W, `[D, V]`.
        weight: Tensor<2>,
        /// Bias b, `[V]`.
        bias: Option<Tensor<1>>,
    },
}

impl Logits {
    /// Computes the logits, `[B, T, V]`.
    pub fn compute(self) -> Tensor<3> {
        match self {
            Self::Computed(logits) => logits,
            Self::Linear { x, weight, bias } => linear(x, weight, bias),
        }
    }

    /// Computes the mean loss over the tokens of `target` without padding, in nats, with and without
    /// label smoothing, and the number of tokens that the logits predict. Computes in F32 at any
    /// precision of the logits.
    ///
    /// # Shapes
    /// - target `[B, T]`
    pub fn cross_entropy(self, target: &Tokens, smoothing: f64) -> CrossEntropy {
        if let Self::Linear { x, weight, bias } = &self {
            let [b, t, d] = x.dims();
            let rows = x.clone().reshape([b * t, d]); // [B·T, D]
            let shares = shares(target);
            let found = linear_cross_entropy(
                &rows,
                weight,
                bias.as_ref(),
                target.ids(),
                &shares,
                smoothing,
            );
            if let Some(found) = found {
                return found;
            }
        }
        let logits = self.compute().cast(DType::F32);
        let observed = logits.clone().inner();
        let loss = cross_entropy(logits, target, smoothing);
        let plain_loss = if smoothing > 0.0 {
            cross_entropy(observed.clone(), target, 0.0)
        } else {
            loss.clone().inner()
        };
        CrossEntropy {
            loss,
            plain_loss,
            correct: correct(observed, target),
        }
    }
}

/// Counts the target tokens without padding that the logits predict: `[1]`.
///
/// # Shapes
/// - logits `[B, T, V]`, without autodiff; target `[B, T]` → `[1]`
fn correct(logits: Tensor<3>, target: &Tokens) -> Tensor<1> {
    let [b, t, _] = logits.dims();
    let target: Tensor<2, Int> = target.tensor(&logits.device());
    let predicted: Tensor<2, Int> = logits.argmax(2).reshape([b, t]);
    let correct = predicted.equal(target.clone());
    let real = target.not_equal_elem(PAD as i32);
    correct.bool_and(real).float().sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tolerance};
    use strata_attention::ParamInit;

    use super::*;

    #[test]
    fn padding_is_never_correct() {
        let device = Device::default();
        // Class 2 is the most probable one at every place but the last, where class 0, padding, is.
        let row = |most: usize| {
            let mut row = [0.0f32; 4];
            row[most] = 1.0;
            row
        };
        let logits = Tensor::from_data(
            [[row(2), row(2), row(2)], [row(2), row(2), row(0)]],
            &device,
        );
        let target = Tokens::pad(&[vec![2, 3, 2], vec![2]]);
        let found = Logits::Computed(logits).cross_entropy(&target, 0.0);
        assert_eq!(found.correct.into_scalar::<f32>(), 3.0);
    }

    /// So many classes that the loss is computed some rows at a time.
    #[test]
    fn a_large_vocabulary_has_the_losses_and_gradients_of_its_logits() {
        const CLASSES: usize = 50_000;
        let device = Device::flex().autodiff();
        let mut init = ParamInit::new(3, &device);
        let x = init.uniform([200, 8], 3.0).val().detach().require_grad();
        let weight = init.uniform([8, CLASSES], 1.0).val();
        let bias = init.uniform([CLASSES], 1.0).val();
        let ids: Vec<u32> = (0..200).map(|at| at * 249).collect();
        let target = Tokens::pad(&[&ids[..100], &ids[100..]]); // one padding, id 0
        let run = |computed: bool| {
            let mut logits = Logits::Linear {
                x: x.clone().reshape([2, 100, 8]),
                weight: weight.clone(),
                bias: Some(bias.clone()),
            };
            if computed {
                logits = Logits::Computed(logits.compute());
            }
            let CrossEntropy {
                loss,
                plain_loss,
                correct,
            } = logits.cross_entropy(&target, 0.1);
            let found = loss.backward();
            let gradients = [
                x.grad(&found).unwrap().into_data(),
                weight.grad(&found).unwrap().into_data(),
                bias.grad(&found).unwrap().into_data(),
            ];
            let numbers = [loss.inner(), plain_loss, correct].map(Tensor::into_data);
            (numbers, gradients)
        };
        let ((numbers, gradients), (expected_numbers, expected_gradients)) =
            (run(false), run(true));
        for (found, expected) in numbers.iter().zip(&expected_numbers) {
            found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-5, 1e-6));
        }
        for (found, expected) in gradients.iter().zip(&expected_gradients) {
            found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-4, 1e-7));
        }
    }
}
