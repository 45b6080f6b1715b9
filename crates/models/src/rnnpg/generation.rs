//! Recurrent generation model: r_j = σ(r_{j−1} R + x(w_{j−1}) + u^j H), P(w_j) = softmax(r_j Y).

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::module::embedding;
use burn::tensor::{Int, Tensor};
use strata_attention::ParamInit;
use strata_kernels::linear;

/// Recurrent generation model, which writes the next line character by character.
#[derive(Module, Debug)]
pub struct GenerationModel {
    /// Embedding x of characters, `[V, q]`.
    pub characters: Param<Tensor<2>>,
    /// Weight R of the state, `[q, q]`.
    pub recurrence: Param<Tensor<2>>,
    /// Weight H of the context, `[q, q]`.
    pub condition: Param<Tensor<2>>,
    /// Weight Y of the output, `[q, V]`.
    pub output: Param<Tensor<2>>,
}

impl GenerationModel {
    pub(super) fn init(vocabulary: usize, width: usize, init: &mut ParamInit) -> Self {
        Self {
            characters: init.uniform([vocabulary, width], super::EMBEDDING_BOUND),
            recurrence: init.xavier(width, width),
            condition: init.xavier(width, width),
            output: init.xavier(width, vocabulary),
        }
    }

    /// Computes the term u H that the context adds to the state at each place.
    ///
    /// # Shapes
    /// - conditions u `[B, m, q]` → `[B, m, q]`
    pub fn weigh(&self, conditions: Tensor<3>) -> Tensor<3> {
        linear(conditions, self.condition.val(), None)
    }

    /// Computes the states r of successive places, from the state before the first one.
    ///
    /// # Shapes
    /// - characters before each place `[B, m]`, conditions u H `[B, m, q]`, state `[B, q]` →
    ///   `[B, m, q]`
    pub fn forward(
        &self,
        before: Tensor<2, Int>,
        conditions: Tensor<3>,
        state: Tensor<2>,
    ) -> Tensor<3> {
        let places = conditions.dims()[1];
        let inputs = embedding(self.characters.val(), before) + conditions; // [B, m, q]
        let mut state = state.cast(inputs.dtype());
        let mut states = Vec::with_capacity(places);
        for place in 0..places {
            let input = inputs.clone().narrow(1, place, 1).squeeze_dim::<2>(1); // [B, q]
            state = sigmoid(state.matmul(self.recurrence.val()) + input);
            states.push(state.clone());
        }
        Tensor::stack(states, 1) // [B, m, q]
    }

    /// Computes the logits of each place.
    ///
    /// # Shapes
    /// - states r `[B, m, q]` → `[B, m, V]`
    pub fn logits(&self, states: Tensor<3>) -> Tensor<3> {
        linear(states, self.output.val(), None)
    }
}
