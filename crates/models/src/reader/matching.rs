//! Matching step by step (Wang and Jiang 2017, 3.2; Wang et al. 2017, 3.2): a recurrent layer reads a
//! passage, and at each word attends to the question.
//!
//! a_t is the context of the query [h_t; r_{t−1}] from the question by the additive score, z_t =
//! [h_t; a_t], r_t = cell(z_t, r_{t−1}), r_0 = 0. With Ham-V, q_0 = h_t, level i has the query
//! [q_{i−1}; r_{t−1}], and a_t = Σ softmax(w)_i q_i: the context of the level below replaces the
//! word, while the state stays.
//!
//! Products that need no state are computed before the steps, also the word's part of the cell's
//! input unless a gate comes between. A level's result is A_i u, so q_i W = A_i (u W): no product
//! of a level is wider than the question is long.

mod cell_input;
mod score;
mod settings;
mod weights;

use burn::module::Module;
use burn::tensor::Tensor;
use strata_attention::{AttentionWeights, Mask};

use super::gate::Gate;
use super::levels::Levels;
use crate::CellKind;
use crate::recurrent::Cell;
use crate::recurrent::cell::{DirectedState, StepWeights, step};
use crate::recurrent::order::{in_text_order, positions, reorder, reversed};
use cell_input::CellInput;
pub use score::MatchScore;
pub use settings::{MatchInput, MatchingConfig, Sharing};

/// Recurrent layer that attends to a question at each step.
#[derive(Module, Debug)]
pub struct Matching {
    /// Scores of each direction, or a single one for both.
    pub scores: Vec<MatchScore>,
    /// Gates of z for each direction, or a single one for both; empty if there are none.
    pub gates: Vec<Gate>,
    /// Cells of each direction, or a single one for both.
    pub cells: Vec<Cell>,
    /// Levels of the attention, for both directions.
    pub levels: Levels,
    /// True if a is muted, that is zeros.
    #[module(skip)]
    pub(crate) muted: bool,
    #[module(skip)]
    kind: CellKind,
    #[module(skip)]
    input: MatchInput,
    #[module(skip)]
    directions: usize,
}

/// Output of a matching layer.
#[derive(Clone, Debug)]
pub struct MatchingOutput {
    /// States, `[B, P, directions · H]`, 0 at padding.
    pub states: Tensor<3>,
    /// Attention weights, `[B, directions, P, Q]` for each level.
    pub weights: AttentionWeights,
}

/// Everything that is computed before the steps.
struct Prepared {
    /// Words' part of the doubled query, `[B, directions, A]` for each step.
    queries: Vec<Tensor<3>>,
    /// Input of the cell.
    input: CellInput,
    /// Prepared keys, `[B, directions, Q, A]`.
    keys: Tensor<4>,
    /// Keys times W^p, u W^p, by which a level attends with the context of the level below; `None`
    /// if there is only one level.
    asking: Option<Tensor<4>>,
    /// Weight of the state, W^r, doubled, `[directions, H, A]`.
    of_state: Tensor<3>,
    /// States of the question, u, `[B, Q, D]`.
    question: Tensor<3>,
    shares: Option<Tensor<2>>,
}

impl Matching {
    /// Reads a passage word by word and matches each word with the question.
    ///
    /// # Shapes
    /// - passage `[B, P, D]`, where `lengths` are the numbers of real words; question `[B, Q, D]`,
    ///   with the mask of its words as keys
    pub fn forward(
        &self,
        passage: Tensor<3>,
        lengths: &[usize],
        question: Tensor<3>,
        mask: &Mask,
    ) -> MatchingOutput {
        let [b, p, _] = passage.dims();
        let like = (&passage.device(), passage.dtype());
        let zeros = || Tensor::zeros([self.directions, b, self.hidden()], like);
        let mut state = DirectedState {
            hidden: zeros(),
            cell: (self.kind == CellKind::Lstm).then(zeros),
        };
        let step_weights = StepWeights::stack(self.each(&self.cells));
        let prepared = self.prepare(passage, lengths, question);
        let mut states = Vec::with_capacity(p);
        let mut own = vec![Vec::with_capacity(p); self.levels.depth()];
        for at in 0..p {
            let levels = self.attend(&prepared, at, &state.hidden, mask);
            let found = self.read(&prepared, &levels); // [directions, B, D]
            own.iter_mut()
                .zip(levels)
                .for_each(|(all, level)| all.push(level));
            let input = prepared.input.at(at, found); // [directions, B, G·H]
            state = step(self.kind, input, state, &step_weights);
            states.push(state.hidden.clone());
        }
        MatchingOutput {
            states: in_text_order(Tensor::stack(states, 0), Some(lengths)),
            weights: weights::in_text_order(own, lengths, prepared.shares),
        }
    }

    /// Computes the weights of each level at a step, `[B, directions, 1, Q]`.
    fn attend(
        &self,
        prepared: &Prepared,
        at: usize,
        state: &Tensor<3>,
        mask: &Mask,
    ) -> Vec<Tensor<4>> {
        let of_state = state.clone().matmul(prepared.of_state.clone()); // [directions, B, A]
        let of_state: Tensor<4> = of_state.swap_dims(0, 1).unsqueeze_dim(2); // [B, directions, 1, A]
        let words: Tensor<4> = prepared.queries[at].clone().unsqueeze_dim(2); // [B, directions, 1, A]
        let mut levels: Vec<Tensor<4>> = Vec::with_capacity(self.levels.depth());
        for _ in 0..self.levels.depth() {
            let asking = match (levels.last(), &prepared.asking) {
                (Some(below), Some(asking)) => below.clone().matmul(asking.clone()),
                _ => words.clone(),
            }; // [B, directions, 1, A]
            let query = asking + of_state.clone();
            levels.push(mask.softmax(MatchScore::of_all(
                &self.scores,
                query,
                prepared.keys.clone(),
            )));
        }
        levels
    }

    /// Mixes the levels, `[directions, B, D]`.
    fn read(&self, prepared: &Prepared, levels: &[Tensor<4>]) -> Tensor<3> {
        let mixed = Levels::mixed(levels.to_vec(), prepared.shares.as_ref());
        let mixed: Tensor<3> = mixed.squeeze_dim(2); // [B, directions, Q]
        let found = mixed.matmul(prepared.question.clone()).swap_dims(0, 1); // [directions, B, D]
        if self.muted {
            found.zeros_like()
        } else {
            found
        }
    }

    fn prepare(&self, passage: Tensor<3>, lengths: &[usize], question: Tensor<3>) -> Prepared {
        let [b, p, _] = passage.dims();
        let order =
            (self.directions == 2).then(|| reversed(b, p, Some(lengths), &passage.device()));
        let mirrored = order.map(|order| reorder(passage.clone(), order));
        let words: Vec<Tensor<3>> = [Some(passage), mirrored].into_iter().flatten().collect();
        let scores: Vec<&MatchScore> = self.each(&self.scores).collect();
        let of_each = |of: &dyn Fn(&MatchScore) -> Tensor<3>| {
            Tensor::stack::<4>(scores.iter().map(|score| of(score)).collect(), 1)
        };
        let queries = words.iter().zip(&scores);
        let queries = queries.map(|(words, score)| score.of_words(words.clone()));
        let queries = Tensor::stack::<4>(queries.collect(), 1); // [B, directions, P, A]
        let queries: Tensor<4> = queries.permute([2, 0, 1, 3]); // [P, B, directions, A]
        let of_state = scores.iter().map(|score| score.of_state()).collect();
        let gates: Vec<&Gate> = if self.gates.is_empty() {
            Vec::new()
        } else {
            self.each(&self.gates).collect()
        };
        let cells: Vec<&Cell> = self.each(&self.cells).collect();
        Prepared {
            queries: positions(queries),
            input: CellInput::new(words, self.input, &gates, &cells, self.kind),
            keys: of_each(&|score| score.of_keys(question.clone())),
            asking: (self.levels.depth() > 1)
                .then(|| of_each(&|score| score.of_words(question.clone()))),
            of_state: Tensor::stack(of_state, 0),
            shares: self
                .levels
                .shares()
                .map(|shares| shares.cast(question.dtype())),
            question,
        }
    }

    /// Iterates over `parts`, one for each direction; a single part serves both.
    fn each<'a, T>(&self, parts: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let last = parts.len() - 1;
        (0..self.directions).map(move |direction| &parts[direction.min(last)])
    }

    fn hidden(&self) -> usize {
        self.cells[0].hidden_width()
    }
}
