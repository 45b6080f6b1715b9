//! The form that all mechanisms share: [`Configure`] before one is built, [`Attend`] afterwards.

use burn::tensor::{DType, Tensor};
use strata_describe::{Description, Settings};

use crate::{
    AttentionWeights, CausalCache, ConfigError, Mask, Memory, Muted, ParamInit, PreparedKeys,
    Score, ScoreKind,
};

/// Place of a mechanism in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// The source attends to itself.
    EncoderSelf,
    /// The target attends to its own past.
    DecoderSelf,
    /// The target attends to the source.
    Cross,
    /// The words of a passage attend to those of a question, all at once.
    ContextToQuery,
    /// A question attends to the words of a passage.
    QueryToContext,
    /// The words of a passage attend to those of a question, one after the other.
    Matching,
    /// The words of a passage attend to all of them.
    SelfMatching,
}

impl Site {
    /// True if queries, keys and values are rows of the same sequence.
    pub fn is_self(self) -> bool {
        matches!(
            self,
            Self::EncoderSelf | Self::DecoderSelf | Self::SelfMatching
        )
    }

    /// True if it is one of a reader, which finds the answer to a question in a passage.
    pub fn is_of_reader(self) -> bool {
        !matches!(self, Self::EncoderSelf | Self::DecoderSelf | Self::Cross)
    }
}

/// Widths that meet in a mechanism (inside a head: those of the head).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// D_h, width of a query.
    pub query: usize,
    /// D_g, width of a key.
    pub keys: usize,
    /// D_v, width of a value.
    pub values: usize,
    /// Width of the rows that keys are projected from (without heads: the keys' own). A pyramid
    /// summarises these.
    pub states: usize,
}

impl Widths {
    /// The same width for queries, keys and values.
    pub fn all(width: usize) -> Self {
        Self {
            query: width,
            keys: width,
            values: width,
            states: width,
        }
    }
}

/// Input of a mechanism.
#[derive(Clone, Debug)]
pub struct AttentionInput {
    /// `[B, H, T, D_h]`
    pub query: Tensor<4>,
    /// `[B, H, S, D_g]`
    pub keys: Tensor<4>,
    /// `[B, H, S, D_v]`
    pub values: Tensor<4>,
    /// Keys that each query may see.
    pub mask: Mask,
}

/// Output of every mechanism.
#[derive(Clone, Debug)]
pub struct AttentionOutput {
    /// `[B, H, T, D_v]`
    pub context: Tensor<4>,
    /// Level by level, `[B, H, T, S]`.
    pub weights: AttentionWeights,
    /// Output of some mechanisms besides.
    pub auxiliary: Auxiliary,
}

/// Output of some mechanisms besides context and weights, for training and for display.
#[derive(Clone, Debug, Default)]
pub struct Auxiliary {
    /// Added to the loss, `[1]`: the ponder cost of a pyramid by ACT.
    pub cost: Option<Tensor<1>>,
    /// Log-probability of each drawn key, `[B, H, T, 1]`, of hard attention in training: its
    /// parameters learn by the score-function gradient alone.
    pub log_probability: Option<Tensor<4>>,
    /// Position that each query looks at, `[B, H, T, 1]`, counted from 0, of local attention that
    /// predicts it.
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
    /// Concatenates the outputs of successive queries of one memory along T.
    pub fn concat_queries(parts: Vec<Self>) -> Self {
        let rows = |of: fn(&Self) -> &Option<Tensor<4>>| {
            let rows: Option<Vec<_>> = parts.iter().map(|part| of(part).clone()).collect();
            let rows = rows.filter(|rows| !rows.is_empty());
            rows.map(|rows| Tensor::cat(rows, 2))
        };
        Self {
            // Each query saw the same pyramid.
            cost: parts.first().and_then(|part| part.cost.clone()),
            log_probability: rows(|part| &part.log_probability),
            positions: rows(|part| &part.positions),
        }
    }
}

/// A mechanism's settings: all that is known of it before it is built.
pub(crate) trait Configure: Settings {
    /// The mechanism and its settings in words.
    fn description(&self) -> &'static Description;

    /// The score function; `None` if the mechanism has none.
    fn score(&self) -> Option<ScoreKind>;

    /// Refuses settings that do not fit this site or these widths. Numbers are already known to be
    /// in their ranges.
    fn check(&self, _site: Site, _widths: Widths) -> Result<(), ConfigError> {
        Ok(())
    }

    /// The number of its parameters beside those of its score function.
    fn parameters(&self, _widths: Widths, _heads: usize) -> u64 {
        0
    }

    /// Number of times that it computes with each pair of query and key.
    fn passes(&self) -> u64 {
        1
    }
}

/// Settings from which a mechanism is built.
pub(crate) trait Build {
    /// The mechanism with its parameters.
    type Built;

    /// Draws the parameters. The settings have been checked.
    fn init(&self, site: Site, widths: Widths, heads: usize, init: &mut ParamInit) -> Self::Built;
}

/// Projections of a layer with heads: rows `[B, S, D]` → keys and values `[B, H, S, ·]`.
pub(crate) struct Projection<'a> {
    pub keys: &'a dyn Fn(Tensor<3>) -> Tensor<4>,
    pub values: &'a dyn Fn(Tensor<3>) -> Tensor<4>,
}

/// Computation of a mechanism; the methods of [`Mechanism`](crate::Mechanism) document each.
pub(crate) trait Attend {
    /// The score function, of a pyramid that of the leaves; `None` if the mechanism has none.
    fn score(&self) -> Option<&Score>;

    /// True if it computes in F32 for inputs of any type, because positions, counts and cumulated
    /// probabilities need more digits than 16 bits have. Its parameters must then be F32 too.
    fn needs_f32(&self) -> bool {
        false
    }

    /// Number of levels, all but one of which can be muted; 0 if there are none.
    fn levels(&self) -> usize {
        0
    }

    /// Share of each level in the result, `[1 or H, d]`; `None` if it mixes none.
    fn shares(&self) -> Option<Tensor<2>> {
        None
    }

    /// True if the weights of a row can be given ([`ForcedRows`](crate::ForcedRows)).
    fn takes_given_weights(&self) -> bool {
        true
    }

    /// Number of levels of a pyramid, with the leaves; 0 if there is none.
    fn pyramid_levels(&self) -> usize {
        0
    }

    /// True if one vector added to every key changes no weight, so that a bias of the keys has no
    /// gradient. Holds where the score function is linear in the key and each row of scores goes
    /// through a softmax.
    fn ignores_shifted_keys(&self) -> bool {
        self.score().is_some_and(Score::is_linear_in_key)
    }

    /// Mutes these levels and nodes, gives weights to these rows, and to no others.
    fn mute(&mut self, muted: &Muted);

    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        Memory::prepared(self.prepare_keys(keys), values, mask)
    }

    /// The keys as the score function takes them.
    fn prepare_keys(&self, keys: Tensor<4>) -> PreparedKeys {
        match self.score() {
            Some(score) => score.prepare(keys),
            None => PreparedKeys::of(keys),
        }
    }

    /// Prepares rows `[B, S, D]` that are projected to heads.
    fn prepare_projected(
        &self,
        keys: Tensor<3>,
        values: Tensor<3>,
        mask: Mask,
        projection: Projection<'_>,
    ) -> Memory {
        self.prepare((projection.keys)(keys), (projection.values)(values), mask)
    }

    /// Context and weights of queries at the positions from `first` on.
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
        let keys = cache.push_key(0, self.prepare_keys(key));
        let memory = Memory::prepared(keys, cache.push_value(0, value), Mask::none());
        self.attend_next(query, &memory, cache)
    }
}
