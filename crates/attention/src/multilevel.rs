//! Multilevel attention, MultiAttention_N (Zhou and Li): the values are fed back N times.
//!
//! V₁ = V, V_{i+1} = A V_i; the output of N levels is `A^N V`, N = 1 is the Transformer.
//! In cross-attention A is `[T, S]` and cannot be applied twice; see [`Chain`].

mod options;

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

pub use options::{Chain, Recursion};

use crate::attend::{Attend, Build, Configure};
use crate::ham::KindOfHam;
use crate::memory::State;
use crate::power::apply_power;
use crate::product::product;
use crate::soft::{attend, attend_levels};
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, ConfigError, ForcedRows, HamConfig, HamKind,
    HamMix, Mask, Memory, Muted, ParamInit, Score, ScoreKind, Site, Widths,
};

const PAPER: &str = "Zhou and Li, Multilevel Attention";

settings! {
    /// Values fed back N times.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct MultilevelConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Number of levels N.
        #[title = "Levels"]
        #[help = "How often the values are multiplied by A: N times, so that 1 is vanilla. The paper's formula can also be read as N − 1 times, with its MultiAttention_2 as vanilla; for that reading set one less."]
        #[formula = "N"]
        #[source = PAPER]
        pub levels: usize in 1..=1000 = 4,
        /// Recursion of the levels of a cross-attention.
        #[title = "Chain"]
        #[help = "How the levels of a cross-attention follow each other."]
        #[source = "the paper's experiment has T = S"]
        pub chain: Chain = Chain::Keys,
        /// Tensors that are fed back.
        #[title = "Recursion"]
        #[help = "What is fed back."]
        #[source = PAPER]
        pub recursion: Recursion = Recursion::Value,
    }
}

/// Name and help text of multilevel attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "multilevel",
        title: "Multilevel",
        help: "Values fed back N times.",
        formula: "Aᴺ V",
        source: PAPER,
    },
    settings: MultilevelConfig::SETTINGS,
};

impl Configure for MultilevelConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }

    fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if self.recursion == Recursion::QueryKeyValue {
            if !site.is_self() {
                return Err(ConfigError::new(
                    "the recursion `query_key_value` attends to one sequence and has no cross-attention: choose the recursion `value` there",
                ));
            }
            if widths.values != widths.query {
                return Err(ConfigError::new(format!(
                    "the recursion `query_key_value` makes queries of values, so both need one width, not {} and {}",
                    widths.query, widths.values
                )));
            }
        }
        let by_keys = !site.is_self() && self.chain == Chain::Keys && self.levels > 1;
        if by_keys && widths.query != widths.keys {
            return Err(ConfigError::new(format!(
                "the chain `keys` scores keys against keys with the parameters made for queries, so both need one width, not {} and {}: choose the chain `causal`, or equal widths",
                widths.query, widths.keys
            )));
        }
        Ok(())
    }

    fn passes(&self) -> u64 {
        self.levels as u64
    }
}

impl Build for MultilevelConfig {
    type Built = Multilevel;

    fn init(&self, site: Site, widths: Widths, _: usize, init: &mut ParamInit) -> Multilevel {
        Multilevel {
            score: self.score.init(widths, init),
            levels: self.levels,
            configured: self.levels,
            muted: 0,
            forced: ForcedRows::default(),
            cross: (!site.is_self() && self.levels > 1).then_some(self.chain),
        }
    }
}

impl MultilevelConfig {
    /// Settings of the Ham-S that computes the recursion `query_key_value`.
    pub(crate) fn as_ham_s(&self) -> KindOfHam {
        HamKind::SelfAttention.of(HamConfig {
            depth: self.levels,
            score: self.score,
            mix: HamMix::Last,
            ..HamConfig::default()
        })
    }
}

/// Multilevel attention: values fed back N times.
#[derive(Module, Debug)]
pub struct Multilevel {
    /// Score function.
    pub score: Score,
    /// Number of levels, N.
    #[module(skip)]
    pub levels: usize,
    /// stub
    #[module(skip)]
    pub configured: usize,
    /// Number of muted levels.
    #[module(skip)]
    muted: usize,
    #[module(skip)]
    forced: ForcedRows,
    /// Chain of a cross-attention of several levels; `None` in self-attention.
    #[module(skip)]
    cross: Option<Chain>,
}

impl Attend for Multilevel {
    fn score(&self) -> Option<&Score> {
        Some(&self.score)
    }

    fn levels(&self) -> usize {
        self.levels
    }

    /// Returns false for the chain `keys`: it scores keys against keys, and a vector added to both
    /// sides does not cancel.
    fn ignores_shifted_keys(&self) -> bool {
        self.score.is_linear_in_key() && self.cross != Some(Chain::Keys)
    }

    fn mute(&mut self, muted: &Muted) {
        self.muted = muted.levels.len();
        self.forced = muted.rows.clone();
    }

    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        if self.chain() != Some(Chain::Keys) {
            return Memory::new(&self.score, keys, values, mask);
        }
        let prepared = self.score.prepare(keys.clone());
        let levels = self.active_levels() - 1;
        let unforced = (ForcedRows::NONE, 0);
        let (values, step) = attend_levels(
            &self.score,
            keys,
            &prepared,
            values,
            &mask,
            unforced,
            levels,
        );
        Memory {
            state: Some(State::Step(step)),
            ..Memory::prepared(prepared, values, mask)
        }
    }

    fn attend_from(&self, position: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let (values, levels) = (memory.values.clone(), self.active_levels());
        let forcing = (&self.forced, position);
        let (keys, mask) = (&memory.keys, &memory.mask);
        match (self.chain(), &memory.state) {
            (None, _) => {
                let (context, attention) =
                    attend_levels(&self.score, query, keys, values, mask, forcing, levels);
                AttentionOutput::new(context, AttentionWeights::Power { attention, levels })
            }
            (Some(_), Some(State::Step(step))) => {
                let (context, first) = attend(&self.score, query, keys, values, mask, forcing);
                AttentionOutput::new(
                    context,
                    AttentionWeights::Chain {
                        first,
                        step: step.clone(),
                        levels,
                    },
                )
            }
            (Some(chain), _) => {
                let scores = self.score.relative(query, keys); // [B, H, T, S]
                let attention = mask.softmax(scores.clone());
                let attention = self.forced.apply(attention, mask, position);
                let step = fed_back(self.later(chain, scores, &attention, mask)); // [B, H, T, T]
                // Cut columns are missing from the row's sum; causal rows have no weight there.
                let stochastic = chain == Chain::Causal;
                let first = attention.clone().matmul(values); // [B, H, T, D_v]
                AttentionOutput::new(
                    apply_power(&step, first, levels - 1, stochastic),
                    AttentionWeights::Feedback {
                        first: attention,
                        step,
                        levels,
                    },
                )
            }
        }
    }

    fn attend_next(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        match self.chain() {
            Some(Chain::Causal) => self.feed_next(query, memory, cache),
            Some(Chain::PaperLeaky) => self.feed_all(query, memory, cache),
            Some(Chain::Keys) | None => self.attend_from(cache.position, query, memory),
        }
    }

    /// Computes one further position. Row t of V_{i+1} needs the rows ≤ t of V_i, so the cache
    /// keeps the values of each level.
    fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let keys = cache.push_key(0, self.score.prepare(key));
        let mask = cache.mask(&query.device());
        let row = mask.softmax(self.score.relative(query, &keys)); // [B, H, 1, t + 1]
        let row = self.forced.apply(row, &mask, cache.position);
        let context = (0..self.active_levels()).fold(value, |value, level| {
            product(row.clone(), cache.push_value(level, value))
        });
        cache.push_row(0, row);
        AttentionOutput::new(
            context,
            AttentionWeights::StepRows {
                own: cache.rows.clone(),
                levels: self.active_levels(),
                mix: None,
            },
        )
    }
}

impl Multilevel {
    /// Number of levels that are not muted.
    fn active_levels(&self) -> usize {
        self.levels - self.muted
    }

    /// Chain of the cross-attention; `None` if only one level is active.
    fn chain(&self) -> Option<Chain> {
        self.cross.filter(|_| self.active_levels() > 1)
    }

    /// Computes A of the levels after the first, `[B, H, T, S]`.
    fn later(
        &self,
        chain: Chain,
        scores: Tensor<4>,
        attention: &Tensor<4>,
        mask: &Mask,
    ) -> Tensor<4> {
        let [_, _, t, s] = scores.dims();
        match chain {
            Chain::Causal => {
                let mask = mask.and_causal(0, t, s, &scores.device());
                self.forced.apply(mask.softmax(scores), &mask, 0)
            }
            Chain::PaperLeaky | Chain::Keys => attention.clone(),
        }
    }

    /// Computes one further position by the chain `causal`. Row t of V_{i+1} needs the rows ≤ t of
    /// V_i: one cache of values for each level.
    fn feed_next(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        let scores = self.score.relative(query, &memory.keys); // [B, H, 1, S]
        let position = cache.position;
        let row = |mask: &Mask, scores| self.forced.apply(mask.softmax(scores), mask, position);
        let first = row(&memory.mask, scores.clone());
        let visible = scores.dims()[3].min(position + 1);
        let later = row(
            &memory.mask.first_keys(visible),
            scores.narrow(3, 0, visible),
        );
        let mut context = product(first.clone(), memory.values.clone()); // [B, H, 1, D_v]
        for level in 0..self.active_levels() - 1 {
            let values = cache.push_value(level, context); // [B, H, t + 1, D_v]
            context = product(later.clone(), values.narrow(2, 0, visible)); // [B, H, 1, D_v]
        }
        cache.push_row(0, first);
        cache.push_row(1, later);
        self.decoded(context, cache.rows[0].clone(), cache.rows[1].clone())
    }

    /// Computes all positions so far again: in the chain `paper_leaky` a new position changes the
    /// results of earlier ones.
    fn feed_all(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        let queries = match cache.queries.take() {
            Some(queries) => Tensor::cat(vec![queries, query], 2),
            None => query,
        };
        cache.queries = Some(queries.clone());
        let output = self.attend_from(0, queries, memory);
        let last = cache.position;
        let context = output.context.narrow(2, last, 1); // [B, H, 1, D_v]
        match output.weights {
            AttentionWeights::Feedback { first, step, .. } => {
                let rows =
                    |all: &Tensor<4>| (0..=last).map(|t| all.clone().narrow(2, t, 1)).collect();
                self.decoded(context, rows(&first), rows(&step))
            }
            weights => AttentionOutput::new(context, weights),
        }
    }

    fn decoded(
        &self,
        context: Tensor<4>,
        first: Vec<Tensor<4>>,
        step: Vec<Tensor<4>>,
    ) -> AttentionOutput {
        let levels = self.active_levels();
        AttentionOutput::new(
            context,
            AttentionWeights::FeedbackRow {
                first,
                step,
                levels,
            },
        )
    }
}

/// Cuts or zero-pads the columns of A `[T, S]` to `[T, T]`, as the paper's A R.
fn fed_back(attention: Tensor<4>) -> Tensor<4> {
    let [b, h, t, s] = attention.dims();
    if s >= t {
        return attention.narrow(3, 0, t); // [B, H, T, T]
    }
    let like = (&attention.device(), attention.dtype());
    let zeros = Tensor::zeros([b, h, t, t - s], like);
    Tensor::cat(vec![attention, zeros], 3) // [B, H, T, T]
}
