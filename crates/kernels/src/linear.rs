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
    if crate::is_ours(&x) && crate::is_ours(&weight) && crate::is_ours(&bias) {
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
    if crate::is_ours(&x) && crate::is_ours(&weight) && crate::is_ours(&bias) {
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
    use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
    use burn::backend::flex::FlexTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
    use burn::tensor::Tensor;

    use crate::node::{Derivative, contiguous, dims, numbers, record, tensor};
    use crate::product::{Before, Matrix, Place, Threads, product, unflipped};
    use crate::threads::{on_threads, sum_of};
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
            record::<C, _, _>(nodes, seen, y)
        }
    }

    impl Derivative<3> for Seen {
        fn backward(self, gradient: FlexTensor, wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
            let mut gradient = contiguous(gradient);
            let [of_x, of_weight, _] = wanted;
            let (of_x, of_bias) = self.through(&mut gradient, of_x);
            let of_weight = of_weight.then(|| {
                let shape @ [d, e] = dims(&self.weight);
                let mut found = vec![0.0; d * e];
                let (x, gradient) = (Matrix::of(&self.x, &[]), Matrix::of(&gradient, &[]));
                let place = Place::new(&mut found, e);
                product(place, Before::Gone, x.transposed(), gradient, Threads::All);
                tensor(found, shape)
            });
            [of_x, of_weight, Some(of_bias)]
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
            product(place, Before::Added, x, weight, Threads::This);
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

    impl Seen {
        /// The gradients of x, if it is wanted, and of the bias; `gradient` becomes that of what
        /// was not rectified yet.
        fn through(
            &self,
            gradient: &mut FlexTensor,
            of_x: bool,
        ) -> (Option<FlexTensor>, FlexTensor) {
            let ([rows, width], [_, inner]) = (dims(gradient), dims(&self.x));
            let weight = Matrix::of(&self.weight, &[]).transposed();
            let mut found = vec![0.0; if of_x { rows * inner } else { 0 }];
            let part = part(rows);
            let work = |gradient: &[f32], found: &mut [f32]| {
                if of_x {
                    let gradient = Matrix::new(gradient, [gradient.len() / width.max(1), width]);
                    let place = Place::new(found, inner);
                    product(place, Before::Gone, gradient, weight, Threads::This);
                }
                columns(gradient, width)
            };
            // Of x there may be nothing to find.
            let places = found
                .chunks_mut((part * inner).max(1))
                .map(Some)
                .chain(std::iter::repeat_with(|| None))
                .map(Option::unwrap_or_default);
            let numbers_of_part = (part * width).max(1);
            let sums = match &self.rectified {
                None => on_threads(
                    numbers(gradient).chunks(numbers_of_part).zip(places),
                    |(gradient, found)| work(gradient, found),
                ),
                Some(y) => {
                    let (start, end) = gradient
                        .layout()
                        .contiguous_offsets()
                        .expect("it was made contiguous");
                    let all = &mut gradient.storage_mut::<f32>()[start..end];
                    let parts = all
                        .chunks_mut(numbers_of_part)
                        .zip(numbers(y).chunks(numbers_of_part));
                    on_threads(parts.zip(places), |((gradient, y), found)| {
                        vectorised(
                            #[inline(always)]
                            || {
                                for (g, &y) in gradient.iter_mut().zip(y) {
                                    *g = if y > 0.0 { *g } else { 0.0 };
                                }
                            },
                        );
                        work(gradient, found)
                    })
                }
            };
            let of_bias = tensor(sum_of(sums, width), [width]);
            (of_x.then(|| tensor(found, [rows, inner])), of_bias)
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
        rows.div_ceil(16).max(64)
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
