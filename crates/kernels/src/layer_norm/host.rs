//! Layer normalisation on the CPU: a few rows per thread.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::kernel::NormOfRows;
use crate::buffer::zeroed_chunks;
use crate::host::{dims, numbers, tensor};
use crate::node::{Derivative, record};
use crate::threads::{rows_of, sum_of};
use crate::vector::{fold, sum_over, vectorised};

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    x: FlexTensor,
    gamma: FlexTensor,
    epsilon: f32,
}

impl NormOfRows for Flex {
    fn norm_of_rows(
        x: FlexTensor,
        gamma: FlexTensor,
        beta: FlexTensor,
        epsilon: f32,
    ) -> FlexTensor {
        let (x, beta) = (x.to_contiguous(), beta.to_contiguous());
        let gamma = gamma.to_contiguous();
        Saved { x, gamma, epsilon }.forward(&beta)
    }
}

impl<C: CheckpointStrategy> NormOfRows for Autodiff<Flex, C> {
    fn norm_of_rows(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f32,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), gamma.node(), beta.node()];
        let saved = Saved {
            x: x.into_primitive().to_contiguous(),
            gamma: gamma.into_primitive().to_contiguous(),
            epsilon,
        };
        let out = saved.forward(&beta.into_primitive().to_contiguous());
        record::<Flex, C, _, _>(nodes, saved, out)
    }
}

impl Derivative<Flex, 3> for Saved {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        self.gradients(&gradient.to_contiguous()).map(Some)
    }
}

/// Mean and 1 / √(σ² + ε) of a row.
#[inline(always)]
fn moments(row: &[f32], epsilon: f32) -> (f32, f32) {
    let count = row.len() as f32;
    let mean = fold(row, 0.0, |a, b| a + b) / count;
    let square = sum_over(row, row, |a, _| (a - mean) * (a - mean));
    (mean, 1.0 / (square / count + epsilon).sqrt())
}

impl Saved {
    fn shape(&self) -> [usize; 2] {
        dims(&self.x)
    }

    fn forward(&self, beta: &FlexTensor) -> FlexTensor {
        let [rows, width] = self.shape();
        let (x, gamma, beta) = (numbers(&self.x), numbers(&self.gamma), numbers(beta));
        let part = rows_of(width);
        let sizes = [[rows * width, part * width]];
        let ([out], _) = zeroed_chunks(rows.div_ceil(part), sizes, |at, [out]| {
            let x = &x[at * part * width..];
            vectorised(
                #[inline(always)]
                || {
                    let rows = out.chunks_exact_mut(width).zip(x.chunks_exact(width));
                    for (out, x) in rows {
                        let (mean, root) = moments(x, self.epsilon);
                        for (((out, x), gamma), beta) in out.iter_mut().zip(x).zip(gamma).zip(beta)
                        {
                            *out = (x - mean) * root * gamma + beta;
                        }
                    }
                },
            );
        });
        tensor(out, [rows, width])
    }

    /// Computes the gradients of x, γ and β, given the output's gradient g: r (h − mean h − n ·
    /// mean (h n)), Σ g n and Σ g, with n = (x − μ) r, h = g γ and r = 1 / √(σ² + ε).
    fn gradients(&self, gradient: &FlexTensor) -> [FlexTensor; 3] {
        let [rows, width] = self.shape();
        let (x, gamma) = (numbers(&self.x), numbers(&self.gamma));
        let gradient = numbers(gradient);
        let part = rows_of(width);
        let sizes = [[rows * width, part * width]];
        let ([of_x], sums) = zeroed_chunks(rows.div_ceil(part), sizes, |at, [of_x]| {
            let first = at * part * width;
            let (x, gradient) = (&x[first..], &gradient[first..]);
            let mut sums = vec![0.0; 2 * width];
            let (of_gamma, of_beta) = sums.split_at_mut(width);
            vectorised(
                #[inline(always)]
                || {
                    let rows = of_x
                        .chunks_exact_mut(width)
                        .zip(x.chunks_exact(width))
                        .zip(gradient.chunks_exact(width));
                    for ((of_x, x), g) in rows {
                        let (mean, root) = moments(x, self.epsilon);
                        for (h, (g, gamma)) in of_x.iter_mut().zip(g.iter().zip(gamma)) {
                            *h = g * gamma;
                        }
                        let of_mean = fold(of_x, 0.0, |a, b| a + b) / width as f32;
                        let of_root =
                            sum_over(of_x, x, |h, x| h * (x - mean)) * root / width as f32;
                        let sums = of_gamma.iter_mut().zip(of_beta.iter_mut());
                        for (((h, x), g), (of_gamma, of_beta)) in
                            of_x.iter_mut().zip(x).zip(g).zip(sums)
                        {
                            let normal = (x - mean) * root;
                            *h = root * (*h - of_mean - normal * of_root);
                            *of_gamma += g * normal;
                            *of_beta += g;
                        }
                    }
                },
            );
            sums
        });
        let mut of_gamma = sum_of(sums, 2 * width);
        let of_beta = of_gamma.split_off(width);
        [
            tensor(of_x, [rows, width]),
            tensor(of_gamma, [width]),
            tensor(of_beta, [width]),
        ]
    }
}
