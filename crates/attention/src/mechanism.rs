//! The closed enums of all mechanisms: [`MechanismConfig`] of settings, [`Mechanism`] of built
//! ones.
//!
//! Every mechanism is used in one of two ways:
//! - [`prepare`](Mechanism::prepare) keys and values once, then [`attend`](Mechanism::attend)
//!   with any number of queries. [`forward`](Mechanism::forward) does both.
//! - One position after the other (decoding): [`attend_next`](Mechanism::attend_next) to prepared
//!   keys, [`self_attend_next`](Mechanism::self_attend_next) for causal self-attention.

use burn::module::Module;
use burn::tensor::{DType, Tensor};
use serde::{Deserialize, Serialize};
use strata_describe::Description;
use strum::{EnumIter, IntoEnumIterator};

use crate::attend::{Attend, Build, Configure};
use crate::*;

/// Settings of any mechanism.
#[derive(Serialize, Deserialize, EnumIter, Clone, Copy, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MechanismConfig {
    /// One softmax over all keys.
    Vanilla(VanillaConfig),
    /// One softmax over the keys near a position.
    Local(LocalConfig),
    /// Hard attention: all weight on one key.
    Hard(HardConfig),
    /// Values fed back N times.
    Multilevel(MultilevelConfig),
    /// A learned mix of d levels; each level's result is the next level's query.
    HamV(HamConfig),
    /// A learned mix of d levels; each level attends to the level below.
    HamS(HamSConfig),
    /// A descent through blocks of the input.
    Pyramid(PyramidConfig),
    /// Features of queries and keys instead of a softmax.
    Linear(LinearAttentionConfig),
}

impl Default for MechanismConfig {
    fn default() -> Self {
        Self::Vanilla(VanillaConfig::default())
    }
}

impl MechanismConfig {
    /// Iterates over all mechanisms, each with default settings.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Finds the mechanism of this name, with default settings.
    pub fn of_kind(name: &str) -> Option<Self> {
        Self::iter().find(|it| it.name() == name)
    }

    /// Calls `question` with the settings of the mechanism inside.
    fn ask<R>(&self, question: impl FnOnce(&dyn Configure) -> R) -> R {
        match self {
            Self::Vanilla(config) => question(config),
            Self::Local(config) => question(config),
            Self::Hard(config) => question(config),
            Self::Multilevel(config) => question(config),
            Self::HamV(config) => question(&HamKind::Value.of(*config)),
            Self::HamS(config) => question(&HamKind::SelfAttention.of((*config).into())),
            Self::Pyramid(config) => question(config),
            Self::Linear(config) => question(config),
        }
    }

    /// Names and help texts of the mechanism and its settings.
    pub fn description(&self) -> &'static Description {
        self.ask(|it| it.description())
    }

    /// Name of the mechanism in configuration files.
    pub fn name(&self) -> &'static str {
        self.description().words.name
    }

    /// Name of the setting for the number of levels; `None` if the mechanism has no levels that can
    /// change after training.
    pub fn levels_setting(&self) -> Option<&'static str> {
        match self {
            Self::Multilevel(_) => Some("levels"),
            Self::HamV(_) | Self::HamS(_) => Some("depth"),
            _ => None,
        }
    }

    /// True if the levels have learned shares, so that levels without a share cannot be added.
    pub fn has_learned_shares(&self) -> bool {
        match self {
            Self::Multilevel(config) => config.mix != MultilevelMix::Last,
            Self::HamV(config) => config.mix != HamMix::Last,
            Self::HamS(config) => config.mix != HamMix::Last,
            _ => false,
        }
    }

    /// Kind of the score function; `None` if the mechanism has none.
    pub fn score(&self) -> Option<ScoreKind> {
        self.ask(|it| it.score())
    }

    /// Number of parameters of the mechanism for these widths and `heads` heads.
    pub fn parameters(&self, widths: Widths, heads: usize) -> u64 {
        let score = self.score().map_or(0, |score| score.parameters(widths));
        score + self.ask(|it| it.parameters(widths, heads))
    }

    /// Number of times that the mechanism computes with each pair of query and key.
    pub fn passes(&self) -> u64 {
        self.ask(|it| it.passes())
    }

    /// Checks that the mechanism fits this site and these widths.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and what to do.
    pub fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if let Some(score) = self.score() {
            score.check(widths)?;
        }
        self.ask(|it| {
            it.check_ranges()
                .map_err(|found| ConfigError::out_of_range(self.name(), found))?;
            it.check(site, widths)
        })
    }

    /// Draws the parameters of the mechanism.
    ///
    /// # Errors
    /// As in [`check`](Self::check).
    pub fn init(
        &self,
        site: Site,
        widths: Widths,
        heads: usize,
        init: &mut ParamInit,
    ) -> Result<Mechanism, ConfigError> {
        self.check(site, widths)?;
        Ok(match self {
            Self::Vanilla(config) => Mechanism::Vanilla(config.init(site, widths, heads, init)),
            Self::Local(config) => Mechanism::Local(config.init(site, widths, heads, init)),
            Self::Hard(config) => Mechanism::Hard(config.init(site, widths, heads, init)),
            Self::Multilevel(config) => match config.recursion {
                Recursion::Value => Mechanism::Multilevel(config.init(site, widths, heads, init)),
                // This recursion is Ham-S whose result is the last level.
                Recursion::QueryKeyValue => {
                    Mechanism::Ham(config.as_ham_s().init(site, widths, heads, init))
                }
            },
            Self::HamV(config) => {
                Mechanism::Ham(HamKind::Value.of(*config).init(site, widths, heads, init))
            }
            Self::HamS(config) => Mechanism::Ham(
                HamKind::SelfAttention
                    .of((*config).into())
                    .init(site, widths, heads, init),
            ),
            Self::Pyramid(config) => Mechanism::Pyramid(config.init(site, widths, heads, init)),
            Self::Linear(config) => Mechanism::Linear(config.init(site, widths, heads, init)),
        })
    }
}

/// Mechanism with its parameters.
#[derive(Module, Debug)]
pub enum Mechanism {
    /// One softmax over all keys.
    Vanilla(Vanilla),
    /// One softmax over the keys near a position.
    Local(Local),
    /// Hard attention: all weight on one key.
    Hard(Hard),
    /// Values fed back N times.
    Multilevel(Multilevel),
    /// A learned mix of d levels.
    Ham(Ham),
    /// A descent through blocks of the input.
    Pyramid(Pyramid),
    /// Features of queries and keys instead of a softmax.
    Linear(LinearAttention),
}

/// Borrows the mechanism inside, as `$mechanism` is borrowed.
macro_rules! inner {
    ($mechanism:expr) => {
        match $mechanism {
            Self::Vanilla(vanilla) => vanilla,
            Self::Local(local) => local,
            Self::Hard(hard) => hard,
            Self::Multilevel(multilevel) => multilevel,
            Self::Ham(ham) => ham,
            Self::Pyramid(pyramid) => pyramid,
            Self::Linear(linear) => linear,
        }
    };
}

impl Mechanism {
    pub(crate) fn inner(&self) -> &dyn Attend {
        inner!(self)
    }

    fn inner_mut(&mut self) -> &mut dyn Attend {
        inner!(self)
    }

    /// Prepares the mechanism for rotary positions. The layer around the mechanism turns the keys,
    /// and the queries unless [`turns_queries`](Self::turns_queries).
    pub(crate) fn make_rotary(&mut self) {
        match self {
            Self::Ham(ham) => ham.rotary = true,
            Self::Multilevel(multilevel) => multilevel.rotary = multilevel.gate.is_some(),
            _ => {}
        }
    }

    /// True if the mechanism turns queries by rotary positions itself: because each level has a
    /// query, or because the mix is computed from the query before the turn.
    pub(crate) fn turns_queries(&self) -> bool {
        match self {
            Self::Ham(ham) => ham.rotary,
            Self::Multilevel(multilevel) => multilevel.rotary,
            _ => false,
        }
    }

    /// Score function (of a pyramid, that of the leaves); `None` if the mechanism has none.
    pub fn score(&self) -> Option<&Score> {
        self.inner().score()
    }

    /// Number of levels, all but one of which can be muted; 0 if the mechanism has no levels.
    pub fn levels(&self) -> usize {
        self.inner().levels()
    }

    /// Number of levels in the mechanism's settings; `None` if the mechanism has no levels that
    /// [`set_levels`](Self::set_levels) can change.
    pub fn configured_levels(&self) -> Option<usize> {
        let count = self.inner().level_count()?;
        Some(count.configured())
    }

    /// Largest number of levels that [`set_levels`](Self::set_levels) takes; `None` where
    /// [`configured_levels`](Self::configured_levels) is.
    pub fn most_levels(&self) -> Option<usize> {
        let count = self.inner().level_count()?;
        Some(count.most())
    }

    /// Number of levels that are computed, the muted ones included; `None` where
    /// [`configured_levels`](Self::configured_levels) is.
    pub fn asked_levels(&self) -> Option<usize> {
        let count = self.inner().level_count()?;
        Some(count.asked())
    }

    /// Changes the number of levels that are computed, without changing a parameter. Levels of a
    /// mix beyond `levels` lose their shares, and the shares of the others are renormalised. The
    /// configured number gives the same bits as before. A memory that was prepared earlier keeps
    /// the earlier levels. Levels stay muted.
    ///
    /// # Errors
    /// If the mechanism has no levels to change, cannot compute so many, or all of these are muted.
    /// The mechanism is then unchanged.
    pub fn set_levels(&mut self, levels: usize) -> Result<(), ConfigError> {
        self.inner_mut().set_levels(levels)
    }

    /// Share of each level in the result, `[1 or H, d]`, 0 for a muted level; `None` if the
    /// mechanism mixes no levels, or if shares are computed for each query
    /// ([`AttentionWeights::mix`]).
    pub fn shares(&self) -> Option<Tensor<2>> {
        self.inner().shares()
    }

    /// True if the caller may set the weights of a row ([`Muted::rows`]). False for a pyramid,
    /// which has weights of nodes alone.
    pub fn takes_given_weights(&self) -> bool {
        self.inner().takes_given_weights()
    }

    /// Number of levels of a pyramid, the leaves included; 0 for all other mechanisms.
    pub fn pyramid_levels(&self) -> usize {
        self.inner().pyramid_levels()
    }

    /// True if one vector added to every key changes no weight, so that a bias of the keys has no
    /// gradient.
    pub fn ignores_shifted_keys(&self) -> bool {
        self.inner().ignores_shifted_keys()
    }

    /// Mutes the levels and nodes of `muted` and forces the weights of its rows. Replaces what an
    /// earlier call muted. Site and heads are muted by the layer around the mechanism.
    ///
    /// # Panics
    /// If no level of [`levels`](Self::levels) stays active.
    pub fn mute(&mut self, muted: &Muted) {
        let (all, levels) = (self.levels(), &muted.levels);
        assert!(
            levels.is_empty() || (0..all).any(|level| !levels.contains(&level)),
            "one of {all} levels must stay"
        );
        self.inner_mut().mute(muted);
    }

    /// True if the mechanism computes in F32 for inputs of any type. Its parameters must then be
    /// F32 too.
    pub fn needs_f32(&self) -> bool {
        self.inner().needs_f32()
    }

    /// Casts `tensor` to the type in which the mechanism computes.
    pub(crate) fn as_computed<const D: usize>(&self, tensor: Tensor<D>) -> Tensor<D> {
        if self.needs_f32() {
            tensor.cast(DType::F32)
        } else {
            tensor
        }
    }

    /// Computes context and weights of every query.
    pub fn forward(&self, input: AttentionInput) -> AttentionOutput {
        let memory = self.prepare(input.keys, input.values, input.mask);
        self.attend(input.query, &memory)
    }

    /// Does the part of the work that needs only keys and values. A pyramid uses the keys as
    /// values.
    ///
    /// # Shapes
    /// - keys `[B, H, S, D_g]`, values `[B, H, S, D_v]`
    pub fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        let (keys, values) = (self.as_computed(keys), self.as_computed(values));
        self.inner().prepare(keys, values, mask)
    }

    /// Computes context and weights of every query.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]` → context `[B, H, T, D_v]`
    pub fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let dtype = query.dtype();
        let query = self.as_computed(query);
        self.inner().attend_from(0, query, memory).in_dtype(dtype)
    }

    /// Computes cross-attention of one further position, equal to the last row of
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
        let query = self.as_computed(query);
        let output = self.inner().attend_next(query, memory, cache);
        cache.position += 1;
        output.in_dtype(dtype)
    }

    /// Computes causal self-attention of one further position, equal to the last row of
    /// [`forward`](Self::forward) with a causal mask over all positions so far.
    ///
    /// # Shapes
    /// - query `[B, H, 1, D_h]`, key `[B, H, 1, D_g]`, value `[B, H, 1, D_v]`
    pub fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let dtype = query.dtype();
        let [query, key, value] = [query, key, value].map(|of| self.as_computed(of));
        let output = self.inner().self_attend_next(cache, query, key, value);
        cache.position += 1;
        output.in_dtype(dtype)
    }
}

#[cfg(test)]
mod tests;
