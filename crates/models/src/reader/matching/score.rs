//! Additive score of a matching, vᵀ tanh(W^p q + W^r r + W_g u + b), with its query [q; r] in two
//! parts. As in all additive scores, queries and keys are doubled (tanh(x) = 2 σ(2x) − 1).

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_attention::ParamInit;
use strata_kernels::{additive_scores, linear};

/// Additive score vᵀ tanh(W^p q + W^r r + W_g u + b), of hidden width A.
#[derive(Module, Debug)]
pub struct MatchScore {
    /// Weight W^p of the passage's word, or of the context of the level below, `[D, A]`.
    pub word: Param<Tensor<2>>,
    /// Weight W^r of the state, `[H, A]`.
    pub state: Param<Tensor<2>>,
    /// Weight W_g of the question's word, `[D, A]`.
    pub key: Param<Tensor<2>>,
    /// Bias b, `[A]`.
    pub bias: Param<Tensor<1>>,
    /// Energy vector v, `[A]`.
    pub energy: Param<Tensor<1>>,
}

impl MatchScore {
    /// Draws a score for words of the passage `[D_p]`, words of the question `[D_q]` and states
    /// `[H]`, with A = H.
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

    /// Computes 2 W^p q of words: `[B, P, D]` → `[B, P, A]`.
    pub(super) fn of_words(&self, words: Tensor<3>) -> Tensor<3> {
        linear(words, self.word.val().mul_scalar(2.0), None)
    }

    /// Computes 2 (W_g u + b) of keys: `[B, Q, D]` → `[B, Q, A]`.
    pub(super) fn of_keys(&self, question: Tensor<3>) -> Tensor<3> {
        let bias = self.bias.val().mul_scalar(2.0);
        linear(question, self.key.val().mul_scalar(2.0), Some(bias))
    }

    /// Doubled weight of the state, 2 W^r, `[H, A]`.
    pub(super) fn of_state(&self) -> Tensor<2> {
        self.state.val().mul_scalar(2.0)
    }

    /// Computes scores `[B, directions, 1, Q]` of prepared queries `[B, directions, 1, A]` and keys
    /// `[B, directions, Q, A]`, by the score of each direction or a single one for both.
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
