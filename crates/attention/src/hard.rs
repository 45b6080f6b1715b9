//! Hard attention (Xu et al. 2015, 4.1): the context is the value of one key.
//!
//! At inference the key of the highest score is taken (ties: the lower index). In training, where
//! the memory has [`Draws`], the key is drawn from the softmax of the scores. A draw has no
//! gradient: score and query learn from [`Auxiliary::log_probability`] by the score-function
//! gradient (Williams 1992), the loss minus a baseline times ∇ log p.

use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor};
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use crate::attend::{Attend, Build, Configure};
use crate::product::product;
use crate::{
    AttentionOutput, AttentionWeights, Auxiliary, ConfigError, Draws, ForcedRows, Mask, Memory,
    Muted, ParamInit, Score, ScoreKind, Site, SoftWeights, Widths,
};

settings! {
    /// One key alone.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct HardConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
    }
}

/// Name and help text of hard attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "hard",
        title: "Hard",
        help: "One key alone, drawn in training and the best one afterwards.",
        formula: "s ~ softmax(f(h, g)), context vₛ",
        source: "Xu et al. 2015, 4.1",
    },
    settings: HardConfig::SETTINGS,
};

impl Configure for HardConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }

    fn check(&self, site: Site, _: Widths) -> Result<(), ConfigError> {
        if site.is_of_reader() {
            return Err(ConfigError::new(
                "hard attention draws its keys in training, which a reader does not: choose another mechanism",
            ));
        }
        Ok(())
    }
}

impl Build for HardConfig {
    type Built = Hard;

    fn init(&self, _: Site, widths: Widths, _: usize, init: &mut ParamInit) -> Hard {
        Hard {
            score: self.score.init(widths, init),
            forced: ForcedRows::default(),
        }
    }
}

/// Hard attention: the context is the value of one key.
#[derive(Module, Debug)]
pub struct Hard {
    /// Score function.
    pub score: Score,
    #[module(skip)]
    forced: ForcedRows,
}

impl Hard {
    /// Returns the value of the key of the highest score.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]` → context `[B, H, T, D_v]`
    pub fn attend_best(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let weights = memory
            .mask
            .softmax(self.score.relative(query, &memory.keys));
        let best = weights.clone().detach().argmax(3); // [B, H, T, 1]
        pick(best, &memory.values, &memory.mask)
    }

    /// Returns the values of the keys `drawn`, with the log-probability of drawing each.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]`, drawn key `[B, H, T, 1]` → context `[B, H, T, D_v]`
    pub fn attend_drawn(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        drawn: Tensor<4, Int>,
    ) -> AttentionOutput {
        let scores = self.score.relative(query, &memory.keys);
        self.drawn(scores, memory, drawn)
    }

    fn drawn(&self, scores: Tensor<4>, memory: &Memory, drawn: Tensor<4, Int>) -> AttentionOutput {
        let scores = match memory.mask.additive() {
            Some(additive) => scores + additive,
            None => scores,
        };
        let log_probability = log_softmax(scores, 3).gather(3, drawn.clone()); // [B, H, T, 1]
        let log_probability = match memory.mask.has_key() {
            Some(has_key) => log_probability * has_key,
            None => log_probability,
        };
        AttentionOutput {
            auxiliary: Auxiliary {
                log_probability: Some(log_probability),
                ..Auxiliary::default()
            },
            ..pick(drawn, &memory.values, &memory.mask)
        }
    }
}

impl Attend for Hard {
    fn score(&self) -> Option<&Score> {
        Some(&self.score)
    }

    fn needs_f32(&self) -> bool {
        true
    }

    fn mute(&mut self, muted: &Muted) {
        self.forced = muted.rows.clone();
    }

    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let found = match &memory.draws {
            None => self.attend_best(query, memory),
            Some(draws) => {
                // Drawing has no gradient: the score learns through `log_probability` alone.
                let scores = self.score.relative(query, &memory.keys);
                let weights = memory.mask.softmax(scores.clone().detach());
                self.drawn(scores, memory, draw(weights, draws))
            }
        };
        if self.forced.is_empty() {
            return found;
        }
        let weights = found.weights.last();
        let weights = self.forced.apply(weights, &memory.mask, first);
        AttentionOutput {
            auxiliary: found.auxiliary,
            ..weighted(weights, &memory.values)
        }
    }
}

/// Draws one key for each row with the probabilities `weights` `[B, H, T, S]`, by inverting their
/// cumulative sum. Returns indices `[B, H, T, 1]`.
fn draw(weights: Tensor<4>, draws: &Draws) -> Tensor<4, Int> {
    let [b, h, t, s] = weights.dims();
    let uniform = draws.uniform([b, h, t, 1], &weights.device());
    let below = weights.cumsum(3); // [B, H, T, S]
    // Rounding may leave the sum a little off 1, so the threshold is a share of the sum itself.
    let threshold = below.clone().narrow(3, s - 1, 1) * uniform; // [B, H, T, 1]
    // The drawn key is the first whose cumulated probability exceeds the threshold. Hidden keys
    // have probability 0 and never exceed it first.
    let passed = below.lower_equal(threshold).int().sum_dim(3); // [B, H, T, 1]
    // A row that sees no key counts all S of them as passed; its weight is 0 whatever key it gets.
    passed.clamp_max(s as i64 - 1)
}

/// Returns context and one-hot weights of one key for each row; keys are indices `[B, H, T, 1]`.
fn pick(key: Tensor<4, Int>, values: &Tensor<4>, mask: &Mask) -> AttentionOutput {
    let [b, h, t, _] = key.dims();
    let s = values.dims()[2];
    let device = values.device();
    let zeros = Tensor::zeros([b, h, t, s], &device);
    let ones = match mask.has_key() {
        Some(has_key) => has_key.expand([b, h, t, 1]),
        None => Tensor::ones([b, h, t, 1], &device),
    };
    let weights = zeros.scatter(3, key, ones, burn::tensor::IndexingUpdateOp::Add); // [B, H, T, S]
    weighted(weights, values)
}

fn weighted(weights: Tensor<4>, values: &Tensor<4>) -> AttentionOutput {
    AttentionOutput::new(
        product(weights.clone(), values.clone()), // [B, H, T, D_v]
        AttentionWeights::Single(SoftWeights::Known(weights)),
    )
}
