//! Layer normalisation (Ba et al. 2016) over the last axis, forward and backward in one pass each.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;
pub(crate) mod naive;

use burn::tensor::{DType, Tensor};

/// Normalises each row: (x − μ) / √(σ² + ε) · γ + β. σ² is the biased variance, the mean of (x −
/// μ)².
///
/// # Shapes
/// - x `[…, D]`, gamma and beta `[D]` → `[…, D]`
pub fn layer_norm<const R: usize>(
    x: Tensor<R>,
    gamma: Tensor<1>,
    beta: Tensor<1>,
    epsilon: f64,
) -> Tensor<R> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    if crate::has_kernel_for(&x, x.dtype())
        && [&gamma, &beta]
            .into_iter()
            .all(|parameter| crate::has_kernel_for(parameter, x.dtype()))
    {
        return kernel::layer_norm(x, gamma, beta, epsilon);
    }
    let own = burn::tensor::module::layer_norm::<R>;
    match x.dtype() {
        // The range of F16 is too small for squares, so F16 is computed in F32.
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

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    pub(super) fn layer_norm<const R: usize>(
        x: Tensor<R>,
        gamma: Tensor<1>,
        beta: Tensor<1>,
        epsilon: f64,
    ) -> Tensor<R> {
        let shape = x.dims();
        let width = shape[R - 1];
        let rows = x.reshape([shape.iter().product::<usize>() / width.max(1), width]); // [rows, D]
        let normalised = Tensor::<2>::from_dispatch(Dispatch::norm_of_rows(
            rows.into_dispatch(),
            gamma.into_dispatch(),
            beta.into_dispatch(),
            epsilon as f32,
        ));
        normalised.reshape(shape)
    }

    /// Normalises rows `[rows, D]`.
    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait NormOfRows: Backend {
        #[fusion(dtype = x, shape = x)]
        fn norm_of_rows(
            x: FloatTensor<Self>,
            gamma: FloatTensor<Self>,
            beta: FloatTensor<Self>,
            epsilon: f32,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tolerance};

    use super::*;
    #[cfg(feature = "wgpu")]
    use crate::testing::assert_same_in_16_bits;
    use crate::testing::{Draws, devices};

    #[test]
    fn values_and_gradients_are_those_of_the_formula() {
        devices().iter().for_each(values_and_gradients);
    }

    fn values_and_gradients(device: &Device) {
        for shape in [[1, 1, 1], [3, 5, 7], [2, 3, 64], [40, 33, 65], [3, 2, 300]] {
            let [b, t, d] = shape;
            let mut draws = Draws::new(3, device);
            let mut draw = |shape: [usize; 3]| draws.normal(shape, 0.3, 2.0);
            // Not contiguous.
            let (x, probe) = (draw([t, b, d]), draw(shape));
            let [gain, shift] = [1.0, 0.0].map(|mean| draws.normal([d], mean, 0.5));
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
            let formula = run(&|x, gain, shift| naive::layer_norm(x, gain, shift, 1e-5));
            for (found, expected) in ours.iter().zip(&formula) {
                found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-4, 1e-4));
            }
        }
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn rows_are_read_in_16_bits() {
        for [rows, d] in [[3, 7], [130, 64], [5, 300]] {
            let shapes = [[1, 2, rows, d], [1, 1, 1, d], [1, 1, 1, d]];
            assert_same_in_16_bits(shapes, |[x, gain, shift]| {
                layer_norm(x, gain.reshape([d]), shift.reshape([d]), 1e-5)
            });
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
