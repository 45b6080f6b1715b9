//! Recurrent cells, which compute a state from the state before.

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{Tensor, s};
use strata_attention::ParamInit;
use strata_kernels::{gru, gru_bias, gru_of_texts, gru_step, linear, lstm, lstm_of_texts};

use super::order::positions;
use crate::{CellKind, RecurrentConfig};

/// Parameters of one direction. The gates are concatenated along the columns: GRU r, z, n; LSTM i,
/// f, g, o.
#[derive(Module, Debug)]
pub struct Cell {
    /// Weight of the input, `[D, G·H]`.
    pub input: Param<Tensor<2>>,
    /// Weight of the state, `[H, G·H]`.
    pub hidden: Param<Tensor<2>>,
    /// Bias of the input's part, `[G·H]`.
    pub input_bias: Param<Tensor<1>>,
    /// Bias of the state's part, `[G·H]`, which GRU's reset gate scales.
    pub hidden_bias: Param<Tensor<1>>,
}

/// States h and c of all directions, `[directions, B, H]`.
pub(crate) struct DirectedState {
    pub hidden: Tensor<3>,
    pub cell: Option<Tensor<3>>,
}

/// Weights of the input's part, shared by all steps, with all directions stacked. For cells whose
/// input is known only step by step.
pub(crate) struct InputWeights {
    /// Weight of the input, `[directions, D, G·H]`.
    input: Tensor<3>,
    /// All biases, `[directions, 1, G·H]`.
    bias: Tensor<3>,
}

impl InputWeights {
    pub(crate) fn stack<'a>(
        directions: impl IntoIterator<Item = &'a Cell>,
        kind: CellKind,
    ) -> Self {
        let weights = |cell: &Cell| (cell.input.val(), cell.bias(kind).unsqueeze::<2>()); // [D, G·H], [1, G·H]
        let (input, bias) = directions.into_iter().map(weights).unzip();
        Self {
            input: side_by_side(input),
            bias: side_by_side(bias),
        }
    }

    /// Computes the input's part of all gates of one step: `[directions, B, D]` →
    /// `[directions, B, G·H]`.
    pub(crate) fn project(&self, input: Tensor<3>) -> Tensor<3> {
        input.matmul(self.input.clone()) + self.bias.clone()
    }
}

/// Weights of the state's part, shared by all steps, with all directions stacked.
pub(crate) struct StepWeights {
    /// Weight of the state, `[directions, H, G·H]`.
    hidden: Tensor<3>,
    /// Bias of GRU's n gate, `[directions, 1, H]`.
    candidate: Tensor<3>,
}

/// Number of gates of a cell, G.
pub(crate) fn gates(kind: CellKind) -> usize {
    match kind {
        CellKind::Rnn => 1,
        CellKind::Gru => 3,
        CellKind::Lstm => 4,
    }
}

impl Cell {
    pub(crate) fn init(config: &RecurrentConfig, init: &mut ParamInit) -> Self {
        let columns = gates(config.cell) * config.hidden;
        let bound = 1.0 / (config.hidden as f64).sqrt();
        Self {
            input: init.uniform([config.input, columns], bound),
            hidden: init.uniform([config.hidden, columns], bound),
            input_bias: init.uniform([columns], bound),
            hidden_bias: init.uniform([columns], bound),
        }
    }

    /// Width of the state, H.
    pub(crate) fn hidden_width(&self) -> usize {
        self.hidden.dims()[0]
    }

    /// Computes the input's part of all gates, with all biases except the hidden bias of GRU's n
    /// gate, which the reset gate scales. `[B, S, D]` → `[B, S, G·H]`
    pub(crate) fn project(&self, input: Tensor<3>, kind: CellKind) -> Tensor<3> {
        linear(input, self.input.val(), Some(self.bias(kind)))
    }

    /// Computes the part of all gates that depends on the first features of an input, with the
    /// biases of [`project`](Self::project): `[B, S, E]` → `[B, S, G·H]`, E at most D.
    pub(crate) fn project_first(&self, input: Tensor<3>, kind: CellKind) -> Tensor<3> {
        let width = input.dims()[2];
        let weight = self.input.val().narrow(0, 0, width);
        linear(input, weight, Some(self.bias(kind)))
    }

    /// Weights of the input's features from `first` on, `[D − first, G·H]`.
    pub(crate) fn weights_after(&self, first: usize) -> Tensor<2> {
        let width = self.input.dims()[0] - first;
        self.input.val().narrow(0, first, width)
    }

    /// Sums all biases except the hidden bias of GRU's n gate, `[G·H]`.
    fn bias(&self, kind: CellKind) -> Tensor<1> {
        let (bias, hidden_bias) = (self.input_bias.val(), self.hidden_bias.val());
        match kind {
            CellKind::Rnn | CellKind::Lstm => bias + hidden_bias,
            CellKind::Gru => gru_bias(bias, hidden_bias),
        }
    }
}

impl StepWeights {
    pub(crate) fn stack<'a>(directions: impl IntoIterator<Item = &'a Cell>) -> Self {
        let candidate = |cell: &Cell| {
            let h = cell.hidden_width();
            let columns = cell.hidden_bias.dims()[0];
            cell.hidden_bias
                .val()
                .slice(s![columns - h..])
                .reshape([1, h])
        };
        let weights = |cell: &Cell| (cell.hidden.val(), candidate(cell));
        let (hidden, candidates) = directions.into_iter().map(weights).unzip();
        Self {
            hidden: side_by_side(hidden),
            candidate: side_by_side(candidates),
        }
    }
}

/// Stacks the directions, `[directions, …]`. A single direction is not copied, since a decoder
/// calls this at every step.
fn side_by_side(directions: Vec<Tensor<2>>) -> Tensor<3> {
    if let [only] = &directions[..] {
        return only.clone().unsqueeze_dim(0);
    }
    Tensor::stack(directions, 0)
}

/// Reads whole texts from a state of 0: input `[B, S, D]` → states `[B, S, directions · H]`, 0 at
/// padding. Returns `None` if no kernel computes this at once.
pub(crate) fn texts(
    kind: CellKind,
    cells: &[Cell],
    input: &Tensor<3>,
    lengths: Option<&[usize]>,
) -> Option<Tensor<3>> {
    if kind == CellKind::Rnn || !strata_kernels::on_cpu(input) {
        return None;
    }
    let [b, s, _] = input.dims();
    let whole = vec![s; b];
    let lengths = lengths.unwrap_or(&whole);
    let weights = cells.iter().map(|cell| cell.input.val()).collect();
    let biases = cells.iter().map(|cell| cell.bias(kind)).collect();
    let weights = Tensor::cat(weights, 1); // [D, directions · G·H]
    let biases = Tensor::cat(biases, 0); // [directions · G·H]
    let inputs = linear(input.clone(), weights, Some(biases)); // [B, S, directions · G·H]
    let steps = StepWeights::stack(cells);
    match kind {
        CellKind::Lstm => lstm_of_texts(&inputs, &steps.hidden, lengths),
        _ => gru_of_texts(&inputs, &steps.hidden, &steps.candidate, lengths),
    }
}

/// Computes h and c after every step, `[S, directions, B, H]`, from inputs
/// `[S, directions, B, G·H]`.
pub(crate) fn steps(
    kind: CellKind,
    inputs: Tensor<4>,
    mut state: DirectedState,
    weights: &StepWeights,
) -> (Tensor<4>, Option<Tensor<4>>) {
    if let Some(cell) = &state.cell
        && let Some(states) = lstm(&inputs, &weights.hidden, &state.hidden, cell)
    {
        let h = state.hidden.dims()[2];
        return (states.clone().narrow(3, 0, h), Some(states.narrow(3, h, h)));
    }
    if kind == CellKind::Gru
        && let Some(states) = gru(&inputs, &weights.hidden, &weights.candidate, &state.hidden)
    {
        return (states, None);
    }
    let (mut hidden, mut cells) = (Vec::with_capacity(inputs.dims()[0]), Vec::new());
    for input in positions(inputs) {
        state = step(kind, input, state, weights);
        hidden.push(state.hidden.clone());
        cells.extend(state.cell.clone());
    }
    let cells = (!cells.is_empty()).then(|| Tensor::stack(cells, 0));
    (Tensor::stack(hidden, 0), cells)
}

/// Computes one step of all directions. `input` is `[directions, B, G·H]`.
pub(crate) fn step(
    kind: CellKind,
    input: Tensor<3>,
    state: DirectedState,
    weights: &StepWeights,
) -> DirectedState {
    let product = |hidden: Tensor<3>| hidden.matmul(weights.hidden.clone());
    match kind {
        CellKind::Rnn => DirectedState {
            hidden: (input + product(state.hidden)).tanh(),
            cell: None,
        },
        CellKind::Gru => DirectedState {
            hidden: gru_step(input, &weights.hidden, &weights.candidate, state.hidden),
            cell: None,
        },
        CellKind::Lstm => {
            let h = state.hidden.dims()[2];
            let before = state.cell.expect("an LSTM has a cell");
            // On the CPU the kernel is one operation in place of a dozen; on GPUs this has not been
            // measured.
            if strata_kernels::on_cpu(&input)
                && let inputs = input.clone().unsqueeze_dim(0)
                && let Some(states) = lstm(&inputs, &weights.hidden, &state.hidden, &before)
            {
                let states: Tensor<3> = states.squeeze_dim(0); // h and c, [directions, B, 2·H]
                return DirectedState {
                    hidden: states.clone().narrow(2, 0, h),
                    cell: Some(states.narrow(2, h, h)),
                };
            }
            // LSTM: c' = σ(f) ∘ c + σ(i) ∘ tanh(g); h' = σ(o) ∘ tanh(c').
            let gates = input + product(state.hidden); // [directions, B, 4·H]
            let keep = sigmoid(gates.clone().narrow(2, 0, 2 * h)); // i and f, [directions, B, 2·H]
            let (write, forget) = (keep.clone().narrow(2, 0, h), keep.narrow(2, h, h));
            let candidate = gates.clone().narrow(2, 2 * h, h).tanh();
            let output = sigmoid(gates.narrow(2, 3 * h, h));
            let cell = before * forget + write * candidate;
            DirectedState {
                hidden: output * cell.clone().tanh(),
                cell: Some(cell),
            }
        }
    }
}
