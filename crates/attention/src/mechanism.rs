//! The closed enum of all mechanisms, and the form that they share.
//!
//! Every mechanism is used in one of two ways:
//! - [`prepare`](Mechanism::prepare) keys and values once, then [`attend`](Mechanism::attend)
//!   with any number of queries. [`forward`](Mechanism::forward) does both.
//! - One position after the other (decoding): [`attend_next`](Mechanism::attend_next) to prepared
//!   keys, [`extend`](Mechanism::extend) for causal self-attention.

use burn::module::Module;
use burn::tensor::{DType, Tensor};
use serde::{Deserialize, Serialize};

use crate::{
    AttentionWeights, CausalCache, ConfigError, Ham, HamConfig, HamKind, Hard, HardConfig, Local,
    LocalConfig, Mask, MechanismDescription, Memory, Multilevel, MultilevelConfig, ParamInit,
    Pyramid, PyramidConfig, Recursion, Score, Vanilla, VanillaConfig, ham, hard, local, multilevel,
    pyramid, vanilla,
};

/// Where in a model a mechanism stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The source attends to itself.
    EncoderSelf,
    /// The target attends to its own past.
    DecoderSelf,
    /// The target attends to the source.
    Cross,
}

impl Site {
    /// Whether queries, keys and values are rows of the same sequence.
    pub fn is_self(self) -> bool {
        self != Self::Cross
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

/// What a mechanism reads.
#[derive(Clone, Debug)]
pub struct AttentionInput {
    /// `[B, H, T, D_h]`
    pub query: Tensor<4>,
    /// `[B, H, S, D_g]`
    pub keys: Tensor<4>,
    /// `[B, H, S, D_v]`
    pub values: Tensor<4>,
    /// Which keys each query may see.
    pub mask: Mask,
}

/// What every mechanism returns.
#[derive(Clone, Debug)]
pub struct AttentionOutput {
    /// `[B, H, T, D_v]`
    pub context: Tensor<4>,
    /// Level by level, `[B, H, T, S]`.
    pub weights: AttentionWeights,
    /// What some mechanisms give besides.
    pub auxiliary: Auxiliary,
}

/// What some mechanisms give besides context and weights, for training and for those who look.
#[derive(Clone, Debug, Default)]
pub struct Auxiliary {
    /// Added to the loss, `[1]`: the ponder cost of a pyramid by ACT.
    pub cost: Option<Tensor<1>>,
    /// Log-probability of each drawn key, `[B, H, T, 1]`, of hard attention in training: its
    /// parameters learn by the score-function gradient alone.
    pub log_probability: Option<Tensor<4>>,
    /// Where each query looks, `[B, H, T, 1]`, counted from 0, of local attention that predicts it.
    pub positions: Option<Tensor<4>>,
}

impl AttentionOutput {
    fn in_dtype(self, dtype: DType) -> Self {
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

/// Any mechanism, as a person chooses it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MechanismConfig {
    /// One softmax over all keys.
    Vanilla(VanillaConfig),
    /// One softmax over the keys near a position.
    Local(LocalConfig),
    /// One key alone.
    Hard(HardConfig),
    /// Values fed back N times.
    Multilevel(MultilevelConfig),
    /// A learned mix of d levels; each level's result is the next level's query.
    HamV(HamConfig),
    /// A learned mix of d levels; each level attends to the level below.
    HamS(HamConfig),
    /// A descent through blocks of the input.
    Pyramid(PyramidConfig),
}

impl Default for MechanismConfig {
    fn default() -> Self {
        Self::Vanilla(VanillaConfig::default())
    }
}

impl MechanismConfig {
    /// One of each, with its defaults.
    pub fn all() -> [Self; 7] {
        [
            Self::Vanilla(VanillaConfig::default()),
            Self::Local(LocalConfig::default()),
            Self::Hard(HardConfig::default()),
            Self::Multilevel(MultilevelConfig::default()),
            Self::HamV(HamConfig::default()),
            Self::HamS(HamConfig::default()),
            Self::Pyramid(PyramidConfig::default()),
        ]
    }

    /// The mechanism of this name, with its defaults.
    pub fn of_kind(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|it| it.name() == name)
    }

    /// What a person is told about it and its settings.
    pub fn description(&self) -> &'static MechanismDescription {
        match self {
            Self::Vanilla(_) => &vanilla::DESCRIPTION,
            Self::Local(_) => &local::DESCRIPTION,
            Self::Hard(_) => &hard::DESCRIPTION,
            Self::Multilevel(_) => &multilevel::DESCRIPTION,
            Self::HamV(_) => &ham::BY_VALUE,
            Self::HamS(_) => &ham::BY_SELF_ATTENTION,
            Self::Pyramid(_) => &pyramid::DESCRIPTION,
        }
    }

    /// The name in configuration files.
    pub fn name(&self) -> &'static str {
        self.description().words.name
    }

    /// The score function.
    pub fn score(&self) -> crate::ScoreKind {
        match self {
            Self::Vanilla(config) => config.score,
            Self::Local(config) => config.score,
            Self::Hard(config) => config.score,
            Self::Pyramid(config) => config.score,
            Self::Multilevel(config) => config.score,
            Self::HamV(config) | Self::HamS(config) => config.score,
        }
    }

    /// Refuses what cannot stand at this site with these widths.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and what to do.
    pub fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if self.score().needs_equal_widths() && widths.query != widths.keys {
            return Err(ConfigError::new(format!(
                "the dot product needs queries and keys of one width, not {} and {}: choose the score `bilinear` or `additive`, or equal widths",
                widths.query, widths.keys
            )));
        }
        match self {
            Self::Vanilla(_) | Self::Hard(_) => Ok(()),
            Self::Pyramid(config) => config.check(site, widths),
            Self::Local(config) => config.check(),
            Self::Multilevel(config) => config.check(site, widths),
            Self::HamV(config) => config.check(HamKind::Value, site, widths),
            Self::HamS(config) => config.check(HamKind::SelfAttention, site, widths),
        }
    }

    /// Builds the mechanism.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    pub fn init(
        &self,
        site: Site,
        widths: Widths,
        heads: usize,
        init: &mut ParamInit,
    ) -> Result<Mechanism, ConfigError> {
        self.check(site, widths)?;
        let score = self.score().init(widths, init);
        Ok(match self {
            Self::Vanilla(_) => Mechanism::Vanilla(Vanilla { score }),
            Self::Local(config) => Mechanism::Local(config.init(score, widths, init)),
            Self::Hard(_) => Mechanism::Hard(Hard { score }),
            Self::Pyramid(config) => Mechanism::Pyramid(config.init(score, widths, init)),
            Self::Multilevel(config) => match config.recursion {
                Recursion::Value => Mechanism::Multilevel(config.init(site, score)),
                // The same thing by another name.
                Recursion::QueryKeyValue => Mechanism::Ham(config.last_of_ham_s(score, init)),
            },
            Self::HamV(config) => Mechanism::Ham(config.init(HamKind::Value, score, heads, init)),
            Self::HamS(config) => {
                Mechanism::Ham(config.init(HamKind::SelfAttention, score, heads, init))
            }
        })
    }
}

/// Any mechanism, with its parameters.
#[derive(Module, Debug)]
pub enum Mechanism {
    /// One softmax over all keys.
    Vanilla(Vanilla),
    /// One softmax over the keys near a position.
    Local(Local),
    /// One key alone.
    Hard(Hard),
    /// Values fed back N times.
    Multilevel(Multilevel),
    /// A learned mix of d levels.
    Ham(Ham),
    /// A descent through blocks of the input.
    Pyramid(Pyramid),
}

impl Auxiliary {
    /// That of successive queries of one memory, put together along T.
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

/// How a layer with heads makes keys and values `[B, H, S, ·]` of rows `[B, S, D]`.
pub(crate) struct Projection<'a> {
    pub keys: &'a dyn Fn(Tensor<3>) -> Tensor<4>,
    pub values: &'a dyn Fn(Tensor<3>) -> Tensor<4>,
}

/// What a mechanism computes; the methods of [`Mechanism`] say what each must do.
pub(crate) trait Attend {
    /// The score function, of a pyramid that of the leaves.
    fn score(&self) -> &Score;

    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        Memory::new(self.score(), keys, values, mask)
    }

    /// The same for rows `[B, S, D]` that are projected to heads.
    fn prepare_projected(
        &self,
        keys: Tensor<3>,
        values: Tensor<3>,
        mask: Mask,
        projection: Projection<'_>,
    ) -> Memory {
        self.prepare((projection.keys)(keys), (projection.values)(values), mask)
    }

    fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput;

    fn attend_next(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        _cache: &mut CausalCache,
    ) -> AttentionOutput {
        self.attend(query, memory)
    }

    fn extend(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let keys = cache.push_key(0, self.score().prepare(key));
        let memory = Memory::prepared(keys, cache.push_value(0, value), Mask::none());
        self.attend_next(query, &memory, cache)
    }
}

impl Mechanism {
    pub(crate) fn inner(&self) -> &dyn Attend {
        match self {
            Self::Vanilla(vanilla) => vanilla,
            Self::Local(local) => local,
            Self::Hard(hard) => hard,
            Self::Multilevel(multilevel) => multilevel,
            Self::Ham(ham) => ham,
            Self::Pyramid(pyramid) => pyramid,
        }
    }

    /// Whether it computes in F32 whatever it is given: positions, counts and cumulated
    /// probabilities need more digits than 16 bits have. Its parameters must then be F32 too.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Local(_) | Self::Hard(_) | Self::Pyramid(_))
    }

    /// `tensor` as the mechanism reads it.
    pub(crate) fn widened<const D: usize>(&self, tensor: Tensor<D>) -> Tensor<D> {
        if self.is_wide() {
            tensor.cast(DType::F32)
        } else {
            tensor
        }
    }

    /// Context and weights of every query.
    pub fn forward(&self, input: AttentionInput) -> AttentionOutput {
        let memory = self.prepare(input.keys, input.values, input.mask);
        self.attend(input.query, &memory)
    }

    /// The work that needs the keys and values alone. A pyramid's values are its keys.
    ///
    /// # Shapes
    /// - keys `[B, H, S, D_g]`, values `[B, H, S, D_v]`
    pub fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        let (keys, values) = (self.widened(keys), self.widened(values));
        self.inner().prepare(keys, values, mask)
    }

    /// Context and weights of every query.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]` → context `[B, H, T, D_v]`
    pub fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let dtype = query.dtype();
        let query = self.widened(query);
        self.inner().attend(query, memory).in_dtype(dtype)
    }

    /// Cross-attention of one further position: equal to the last row of
    /// [`attend`](Self::attend) with the queries of all positions so far.
    ///
    /// # Shapes
    /// - query `[B, H, 1, D_h]`
    pub fn attend_next(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        let dtype = query.dtype();
        let query = self.widened(query);
        let output = self.inner().attend_next(query, memory, cache);
        cache.position += 1;
        output.in_dtype(dtype)
    }

    /// Causal self-attention of one further position: equal to the last row of
    /// [`forward`](Self::forward) with a causal mask over all positions so far.
    ///
    /// # Shapes
    /// - query `[B, H, 1, D_h]`, key `[B, H, 1, D_g]`, value `[B, H, 1, D_v]`
    pub fn extend(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let dtype = query.dtype();
        let [query, key, value] = [query, key, value].map(|of| self.widened(of));
        let output = self.inner().extend(cache, query, key, value);
        cache.position += 1;
        output.in_dtype(dtype)
    }
}
