//! Softmax on the CPU, forward and backward in one pass each.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::SoftmaxOfRows;
use crate::attention::MASKED_SCORE;
use crate::host::{contiguous, numbers, numbers_mut};
use crate::node::{Derivative, record};
use crate::threads::{par_map, rows_of};
use crate::vector::{exp, fold, highest, vectorised};

impl SoftmaxOfRows for Flex {
    fn softmax_of_rows(scores: FlexTensor) -> FlexTensor {
        let mut weights = contiguous(scores);
        let length = last(&weights);
        let rows = numbers_mut(&mut weights).chunks_mut(part(length));
        par_map(rows, |rows| {
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

/// Weights, the output of the softmax, saved for the backward pass.
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
        par_map(parts, |(rows, weights)| {
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

/// Number of elements, in whole rows, that one thread works on at a time.
fn part(length: usize) -> usize {
    (rows_of(length) * length).max(1)
}

/// Turns the scores of one query into weights.
#[inline(always)]
pub(crate) fn forward(row: &mut [f32]) {
    let most = highest(row);
    // `highest` ignores NaN: a row with NaN is not a masked row.
    if most <= MASKED_SCORE / 2.0 && !row.iter().any(|x| x.is_nan()) {
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

/// Turns the gradient of a query's weights into the gradient of the query's scores: w ∘ (g − Σ w ∘ g).
#[inline(always)]
pub(crate) fn backward(gradient: &mut [f32], weights: &[f32]) {
    for (g, w) in gradient.iter_mut().zip(weights) {
        *g *= w;
    }
    let sum = fold(gradient, 0.0, |a, b| a + b);
    for (g, w) in gradient.iter_mut().zip(weights) {
        *g -= w * sum;
    }
}
