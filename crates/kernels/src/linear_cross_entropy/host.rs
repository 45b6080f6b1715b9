//! Cross-entropy of a linear layer on the CPU, as an operation with gradients.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;

use super::CrossEntropy;
use super::block::{Gradients, Layer, Sums};
use crate::host::{contiguous, dims, numbers, numbers_mut, tensor};
use crate::node::{Derivative, record};
use crate::product::{Matrix, non_negative_strides};
use crate::threads::{CHUNK, par_map};

/// Classes and weights of rows.
#[derive(Clone, Debug)]
pub struct Targets {
    /// Right class of each row.
    pub classes: Vec<u32>,
    /// Share of each row in the loss: −1/n for the mean over n rows, 0 for padding.
    pub shares: Vec<f32>,
    /// Label smoothing ε.
    pub smoothing: f32,
}

/// Sizes of the pieces in which logits are computed.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Number of rows whose logits are held.
    pub rows: usize,
    /// Number of columns of a panel.
    pub columns: usize,
}

impl Blocks {
    /// Sizes for `v` classes: about 32 MiB of logits. More rows read the weight less often, broader
    /// panels make fewer products; with 64,000 classes, 256 rows would be 8 % quicker, with twice the
    /// logits.
    pub fn of(v: usize) -> Self {
        const LOGITS: usize = 1 << 23;
        Self {
            rows: (LOGITS / v.max(1) / 64 * 64).clamp(64, 512),
            columns: 1024,
        }
    }
}

pub(super) fn linear_cross_entropy(
    x: &Tensor<2>,
    weight: &Tensor<2>,
    bias: Option<&Tensor<1>>,
    targets: Targets,
    blocks: Blocks,
) -> CrossEntropy {
    let bias = bias.cloned();
    let bias = bias.unwrap_or_else(|| Tensor::zeros([0], &weight.device()));
    let found = Tensor::<1>::from_dispatch(Dispatch::linear_cross_entropy_of_rows(
        x.clone().into_dispatch(),
        weight.clone().into_dispatch(),
        bias.into_dispatch(),
        targets,
        blocks,
    )); // [3]
    let observed = found.clone().inner();
    CrossEntropy {
        loss: found.narrow(0, 0, 1),
        plain_loss: observed.clone().narrow(0, 1, 1),
        correct: observed.narrow(0, 2, 1),
    }
}

/// Returns loss, loss without smoothing, and number of correct rows, `[3]`. Only the first has a
/// gradient. A bias of shape `[0]` means none.
#[backend_extension(Flex, Autodiff)]
trait LinearCrossEntropyOfRows: Backend {
    fn linear_cross_entropy_of_rows(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        targets: Targets,
        blocks: Blocks,
    ) -> FloatTensor<Self>;
}

impl LinearCrossEntropyOfRows for Flex {
    fn linear_cross_entropy_of_rows(
        x: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
        targets: Targets,
        blocks: Blocks,
    ) -> FlexTensor {
        forward([x, weight, bias], &targets, blocks, false).0
    }
}

impl<C: CheckpointStrategy> LinearCrossEntropyOfRows for Autodiff<Flex, C> {
    fn linear_cross_entropy_of_rows(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        targets: Targets,
        blocks: Blocks,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), weight.node(), bias.node()];
        let tensors = [x, weight, bias].map(FloatTensor::<Self>::into_primitive);
        let (found, gradients) = forward(tensors, &targets, blocks, true);
        let gradients = gradients.expect("gradients were asked for");
        record::<Flex, C, _, _>(nodes, Saved { gradients }, found)
    }
}

/// State saved for the backward pass: the gradients of the loss by x, weight and bias.
#[derive(Clone, Debug)]
struct Saved {
    gradients: [FlexTensor; 3],
}

impl Derivative<Flex, 3> for Saved {
    fn backward(self, gradient: FlexTensor, wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let factor = numbers(&gradient.to_contiguous())[0];
        let mut wanted = wanted.into_iter();
        self.gradients
            .map(|gradient| wanted.next()?.then(|| scaled(gradient, factor)))
    }
}

/// Multiplies a tensor by a number, in place.
fn scaled(mut tensor: FlexTensor, factor: f32) -> FlexTensor {
    if factor == 1.0 {
        return tensor;
    }
    let is_transposed = !tensor.is_contiguous();
    if is_transposed {
        tensor = tensor.transpose(0, 1);
    }
    par_map(numbers_mut(&mut tensor).chunks_mut(CHUNK), |numbers| {
        numbers.iter_mut().for_each(|number| *number *= factor);
    });
    if is_transposed {
        tensor.transpose(0, 1)
    } else {
        tensor
    }
}

/// Computes loss, loss without smoothing and number of correct rows, `[3]`, and, if `with_gradients`,
/// the gradients by x, weight and bias.
fn forward(
    [x, weight, bias]: [FlexTensor; 3],
    targets: &Targets,
    blocks: Blocks,
    with_gradients: bool,
) -> (FlexTensor, Option<[FlexTensor; 3]>) {
    let (x, weight) = (non_negative_strides(x), non_negative_strides(weight));
    let bias = contiguous(bias);
    let layer = Layer {
        x: Matrix::of(&x, &[]),
        weight: Matrix::of(&weight, &[]),
        bias: numbers(&bias),
        targets,
        columns: blocks.columns,
    };
    let [rows, d] = dims(&x);
    let [_, v] = dims(&weight);
    let [biases] = dims(&bias);
    let mut sums = Sums::default();
    let mut gradients = with_gradients.then(|| Gradients::new(layer));
    let mut exponentials = vec![0.0; blocks.rows.min(rows) * v];
    for first in (0..rows).step_by(blocks.rows.max(1)) {
        let block = layer.rows(first, blocks.rows.min(rows - first));
        let exponentials = &mut exponentials[..block.height() * v];
        let found = block.compute(exponentials);
        sums.add(block.sums(&found.rows));
        if let Some(gradients) = &mut gradients {
            block.differentiate(exponentials, &found, gradients);
        }
    }
    drop(exponentials);
    let sums = [sums.loss, sums.plain_loss, sums.correct].map(|sum| sum as f32);
    let gradients = gradients.map(|gradients| {
        let panels = gradients.of_weight;
        let of_weight = match layer.has_columns() {
            // Panels of columns, and so columns one after the other.
            true => tensor(panels, [v, d]).transpose(0, 1),
            false => tensor(layer.joined(&panels), [d, v]),
        };
        [
            tensor(gradients.of_x, [rows, d]),
            of_weight,
            tensor(gradients.of_bias, [biases]),
        ]
    });
    (tensor(sums.to_vec(), [3]), gradients)
}
