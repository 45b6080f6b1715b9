//! Layer normalisation (Ba et al. 2016) over the last axis, forward and backward in one pass each.

use burn::tensor::{DType, Tensor};

/// (x − μ) / √(σ² + ε) · γ + β for each row; σ² is the mean square.
///
/// # Shapes
/// - x `[…, D]`, gamma and beta `[D]` → `[…, D]`
pub fn layer_norm<const R: usize>(
    x: Tensor<R>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    epsilon: f64,
) -> Tensor<R> {
    #[cfg(feature = "flex")]
    if [x.dtype(), gamma.dtype(), beta.dtype()] == [DType::F32; 3] && crate::is_host(&x.device()) {
        return kernel::layer_norm(x, gamma, beta, epsilon);
    }
    let own = burn::tensor::module::layer_norm::<R>;
    match x.dtype() {
        // Its range is too small for squares.
        DType::F16 => {
            let wide = own(
                x.cast(DType::F32),
                gamma.cast(DType::F32),
                Some(beta.cast(DType::F32)),
                epsilon,
            );
            wide.cast(DType::F16)
        }
        _ => own(x, gamma, Some(beta), epsilon),
    }
}

#[cfg(feature = "flex")]
mod kernel {
    use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
    use burn::backend::flex::FlexTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
    use burn::tensor::Tensor;

    use crate::node::{Derivative, numbers, record, tensor};
    use crate::threads::{on_threads, rows_of, sum_of};
    use crate::vector::{fold, sum_over, vectorised};

    pub(super) fn layer_norm<const R: usize>(
        x: Tensor<R>,
        gamma: Tensor<1>,
        beta: Tensor<1>,
        epsilon: f64,
    ) -> Tensor<R> {
        let shape = x.dims();
        let width = shape[R - 1];
        let rows = x.reshape([shape.iter().product::<usize>() / width.max(1), width]);
        let normalised = Tensor::<2>::from_dispatch(Dispatch::norm_of_rows(
            rows.into_dispatch(),
            gamma.into_dispatch(),
            beta.into_dispatch(),
            epsilon as f32,
        ));
        normalised.reshape(shape)
    }

    /// Rows `[rows, D]`, normalised.
    #[backend_extension(Flex, Autodiff)]
    trait NormOfRows: Backend {
        fn norm_of_rows(
            x: FloatTensor<Self>,
            gamma: FloatTensor<Self>,
            beta: FloatTensor<Self>,
            epsilon: f32,
        ) -> FloatTensor<Self>;
    }

    /// What the backward pass needs.
    #[derive(Clone, Debug)]
    struct Seen {
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
            Seen { x, gamma, epsilon }.forward(&beta)
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
            let seen = Seen {
                x: x.into_primitive().to_contiguous(),
                gamma: gamma.into_primitive().to_contiguous(),
                epsilon,
            };
            let out = seen.forward(&beta.into_primitive().to_contiguous());
            record::<C, _, _>(nodes, seen, out)
        }
    }

    impl Derivative<3> for Seen {
        fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
            self.gradients(&gradient.to_contiguous()).map(Some)
        }
    }

    /// Mean and 1 / √(σ² + ε).
    #[inline(always)]
    fn moments(row: &[f32], epsilon: f32) -> (f32, f32) {
        let count = row.len() as f32;
        let mean = fold(row, 0.0, |a, b| a + b) / count;
        let square = sum_over(row, row, |a, _| (a - mean) * (a - mean));
        (mean, 1.0 / (square / count + epsilon).sqrt())
    }

    impl Seen {
        fn shape(&self) -> [usize; 2] {
            crate::node::dims(&self.x)
        }

        fn forward(&self, beta: &FlexTensor) -> FlexTensor {
            let [rows, width] = self.shape();
            let (x, gamma, beta) = (numbers(&self.x), numbers(&self.gamma), numbers(beta));
            let mut out = vec![0.0; rows * width];
            let part = rows_of(width) * width;
            let parts = out.chunks_mut(part.max(1)).zip(x.chunks(part.max(1)));
            on_threads(parts, |(out, x)| {
                vectorised(
                    #[inline(always)]
                    || {
                        let rows = out.chunks_exact_mut(width).zip(x.chunks_exact(width));
                        for (out, x) in rows {
                            let (mean, root) = moments(x, self.epsilon);
                            for (((out, x), gamma), beta) in
                                out.iter_mut().zip(x).zip(gamma).zip(beta)
                            {
                                *out = (x - mean) * root * gamma + beta;
                            }
                        }
                    },
                );
            });
            tensor(out, [rows, width])
        }

        /// Gradients of x, γ and β, from g: with n = (x − μ) r and h = g γ,
        /// r (h − mean h − n · mean (h n)), Σ g n, Σ g.
        fn gradients(&self, gradient: &FlexTensor) -> [FlexTensor; 3] {
            let [rows, width] = self.shape();
            let (x, gamma) = (numbers(&self.x), numbers(&self.gamma));
            let gradient = numbers(gradient);
            let mut of_x = vec![0.0; rows * width];
            let part = (rows_of(width) * width).max(1);
            let parts = of_x
                .chunks_mut(part)
                .zip(x.chunks(part))
                .zip(gradient.chunks(part));
            let sums = on_threads(parts, |((of_x, x), gradient)| {
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Distribution, Tolerance};

    use super::*;

    #[test]
    fn values_and_gradients_are_those_of_burns_own() {
        let device = Device::flex().autodiff();
        for shape in [[1, 1, 1], [3, 5, 7], [2, 3, 64], [40, 33, 65]] {
            let [b, t, d] = shape;
            let draw = |shape: [usize; 3]| {
                Tensor::<3>::random(shape, Distribution::Normal(0.3, 2.0), &device).detach()
            };
            // Not contiguous.
            let (x, probe) = (draw([t, b, d]), draw(shape));
            let [gain, shift] = [1.0, 0.0].map(|mean| {
                Tensor::<1>::random([d], Distribution::Normal(mean, 0.5), &device).detach()
            });
            let run = |norm: &dyn Fn(Tensor<3>, Tensor<1>, Tensor<1>) -> Tensor<3>| {
                let x = x.clone().require_grad();
                let (gain, shift) = (gain.clone().require_grad(), shift.clone().require_grad());
                let out = norm(x.clone().swap_dims(0, 1), gain.clone(), shift.clone());
                let found = (out.clone() * probe.clone()).sum().backward();
                [
                    out.into_data(),
                    x.grad(&found).unwrap().into_data(),
                    gain.grad(&found).unwrap().into_data(),
                    shift.grad(&found).unwrap().into_data(),
                ]
            };
            let ours = run(&|x, gain, shift| layer_norm(x, gain, shift, 1e-5));
            let theirs =
                run(&|x, gain, shift| burn::tensor::module::layer_norm(x, gain, Some(shift), 1e-5));
            for (found, expected) in ours.iter().zip(&theirs) {
                found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-4, 1e-4));
            }
        }
    }

    #[test]
    fn half_precision_widens_and_comes_back() {
        let device = Device::flex();
        let row = Tensor::<2>::from_data([[300.0, -300.0, 0.0, 600.0]], &device).cast(DType::F16);
        let gain = Tensor::<1>::ones([4], &device).cast(DType::F16);
        let found = layer_norm(row, gain.clone(), gain.zeros_like(), 1e-5);
        assert_eq!(found.dtype(), DType::F16);
        assert!(found.into_data().iter::<f32>().all(f32::is_finite));
    }
}
