//! A linear layer, bias and rectifier included: what follows the product is one pass over it,
//! forward and backward.

use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::relu;

/// x W + b.
///
/// # Shapes
/// - x `[…, D]`, weight `[D, E]`, bias `[E]` → `[…, E]`
pub fn linear<const R: usize>(x: Tensor<R>, weight: Tensor<2>, bias: Tensor<1>) -> Tensor<R> {
    #[cfg(feature = "flex")]
    if crate::on_host(&x) && crate::on_host(&weight) && crate::on_host(&bias) {
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
    #[cfg(feature = "flex")]
    if crate::on_host(&x) && crate::on_host(&weight) && crate::on_host(&bias) {
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

#[cfg(feature = "flex")]
mod kernel {
    use std::iter;

    use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
    use burn::backend::flex::FlexTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
    use burn::tensor::Tensor;

    use crate::host::{contiguous, dims, numbers, numbers_mut, tensor};
    use crate::node::{Derivative, record};
    use crate::product::{Before, Matrix, Place, product, unflipped};
    use crate::threads::{CHUNK, on_threads, sum_of};
    use crate::vector::vectorised;

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

    #[backend_extension(Flex, Autodiff)]
    trait LinearOfRows: Backend {
        fn linear_of_rows(
            x: FloatTensor<Self>,
            weight: FloatTensor<Self>,
            bias: FloatTensor<Self>,
            rectified: bool,
        ) -> FloatTensor<Self>;
    }

    /// What the backward pass needs.
    #[derive(Clone, Debug)]
    struct Seen {
        x: FlexTensor,
        weight: FlexTensor,
        /// What came out, where it was rectified.
        rectified: Option<FlexTensor>,
    }

    impl LinearOfRows for Flex {
        fn linear_of_rows(
            x: FlexTensor,
            weight: FlexTensor,
            bias: FlexTensor,
            rectified: bool,
        ) -> FlexTensor {
            forward(
                &unflipped(x),
                &unflipped(weight),
                &bias.to_contiguous(),
                rectified,
            )
        }
    }

    impl<C: CheckpointStrategy> LinearOfRows for Autodiff<Flex, C> {
        fn linear_of_rows(
            x: FloatTensor<Self>,
            weight: FloatTensor<Self>,
            bias: FloatTensor<Self>,
            rectified: bool,
        ) -> FloatTensor<Self> {
            let nodes = [x.node(), weight.node(), bias.node()];
            let x = unflipped(x.into_primitive());
            let weight = unflipped(weight.into_primitive());
            let bias = bias.into_primitive().to_contiguous();
            let y = forward(&x, &weight, &bias, rectified);
            let seen = Seen {
                x,
                weight,
                rectified: rectified.then(|| y.clone()),
            };
            record::<Flex, C, _, _>(nodes, seen, y)
        }
    }

    impl Derivative<Flex, 3> for Seen {
        fn backward(self, gradient: FlexTensor, wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
            let mut gradient = contiguous(gradient);
            let [of_x, of_weight, _] = wanted;
            if let Some(y) = &self.rectified {
                rectify(&mut gradient, y);
            }
            self.gradients(&gradient, of_x, of_weight)
        }
    }

    fn forward(
        x: &FlexTensor,
        weight: &FlexTensor,
        bias: &FlexTensor,
        rectified: bool,
    ) -> FlexTensor {
        let ([rows, _], [_, width]) = (dims(x), dims(weight));
        let (bias, weight) = (numbers(bias), Matrix::of(weight, &[]));
        let mut y = vec![0.0; rows * width];
        let part = part(rows);
        let parts = y.chunks_mut((part * width).max(1)).enumerate();
        on_threads(parts, |(at, y)| {
            for row in y.chunks_exact_mut(width) {
                row.copy_from_slice(bias);
            }
            let x = Matrix::of(x, &[]).rows(at * part, y.len() / width.max(1));
            let place = Place::new(y, width);
            product(place, Before::Added, x, weight);
            if rectified {
                vectorised(
                    #[inline(always)]
                    || {
                        for y in y.iter_mut() {
                            // NaN stays NaN.
                            *y = if *y < 0.0 { 0.0 } else { *y };
                        }
                    },
                );
            }
        });
        tensor(y, [rows, width])
    }

    /// The gradient of what was not rectified yet.
    fn rectify(gradient: &mut FlexTensor, y: &FlexTensor) {
        let parts = numbers_mut(gradient)
            .chunks_mut(CHUNK)
            .zip(numbers(y).chunks(CHUNK));
        on_threads(parts, |(gradient, y)| {
            vectorised(
                #[inline(always)]
                || {
                    for (g, &y) in gradient.iter_mut().zip(y) {
                        *g = if y > 0.0 { *g } else { 0.0 };
                    }
                },
            );
        });
    }

    /// What one thread does on the way back.
    enum Work<'a> {
        /// Rows of the gradient: those of x, if they are wanted, and their sum for the bias.
        Rows {
            gradient: &'a [f32],
            of_x: &'a mut [f32],
        },
        /// Rows of the weight's gradient, from this one on.
        Weight {
            first: usize,
            of_weight: &'a mut [f32],
        },
    }

    impl Seen {
        /// Gradients of x and of the weight, if they are wanted, and of the bias.
        fn gradients(
            &self,
            gradient: &FlexTensor,
            wants_x: bool,
            wants_weight: bool,
        ) -> [Option<FlexTensor>; 3] {
            let ([rows, width], [_, inner]) = (dims(gradient), dims(&self.x));
            let room = |count, wanted| vec![0.0; if wanted { count } else { 0 }];
            let mut of_x = room(rows * inner, wants_x);
            let mut of_weight = room(inner * width, wants_weight);
            let (x, weight) = (Matrix::of(&self.x, &[]), Matrix::of(&self.weight, &[]));
            let all = numbers(gradient);
            // Of x there may be nothing to find.
            let places = of_x
                .chunks_mut((part(rows) * inner).max(1))
                .map(Some)
                .chain(iter::repeat_with(|| None))
                .map(Option::unwrap_or_default);
            let of_rows = all.chunks((part(rows) * width).max(1)).zip(places);
            let of_rows = of_rows.map(|(gradient, of_x)| Work::Rows { gradient, of_x });
            let weights = of_weight
                .chunks_mut((block(inner) * width).max(1))
                .enumerate();
            let weights = weights.map(|(at, of_weight)| Work::Weight {
                first: at * block(inner),
                of_weight,
            });
            let sums = on_threads(of_rows.chain(weights), |work| match work {
                Work::Rows { gradient, of_x } => {
                    if wants_x {
                        let gradient =
                            Matrix::new(gradient, [gradient.len() / width.max(1), width]);
                        let place = Place::new(of_x, inner);
                        product(place, Before::Gone, gradient, weight.transposed());
                    }
                    Some(columns(gradient, width))
                }
                Work::Weight { first, of_weight } => {
                    let count = of_weight.len() / width.max(1);
                    let x = x.transposed().rows(first, count);
                    let place = Place::new(of_weight, width);
                    product(place, Before::Gone, x, Matrix::new(all, [rows, width]));
                    None
                }
            });
            let of_bias = sum_of(sums.into_iter().flatten(), width);
            [
                wants_x.then(|| tensor(of_x, [rows, inner])),
                wants_weight.then(|| tensor(of_weight, [inner, width])),
                Some(tensor(of_bias, [width])),
            ]
        }
    }

    /// The sum of rows.
    fn columns(rows: &[f32], width: usize) -> Vec<f32> {
        let mut sums = vec![0.0; width];
        vectorised(
            #[inline(always)]
            || {
                for row in rows.chunks_exact(width) {
                    for (sum, x) in sums.iter_mut().zip(row) {
                        *sum += x;
                    }
                }
            },
        );
        sums
    }

    /// Rows that one thread works on at a time: a product takes the whole weight in hand for them.
    fn part(rows: usize) -> usize {
        rows.div_ceil(16).max(128)
    }

    /// Rows of a weight's gradient, columns of x, that one thread works on at a time: for them it
    /// takes the whole gradient in hand.
    fn block(inner: usize) -> usize {
        inner.div_ceil(4).max(32)
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Distribution, Tolerance};

    use super::*;

    type Layer = fn(Tensor<3>, Tensor<2>, Tensor<1>) -> Tensor<3>;

    fn compare(ours: Layer, theirs: Layer) {
        let device = Device::flex().autodiff();
        for [b, t, d, e] in [[1, 1, 1, 1], [3, 5, 7, 2], [4, 33, 65, 130], [9, 40, 3, 70]] {
            let draw = |shape: [usize; 3]| {
                Tensor::<3>::random(shape, Distribution::Normal(0.1, 1.0), &device).detach()
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
        compare(linear, |x, w, b| {
            burn::tensor::module::linear(x, w, Some(b))
        });
        compare(rectified_linear, |x, w, b| {
            relu(burn::tensor::module::linear(x, w, Some(b)))
        });
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let device = Device::flex();
        let x = Tensor::<2>::from_data([[f32::NAN], [-1.0], [2.0]], &device);
        let (weight, bias) = (Tensor::ones([1, 1], &device), Tensor::zeros([1], &device));
        let found = rectified_linear(x, weight, bias).into_data();
        let found = found.try_to_vec::<f32>().unwrap();
        assert!(found[0].is_nan());
        assert_eq!(found[1..], [0.0, 2.0]);
    }
}
