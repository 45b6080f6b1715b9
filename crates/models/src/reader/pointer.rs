//! Answer pointer (Wang and Jiang 2017, 3.3, the boundary model; Wang et al. 2017, 3.4): a cell
//! attends to the passage twice. Its weights are the probabilities of the answer's start, then of
//! its end.
//!
//! β¹ = softmax of the additive score of s_0 over the memory m, s_1 = cell(Σ β¹ m, s_0), β² the
//! same with s_1. s_0 is 0 or the pooled question. A second pointer (baidu/DuReader) points to the
//! end first; the probabilities are then the means of both pointers.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use strata_attention::{AdditiveScore, Mask, ParamInit, Score, Widths};
use strata_kernels::apply;

use super::pooling::Pooling;
use crate::{CellKind, Recurrent, RecurrentConfig, State};

/// Settings of a pointer.
#[derive(Clone, Copy, Debug)]
pub struct PointerConfig {
    /// Recurrent cell.
    pub cell: CellKind,
    /// Width of the memory.
    pub memory: usize,
    /// Width of the question, if the first state is the pooled question.
    pub question: Option<usize>,
    /// Width of the state.
    pub hidden: usize,
    /// Hidden width of the scores, A.
    pub score: usize,
    /// True if a second pointer points to the end first.
    pub both_directions: bool,
}

/// Answer pointer, which predicts start and end.
#[derive(Module, Debug)]
pub struct Pointer {
    /// Pointers: the first points to the start first, a second one to the end.
    pub directions: Vec<PointerDirection>,
    /// Pooling of the question to the first state; `None` if the first state is 0.
    pub pool: Option<Pooling>,
    /// Maps the pooled question to the width of the state, if their widths differ.
    pub project: Option<Linear>,
    #[module(skip)]
    kind: CellKind,
}

/// Cell of a pointer, and the score by which it attends.
#[derive(Module, Debug)]
pub struct PointerDirection {
    /// Cell, with one direction.
    pub cell: Recurrent,
    /// Additive score of the state against the memory.
    pub score: Score,
}

/// Output of a pointer.
#[derive(Clone, Debug)]
pub struct PointerOutput {
    /// Log-probability of each position to be the start, and to be the end: `[B, K·P]`.
    pub log_probabilities: [Tensor<2>; 2],
    /// Pooled question `[B, D]` and its weights `[B, 1, 1, Q]`.
    pub pooled: Option<(Tensor<2>, Tensor<4>)>,
}

impl PointerConfig {
    fn recurrent(&self) -> RecurrentConfig {
        RecurrentConfig {
            cell: self.cell,
            input: self.memory,
            hidden: self.hidden,
            bidirectional: false,
        }
    }

    fn directions(&self) -> usize {
        if self.both_directions { 2 } else { 1 }
    }

    /// Width of the pooled question, if it has to be mapped to the state's width.
    fn projected(&self) -> Option<usize> {
        self.question.filter(|&width| width != self.hidden)
    }

    /// Counts the parameters of the pointer.
    pub fn parameters(&self) -> u64 {
        let score = self.score as u64 * (self.hidden + self.memory + 2) as u64;
        let pool = self
            .question
            .map_or(0, |it| Pooling::parameters(it, self.score));
        let project = self
            .projected()
            .map_or(0, |it| (it as u64 + 1) * self.hidden as u64);
        self.directions() as u64 * (score + self.recurrent().parameters()) + pool + project
    }

    /// Draws the parameters of the pointer.
    pub fn init(&self, init: &mut ParamInit) -> Pointer {
        let widths = Widths {
            query: self.hidden,
            ..Widths::all(self.memory)
        };
        let direction = |init: &mut ParamInit| PointerDirection {
            cell: self.recurrent().init(init),
            score: Score::Additive(AdditiveScore::init(widths, self.score, init)),
        };
        Pointer {
            directions: (0..self.directions()).map(|_| direction(init)).collect(),
            pool: self.question.map(|it| Pooling::init(it, self.score, init)),
            project: self.projected().map(|it| init.linear(it, self.hidden)),
            kind: self.cell,
        }
    }
}

impl Pointer {
    /// # Shapes
    /// - memory `[B, K·P, D]`, question `[B, Q, D]`; masks of both as keys
    pub fn forward(
        &self,
        memory: Tensor<3>,
        question: Tensor<3>,
        [memory_mask, question_mask]: [&Mask; 2],
    ) -> PointerOutput {
        let pooled = self
            .pool
            .as_ref()
            .map(|pool| pool.forward(question, question_mask));
        let [b, _, _] = memory.dims();
        let first = match &pooled {
            Some((pooled, _)) => match &self.project {
                Some(project) => apply(project, pooled.clone()),
                None => pooled.clone(),
            },
            None => {
                let hidden = self.directions[0].cell.hidden_width();
                Tensor::zeros([b, hidden], (&memory.device(), memory.dtype()))
            }
        };
        let state = State {
            cell: (self.kind == CellKind::Lstm).then(|| first.clone()),
            hidden: first,
        };
        let point = |direction: &PointerDirection| direction.point(&memory, &state, memory_mask);
        let log_probabilities = match self.directions.as_slice() {
            [forward, backward] => {
                let ([start, end], [late_end, late_start]) = (point(forward), point(backward));
                [mean(start, late_start), mean(end, late_end)]
            }
            directions => point(&directions[0]),
        };
        PointerOutput {
            log_probabilities,
            pooled,
        }
    }
}

impl PointerDirection {
    /// Computes the log-probabilities of the end that the pointer points to first, and of the
    /// other: `[B, K·P]`.
    fn point(&self, memory: &Tensor<3>, first: &State, mask: &Mask) -> [Tensor<2>; 2] {
        let keys = self.score.prepare(memory.clone().unsqueeze_dim(1)); // [B, 1, K·P, A]
        let look = |state: &State| -> Tensor<2> {
            let query = state.hidden.clone().unsqueeze_dims(&[1, 2]); // [B, 1, 1, H]
            let scores = mask.hide(self.score.forward(query, &keys)); // [B, 1, 1, K·P]
            log_softmax(scores.squeeze_dims(&[1, 2]), 1) // [B, K·P]
        };
        let found = look(first);
        let weights: Tensor<3> = found.clone().exp().unsqueeze_dim(1); // [B, 1, K·P]
        let context = weights.cast(memory.dtype()).matmul(memory.clone()); // [B, 1, D]
        let state = self.cell.step(context.squeeze_dim(1), first.clone());
        [found, look(&state)]
    }
}

/// Computes ln((eᵃ + eᵇ) / 2) without leaving logarithms.
fn mean(a: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
    let larger = a.clone().max_pair(b.clone()).detach();
    let sum = (a - larger.clone()).exp() + (b - larger.clone()).exp();
    sum.log() + larger - std::f64::consts::LN_2
}
