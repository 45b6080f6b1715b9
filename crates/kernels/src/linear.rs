//! Linear layer with bias and rectifier: everything after the product is a single pass over memory,
//! forward and backward.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;
pub(crate) mod naive;

use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::relu;

/// Computes x W + b, or x W without a bias.
///
/// # Shapes
/// - x `[…, D]`, weight `[D, E]`, bias `[E]` → `[…, E]`
pub fn linear<const R: usize>(
    x: Tensor<R>,
    weight: Tensor<2>,
    bias: Option<Tensor<1>>,
) -> Tensor<R> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    if kernel::takes(&x, &weight, bias.as_ref()) {
        return kernel::linear(x, weight, bias, false);
    }
    burn::tensor::module::linear(x, weight, bias)
}

/// Computes max(0, x W + b).
///
/// # Shapes
/// - as in [`linear`]
pub fn rectified_linear<const R: usize>(
    x: Tensor<R>,
    weight: Tensor<2>,
    bias: Tensor<1>,
) -> Tensor<R> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    if kernel::takes(&x, &weight, Some(&bias)) {
        return kernel::linear(x, weight, Some(bias), true);
    }
    relu(burn::tensor::module::linear(x, weight, Some(bias)))
}

/// Applies burn's linear layer to x.
pub fn apply<const R: usize>(layer: &Linear, x: Tensor<R>) -> Tensor<R> {
    let bias = layer.bias.as_ref().map(|bias| bias.val());
    linear(x, layer.weight.val(), bias)
}

/// Applies burn's linear layer to x, and rectifies the output.
pub fn apply_rectified<const R: usize>(layer: &Linear, x: Tensor<R>) -> Tensor<R> {
    match &layer.bias {
        Some(bias) => rectified_linear(x, layer.weight.val(), bias.val()),
        None => relu(layer.forward(x)),
    }
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    /// Largest number of multiplications for which the GPU kernel is used. Larger layers go to
    /// burn's matrix product, which keeps tiles of both matrices in shared memory.
    const MOST: usize = 1 << 28;

    /// True if a custom kernel supports these tensors.
    pub(super) fn takes<const R: usize>(
        x: &Tensor<R>,
        weight: &Tensor<2>,
        bias: Option<&Tensor<1>>,
    ) -> bool {
        let dtype = x.dtype();
        let ours = crate::has_kernel_for(x, dtype)
            && crate::has_kernel_for(weight, dtype)
            && bias.is_none_or(|bias| crate::has_kernel_for(bias, dtype));
        let products = x.dims().iter().product::<usize>() * weight.dims()[1];
        ours && (crate::on_cpu(x) || (products <= MOST && bias.is_some()))
    }

    pub(super) fn linear<const R: usize>(
        x: Tensor<R>,
        weight: Tensor<2>,
        bias: Option<Tensor<1>>,
        rectified: bool,
    ) -> Tensor<R> {
        let bias = bias.unwrap_or_else(|| Tensor::zeros([0], &weight.device()));
        let [width, out] = weight.dims();
        let mut shape = x.dims();
        let rows = shape[..R - 1].iter().product::<usize>();
        let y = Tensor::<2>::from_dispatch(Dispatch::linear_of_rows(
            x.reshape([rows, width]).into_dispatch(),
            weight.into_dispatch(),
            bias.into_dispatch(),
            rectified,
        ));
        shape[R - 1] = out;
        y.reshape(shape)
    }

    /// Computes x `[rows, D]` → `[rows, E]`. On the CPU a bias of shape `[0]` means none.
    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait LinearOfRows: Backend {
        #[fusion(dtype = x, shape = [x[0], weight[1]].into())]
        fn linear_of_rows(
            x: FloatTensor<Self>,
            weight: FloatTensor<Self>,
            bias: FloatTensor<Self>,
            rectified: bool,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Int, Tolerance};

    use super::*;
    #[cfg(feature = "wgpu")]
    use crate::testing::assert_same_in_16_bits;
    use crate::testing::{Draws, devices};

    type Layer = fn(Tensor<3>, Tensor<2>, Tensor<1>) -> Tensor<3>;

    fn compare(device: &Device, ours: Layer, formula: Layer) {
        for [b, t, d, e] in [
            [1, 1, 1, 1],
            [3, 5, 7, 2],
            [4, 33, 65, 130],
            [9, 40, 3, 70],
            [5, 31, 8, 12],
            [2, 20, 300, 200],
        ] {
            let mut draws = Draws::new(3, device);
            let mut draw = |shape: [usize; 3]| draws.normal(shape, 0.1, 1.0);
            // Not contiguous.
            let (x, weight, bias) = (draw([t, b, d]), draw([1, e, d]), draw([1, 1, e]));
            let all = draw([b, t, e]);
            // The loss depends on several items, on one, and on none.
            let items = Tensor::<1, Int>::arange(0..b as i64, device).reshape([b, 1, 1]);
            let probes = [b as i64, 1, 0].map(|some| {
                let others = items.clone().greater_equal_elem(some);
                all.clone().mask_fill(others.expand([b, t, e]), 0.0)
            });
            for probe in probes {
                let run = |layer: Layer| {
                    let [x, weight, bias] =
                        [&x, &weight, &bias].map(|it| it.clone().require_grad());
                    let y = layer(
                        x.clone().swap_dims(0, 1),
                        weight.clone().squeeze_dim::<2>(0).transpose(),
                        bias.clone().reshape([e]),
                    );
                    let found = (y.clone() * probe.clone()).sum().backward();
                    let gradient = |of: Tensor<3>| of.grad(&found).unwrap().into_data();
                    [y.into_data(), gradient(x), gradient(weight), gradient(bias)]
                };
                for (found, expected) in run(ours).iter().zip(&run(formula)) {
                    found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-4, 1e-4));
                }
            }
        }
    }

    #[test]
    fn layers_and_gradients_are_those_of_the_formula() {
        for device in &devices() {
            compare(
                device,
                |x, w, b| linear(x, w, Some(b)),
                |x, w, b| naive::linear(x, w, Some(b)),
            );
            // A bias has a gradient only if it is added.
            compare(
                device,
                |x, w, b| linear(x, w, None) + b.unsqueeze(),
                |x, w, b| naive::linear(x, w, None) + b.unsqueeze(),
            );
            compare(device, rectified_linear, naive::rectified_linear);
        }
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn layers_read_16_bits() {
        for [t, d, e] in [[1, 1, 1], [33, 65, 130], [40, 8, 12], [300, 64, 32]] {
            for rectified in [false, true] {
                let shapes = [[2, 1, t, d], [1, 1, d, e], [1, 1, 1, e]];
                assert_same_in_16_bits(shapes, |[x, weight, bias]| {
                    let (weight, bias) = (weight.reshape([d, e]), bias.reshape([e]));
                    assert!(kernel::takes(&x, &weight, Some(&bias)));
                    if rectified {
                        rectified_linear(x, weight, bias)
                    } else {
                        linear(x, weight, Some(bias))
                    }
                });
            }
        }
    }

    #[test]
    fn nan_stays_nan() {
        for device in devices() {
            let x = Tensor::<2>::from_data([[f32::NAN], [-1.0], [2.0]], &device);
            let (weight, bias) = (Tensor::ones([1, 1], &device), Tensor::zeros([1], &device));
            let found = rectified_linear(x, weight, bias).into_data();
            let found = found.try_to_vec::<f32>().unwrap();
            assert!(found[0].is_nan());
            assert_eq!(found[1..], [0.0, 2.0]);
        }
    }
}
