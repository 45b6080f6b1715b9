//! Softmax of rows on the CPU, forward and backward in one pass each.
//!
//! burn's own softmax is one kernel without autodiff, but with it falls apart into five, which
//! took most of a training step: the exponentials are computed one at a time, twice, and those of
//! hidden keys slowest of all. On other devices burn fuses the five by itself.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use strata_kernels::host::{contiguous, numbers, numbers_mut};
use strata_kernels::node::{Derivative, record};
use strata_kernels::threads::{on_threads, rows_of};
use strata_kernels::vector::{exp, fold, highest, vectorised};

use crate::mask::HIDDEN;

/// Softmax over the last axis. Keys at [`HIDDEN`] have weight 0, also where all of a row are.
pub(crate) fn softmax(scores: Tensor<4>) -> Tensor<4> {
    Tensor::from_dispatch(Dispatch::softmax_of_rows(scores.into_dispatch()))
}

/// Softmax over the last axis.
#[backend_extension(Flex, Autodiff)]
trait SoftmaxOfRows: Backend {
    fn softmax_of_rows(scores: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl SoftmaxOfRows for Flex {
    fn softmax_of_rows(scores: FlexTensor) -> FlexTensor {
        let mut weights = contiguous(scores);
        let length = last(&weights);
        let rows = numbers_mut(&mut weights).chunks_mut(part(length));
        on_threads(rows, |rows| {
            vectorised(
                #[inline(always)]
                || rows.chunks_exact_mut(length).for_each(forward),
            );
        });
        weights
    }
}

impl<C: CheckpointStrategy> SoftmaxOfRows for Autodiff<Flex, C> {
    fn softmax_of_rows(scores: FloatTensor<Self>) -> FloatTensor<Self> {
        let nodes = [scores.node()];
        let weights = Flex::softmax_of_rows(scores.into_primitive());
        record::<Flex, C, _, _>(nodes, Weights(weights.clone()), weights)
    }
}

/// What came out.
#[derive(Clone, Debug)]
struct Weights(FlexTensor);

impl Derivative<Flex, 1> for Weights {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 1]) -> [Option<FlexTensor>; 1] {
        let Self(weights) = self;
        let mut gradient = contiguous(gradient);
        let length = last(&gradient);
        let parts = numbers_mut(&mut gradient)
            .chunks_mut(part(length))
            .zip(numbers(&weights).chunks(part(length)));
        on_threads(parts, |(rows, weights)| {
            vectorised(
                #[inline(always)]
                || {
                    let rows = rows.chunks_exact_mut(length);
                    for (gradient, weights) in rows.zip(weights.chunks_exact(length)) {
                        backward(gradient, weights);
                    }
                },
            );
        });
        [Some(gradient)]
    }
}

fn last(tensor: &FlexTensor) -> usize {
    let shape = tensor.layout().shape();
    shape[shape.num_dims() - 1]
}

/// Numbers of whole rows that one thread works on at a time.
fn part(length: usize) -> usize {
    (rows_of(length) * length).max(1)
}

/// Scores of one query to weights.
#[inline(always)]
pub(super) fn forward(row: &mut [f32]) {
    let most = highest(row);
    if most <= HIDDEN / 2.0 {
        row.fill(0.0);
        return;
    }
    for x in row.iter_mut() {
        *x = exp(*x - most);
    }
    let whole = 1.0 / fold(row, 0.0, |a, b| a + b);
    for x in row.iter_mut() {
        *x *= whole;
    }
}

/// Gradient of one query's weights to that of its scores: w ∘ (g − Σ w ∘ g).
#[inline(always)]
pub(super) fn backward(gradient: &mut [f32], weights: &[f32]) {
    for (g, w) in gradient.iter_mut().zip(weights) {
        *g *= w;
    }
    let sum = fold(gradient, 0.0, |a, b| a + b);
    for (g, w) in gradient.iter_mut().zip(weights) {
        *g -= w * sum;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::Device;

    use super::*;
    use crate::ParamInit;

    #[test]
    fn weights_and_gradients_are_those_of_burns_own_softmax() {
        let device = Device::flex().autodiff();
        // One row, odd lengths, more than one chunk.
        for shape in [[1, 1, 1, 1], [2, 1, 3, 5], [1, 2, 3, 37], [3, 4, 40, 64]] {
            let init = &mut ParamInit::new(4, &device);
            let mut draw = |shape, bound| init.uniform(shape, bound).val().detach();
            let [b, h, t, s] = shape;
            let (scores, probe) = (draw([b, t, h, s], 6.0), draw(shape, 1.0));
            let run = |softmax: &dyn Fn(Tensor<4>) -> Tensor<4>| {
                // Neither contiguous nor alone in its storage.
                let leaf = scores.clone().require_grad();
                let weights = softmax(leaf.clone().swap_dims(1, 2));
                let gradients = (weights.clone() * probe.clone()).sum().backward();
                let gradient = leaf.grad(&gradients).unwrap();
                (weights.into_data(), gradient.into_data())
            };
            let (weights, gradient) = run(&softmax);
            let (expected, slope) = run(&|x| burn::tensor::activation::softmax(x, 3));
            let tolerance = burn::tensor::Tolerance::<f32>::absolute(1e-6);
            weights.assert_approx_eq(&expected, tolerance);
            gradient.assert_approx_eq(&slope, tolerance);
        }
    }

    #[test]
    fn hidden_keys_have_no_weight_and_what_is_no_number_stays_none() {
        let device = Device::flex();
        let rows = Tensor::<4>::from_data(
            [[[
                [1.0, HIDDEN, 1.0],
                [HIDDEN, HIDDEN, HIDDEN],
                [1.0, f32::NAN, 0.0],
                [f32::INFINITY, 0.0, 0.0],
            ]]],
            &device,
        );
        let weights = softmax(rows).into_data().try_to_vec::<f32>().unwrap();
        assert_eq!(weights[..6], [0.5, 0.0, 0.5, 0.0, 0.0, 0.0]);
        assert!(weights[6..9].iter().all(|x| x.is_nan()));
        assert!(weights[9].is_nan());
    }
}
