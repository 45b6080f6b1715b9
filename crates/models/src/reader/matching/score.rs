//! The additive score of a matching: vᵀ tanh(W^p q + W^r r + W_g u + b), its query [q; r] in two
//! parts. As everywhere, queries and keys are doubled (tanh(x) = 2 σ(2x) − 1).

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_attention::ParamInit;
use strata_kernels::{additive_scores, linear};

/// vᵀ tanh(W^p q + W^r r + W_g u + b), of hidden width A.
#[derive(Module, Debug)]
pub struct MatchScore {
    /// W^p, `[D, A]`: of the passage's word, or of what the level below found.
    pub word: Param<Tensor<2>>,
    /// W^r, `[H, A]`.
    pub state: Param<Tensor<2>>,
    /// W_g, `[D, A]`.
    pub key: Param<Tensor<2>>,
    /// b, `[A]`.
    pub bias: Param<Tensor<1>>,
    /// v, `[A]`.
    pub energy: Param<Tensor<1>>,
}

impl MatchScore {
    /// A score for words of the passage `[D_p]`, the question `[D_q]` and states `[H]`, with A = H.
    pub(super) fn init([word, key, state]: [usize; 3], init: &mut ParamInit) -> Self {
        let width = state;
        Self {
            word: init.xavier(word, width),
            state: init.xavier(state, width),
            key: init.xavier(key, width),
            bias: init.zeros([width]),
            energy: init.uniform([width], (6.0 / (width + 1) as f64).sqrt()),
        }
    }

    pub(super) fn parameters([word, key, state]: [usize; 3]) -> u64 {
        let [word, key, state] = [word, key, state].map(|it| it as u64);
        state * (word + state + key + 2)
    }

    /// `[B, P, D]` → `[B, P, A]`
    pub(super) fn of_words(&self, words: Tensor<3>) -> Tensor<3> {
        linear(words, self.word.val().mul_scalar(2.0), None)
    }

    /// `[B, Q, D]` → `[B, Q, A]`
    pub(super) fn of_keys(&self, question: Tensor<3>) -> Tensor<3> {
        let bias = self.bias.val().mul_scalar(2.0);
        linear(question, self.key.val().mul_scalar(2.0), Some(bias))
    }

    /// 2 W^r, `[H, A]`.
    pub(super) fn of_state(&self) -> Tensor<2> {
        self.state.val().mul_scalar(2.0)
    }

    /// Scores `[B, directions, 1, Q]` of prepared queries `[B, directions, 1, A]` and keys
    /// `[B, directions, Q, A]`, by the score of each direction or one for both.
    pub(super) fn of_all(scores: &[Self], query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        if let [one] = scores {
            return additive_scores(query, keys, one.energy.val());
        }
        let of_direction = |(at, score): (usize, &Self)| {
            let of = |all: &Tensor<4>| all.clone().narrow(1, at, 1);
            additive_scores(of(&query), of(&keys), score.energy.val())
        };
        Tensor::cat(scores.iter().enumerate().map(of_direction).collect(), 1)
    }
}
