//! LSTM on the CPU, step by step: first the products of its gates, then its rows, on all threads.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::kernel::Lstm;
use crate::host::{contiguous, dims, numbers, numbers_mut, tensor, zeros};
use crate::node::{Derivative, record};
use crate::recurrent::cell::Cell;
use crate::recurrent::host::{Sizes, each_row, parts};
use crate::vector::{sigmoid, tanh};

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    weights: FlexTensor,
    /// Initial states h and c.
    first: [FlexTensor; 2],
    /// Gates σ(i), σ(f), tanh(g), σ(o): `[S, directions, B, 4·H]`.
    gates: FlexTensor,
    /// States h and c: `[S, directions, B, 2·H]`.
    states: FlexTensor,
}

/// LSTM step of the layers over texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LstmCell;

impl Cell for LstmCell {
    const GATES: usize = 4;
    const STATE: usize = 2;
    const KEPT: usize = 0;

    #[inline(always)]
    fn forward(
        h: usize,
        product: &[f32],
        _bias: &[f32],
        before: &[f32],
        [gates, _kept, state]: [&mut [f32]; 3],
    ) {
        forward(h, parts(product, h), &before[h..], [gates, state]);
    }

    #[inline(always)]
    fn backward(
        h: usize,
        [gates, _kept, before, state]: [&[f32]; 4],
        gradient: [&[f32]; 2],
        [of_inputs, of_products, of_cell]: [&mut [f32]; 3],
    ) {
        let saved = [gates, &before[h..], &state[h..]];
        let [from_hidden, by_product] = gradient;
        let [from_hidden, by_product] = [&from_hidden[..h], &by_product[..h]];
        let of_hidden = |j: usize| (from_hidden[j] + by_product[j], 0.0);
        backward(h, of_products, of_cell, saved, of_hidden);
        of_inputs.copy_from_slice(of_products);
    }
}

impl Lstm for Flex {
    fn lstm_of_sequence(
        inputs: FlexTensor,
        weights: FlexTensor,
        hidden: FlexTensor,
        cell: FlexTensor,
    ) -> FlexTensor {
        Saved::new(inputs, weights, [hidden, cell]).states
    }
}

impl<C: CheckpointStrategy> Lstm for Autodiff<Flex, C> {
    fn lstm_of_sequence(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        cell: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [inputs.node(), weights.node(), hidden.node(), cell.node()];
        let saved = Saved::new(
            inputs.into_primitive(),
            weights.into_primitive(),
            [hidden.into_primitive(), cell.into_primitive()],
        );
        let states = saved.states.clone();
        record::<Flex, C, _, _>(nodes, saved, states)
    }
}

impl Derivative<Flex, 4> for Saved {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 4]) -> [Option<FlexTensor>; 4] {
        self.gradients(&gradient.to_contiguous()).map(Some)
    }
}

/// Computes one row of a step forward: `gates` holds x and becomes σ(i), σ(f), tanh(g), σ(o).
#[inline(always)]
fn forward(h: usize, [i, f, g, o]: [&[f32]; 4], before: &[f32], [gates, state]: [&mut [f32]; 2]) {
    let (write, rest) = gates.split_at_mut(h);
    let (forget, rest) = rest.split_at_mut(h);
    let (candidate, output) = rest.split_at_mut(h);
    let (hidden, cell) = state.split_at_mut(h);
    let (i, f, g, o) = (&i[..h], &f[..h], &g[..h], &o[..h]);
    let (before, output) = (&before[..h], &mut output[..h]);
    let cell = &mut cell[..h];
    for j in 0..h {
        write[j] = sigmoid(write[j] + i[j]);
        forget[j] = sigmoid(forget[j] + f[j]);
        candidate[j] = tanh(candidate[j] + g[j]);
        output[j] = sigmoid(output[j] + o[j]);
        cell[j] = forget[j] * before[j] + write[j] * candidate[j];
        hidden[j] = output[j] * tanh(cell[j]);
    }
}

/// Computes one row of a step backward from the gradients of h' and c', which are `gradients(j)`.
/// Writes the gradients of the gates, and to `of_cell` that of c.
#[inline(always)]
fn backward(
    h: usize,
    found: &mut [f32],
    of_cell: &mut [f32],
    [gates, before, cell]: [&[f32]; 3],
    gradients: impl Fn(usize) -> (f32, f32),
) {
    let (of_write, rest) = found.split_at_mut(h);
    let (of_forget, rest) = rest.split_at_mut(h);
    let (of_candidate, of_output) = rest.split_at_mut(h);
    let of_output = &mut of_output[..h];
    let [i, f, g, o] = parts(gates, h);
    let (before, cell, of_cell) = (&before[..h], &cell[..h], &mut of_cell[..h]);
    for j in 0..h {
        let (of_hidden, from_cell) = gradients(j);
        let tangent = tanh(cell[j]);
        let of_state = of_cell[j] + from_cell + of_hidden * o[j] * (1.0 - tangent * tangent);
        of_write[j] = of_state * g[j] * i[j] * (1.0 - i[j]);
        of_forget[j] = of_state * before[j] * f[j] * (1.0 - f[j]);
        of_candidate[j] = of_state * i[j] * (1.0 - g[j] * g[j]);
        of_output[j] = of_hidden * tangent * o[j] * (1.0 - o[j]);
        of_cell[j] = of_state * f[j];
    }
}

impl Saved {
    fn new(inputs: FlexTensor, weights: FlexTensor, first: [FlexTensor; 2]) -> Self {
        let first = first.map(|it| it.to_contiguous());
        let weights = contiguous(weights);
        let mut gates = inputs.to_contiguous();
        drop(inputs); // else writing to them would copy them
        let sizes = Sizes::of(&gates, 4);
        let [s, directions, b, columns] = dims(&gates);
        let h = columns / 4;
        let mut states = zeros([s, directions, b, 2 * h]);
        let mut products = sizes.room();
        let rows = directions * b;
        for step in 0..s {
            let gates = &mut numbers_mut(&mut gates)[step * rows * 4 * h..];
            let (past, present) = numbers_mut(&mut states).split_at_mut(step * rows * 2 * h);
            let hidden = [numbers(&first[0]), past];
            sizes.forward(hidden, 2 * h, numbers(&weights), &mut products);
            let [i, f, g, o] = sizes.blocks(&products);
            let before = match step {
                0 => (numbers(&first[1]), h),
                _ => (&past[(step - 1) * rows * 2 * h + h..], 2 * h),
            };
            each_row(
                rows,
                [i, f, g, o, before],
                [(gates, 4 * h), (present, 2 * h)],
                #[inline(always)]
                |_, [i, f, g, o, before], write| forward(h, [i, f, g, o], before, write),
            );
        }
        Self {
            weights,
            first,
            gates,
            states,
        }
    }

    /// Computes the gradients of inputs, weights, and initial h and c.
    fn gradients(&self, gradient: &FlexTensor) -> [FlexTensor; 4] {
        let sizes = Sizes::of(&self.gates, 4);
        let [s, directions, b, columns] = dims(&self.gates);
        let h = columns / 4;
        let rows = directions * b;
        let (gates, states) = (numbers(&self.gates), numbers(&self.states));
        let gradient = numbers(gradient);
        // Transpose the weights once instead of in the product of each step.
        let transposed = self.weights.transpose(2, 3).to_contiguous(); // [1, directions, 4·H, H]
        let mut found = zeros([s, directions, b, columns]);
        let mut by_gates = sizes.room();
        let mut of_cell = vec![0.0; rows * h];
        for step in (0..s).rev() {
            let before = match step {
                0 => (numbers(&self.first[1]), h),
                _ => (&states[(step - 1) * rows * 2 * h + h..], 2 * h),
            };
            let of_step = &mut numbers_mut(&mut found)[step * rows * columns..];
            let [by_i, by_f, by_g, by_o] = sizes.blocks(&by_gates);
            each_row(
                rows,
                [
                    (&gates[step * rows * columns..], columns),
                    before,
                    (&states[step * rows * 2 * h + h..], 2 * h), // c
                    (&gradient[step * rows * 2 * h..], 2 * h),
                    by_i,
                    by_f,
                    by_g,
                    by_o,
                ],
                [(of_step, columns), (&mut of_cell, h)],
                #[inline(always)]
                |_, read, [found, of_cell]| {
                    let [gates, before, cell, gradient, by_i, by_f, by_g, by_o] = read;
                    let [from_hidden, from_cell] = parts(gradient, h);
                    // The gradient of h' has a part through each gate of the next step.
                    let (by_i, by_f) = (&by_i[..h], &by_f[..h]);
                    let (by_g, by_o) = (&by_g[..h], &by_o[..h]);
                    let gradients = |j: usize| {
                        let by_gates = by_i[j] + by_f[j] + (by_g[j] + by_o[j]);
                        (from_hidden[j] + by_gates, from_cell[j])
                    };
                    backward(h, found, of_cell, [gates, before, cell], gradients);
                },
            );
            let of_step = &numbers(&found)[step * rows * columns..];
            sizes.backward(of_step, numbers(&transposed), &mut by_gates);
        }
        let of_weights = sizes.of_weights(&self.first[0], &self.states, &found);
        let of_hidden = tensor(sizes.sum(&by_gates), [1, directions, b, h]);
        let of_cell = tensor(of_cell, [1, directions, b, h]);
        [found, of_weights, of_hidden, of_cell]
    }
}
