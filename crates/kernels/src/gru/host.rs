//! GRU on the CPU, step by step: first the products of its gates, then its rows, on all threads.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::kernel::Gru;
use crate::host::{contiguous, dims, numbers, numbers_mut, tensor, zeros};
use crate::node::{Derivative, record};
use crate::recurrent::cell::Cell;
use crate::recurrent::host::{Sizes, each_row, parts};
use crate::vector::{sigmoid, tanh};

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    weights: FlexTensor,
    /// Initial state h.
    first: FlexTensor,
    /// States of all steps, `[S, directions, B, H]`.
    states: FlexTensor,
    /// Derivatives of h' by the sums in r, z and n: `[S, directions, B, 3·H]`.
    slopes: FlexTensor,
    /// Derivatives of h' by h U + b of n, and by h: `[S, directions, B, 2·H]`.
    past_slopes: FlexTensor,
}

/// GRU step of the layers over texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GruCell;

impl Cell for GruCell {
    const GATES: usize = 3;
    const STATE: usize = 1;
    const KEPT: usize = 2;

    #[inline(always)]
    fn forward(
        h: usize,
        product: &[f32],
        bias: &[f32],
        before: &[f32],
        [gates, kept, state]: [&mut [f32]; 3],
    ) {
        forward(h, parts(product, h), [bias, before], [gates, kept, state]);
    }

    #[inline(always)]
    fn backward(
        h: usize,
        [slopes, past_slopes, _before, _state]: [&[f32]; 4],
        gradient: [&[f32]; 2],
        write: [&mut [f32]; 3],
    ) {
        let [from_hidden, by_product] = gradient;
        let [from_hidden, by_product] = [&from_hidden[..h], &by_product[..h]];
        let of_hidden = |j: usize| from_hidden[j] + by_product[j];
        backward(h, [slopes, past_slopes], of_hidden, write);
    }
}

impl Gru for Flex {
    fn gru_of_sequence(
        inputs: FlexTensor,
        weights: FlexTensor,
        candidate: FlexTensor,
        hidden: FlexTensor,
    ) -> FlexTensor {
        Saved::new(inputs, weights, candidate, hidden).states
    }
}

impl<C: CheckpointStrategy> Gru for Autodiff<Flex, C> {
    fn gru_of_sequence(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        candidate: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [
            inputs.node(),
            weights.node(),
            candidate.node(),
            hidden.node(),
        ];
        let saved = Saved::new(
            inputs.into_primitive(),
            weights.into_primitive(),
            candidate.into_primitive(),
            hidden.into_primitive(),
        );
        let states = saved.states.clone();
        record::<Flex, C, _, _>(nodes, saved, states)
    }
}

impl Derivative<Flex, 4> for Saved {
    fn backward(self, gradient: FlexTensor, wanted: [bool; 4]) -> [Option<FlexTensor>; 4] {
        self.gradients(&gradient.to_contiguous(), wanted[3])
    }
}

/// Computes one row of a step forward: `gates` holds x and becomes the derivatives of h' by the
/// sums in r, z and n.
#[inline(always)]
fn forward(
    h: usize,
    [by_reset, by_update, by_candidate]: [&[f32]; 3],
    [bias, before]: [&[f32]; 2],
    [gates, past_slopes, state]: [&mut [f32]; 3],
) {
    let (reset, rest) = gates.split_at_mut(h);
    let (update, candidate) = rest.split_at_mut(h);
    let (of_past, of_hidden) = past_slopes.split_at_mut(h);
    let (candidate, of_hidden, state) = (&mut candidate[..h], &mut of_hidden[..h], &mut state[..h]);
    let (by_reset, by_update) = (&by_reset[..h], &by_update[..h]);
    let by_candidate = &by_candidate[..h];
    let (bias, before) = (&bias[..h], &before[..h]);
    for j in 0..h {
        let r = sigmoid(reset[j] + by_reset[j]);
        let z = sigmoid(update[j] + by_update[j]);
        let past = by_candidate[j] + bias[j];
        let n = tanh(candidate[j] + r * past);
        state[j] = (1.0 - z) * n + z * before[j];
        // Derivatives of h' = (1 − z) n + z h, which the backward pass multiplies by the gradient
        // of h'.
        let slope = (1.0 - z) * (1.0 - n * n);
        reset[j] = slope * past * r * (1.0 - r);
        update[j] = (before[j] - n) * z * (1.0 - z);
        candidate[j] = slope;
        of_past[j] = slope * r;
        of_hidden[j] = z;
    }
}

/// Computes one row of a step backward. The gradient of h' is `gradient(j)` plus `of_kept[j]`.
/// Writes the gradients of x and of h U, and to `of_kept` that of h without the part through U.
#[inline(always)]
fn backward(
    h: usize,
    [slopes, past_slopes]: [&[f32]; 2],
    gradient: impl Fn(usize) -> f32,
    [of_inputs, of_products, of_kept]: [&mut [f32]; 3],
) {
    let [reset, update, candidate] = parts(slopes, h);
    let [past, hidden] = parts(past_slopes, h);
    let of_kept = &mut of_kept[..h];
    let (of_reset, rest) = of_inputs.split_at_mut(h);
    let (of_update, of_candidate) = rest.split_at_mut(h);
    let (by_reset, rest) = of_products.split_at_mut(h);
    let (by_update, by_candidate) = rest.split_at_mut(h);
    let (of_candidate, by_candidate) = (&mut of_candidate[..h], &mut by_candidate[..h]);
    for j in 0..h {
        let of_state = gradient(j) + of_kept[j];
        of_reset[j] = of_state * reset[j];
        of_update[j] = of_state * update[j];
        of_candidate[j] = of_state * candidate[j];
        by_reset[j] = of_reset[j];
        by_update[j] = of_update[j];
        by_candidate[j] = of_state * past[j];
        of_kept[j] = of_state * hidden[j];
    }
}

impl Saved {
    fn new(
        inputs: FlexTensor,
        weights: FlexTensor,
        candidate: FlexTensor,
        first: FlexTensor,
    ) -> Self {
        let [candidate, first] = [candidate, first].map(|it| it.to_contiguous());
        let weights = contiguous(weights);
        let mut gates = contiguous(inputs);
        let sizes = Sizes::of(&gates, 3);
        let [s, directions, b, columns] = dims(&gates);
        let h = columns / 3;
        let room = |width| zeros([s, directions, b, width]);
        let (mut states, mut past_slopes) = (room(h), room(2 * h));
        let mut products = sizes.room();
        let rows = directions * b;
        for step in 0..s {
            let (past, present) = numbers_mut(&mut states).split_at_mut(step * rows * h);
            let hidden = [numbers(&first), past];
            sizes.forward(hidden, h, numbers(&weights), &mut products);
            let [r, z, n] = sizes.blocks(&products);
            let before = match step {
                0 => numbers(&first),
                _ => &past[(step - 1) * rows * h..],
            };
            each_row(
                rows,
                [r, z, n, (before, h)],
                [
                    (
                        &mut numbers_mut(&mut gates)[step * rows * columns..],
                        columns,
                    ),
                    (
                        &mut numbers_mut(&mut past_slopes)[step * rows * 2 * h..],
                        2 * h,
                    ),
                    (present, h),
                ],
                #[inline(always)]
                |row, [r, z, n, before], write| {
                    let bias = &numbers(&candidate)[row / b * h..];
                    forward(h, [r, z, n], [bias, before], write);
                },
            );
        }
        Self {
            weights,
            first,
            states,
            slopes: gates,
            past_slopes,
        }
    }

    /// Computes the gradients of inputs, weights, candidate bias, and, if `of_first`, of the
    /// initial h.
    fn gradients(&self, gradient: &FlexTensor, of_first: bool) -> [Option<FlexTensor>; 4] {
        let sizes = Sizes::of(&self.slopes, 3);
        let shape @ [s, directions, b, columns] = dims(&self.slopes);
        let h = columns / 3;
        let rows = directions * b;
        // Transpose the weights once instead of in the product of each step.
        let transposed = self.weights.transpose(2, 3).to_contiguous(); // [1, directions, 3·H, H]
        let (mut of_inputs, mut of_products) = (zeros(shape), zeros(shape));
        let mut by_gates = sizes.room();
        let mut of_kept = vec![0.0; rows * h];
        for step in (0..s).rev() {
            let [r, z, n] = sizes.blocks(&by_gates);
            each_row(
                rows,
                [
                    (&numbers(&self.slopes)[step * rows * columns..], columns),
                    (&numbers(&self.past_slopes)[step * rows * 2 * h..], 2 * h),
                    (&numbers(gradient)[step * rows * h..], h),
                    r,
                    z,
                    n,
                ],
                [
                    (
                        &mut numbers_mut(&mut of_inputs)[step * rows * columns..],
                        columns,
                    ),
                    (
                        &mut numbers_mut(&mut of_products)[step * rows * columns..],
                        columns,
                    ),
                    (&mut of_kept, h),
                ],
                #[inline(always)]
                |_, [slopes, past_slopes, gradient, r, z, n], write| {
                    // The gradient of h' has a part through each gate of the next step.
                    let (gradient, r, z, n) = (&gradient[..h], &r[..h], &z[..h], &n[..h]);
                    let of_hidden = |j: usize| gradient[j] + (r[j] + z[j] + n[j]);
                    backward(h, [slopes, past_slopes], of_hidden, write);
                },
            );
            if step > 0 || of_first {
                let of_step = &numbers(&of_products)[step * rows * columns..];
                sizes.backward(of_step, numbers(&transposed), &mut by_gates);
            }
        }
        let of_first = of_first.then(|| {
            for (sum, of_hidden) in of_kept.iter_mut().zip(sizes.sum(&by_gates)) {
                *sum += of_hidden;
            }
            tensor(of_kept, [1, directions, b, h])
        });
        let of_weights = sizes.of_weights(&self.first, &self.states, &of_products);
        let of_candidate = of_candidate(&of_products);
        [
            Some(of_inputs),
            Some(of_weights),
            Some(of_candidate),
            of_first,
        ]
    }
}

/// Computes the gradient of the candidate bias: that of the n gate's products, summed over steps
/// and rows, `[1, directions, 1, H]`.
fn of_candidate(of_products: &FlexTensor) -> FlexTensor {
    let [_, directions, b, columns] = dims(of_products);
    let h = columns / 3;
    let mut sums = vec![0.0; directions * h];
    let rows = numbers(of_products).chunks_exact(columns.max(1));
    for (row, of_product) in rows.enumerate() {
        let direction = row / b % directions;
        let sums = sums[direction * h..][..h].iter_mut();
        for (sum, x) in sums.zip(&of_product[2 * h..]) {
            *sum += x;
        }
    }
    tensor(sums, [1, directions, 1, h])
}
