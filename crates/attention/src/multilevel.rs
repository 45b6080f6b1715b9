//! Multilevel attention, MultiAttention_N (Zhou and Li): the values are fed back N times.
//!
//! V₁ = V, V_{i+1} = A V_i; the output of N levels is `A^N V`, N = 1 is the Transformer.
//! In cross-attention A is `[T, S]` and cannot be applied twice; the chain `keys` goes from
//! key to key instead: A_qk (A_kk)^{N−1} V, with A_kk by the same score function.

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::weights::apply_power;
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, ConfigError, Mask, Memory, Score, ScoreKind,
    Site, Widths,
};

/// Values fed back N times.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct MultilevelConfig {
    /// N, at least 1.
    pub levels: usize,
    /// The score function.
    pub score: ScoreKind,
}

impl Default for MultilevelConfig {
    fn default() -> Self {
        Self {
            levels: 4,
            score: ScoreKind::default(),
        }
    }
}

impl MultilevelConfig {
    pub(crate) fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if self.levels == 0 {
            return Err(ConfigError::new(
                "multilevel attention needs at least one level: set `levels` to 1 or more",
            ));
        }
        if site == Site::Cross && self.levels > 1 && widths.query != widths.keys {
            return Err(ConfigError::new(format!(
                "multilevel cross-attention scores keys against keys with the parameters made for queries, so both need one width, not {} and {}",
                widths.query, widths.keys
            )));
        }
        Ok(())
    }

    pub(crate) fn init(&self, site: Site, score: Score) -> Multilevel {
        Multilevel {
            score,
            levels: self.levels,
            by_keys: site == Site::Cross,
        }
    }
}

/// Values fed back N times.
#[derive(Module, Debug)]
pub struct Multilevel {
    /// The score function.
    pub score: Score,
    /// N.
    #[module(skip)]
    pub levels: usize,
    /// Whether the levels after the first go from key to key (cross-attention).
    #[module(skip)]
    by_keys: bool,
}

impl Multilevel {
    pub(crate) fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        let prepared = self.score.prepare(keys.clone());
        if !self.by_keys || self.levels == 1 {
            return Memory {
                keys: prepared,
                values,
                step: None,
                mask,
            };
        }
        let step = mask.softmax(self.score.forward(keys, &prepared)); // A_kk
        Memory {
            values: apply_power(&step, values, self.levels - 1),
            keys: prepared,
            step: Some(step),
            mask,
        }
    }

    pub(crate) fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let attention = memory.mask.softmax(self.score.forward(query, &memory.keys));
        let values = memory.values.clone();
        if self.by_keys {
            let context = attention.clone().matmul(values);
            let weights = match &memory.step {
                Some(step) => AttentionWeights::Chain {
                    first: attention,
                    step: step.clone(),
                    levels: self.levels,
                },
                None => AttentionWeights::Single(attention),
            };
            return AttentionOutput { context, weights };
        }
        AttentionOutput {
            context: apply_power(&attention, values, self.levels),
            weights: AttentionWeights::Power {
                attention,
                levels: self.levels,
            },
        }
    }

    /// Row t of V_{i+1} needs the rows ≤ t of V_i: one cache a level.
    pub(crate) fn extend(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let keys = cache.push_key(0, self.score.prepare(key));
        let row = Mask::none().softmax(self.score.forward(query, &keys));
        let context = (0..self.levels).fold(value, |value, level| {
            row.clone().matmul(cache.push_value(level, value))
        });
        cache.push_row(0, row);
        AttentionOutput {
            context,
            weights: AttentionWeights::Decoded {
                own: cache.rows.clone(),
                levels: self.levels,
                mix: None,
            },
        }
    }
}
