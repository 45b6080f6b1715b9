//! Softmax on a GPU: one unit per short row, one cube of units per long row.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::SoftmaxOfRows;
use crate::attention::MASKED_SCORE;
use crate::cube::{UNITS, alone, dims, empty, for_rows, highest_of_row, own_row, sum_of_row};
use crate::node::{Derivative, record};

impl SoftmaxOfRows for CubeBackend {
    fn softmax_of_rows(scores: CubeTensor) -> CubeTensor {
        let scores = into_contiguous(scores);
        let shape @ [b, h, t, s] = dims(&scores);
        let weights = empty(&scores, shape);
        let (cubes, size) = for_rows(&scores, b * h * t, s);
        forward::launch(
            &weights.client,
            cubes,
            size,
            scores.into_tensor_arg(),
            weights.clone().into_tensor_arg(),
            b * h * t,
            alone(s),
        );
        weights
    }
}

/// Backward pass of [`SoftmaxOfRows`].
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait SoftmaxGradient: Backend {
    #[fusion(dtype = weights, shape = weights)]
    fn gradient_of_scores(
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

impl SoftmaxGradient for CubeBackend {
    fn gradient_of_scores(weights: CubeTensor, gradient: CubeTensor) -> CubeTensor {
        let [weights, gradient] = [weights, gradient].map(into_contiguous);
        let shape @ [b, h, t, s] = dims(&weights);
        let found = empty(&weights, shape);
        let (cubes, size) = for_rows(&weights, b * h * t, s);
        backward::launch(
            &found.client,
            cubes,
            size,
            weights.into_tensor_arg(),
            gradient.into_tensor_arg(),
            found.clone().into_tensor_arg(),
            b * h * t,
            alone(s),
        );
        found
    }
}

impl<C: CheckpointStrategy> SoftmaxOfRows for Autodiff<Cube, C> {
    fn softmax_of_rows(scores: FloatTensor<Self>) -> FloatTensor<Self> {
        let nodes = [scores.node()];
        let weights = Cube::softmax_of_rows(scores.into_primitive());
        record::<Cube, C, _, _>(nodes, Weights(weights.clone()), weights)
    }
}

/// Weights, the output of the softmax, saved for the backward pass.
#[derive(Clone, Debug)]
struct Weights(FloatTensor<Cube>);

impl Derivative<Cube, 1> for Weights {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 1],
    ) -> [Option<FloatTensor<Cube>>; 1] {
        [Some(Cube::gradient_of_scores(self.0, gradient))]
    }
}

#[cube(launch)]
fn forward(scores: &Tensor<f32>, weights: &mut Tensor<f32>, rows: usize, #[comptime] alone: bool) {
    let length = scores.shape(3);
    let (row, first, step) = own_row(alone);
    if row >= rows {
        terminate!();
    }
    let mut seats = Shared::new_slice(UNITS);
    let start = row * length;
    let mut most = scores[start];
    let mut at = first;
    while at < length {
        most = most.max(scores[start + at]);
        at += step;
    }
    let most = highest_of_row(most, &mut seats, alone);
    let mut sum = 0.0f32;
    let mut at = first;
    while at < length {
        let power = (scores[start + at] - most).exp();
        weights[start + at] = power;
        sum += power;
        at += step;
    }
    let mut factor = 1.0f32 / sum_of_row(sum, &mut seats, alone);
    if most <= MASKED_SCORE / 2.0 {
        factor = 0.0f32;
    }
    let mut at = first;
    while at < length {
        weights[start + at] *= factor;
        at += step;
    }
}

/// Computes the gradient of the scores, w ∘ (g − Σ w ∘ g).
#[cube(launch)]
fn backward(
    weights: &Tensor<f32>,
    gradient: &Tensor<f32>,
    found: &mut Tensor<f32>,
    rows: usize,
    #[comptime] alone: bool,
) {
    let length = weights.shape(3);
    let (row, first, step) = own_row(alone);
    if row >= rows {
        terminate!();
    }
    let mut seats = Shared::new_slice(UNITS);
    let start = row * length;
    let mut sum = 0.0f32;
    let mut at = first;
    while at < length {
        sum += weights[start + at] * gradient[start + at];
        at += step;
    }
    let sum = sum_of_row(sum, &mut seats, alone);
    let mut at = first;
    while at < length {
        found[start + at] = weights[start + at] * (gradient[start + at] - sum);
        at += step;
    }
}
