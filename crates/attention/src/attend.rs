//! Traits shared by all mechanisms: [`Configure`] for the settings, [`Attend`] for the computation.

mod level_count;

use burn::tensor::{DType, Tensor};
use strata_describe::{Description, Settings};

use crate::{
    AttentionWeights, CausalCache, ConfigError, Mask, Memory, Muted, ParamInit, PreparedKeys,
    Score, ScoreKind, Site, Widths,
};

pub(crate) use level_count::LevelCount;

/// Input of a mechanism's forward pass.
#[derive(Clone, Debug)]
pub struct AttentionInput {
    /// Queries, `[B, H, T, D_h]`.
    pub query: Tensor<4>,
    /// Keys, `[B, H, S, D_g]`.
    pub keys: Tensor<4>,
    /// Values, `[B, H, S, D_v]`.
    pub values: Tensor<4>,
    /// Keys that each query may see.
    pub mask: Mask,
}

/// Output of a mechanism's forward pass.
#[derive(Clone, Debug)]
pub struct AttentionOutput {
    /// Context: one row per query, `[B, H, T, D_v]`.
    pub context: Tensor<4>,
    /// Attention weights, level by level, `[B, H, T, S]`.
    pub weights: AttentionWeights,
    /// Further outputs of some mechanisms, such as the ponder cost of a pyramid.
    pub auxiliary: Auxiliary,
}

/// Outputs of some mechanisms beside context and weights, for training and for display.
#[derive(Clone, Debug, Default)]
pub struct Auxiliary {
    /// Term to add to the loss, `[1]`: the ponder cost of a pyramid by ACT.
    pub cost: Option<Tensor<1>>,
    /// Log-probability of each drawn key, `[B, H, T, 1]`, of hard attention in training. Its score
    /// parameters learn from this tensor alone, by the score-function gradient.
    pub log_probability: Option<Tensor<4>>,
    /// Position p_t on which the window of each query is centred, `[B, H, T, 1]`, counted from 0.
    /// Given by predictive local attention alone.
    pub positions: Option<Tensor<4>>,
}

impl AttentionOutput {
    pub(crate) fn in_dtype(self, dtype: DType) -> Self {
        Self {
            context: self.context.cast(dtype),
            ..self
        }
    }

    pub(crate) fn new(context: Tensor<4>, weights: AttentionWeights) -> Self {
        Self {
            context,
            weights,
            auxiliary: Auxiliary::default(),
        }
    }
}

impl Auxiliary {
    /// Combines the outputs of two passes through one layer: sums the log-probabilities of the keys
    /// drawn in both, and the costs if the later pass has a cost of its own.
    #[must_use]
    pub fn then(self, later: Self, has_own_cost: bool) -> Self {
        let earlier_cost = self.cost.filter(|_| has_own_cost);
        Self {
            cost: sum(earlier_cost, later.cost),
            log_probability: sum(self.log_probability, later.log_probability),
            positions: later.positions,
        }
    }

    /// Concatenates the outputs of successive queries of one memory along T.
    pub fn concat_queries(parts: Vec<Self>) -> Self {
        let rows = |of: fn(&Self) -> &Option<Tensor<4>>| {
            let rows: Option<Vec<_>> = parts.iter().map(|part| of(part).clone()).collect();
            let rows = rows.filter(|rows| !rows.is_empty());
            rows.map(|rows| Tensor::cat(rows, 2))
        };
        Self {
            // The ponder cost does not depend on the queries: all of them saw the same pyramid.
            cost: parts.first().and_then(|part| part.cost.clone()),
            log_probability: rows(|part| &part.log_probability),
            positions: rows(|part| &part.positions),
        }
    }
}

/// Sums two terms, each of which may be missing.
pub(crate) fn sum<const R: usize>(
    one: Option<Tensor<R>>,
    other: Option<Tensor<R>>,
) -> Option<Tensor<R>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

/// Settings of a mechanism: all that is known of a mechanism before its parameters are drawn.
pub(crate) trait Configure: Settings {
    /// Returns names and help texts of the mechanism and of its settings.
    fn description(&self) -> &'static Description;

    /// Kind of the score function; `None` if the mechanism has none.
    fn score(&self) -> Option<ScoreKind>;

    /// Checks the settings against this site and these widths. Numbers are already known to be in
    /// their ranges.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and what to do.
    fn check(&self, _site: Site, _widths: Widths) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Number of the mechanism's parameters, without those of the score function.
    fn parameters(&self, _widths: Widths, _heads: usize) -> u64 {
        0
    }

    /// Number of times that the mechanism computes with each pair of query and key.
    fn passes(&self) -> u64 {
        1
    }
}

/// Settings that draw a mechanism's parameters.
pub(crate) trait Build {
    /// Mechanism with its parameters.
    type Built;

    /// Draws the parameters of the mechanism. The settings have been checked.
    fn init(&self, site: Site, widths: Widths, heads: usize, init: &mut ParamInit) -> Self::Built;
}

/// Projections of a layer with heads: rows `[B, S, D]` → keys and values `[B, H, S, ·]`.
pub(crate) struct Projection<'a> {
    pub keys: &'a dyn Fn(Tensor<3>) -> Tensor<4>,
    pub values: &'a dyn Fn(Tensor<3>) -> Tensor<4>,
}

/// Computation of a mechanism; the methods of [`Mechanism`](crate::Mechanism) document each.
pub(crate) trait Attend {
    /// Score function (of a pyramid, that of the leaves); `None` if the mechanism has none.
    fn score(&self) -> Option<&Score>;

    /// True if the mechanism computes in F32 for inputs of any type, because positions, counts and
    /// cumulated probabilities need more digits than 16 bits have. Its parameters must then be F32
    /// too.
    fn needs_f32(&self) -> bool {
        false
    }

    /// Number of levels, all but one of which can be muted; 0 if the mechanism has no levels.
    fn levels(&self) -> usize {
        0
    }

    /// Number of levels, if the number can be changed after training.
    fn level_count(&self) -> Option<LevelCount> {
        None
    }

    /// Changes the number of levels that are computed.
    ///
    /// # Errors
    /// If the mechanism has no such levels, cannot compute so many, or all of these are muted.
    fn set_levels(&mut self, _levels: usize) -> Result<(), ConfigError> {
        Err(ConfigError::new(
            "this mechanism has no levels to change: `multilevel`, `ham_v` and `ham_s` have",
        ))
    }

    /// Share of each level in the result, `[1 or H, d]`; `None` if the mechanism mixes no levels,
    /// or if shares are computed for each query.
    fn shares(&self) -> Option<Tensor<2>> {
        None
    }

    /// True if the caller may set the weights of a row ([`ForcedRows`](crate::ForcedRows)).
    fn takes_given_weights(&self) -> bool {
        true
    }

    /// Number of levels of a pyramid, the leaves included; 0 for all other mechanisms.
    fn pyramid_levels(&self) -> usize {
        0
    }

    /// True if one vector added to every key changes no weight, so that a bias of the keys has no
    /// gradient. Holds where the score function is linear in the key and each row of scores goes
    /// through a softmax.
    fn ignores_shifted_keys(&self) -> bool {
        self.score().is_some_and(Score::is_linear_in_key)
    }

    /// Mutes the levels and nodes of `muted` and forces the weights of its rows. Replaces what an
    /// earlier call muted.
    fn mute(&mut self, muted: &Muted);

    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        Memory::prepared(self.prepare_keys(keys), values, mask)
    }

    /// Transforms the keys by the part of the score function that needs no query.
    fn prepare_keys(&self, keys: Tensor<4>) -> PreparedKeys {
        match self.score() {
            Some(score) => score.prepare(keys),
            None => PreparedKeys::of(keys),
        }
    }

    /// Projects rows `[B, S, D]` to keys and values of the heads, and prepares these for queries.
    fn prepare_projected(
        &self,
        keys: Tensor<3>,
        values: Tensor<3>,
        mask: Mask,
        projection: Projection<'_>,
    ) -> Memory {
        self.prepare((projection.keys)(keys), (projection.values)(values), mask)
    }

    /// Computes context and weights of queries at the positions `first`, `first + 1`, ….
    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput;

    fn attend_next(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        self.attend_from(cache.position, query, memory)
    }

    fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let mask = cache.mask(&query.device());
        let keys = cache.push_key(0, self.prepare_keys(key));
        let memory = Memory::prepared(keys, cache.push_value(0, value), mask);
        self.attend_next(query, &memory, cache)
    }
}
