//! Recurrent layers over texts on the CPU. A job reads some texts in one direction, from the first
//! word to the last: no thread waits for another within a text, and a step finds the state of the
//! step before in the cache.

use std::marker::PhantomData;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::kernel::ReadTexts;
use super::part::{Sizes, Steps};
use crate::gru::host::GruCell;
use crate::host::{contiguous, dims, numbers, numbers_mut, tensor, zeros};
use crate::lstm::host::LstmCell;
use crate::node::{Derivative, record};
use crate::product::Matrix;
use crate::recurrent::cell::Cell;
use crate::threads::par_map;

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved<C> {
    sizes: Sizes,
    weights: FlexTensor,
    jobs: Vec<Steps>,
    cell: PhantomData<C>,
}

/// Reads all texts: returns the states `[B, S, directions · H]`, 0 at padding, and the state to
/// save.
fn read<C: Cell>(
    inputs: FlexTensor,
    weights: FlexTensor,
    candidate: &[f32],
    lengths: Vec<usize>,
) -> (Saved<C>, FlexTensor) {
    let [weights, inputs] = [weights, inputs].map(contiguous);
    let [_, h, columns] = dims(&weights);
    let [texts, words, all] = dims(&inputs);
    let sizes = Sizes {
        texts,
        words,
        directions: all / columns,
        width: h,
        lengths,
    };
    let mut states = zeros([texts, words, sizes.directions * h]);
    let jobs = sizes.parts().into_iter();
    let jobs = jobs.zip(sizes.rows_of(numbers_mut(&mut states), h));
    let jobs = par_map(jobs, |(part, states)| {
        let weights = &numbers(&weights)[part.direction * h * columns..][..h * columns];
        let bias = candidate.chunks(h).nth(part.direction);
        let parameters = [weights, bias.unwrap_or_default()];
        sizes.read::<C>(part, numbers(&inputs), parameters, states)
    });
    let saved = Saved {
        sizes,
        weights,
        jobs,
        cell: PhantomData,
    };
    (saved, states)
}

impl<C: Cell> Saved<C> {
    /// Computes the gradients of inputs, weights and candidate bias.
    fn gradients(&self, gradient: &FlexTensor) -> [FlexTensor; 3] {
        let (sizes, h) = (&self.sizes, self.sizes.width);
        let columns = C::GATES * h;
        let transposed = self.weights.transpose(1, 2).to_contiguous(); // [directions, G·H, H]
        let shape = [sizes.texts, sizes.words, sizes.directions * columns];
        let mut of_inputs = zeros(shape);
        let jobs = sizes.parts().into_iter();
        let jobs = jobs
            .zip(sizes.rows_of(numbers_mut(&mut of_inputs), columns))
            .zip(&self.jobs);
        let found = par_map(jobs, |((part, of_inputs), saved)| {
            let transposed = &numbers(&transposed)[part.direction * h * columns..];
            let transposed = Matrix::new(transposed, [columns, h]);
            let found = sizes.back::<C>(part, transposed, numbers(gradient), of_inputs, saved);
            (part.direction, found)
        });
        let mut of_weights = vec![0.0; sizes.directions * h * columns];
        let mut of_candidate = vec![0.0; sizes.directions * h];
        for (direction, [weights, candidate]) in found {
            add(&mut of_weights[direction * h * columns..], &weights);
            add(&mut of_candidate[direction * h..], &candidate);
        }
        [
            of_inputs,
            tensor(of_weights, [sizes.directions, h, columns]),
            tensor(of_candidate, [sizes.directions, 1, h]),
        ]
    }
}

fn add(sums: &mut [f32], numbers: &[f32]) {
    for (sum, x) in sums.iter_mut().zip(numbers) {
        *sum += x;
    }
}

impl Derivative<Flex, 2> for Saved<LstmCell> {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 2]) -> [Option<FlexTensor>; 2] {
        let [inputs, weights, _] = self.gradients(&gradient.to_contiguous());
        [inputs, weights].map(Some)
    }
}

impl Derivative<Flex, 3> for Saved<GruCell> {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        self.gradients(&gradient.to_contiguous()).map(Some)
    }
}

impl ReadTexts for Flex {
    fn lstm_of_texts(inputs: FlexTensor, weights: FlexTensor, lengths: Vec<usize>) -> FlexTensor {
        read::<LstmCell>(inputs, weights, &[], lengths).1
    }

    fn gru_of_texts(
        inputs: FlexTensor,
        weights: FlexTensor,
        candidate: FlexTensor,
        lengths: Vec<usize>,
    ) -> FlexTensor {
        let candidate = candidate.to_contiguous();
        read::<GruCell>(inputs, weights, numbers(&candidate), lengths).1
    }
}

impl<C: CheckpointStrategy> ReadTexts for Autodiff<Flex, C> {
    fn lstm_of_texts(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        lengths: Vec<usize>,
    ) -> FloatTensor<Self> {
        let nodes = [inputs.node(), weights.node()];
        let [inputs, weights] = [inputs, weights].map(|it| it.into_primitive());
        let (saved, states) = read::<LstmCell>(inputs, weights, &[], lengths);
        record::<Flex, C, _, _>(nodes, saved, states)
    }

    fn gru_of_texts(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        candidate: FloatTensor<Self>,
        lengths: Vec<usize>,
    ) -> FloatTensor<Self> {
        let nodes = [inputs.node(), weights.node(), candidate.node()];
        let all = [inputs, weights, candidate].map(|it| it.into_primitive());
        let [inputs, weights, candidate] = all;
        let candidate = candidate.to_contiguous();
        let (saved, states) = read::<GruCell>(inputs, weights, numbers(&candidate), lengths);
        record::<Flex, C, _, _>(nodes, saved, states)
    }
}
