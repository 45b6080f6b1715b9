//! Hard attention (Xu et al. 2015, 4.1): the context is the value of one key.
//!
//! At inference the key of the highest score is taken (ties: the lower index). In training, where
//! the memory has [`Draws`], the key is drawn from the softmax of the scores. A draw has no
//! gradient: score and query learn from [`Auxiliary::log_probability`] by the score-function
//! gradient (Williams 1992), the loss minus a baseline times ∇ log p.

use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{DType, Int, Tensor};
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use crate::attend::{Attend, Build, Configure};
use crate::product::product;
use crate::soft::Forcing;
use crate::{
    AttentionOutput, AttentionWeights, Auxiliary, ConfigError, Draws, ForcedRows, Memory, Muted,
    ParamInit, Score, ScoreKind, Site, SoftWeights, Widths,
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
        best(self.score.relative(query, &memory.keys), memory).into()
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
        of_drawn(scores, memory, drawn).into()
    }
}

/// Values of one key for each query.
pub(crate) struct Picked {
    /// Value of the key, `[B, H, T, D_v]`.
    pub context: Tensor<4>,
    /// Weights, 1 for the key and 0 for the others, `[B, H, T, S]`.
    pub weights: Tensor<4>,
    /// Log-probability of the key, `[B, H, T, 1]`, if it was drawn.
    pub log_probability: Option<Tensor<4>>,
}

impl Picked {
    fn of_weights(weights: Tensor<4>, memory: &Memory) -> Self {
        Self {
            context: product(weights.clone(), memory.values.clone()),
            weights,
            log_probability: None,
        }
    }
}

impl From<Picked> for AttentionOutput {
    fn from(picked: Picked) -> Self {
        let weights = AttentionWeights::Single(SoftWeights::Known(picked.weights));
        Self {
            auxiliary: Auxiliary {
                log_probability: picked.log_probability,
                ..Auxiliary::default()
            },
            ..Self::new(picked.context, weights)
        }
    }
}

/// Picks a key for each query: with draws a drawn key, without draws the best one. Rows that
/// `forcing` sets have the weights that are set there.
///
/// # Shapes
/// - query `[B, H, T, D_h]` → context `[B, H, T, D_v]`
pub(crate) fn attend(
    score: &Score,
    query: Tensor<4>,
    memory: &Memory,
    (forced, first): Forcing<'_>,
) -> Picked {
    let scores = score.relative(query, &memory.keys); // [B, H, T, S]
    let picked = match &memory.draws {
        None => best(scores, memory),
        Some(draws) => {
            // Drawing has no gradient: the score learns through `log_probability` alone.
            let weights = scores.clone().detach().cast(DType::F32);
            let drawn = draw(memory.mask.softmax(weights), draws);
            of_drawn(scores, memory, drawn)
        }
    };
    if forced.is_empty() {
        return picked;
    }
    let weights = forced.apply(picked.weights, &memory.mask, first);
    Picked {
        log_probability: picked.log_probability,
        ..Picked::of_weights(weights, memory)
    }
}

/// Picks the keys of the highest scores `[B, H, T, S]`.
fn best(scores: Tensor<4>, memory: &Memory) -> Picked {
    let weights = memory.mask.softmax(scores.detach());
    pick(weights.argmax(3), memory)
}

/// Picks the keys `drawn`, `[B, H, T, 1]`, by scores `[B, H, T, S]`.
fn of_drawn(scores: Tensor<4>, memory: &Memory, drawn: Tensor<4, Int>) -> Picked {
    let scores = memory.mask.hide(scores);
    let log_probability = log_softmax(scores, 3).gather(3, drawn.clone()); // [B, H, T, 1]
    let log_probability = match memory.mask.has_key() {
        Some(has_key) => log_probability * has_key,
        None => log_probability,
    };
    Picked {
        log_probability: Some(log_probability),
        ..pick(drawn, memory)
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
        attend(&self.score, query, memory, (&self.forced, first)).into()
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

/// Picks one key for each row; keys are indices `[B, H, T, 1]`.
fn pick(key: Tensor<4, Int>, memory: &Memory) -> Picked {
    let [b, h, t, _] = key.dims();
    let s = memory.values.dims()[2];
    let device = memory.values.device();
    let zeros = Tensor::zeros([b, h, t, s], &device);
    let ones = match memory.mask.has_key() {
        Some(has_key) => has_key.expand([b, h, t, 1]),
        None => Tensor::ones([b, h, t, 1], &device),
    };
    let weights = zeros.scatter(3, key, ones, burn::tensor::IndexingUpdateOp::Add); // [B, H, T, S]
    Picked::of_weights(weights.cast(memory.values.dtype()), memory)
}
