//! Cross-entropy of rows of logits with label smoothing (Szegedy et al. 2016, 7), forward and
//! backward in two passes each.

#[cfg(feature = "cube")]
mod cube;
pub(crate) mod naive;

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};

/// Computes Σ share · ((1 − ε) · log p(class) + ε/V · Σ log p) over all rows, `[1]`. ε is
/// `smoothing`; shares of −1/n give the mean loss over n rows.
///
/// # Shapes
/// - logits `[rows, V]`; classes and shares, one per row
pub fn cross_entropy(
    logits: Tensor<2>,
    classes: Vec<u32>,
    shares: Vec<f32>,
    smoothing: f64,
) -> Tensor<1> {
    #[cfg(feature = "flex")]
    if crate::on_cpu(&logits) {
        return kernel::cross_entropy(logits, classes, shares, smoothing as f32);
    }
    #[cfg(feature = "cube")]
    if crate::on_gpu(&logits) {
        return cube::cross_entropy(logits, &classes, &shares, smoothing as f32);
    }
    let [rows, v] = logits.dims();
    let device = logits.device();
    let logs = log_softmax(logits, 1); // [rows, V]
    let classes: Vec<i32> = classes.into_iter().map(|class| class as i32).collect();
    let classes = Tensor::<2, Int>::from_data(TensorData::new(classes, [rows, 1]), &device);
    let right = logs.clone().gather(1, classes); // [rows, 1]
    let shares = Tensor::<2>::from_data(TensorData::new(shares, [rows, 1]), &device);
    let of_right = (right * shares.clone()).sum();
    if smoothing == 0.0 {
        return of_right;
    }
    let of_all = (logs.sum_dim(1) * shares).sum(); // [rows, 1] → [1]
    of_right * (1.0 - smoothing) + of_all * (smoothing / v as f64)
}

#[cfg(feature = "flex")]
mod kernel {
    use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
    use burn::backend::flex::FlexTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
    use burn::tensor::Tensor;

    use crate::buffer::zeroed_chunks;
    use crate::host::{dims, numbers, tensor};
    use crate::node::{Derivative, record};
    use crate::threads::{par_map, rows_of};
    use crate::vector::{exp, fold, highest, sum_over, vectorised};

    pub(super) fn cross_entropy(
        logits: Tensor<2>,
        classes: Vec<u32>,
        shares: Vec<f32>,
        smoothing: f32,
    ) -> Tensor<1> {
        Tensor::from_dispatch(Dispatch::cross_entropy_of_rows(
            logits.into_dispatch(),
            classes,
            shares,
            smoothing,
        ))
    }

    #[backend_extension(Flex, Autodiff)]
    trait CrossEntropyOfRows: Backend {
        fn cross_entropy_of_rows(
            logits: FloatTensor<Self>,
            classes: Vec<u32>,
            shares: Vec<f32>,
            smoothing: f32,
        ) -> FloatTensor<Self>;
    }

    /// State saved for the backward pass.
    #[derive(Clone, Debug)]
    struct Saved {
        logits: FlexTensor,
        classes: Vec<u32>,
        shares: Vec<f32>,
        smoothing: f32,
        /// Logarithm of Σ e^x, for each row.
        log_sums: Vec<f32>,
    }

    impl CrossEntropyOfRows for Flex {
        fn cross_entropy_of_rows(
            logits: FlexTensor,
            classes: Vec<u32>,
            shares: Vec<f32>,
            smoothing: f32,
        ) -> FlexTensor {
            Saved::new(logits, classes, shares, smoothing).1
        }
    }

    impl<C: CheckpointStrategy> CrossEntropyOfRows for Autodiff<Flex, C> {
        fn cross_entropy_of_rows(
            logits: FloatTensor<Self>,
            classes: Vec<u32>,
            shares: Vec<f32>,
            smoothing: f32,
        ) -> FloatTensor<Self> {
            let node = logits.node();
            let (saved, loss) = Saved::new(logits.into_primitive(), classes, shares, smoothing);
            record::<Flex, C, _, _>([node], saved, loss)
        }
    }

    impl Derivative<Flex, 1> for Saved {
        fn backward(self, gradient: FlexTensor, _wanted: [bool; 1]) -> [Option<FlexTensor>; 1] {
            let factor = numbers(&gradient.to_contiguous())[0];
            [Some(self.gradient(factor))]
        }
    }

    impl Saved {
        /// Computes the loss, and the state to save.
        fn new(
            logits: FlexTensor,
            classes: Vec<u32>,
            shares: Vec<f32>,
            smoothing: f32,
        ) -> (Self, FlexTensor) {
            let logits = logits.to_contiguous();
            let [rows, v] = dims(&logits);
            let mut log_sums = vec![0.0; rows];
            let all = numbers(&logits);
            let part = rows_of(v);
            let parts = log_sums
                .chunks_mut(part)
                .zip(all.chunks((part * v).max(1)))
                .zip(classes.chunks(part).zip(shares.chunks(part)));
            let sums = par_map(parts, |((log_sums, rows), (classes, shares))| {
                vectorised(
                    #[inline(always)]
                    || {
                        let mut sum = 0.0;
                        let rows = log_sums.iter_mut().zip(rows.chunks_exact(v));
                        for ((whole, row), (&class, &share)) in rows.zip(classes.iter().zip(shares))
                        {
                            let most = highest(row);
                            *whole = most + sum_over(row, row, |x, _| exp(x - most)).ln();
                            if share == 0.0 {
                                continue;
                            }
                            let mut log = (1.0 - smoothing) * (row[class as usize] - *whole);
                            if smoothing > 0.0 {
                                let all = fold(row, 0.0, |a, b| a + b) - v as f32 * *whole;
                                log += smoothing / v as f32 * all;
                            }
                            sum += f64::from(share * log);
                        }
                        sum
                    },
                )
            });
            let loss = tensor(vec![sums.into_iter().sum::<f64>() as f32], [1]);
            let saved = Self {
                logits,
                classes,
                shares,
                smoothing,
                log_sums,
            };
            (saved, loss)
        }

        /// Computes the gradient of each logit, `factor` · share · (target − p); the target is ε/V,
        /// plus 1 − ε for the class. A share of −1 gives the usual p − target.
        fn gradient(&self, factor: f32) -> FlexTensor {
            let [rows, v] = dims(&self.logits);
            let part = rows_of(v);
            let of_rows = self.classes.iter().zip(&self.shares).zip(&self.log_sums);
            let of_rows: Vec<_> = of_rows.collect();
            let logits = numbers(&self.logits);
            let sizes = [[rows * v, part * v]];
            let ([found], _) = zeroed_chunks(rows.div_ceil(part), sizes, |at, [found]| {
                let first = at * part;
                let (logits, of_rows) = (&logits[first * v..], &of_rows[first..]);
                vectorised(
                    #[inline(always)]
                    || {
                        let rows = found.chunks_exact_mut(v).zip(logits.chunks_exact(v));
                        for ((found, logits), &((&class, &share), &whole)) in rows.zip(of_rows) {
                            if share == 0.0 {
                                continue;
                            }
                            let share = share * factor;
                            let smooth = self.smoothing / v as f32;
                            for (found, &x) in found.iter_mut().zip(logits) {
                                *found = share * (smooth - exp(x - whole));
                            }
                            found[class as usize] += share * (1.0 - self.smoothing);
                        }
                    },
                );
            });
            tensor(found, [rows, v])
        }
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tolerance};

    use super::*;
    use crate::testing::{Draws, devices};

    #[test]
    fn loss_and_gradient_are_those_of_the_formula() {
        devices().iter().for_each(loss_and_gradient);
    }

    fn loss_and_gradient(device: &Device) {
        // A GPU's exp and ln may be less exact than the CPU's.
        let near = if crate::is_host(device) { 1e-5 } else { 1e-4 };
        for (rows, v) in [(1, 1), (3, 5), (17, 64), (70, 1003)] {
            for smoothing in [0.0, 0.1] {
                let drawn = Draws::new(3, device).normal([v, rows], 0.0, 3.0);
                let classes: Vec<u32> = (0..rows).map(|row| (row * 7 % v) as u32).collect();
                let shares: Vec<f32> = (0..rows).map(|row| -0.2 * (row % 3) as f32).collect();
                let run = |loss: &dyn Fn(Tensor<2>) -> Tensor<1>| {
                    let leaf = drawn.clone().require_grad();
                    let loss = loss(leaf.clone().swap_dims(0, 1)) * 3.0;
                    let found = loss.backward();
                    [loss.into_data(), leaf.grad(&found).unwrap().into_data()]
                };
                let found = run(&|logits| {
                    cross_entropy(logits, classes.clone(), shares.clone(), smoothing)
                });
                let expected =
                    run(&|logits| naive::cross_entropy(logits, &classes, &shares, smoothing));
                for (found, expected) in found.iter().zip(&expected) {
                    found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(near, near));
                }
            }
        }
    }

    #[test]
    fn nan_gives_nan_and_padding_gives_nothing() {
        for device in devices() {
            let logits = Tensor::<2>::from_data([[1.0, f32::NAN], [1e30, -1e30]], &device);
            let loss = |shares: [f32; 2]| -> f32 {
                cross_entropy(logits.clone(), vec![0, 0], shares.to_vec(), 0.0).into_scalar()
            };
            assert!(loss([-1.0, -1.0]).is_nan());
            assert_eq!(loss([0.0, -1.0]), 0.0);
        }
    }
}
