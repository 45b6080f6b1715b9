//! Recurrent layers: RNN, GRU and LSTM, one or two directions.
//!
//! The product of the input is computed once for all positions, and each step computes one product
//! for all gates of both directions: a step costs a handful of kernels, not a hundred.
//!
//! Padding is at the end. The forward direction reads it last, and the backward direction reads
//! each item reversed within its own length, so that neither needs a mask in its steps.

pub(crate) mod cell;
pub(crate) mod order;
pub(crate) mod stack;

use burn::module::Module;
use burn::tensor::{Int, Tensor};
use strata_attention::ParamInit;

use crate::CellKind;
pub use cell::Cell;
use order::{in_text_order, last_of_each, reorder, reversed};

/// Settings of a recurrent layer.
#[derive(Clone, Copy, Debug)]
pub struct RecurrentConfig {
    /// Recurrent cell.
    pub cell: CellKind,
    /// Width of the input.
    pub input: usize,
    /// Width of the state of one direction, H.
    pub hidden: usize,
    /// True if the layer also reads from each item's last position before padding to its first.
    pub bidirectional: bool,
}

/// Recurrent layer of one or two directions.
#[derive(Module, Debug)]
pub struct Recurrent {
    /// Cell of the forward direction, then of the backward direction if there is one.
    pub directions: Vec<Cell>,
    #[module(skip)]
    kind: CellKind,
}

/// State after a step: `[B, directions · H]`.
#[derive(Clone, Debug)]
pub struct State {
    /// Hidden state h.
    pub hidden: Tensor<2>,
    /// Cell state c; `None` unless the cell is an LSTM.
    pub cell: Option<Tensor<2>>,
}

impl State {
    /// Selects the states of some rows, in any order.
    pub(crate) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        self.each(|state| state.select(0, rows.clone()))
    }

    /// Applies `change` to h and to c.
    pub(crate) fn each(&self, change: impl Fn(Tensor<2>) -> Tensor<2>) -> Self {
        Self {
            hidden: change(self.hidden.clone()),
            cell: self.cell.clone().map(change),
        }
    }
}

/// Output of a recurrent layer.
#[derive(Clone, Debug)]
pub struct RecurrentOutput {
    /// States of all positions, `[B, S, directions · H]`, forward first; 0 at padding.
    pub states: Tensor<3>,
    /// State after each item's last position before padding (backward: after its first).
    pub last: State,
}

impl RecurrentConfig {
    /// Counts the parameters of the layer.
    pub fn parameters(&self) -> u64 {
        let directions = if self.bidirectional { 2 } else { 1 };
        let (input, hidden) = (self.input as u64, self.hidden as u64);
        directions * cell::gates(self.cell) as u64 * hidden * (input + hidden + 2)
    }

    /// Draws uniform parameters within 1/√H, biases included, like PyTorch's recurrent layers.
    pub fn init(&self, init: &mut ParamInit) -> Recurrent {
        let directions = if self.bidirectional { 2 } else { 1 };
        Recurrent {
            directions: (0..directions).map(|_| Cell::init(self, init)).collect(),
            kind: self.cell,
        }
    }
}

impl Recurrent {
    /// Reads whole sequences.
    ///
    /// # Shapes
    /// - input `[B, S, D]`; `lengths`: number of positions of each item without padding, at least 1
    ///   (all S if absent); `initial` `[B, directions · H]`, or 0
    pub fn forward(
        &self,
        input: Tensor<3>,
        lengths: Option<&[usize]>,
        initial: Option<State>,
    ) -> RecurrentOutput {
        let [_, s, _] = input.dims();
        let lengths = lengths.filter(|lengths| lengths.iter().any(|&length| length != s));
        let inputs = self.project(input, lengths); // [S, directions, B, G·H]
        let weights = cell::StepWeights::stack(&self.directions);
        let initial = self.initial(&inputs, initial);
        let (hidden, cells) = cell::steps(self.kind, inputs, initial, &weights);
        self.collect(hidden, cells, lengths)
    }

    /// Reads whole texts from a state of 0. Returns only the states, `[B, S, directions · H]`, 0 at
    /// padding.
    ///
    /// # Shapes
    /// - input `[B, S, D]`; `lengths`: number of positions of each item without padding, at least 1
    ///   (all S if absent)
    pub fn read(&self, input: Tensor<3>, lengths: Option<&[usize]>) -> Tensor<3> {
        cell::texts(self.kind, &self.directions, &input, lengths)
            .unwrap_or_else(|| self.forward(input, lengths, None).states)
    }

    /// Reads one further position; for layers of one direction only.
    ///
    /// # Shapes
    /// - input `[B, D]`, state `[B, H]`
    pub fn step(&self, input: Tensor<2>, state: State) -> State {
        let input = self.directions[0].project(input.unsqueeze_dim::<3>(1), self.kind); // [B, 1, G·H]
        let weights = cell::StepWeights::stack(&self.directions);
        let state = cell::step(
            self.kind,
            input.swap_dims(0, 1), // [1, B, G·H]
            cell::DirectedState {
                hidden: state.hidden.unsqueeze_dim(0),
                cell: state.cell.map(|cell| cell.unsqueeze_dim(0)),
            },
            &weights,
        );
        State {
            hidden: state.hidden.squeeze_dim(0),
            cell: state.cell.map(|cell| cell.squeeze_dim(0)),
        }
    }

    /// Width of the state of one direction, H.
    pub(crate) fn hidden_width(&self) -> usize {
        self.directions[0].hidden_width()
    }

    /// Computes the input's part of all gates, each direction in its own order:
    /// `[S, directions, B, G·H]`.
    fn project(&self, input: Tensor<3>, lengths: Option<&[usize]>) -> Tensor<4> {
        let [b, s, _] = input.dims();
        let project = |cell: &Cell, input| cell.project(input, self.kind).swap_dims(0, 1); // [S, B, G·H]
        match self.directions.as_slice() {
            [forward, backward] => {
                let order = reversed(b, s, lengths, &input.device());
                let mirrored = reorder(input.clone(), order);
                Tensor::stack(
                    vec![project(forward, input), project(backward, mirrored)],
                    1,
                )
            }
            cells => project(&cells[0], input).unsqueeze_dim(1), // [S, 1, B, G·H]
        }
    }

    fn initial(&self, inputs: &Tensor<4>, initial: Option<State>) -> cell::DirectedState {
        let [_, directions, b, _] = inputs.dims();
        let hidden = self.directions[0].hidden_width();
        let like = (&inputs.device(), inputs.dtype());
        let split = |state: Tensor<2>| state.reshape([b, directions, hidden]).swap_dims(0, 1);
        let zeros = || Tensor::zeros([directions, b, hidden], like);
        let (h, c) = match initial {
            Some(state) => (Some(state.hidden), state.cell),
            None => (None, None),
        };
        cell::DirectedState {
            hidden: h.map_or_else(zeros, split),
            cell: (self.kind == CellKind::Lstm).then(|| c.map_or_else(zeros, split)),
        }
    }

    /// Rearranges the steps, `[S, directions, B, H]`, in the order of the input.
    fn collect(
        &self,
        hidden: Tensor<4>,
        cells: Option<Tensor<4>>,
        lengths: Option<&[usize]>,
    ) -> RecurrentOutput {
        let [s, directions, b, h] = hidden.dims();
        let last_of = |steps: Tensor<4>| {
            let last: Tensor<3> = match lengths {
                None => steps.narrow(0, s - 1, 1).squeeze_dim(0), // [directions, B, H]
                Some(lengths) => last_of_each(steps, lengths),
            };
            last.swap_dims(0, 1).reshape([b, directions * h]) // [B, directions · H]
        };
        let last = State {
            hidden: last_of(hidden.clone()),
            cell: cells.map(last_of),
        };
        let states = in_text_order(hidden, lengths);
        RecurrentOutput { states, last }
    }
}

#[cfg(test)]
mod tests;
