//! The closed enum of all mechanisms, and the form that they share.
//!
//! Every mechanism is used in one of two ways:
//! - [`prepare`](Mechanism::prepare) keys and values once, then [`attend`](Mechanism::attend)
//!   with any number of queries. [`forward`](Mechanism::forward) does both.
//! - One position after the other (decoding): [`attend_next`](Mechanism::attend_next) to prepared
//!   keys, [`extend`](Mechanism::extend) for causal self-attention.

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::{
    AttentionWeights, ConfigError, Ham, HamConfig, HamKind, Local, LocalConfig, Mask,
    MechanismDescription, Multilevel, MultilevelConfig, ParamInit, PreparedKeys, Recursion, Score,
    Vanilla, VanillaConfig, ham, local, multilevel, vanilla,
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
}

impl Widths {
    /// The same width for queries, keys and values.
    pub fn all(width: usize) -> Self {
        Self {
            query: width,
            keys: width,
            values: width,
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
    /// Where each query looks, `[B, H, T, 1]`, of local attention that predicts it.
    pub positions: Option<Tensor<4>>,
}

impl AttentionOutput {
    pub(crate) fn new(context: Tensor<4>, weights: AttentionWeights) -> Self {
        Self {
            context,
            weights,
            positions: None,
        }
    }
}

/// Keys and values prepared once, for any number of queries.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) keys: PreparedKeys,
    /// `[B, H, S, D_v]`; of multilevel cross-attention: after the levels from key to key.
    pub(crate) values: Tensor<4>,
    /// A_kk of multilevel cross-attention, `[B, H, S, S]`.
    pub(crate) step: Option<Tensor<4>>,
    pub(crate) mask: Mask,
}

impl Memory {
    /// Keys as the score function wants them; values and mask as they are.
    pub(crate) fn new(score: &Score, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Self {
        Self {
            keys: score.prepare(keys),
            values,
            step: None,
            mask,
        }
    }
}

/// What an attention of the decoder keeps of the positions so far.
#[derive(Clone, Debug, Default)]
pub struct CausalCache {
    /// How many positions there were.
    pub(crate) position: usize,
    /// Their queries, `[B, H, t, D_h]`, where a later position needs them again.
    pub(crate) queries: Option<Tensor<4>>,
    /// For each level that has keys of its own.
    pub(crate) keys: Vec<PreparedKeys>,
    /// For each level, `[B, H, t, D_v]`.
    pub(crate) values: Vec<Tensor<4>>,
    /// For each level that has an A of its own, its rows so far: row r is `[B, H, 1, r + 1]`.
    pub(crate) rows: Vec<Vec<Tensor<4>>>,
}

impl CausalCache {
    /// Appends the key of the present position to those of a level, and returns all.
    pub(crate) fn push_key(&mut self, level: usize, key: PreparedKeys) -> PreparedKeys {
        let keys = match self.keys.get(level) {
            Some(keys) => keys.clone().append(key),
            None => key,
        };
        replace_or_push(&mut self.keys, level, keys.clone());
        keys
    }

    /// Appends the present position's row of a level's A.
    pub(crate) fn push_row(&mut self, level: usize, row: Tensor<4>) {
        if level == self.rows.len() {
            self.rows.push(Vec::new());
        }
        self.rows[level].push(row);
    }

    /// Appends the value of the present position to those of a level, and returns all.
    pub(crate) fn push_value(&mut self, level: usize, value: Tensor<4>) -> Tensor<4> {
        let values = match self.values.get(level) {
            Some(values) => Tensor::cat(vec![values.clone(), value], 2),
            None => value,
        };
        replace_or_push(&mut self.values, level, values.clone());
        values
    }
}

fn replace_or_push<T>(levels: &mut Vec<T>, level: usize, item: T) {
    if level < levels.len() {
        levels[level] = item;
    } else {
        levels.push(item);
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
    /// Values fed back N times.
    Multilevel(MultilevelConfig),
    /// A learned mix of d levels; each level's result is the next level's query.
    HamV(HamConfig),
    /// A learned mix of d levels; each level attends to the level below.
    HamS(HamConfig),
}

impl Default for MechanismConfig {
    fn default() -> Self {
        Self::Vanilla(VanillaConfig::default())
    }
}

impl MechanismConfig {
    /// One of each, with its defaults.
    pub fn all() -> [Self; 5] {
        [
            Self::Vanilla(VanillaConfig::default()),
            Self::Local(LocalConfig::default()),
            Self::Multilevel(MultilevelConfig::default()),
            Self::HamV(HamConfig::default()),
            Self::HamS(HamConfig::default()),
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
            Self::Multilevel(_) => &multilevel::DESCRIPTION,
            Self::HamV(_) => &ham::BY_VALUE,
            Self::HamS(_) => &ham::BY_SELF_ATTENTION,
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
            Self::Vanilla(_) => Ok(()),
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
    /// Values fed back N times.
    Multilevel(Multilevel),
    /// A learned mix of d levels.
    Ham(Ham),
}

impl Mechanism {
    /// Context and weights of every query.
    pub fn forward(&self, input: AttentionInput) -> AttentionOutput {
        let memory = self.prepare(input.keys, input.values, input.mask);
        self.attend(input.query, &memory)
    }

    /// The work that needs the keys and values alone.
    ///
    /// # Shapes
    /// - keys `[B, H, S, D_g]`, values `[B, H, S, D_v]`
    pub fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        match self {
            Self::Vanilla(vanilla) => Memory::new(&vanilla.score, keys, values, mask),
            Self::Local(local) => Memory::new(&local.score, keys, values, mask),
            Self::Multilevel(multilevel) => multilevel.prepare(keys, values, mask),
            Self::Ham(ham) => Memory::new(&ham.score, keys, values, mask),
        }
    }

    /// Context and weights of every query.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]` → context `[B, H, T, D_v]`
    pub fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        match self {
            Self::Vanilla(vanilla) => vanilla.attend(query, memory),
            Self::Local(local) => local.attend(query, memory),
            Self::Multilevel(multilevel) => multilevel.attend(query, memory),
            Self::Ham(ham) => ham.attend(query, memory),
        }
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
        let output = match self {
            Self::Local(local) => local.attend_from(cache.position, query, memory),
            Self::Multilevel(multilevel) => multilevel.attend_next(query, memory, cache),
            Self::Vanilla(_) | Self::Ham(_) => self.attend(query, memory),
        };
        cache.position += 1;
        output
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
        let output = match self {
            Self::Vanilla(vanilla) => vanilla.extend(cache, query, key, value),
            Self::Local(local) => local.extend(cache, query, key, value),
            Self::Multilevel(multilevel) => multilevel.extend(cache, query, key, value),
            Self::Ham(ham) => ham.extend(cache, query, key, value),
        };
        cache.position += 1;
        output
    }
}
