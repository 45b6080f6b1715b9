//! A linear layer, bias and rectifier included: what follows the product is one pass over it,
//! forward and backward.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;

use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::relu;

/// x W + b.
///
/// # Shapes
/// - x `[…, D]`, weight `[D, E]`, bias `[E]` → `[…, E]`
pub fn linear<const R: usize>(x: Tensor<R>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<R> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    if kernel::takes(&x, &weight, &bias) {
        return kernel::linear(x, weight, bias, false);
    }
    burn::tensor::module::linear(x, weight, Some(bias))
}

/// max(0, x W + b).
///
/// # Shapes
/// - those of [`linear`]
pub fn rectified_linear<const R: usize>(
    x: Tensor<R>,
    weight: Tensor<2>,
    bias: Tensor<1>,
) -> Tensor<R> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    if kernel::takes(&x, &weight, &bias) {
        return kernel::linear(x, weight, bias, true);
    }
    relu(burn::tensor::module::linear(x, weight, Some(bias)))
}

/// What a layer of burn's makes of x.
pub fn apply<const R: usize>(layer: &Linear, x: Tensor<R>) -> Tensor<R> {
    match &layer.bias {
        Some(bias) => linear(x, layer.weight.val(), bias.val()),
        None => layer.forward(x),
    }
}

/// The same, rectified.
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

    /// Products of single numbers that the kernel for graphics cards takes: larger layers are for
    /// burn's, which lay parts of both matrices where the units of a cube share them.
    const MOST: usize = 1 << 28;

    /// Whether a kernel of ours is for these.
    pub(super) fn takes<const R: usize>(
        x: &Tensor<R>,
        weight: &Tensor<2>,
        bias: &Tensor<1>,
    ) -> bool {
        let ours = crate::is_ours(x) && crate::is_ours(weight) && crate::is_ours(bias);
        let products = x.dims().iter().product::<usize>() * weight.dims()[1];
        ours && (crate::on_host(x) || products <= MOST)
    }

    pub(super) fn linear<const R: usize>(
        x: Tensor<R>,
        weight: Tensor<2>,
        bias: Tensor<1>,
        rectified: bool,
    ) -> Tensor<R> {
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

    /// x `[rows, D]` → `[rows, E]`
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
    use burn::tensor::{Device, Distribution, Tolerance};

    use super::*;
    use crate::devices::devices;

    type Layer = fn(Tensor<3>, Tensor<2>, Tensor<1>) -> Tensor<3>;

    fn compare(device: &Device, ours: Layer, theirs: Layer) {
        for [b, t, d, e] in [
            [1, 1, 1, 1],
            [3, 5, 7, 2],
            [4, 33, 65, 130],
            [9, 40, 3, 70],
            [5, 31, 8, 12],
        ] {
            let draw = |shape: [usize; 3]| {
                Tensor::<3>::random(shape, Distribution::Normal(0.1, 1.0), device).detach()
            };
            // Not contiguous.
            let (x, weight, bias) = (draw([t, b, d]), draw([1, e, d]), draw([1, 1, e]));
            let probe = draw([b, t, e]);
            let run = |layer: Layer| {
                let [x, weight, bias] = [&x, &weight, &bias].map(|it| it.clone().require_grad());
                let y = layer(
                    x.clone().swap_dims(0, 1),
                    weight.clone().squeeze_dim::<2>(0).transpose(),
                    bias.clone().reshape([e]),
                );
                let found = (y.clone() * probe.clone()).sum().backward();
                let gradient = |of: Tensor<3>| of.grad(&found).unwrap().into_data();
                [y.into_data(), gradient(x), gradient(weight), gradient(bias)]
            };
            for (found, expected) in run(ours).iter().zip(&run(theirs)) {
                found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-4, 1e-4));
            }
        }
    }

    #[test]
    fn layers_and_gradients_are_those_of_burns_own() {
        for device in &devices() {
            compare(device, linear, |x, w, b| {
                burn::tensor::module::linear(x, w, Some(b))
            });
            compare(device, rectified_linear, |x, w, b| {
                relu(burn::tensor::module::linear(x, w, Some(b)))
            });
        }
    }

    #[test]
    fn what_is_no_number_stays_none() {
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
