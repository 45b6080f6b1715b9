//! Attention flow (Seo et al. 2017, 2.4): a passage attends to a question, and the question to the
//! passage.
//!
//! G_t = [h_t; ũ_t; h_t ∘ ũ_t; h_t ∘ h̃]: ũ_t is the context of passage word t from the question,
//! h̃ the context of the question from the passage. Both use the same scores S_tj = f(h_t, u_j).
//!
//! - Context to query takes any mechanism that has a score.
//! - Query to context: level 1 has the weights softmax_t(max_j S_tj); a further level (Ham-V)
//!   attends with the context of the level below as query, softmax_t f(h_t, h̃_{i−1}).

use burn::module::Module;
use burn::tensor::Tensor;
use strata_attention::{
    AttentionOutput, AttentionWeights, ConfigError, Mask, Mechanism, MechanismConfig, ParamInit,
    Score, Site, SoftWeights, Widths,
};

use super::levels::Levels;

/// Settings of an attention flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowConfig {
    /// Width of the states of passage and question, D.
    pub width: usize,
    /// Mechanism of each passage word's attention to the question.
    pub context_to_query: MechanismConfig,
    /// Mechanism of the question's attention to the passage: vanilla or Ham-V.
    pub query_to_context: MechanismConfig,
}

/// Attention between passage and question in both directions.
#[derive(Module, Debug)]
pub struct AttentionFlow {
    /// Attention from the passage's words to the question; both directions use its score.
    pub context_to_query: Mechanism,
    /// Levels of the attention from the question to the passage.
    pub query_to_context: Levels,
    /// True if ũ is muted, and true if h̃ is muted. A muted context is zeros.
    #[module(skip)]
    pub(crate) muted: [bool; 2],
}

/// Output of an attention flow.
#[derive(Clone, Debug)]
pub struct FlowOutput {
    /// Context G, `[B, P, 4 · D]`.
    pub context: Tensor<3>,
    /// Attention of the passage, ũ, with weights `[B, 1, P, Q]` for each level.
    pub context_to_query: AttentionOutput,
    /// Attention of the question, h̃ `[B, 1, 1, D]`, with weights `[B, 1, 1, P]` for each level.
    pub query_to_context: (Tensor<4>, AttentionWeights),
}

impl FlowConfig {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let Some(score) = self.context_to_query.score() else {
            return Err(ConfigError::new(format!(
                "`context_to_query` needs scores, which the question's attention to the passage \
                 reads too, and `{}` has none: choose another mechanism",
                self.context_to_query.name()
            )));
        };
        self.context_to_query
            .check(Site::ContextToQuery, Widths::all(self.width))?;
        Levels::of(self.query_to_context, "query_to_context")?;
        self.query_to_context
            .check(Site::QueryToContext, Widths::all(self.width))?;
        match self.query_to_context.score() {
            Some(other) if other != score => Err(ConfigError::new(format!(
                "`context_to_query.score` is `{}` and `query_to_context.score` is `{}`, but both \
                 read the same scores: choose one for both",
                score.words().name,
                other.words().name
            ))),
            _ => Ok(()),
        }
    }

    /// Counts the parameters of the layer.
    pub fn parameters(&self) -> u64 {
        let widths = Widths::all(self.width);
        self.context_to_query.parameters(widths, 1) + Levels::parameters(self.query_to_context)
    }

    /// Draws the parameters of the layer.
    ///
    /// # Errors
    /// If a mechanism does not fit its site.
    pub fn init(&self, init: &mut ParamInit) -> Result<AttentionFlow, ConfigError> {
        self.check()?;
        let widths = Widths::all(self.width);
        Ok(AttentionFlow {
            context_to_query: self
                .context_to_query
                .init(Site::ContextToQuery, widths, 1, init)?,
            query_to_context: Levels::init(self.query_to_context, "query_to_context", init)?,
            muted: [false; 2],
        })
    }
}

impl AttentionFlow {
    /// Attends from the passage to the question and from the question to the passage.
    ///
    /// # Shapes
    /// - passage `[B, P, D]`, question `[B, Q, D]`; masks of their words as keys
    ///
    /// # Panics
    /// If the mechanism has no score.
    pub fn forward(
        &self,
        passage: Tensor<3>,
        question: Tensor<3>,
        [passage_mask, question_mask]: [&Mask; 2],
    ) -> FlowOutput {
        let h: Tensor<4> = passage.unsqueeze_dim(1); // [B, 1, P, D]
        let u: Tensor<4> = question.unsqueeze_dim(1); // [B, 1, Q, D]
        let memory = self
            .context_to_query
            .prepare(u.clone(), u.clone(), question_mask.clone());
        let found = self.context_to_query.attend(h.clone(), &memory); // context ũ, [B, 1, P, D]
        let score = self.context_to_query.score().expect("it has a score");
        let scores = question_mask.hide(score.forward(h.clone(), &score.prepare(u))); // [B, 1, P, Q]
        let (asked, weights) = self.attend_to_context(score, &h, scores, passage_mask);
        let kept = |tensor: Tensor<4>, muted| if muted { tensor.zeros_like() } else { tensor };
        let from_question = kept(found.context.clone(), self.muted[0]);
        let from_passage = kept(asked.clone(), self.muted[1]);
        let parts = vec![
            h.clone(),
            from_question.clone(),
            h.clone() * from_question,
            h * from_passage,
        ];
        FlowOutput {
            context: Tensor::cat(parts, 3).squeeze_dim(1), // [B, P, 4·D]
            context_to_query: found,
            query_to_context: (asked, weights),
        }
    }

    /// Computes h̃ and its weights from the scores `[B, 1, P, Q]`.
    fn attend_to_context(
        &self,
        score: &Score,
        passage: &Tensor<4>,
        scores: Tensor<4>,
        mask: &Mask,
    ) -> (Tensor<4>, AttentionWeights) {
        let dtype = passage.dtype();
        let mut of_words = maximum(scores); // [B, 1, P, 1]
        let (mut found, mut own) = (Vec::new(), Vec::new());
        for _ in 0..self.query_to_context.depth() {
            if let Some(below) = found.last() {
                let asking = score.prepare(Tensor::clone(below));
                of_words = score.forward(passage.clone(), &asking); // [B, 1, P, 1]
            }
            let weights = mask.softmax(of_words.clone().swap_dims(2, 3)); // [B, 1, 1, P]
            found.push(weights.clone().cast(dtype).matmul(passage.clone())); // [B, 1, 1, D]
            own.push(SoftWeights::Known(weights));
        }
        let shares = self.query_to_context.shares();
        let weights = Levels::weights(own, shares.clone());
        (Levels::mixed(found, shares.as_ref()), weights)
    }
}

/// Maximum of each row, `[B, 1, P, Q]` → `[B, 1, P, 1]`; equal maxima share the gradient.
fn maximum(scores: Tensor<4>) -> Tensor<4> {
    let largest = scores.clone().detach().max_dim(3); // [B, 1, P, 1]
    let places = scores.clone().detach().equal(largest.expand(scores.dims()));
    let places = places.float();
    let count = places.clone().sum_dim(3); // [B, 1, P, 1]
    (scores * (places / count)).sum_dim(3) // [B, 1, P, 1]
}
