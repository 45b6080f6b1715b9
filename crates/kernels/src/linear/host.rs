//! Linear layer on the CPU.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::kernel::LinearOfRows;
use crate::host::{contiguous, dims, numbers, numbers_mut, tensor};
use crate::layer::Layer;
use crate::node::{Derivative, record};
use crate::product::{Matrix, non_negative_strides};
use crate::threads::{CHUNK, par_map};
use crate::vector::vectorised;

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    x: FlexTensor,
    weight: FlexTensor,
    /// Output, if it was rectified.
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
            &non_negative_strides(x),
            &non_negative_strides(weight),
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
        let x = non_negative_strides(x.into_primitive());
        let weight = non_negative_strides(weight.into_primitive());
        let bias = bias.into_primitive().to_contiguous();
        let y = forward(&x, &weight, &bias, rectified);
        let saved = Saved {
            x,
            weight,
            rectified: rectified.then(|| y.clone()),
        };
        record::<Flex, C, _, _>(nodes, saved, y)
    }
}

impl Derivative<Flex, 3> for Saved {
    fn backward(self, gradient: FlexTensor, wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let mut gradient = contiguous(gradient);
        let [of_x, of_weight, of_bias] = wanted;
        if let Some(y) = &self.rectified {
            rectify(&mut gradient, y);
        }
        let shape @ [rows, width] = dims(&gradient);
        let [inner, _] = dims(&self.weight);
        let layer = Layer {
            x: Matrix::of(&self.x, &[]),
            weight: Matrix::of(&self.weight, &[]),
        };
        let gradient = Matrix::new(numbers(&gradient), shape);
        let [found_of_x, found_of_weight, found_of_bias] = layer.gradients(gradient, wanted);
        [
            of_x.then(|| tensor(found_of_x, [rows, inner])),
            of_weight.then(|| tensor(found_of_weight, [inner, width])),
            of_bias.then(|| tensor(found_of_bias, [width])),
        ]
    }
}

fn forward(x: &FlexTensor, weight: &FlexTensor, bias: &FlexTensor, rectified: bool) -> FlexTensor {
    let layer = Layer {
        x: Matrix::of(x, &[]),
        weight: Matrix::of(weight, &[]),
    };
    let ([rows, _], [_, width]) = (dims(x), dims(weight));
    tensor(layer.forward(numbers(bias), rectified), [rows, width])
}

/// Zeroes the output's gradient in place where the rectifier returned 0.
fn rectify(gradient: &mut FlexTensor, y: &FlexTensor) {
    let parts = numbers_mut(gradient)
        .chunks_mut(CHUNK)
        .zip(numbers(y).chunks(CHUNK));
    par_map(parts, |(gradient, y)| {
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
