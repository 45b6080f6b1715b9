//! Input of a matching's cell: the part of the gates that depends on word h_t and its context a_t.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::{Gate, MatchInput};
use crate::CellKind;
use crate::recurrent::Cell;
use crate::recurrent::cell::InputWeights;
use crate::recurrent::order::positions;

/// Input of the cell for all steps.
pub(super) enum CellInput {
    /// Input in two parts, [h; a] W = h W₁ + a W₂: the first product is known before the steps.
    InParts {
        /// Part of the words, h W₁ and the biases, `[directions, B, G·H]` for each step.
        words: Vec<Tensor<3>>,
        /// Weight of the context, W₂, `[directions, D, G·H]`.
        found: Tensor<3>,
    },
    /// Whole input z W, computed at each step.
    Whole {
        /// Words h, `[directions, B, D]` for each step.
        words: Vec<Tensor<3>>,
        form: MatchInput,
        /// Weight W of the gate, `[directions, Z, Z]`; `None` without a gate.
        gate: Option<Tensor<3>>,
        weights: InputWeights,
    },
}

impl CellInput {
    /// Prepares the input. `words` are the passage in each direction's order, `[B, P, D]`; `gates`
    /// (or none) and `cells` those of all directions.
    pub(super) fn new(
        words: Vec<Tensor<3>>,
        form: MatchInput,
        gates: &[&Gate],
        cells: &[&Cell],
        kind: CellKind,
    ) -> Self {
        let by_step = |all: Vec<Tensor<3>>| {
            let all: Tensor<4> = Tensor::stack(all, 0); // [directions, B, P, ·]
            positions(all.permute([2, 0, 1, 3])) // P × [directions, B, ·]
        };
        if gates.is_empty() && form == MatchInput::Concat {
            let first = words[0].dims()[2];
            let found = cells.iter().map(|cell| cell.weights_after(first)).collect();
            let projected = words.into_iter().zip(cells);
            let projected = projected.map(|(words, cell)| cell.project_first(words, kind));
            return Self::InParts {
                words: by_step(projected.collect()),
                found: Tensor::stack(found, 0),
            };
        }
        let gate: Vec<Tensor<2>> = gates.iter().map(|gate| gate.weight.val()).collect();
        Self::Whole {
            words: by_step(words),
            form,
            gate: (!gate.is_empty()).then(|| Tensor::stack(gate, 0)),
            weights: InputWeights::stack(cells.iter().copied(), kind),
        }
    }

    /// Computes the input of a step, `[directions, B, G·H]`, from the context of its words,
    /// `[directions, B, D]`.
    pub(super) fn at(&self, step: usize, a: Tensor<3>) -> Tensor<3> {
        match self {
            Self::InParts { words, found } => a.matmul(found.clone()) + words[step].clone(),
            Self::Whole {
                words,
                form,
                gate,
                weights,
            } => {
                let h = words[step].clone();
                let parts = match form {
                    MatchInput::Concat => vec![h, a],
                    MatchInput::Difference => {
                        let (difference, product) = (h.clone() - a.clone(), h.clone() * a.clone());
                        vec![h, a, difference, product]
                    }
                };
                let z = Tensor::cat(parts, 2); // [directions, B, Z]
                let z = match gate {
                    Some(gate) => sigmoid(z.clone().matmul(gate.clone())) * z,
                    None => z,
                };
                weights.project(z)
            }
        }
    }
}
