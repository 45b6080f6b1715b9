//! Hierarchical attention, Ham (*Hierarchical Attention: What Really Counts in Various NLP
//! Tasks*): a learned mix of d levels.
//!
//! - Ham-V: q₀ = q, q_i = Attention(q_{i−1}, K, V), output Σ softmax(w)_i · q_i;
//!   with a residual q_i = q_{i−1} + Attention(q_{i−1}, K, V), as in end-to-end memory networks
//!   (Sukhbaatar et al. 2015).
//! - Ham-S: X_i = Attention(X_{i−1}, X_{i−1}, X_{i−1}), output Σ softmax(w)_i · X_i;
//!   with separate Q, K, V (heads) X₁ = Attention(Q, K, V).
//!
//! A level of Ham-V attends to all keys (soft), to the keys near the query's position (local), or to
//! one key (hard), as the mechanisms `local` and `hard` do. With hard levels the draws of all levels
//! are one draw of a path: log p of the path is the sum over the levels.
//!
//! With rotary positions the query of every level is turned by its position, and so are the keys of
//! the levels of Ham-S: each level's scores depend on distances, like those of the first.
//!
//! Theorem 1's upper bound, ‖output‖ ≤ max ‖v_i‖, holds for every level without a residual. The
//! theorem's lower bound does not hold: two opposite values average to 0.

mod config;
pub(crate) mod mixing;

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use strata_kernels::attention::dot_hierarchy;

pub(crate) use config::KindOfHam;
pub use config::{HamConfig, HamKind, HamLevel, HamMix, HamSConfig, InitialShares};
use mixing::{for_all_queries, last_alone, mixed};

use crate::attend::{Attend, LevelCount, sum};
use crate::positions::rotate_if;
use crate::soft::Forcing;
use crate::{
    AttentionOutput, AttentionWeights, Auxiliary, CausalCache, ConfigError, ForcedRows,
    LevelWeights, Mask, Memory, Muted, Score, SoftWeights, hard, local, soft,
};

/// Forces no row's weights.
const UNFORCED: Forcing<'static> = (ForcedRows::NONE, 0);

/// Ham-V or Ham-S: a learned mix of d levels.
#[derive(Module, Debug)]
pub struct Ham {
    /// Score function of all levels.
    pub score: Score,
    /// Mix w before the softmax, `[1 or H, d]`; `None` if the result is the last level alone.
    pub mix: Option<Param<Tensor<2>>>,
    #[module(skip)]
    depth: LevelCount,
    #[module(skip)]
    kind: HamKind,
    /// True if a level's result is added to the level's query (Ham-V alone).
    #[module(skip)]
    residual: bool,
    /// Kind of attention of each level.
    #[module(skip)]
    level_kind: HamLevel,
    /// Half width of the window of local levels.
    #[module(skip)]
    window: usize,
    /// Muted levels, counted from 0, whose share is 0.
    #[module(skip)]
    muted: Vec<usize>,
    /// Rows of the first level whose weights are set by hand.
    #[module(skip)]
    forced: ForcedRows,
    /// True if positions are rotary: queries come unturned, and each level turns the query of that
    /// level.
    #[module(skip)]
    pub(crate) rotary: bool,
}

impl Attend for Ham {
    fn score(&self) -> Option<&Score> {
        Some(&self.score)
    }

    /// Counts no levels if the last one stands alone: it has no share to take away.
    fn levels(&self) -> usize {
        match &self.mix {
            Some(_) => self.depth.asked(),
            None => 0,
        }
    }

    fn level_count(&self) -> Option<LevelCount> {
        Some(self.depth)
    }

    fn set_levels(&mut self, levels: usize) -> Result<(), ConfigError> {
        let muted = self.mix.as_ref().map_or(&[][..], |_| &self.muted);
        self.depth = self.depth.with(levels, muted)?;
        Ok(())
    }

    fn shares(&self) -> Option<Tensor<2>> {
        let mix = self.mix.as_ref()?.val();
        Some(mixing::shares(mix, self.depth.asked(), &self.muted))
    }

    fn mute(&mut self, muted: &Muted) {
        self.muted.clone_from(&muted.levels);
        self.forced = muted.rows.clone();
    }

    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let ([_, _, t, _], [_, _, s, _]) = (query.dims(), memory.values.dims());
        let memory = &Memory {
            mask: self.mask_of_levels(&memory.mask, first, [t, s], &query.device()),
            ..memory.clone()
        };
        if let Some(output) = self.attend_at_once(&query, memory) {
            return output;
        }
        self.mix_levels(query, |level, below| {
            let query = self.turned(below.clone(), first);
            let forcing = self.forcing(level, first);
            self.attend_level(level, [query, below], memory, forcing)
        })
    }

    fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        // The lowest level reads the position's projected key and value. Higher levels of Ham-V
        // read the same, those of Ham-S the output of the level below.
        let mut own = Some((self.score.prepare(key), value));
        let (device, seen) = (query.device(), [1, cache.position + 1]);
        let mask = cache.mask(&device);
        let mask = self.mask_of_levels(&mask, cache.position, seen, &device);
        let mut output = self.mix_levels(query, |level, below| {
            let query = self.turned(below.clone(), cache.position);
            let at = match self.kind {
                HamKind::Value => 0,
                HamKind::SelfAttention => level,
            };
            let (keys, values) = match (self.kind, own.take()) {
                (_, Some((key, value))) => (cache.push_key(at, key), cache.push_value(at, value)),
                (HamKind::Value, None) => (cache.keys[0].clone(), cache.values[0].clone()),
                (HamKind::SelfAttention, None) => (
                    cache.push_key(at, self.score.prepare(query.clone())),
                    cache.push_value(at, below),
                ),
            };
            let forcing = self.forcing(level, cache.position);
            let memory = Memory::prepared(keys, values, mask.clone());
            let output = self.attend_to(query, &memory, forcing);
            if self.kind == HamKind::SelfAttention {
                cache.push_row(level, output.weights.tensor());
            }
            output
        });
        if let AttentionWeights::Hierarchy {
            mix, chained: true, ..
        } = output.weights
        {
            output.weights = AttentionWeights::StepRows {
                own: cache.rows.clone(),
                levels: self.depth.asked(),
                mix,
            };
        }
        output
    }
}

/// Result of one level.
struct LevelOutput {
    /// Context, `[B, H, T, D_v]`.
    context: Tensor<4>,
    /// Weights of the level alone, `[B, H, T, S]`.
    weights: SoftWeights,
    /// Log-probability of the drawn key of each query, `[B, H, T, 1]`; `None` unless keys were
    /// drawn.
    log_probability: Option<Tensor<4>>,
}

impl HamKind {
    /// Returns keys and values of a level, counted from 0. The query is the output of the level
    /// `below`, turned if positions are rotary.
    fn memory(
        self,
        level: usize,
        score: &Score,
        [query, below]: [&Tensor<4>; 2],
        memory: &Memory,
    ) -> Memory {
        match self {
            Self::SelfAttention if level > 0 => {
                let keys = score.prepare(query.clone());
                Memory::prepared(keys, below.clone(), memory.mask.clone())
            }
            _ => memory.clone(),
        }
    }
}

impl Ham {
    /// Hides the keys that local levels do not see. Queries are at the positions `first`,
    /// `first + 1`, ….
    fn mask_of_levels(&self, mask: &Mask, first: usize, seen: [usize; 2], device: &Device) -> Mask {
        match self.level_kind {
            HamLevel::Local => local::hide_far_keys(mask, self.window, first, seen, device),
            HamLevel::Soft | HamLevel::Hard => mask.clone(),
        }
    }

    /// Computes a level, counted from 0. The query is the output of the level `below`, turned if
    /// positions are rotary.
    fn attend_level(
        &self,
        level: usize,
        [query, below]: [Tensor<4>; 2],
        memory: &Memory,
        forcing: Forcing<'_>,
    ) -> LevelOutput {
        let memory = self
            .kind
            .memory(level, &self.score, [&query, &below], memory);
        self.attend_to(query, &memory, forcing)
    }

    /// Attends once, softly or to one key. The mask of `memory` has the window of local levels
    /// already.
    fn attend_to(&self, query: Tensor<4>, memory: &Memory, forcing: Forcing<'_>) -> LevelOutput {
        if self.level_kind == HamLevel::Hard {
            let picked = hard::attend(&self.score, query, memory, forcing);
            return LevelOutput {
                context: picked.context,
                weights: SoftWeights::Known(picked.weights),
                log_probability: picked.log_probability,
            };
        }
        let Memory {
            keys, values, mask, ..
        } = memory;
        let (context, weights) =
            soft::attend(&self.score, query, keys, values.clone(), mask, forcing);
        LevelOutput {
            context,
            weights,
            log_probability: None,
        }
    }

    /// Returns the forced rows of a level, counted from 0: only the first level has any.
    fn forcing(&self, level: usize, first: usize) -> Forcing<'_> {
        match level {
            0 => (&self.forced, first),
            _ => UNFORCED,
        }
    }

    /// Turns the query of a level if positions are rotary; the first is at the position `first`.
    fn turned(&self, query: Tensor<4>, first: usize) -> Tensor<4> {
        rotate_if(self.rotary, query, first)
    }

    /// Computes all levels by one kernel; `None` if no kernel supports this score, a residual, hard
    /// levels, these rows or tensors, or if positions are rotary.
    fn attend_at_once(&self, query: &Tensor<4>, memory: &Memory) -> Option<AttentionOutput> {
        let Score::Dot(score) = &self.score else {
            return None;
        };
        let is_hard = self.level_kind == HamLevel::Hard;
        if self.rotary || self.residual || is_hard || !self.forced.is_empty() {
            return None;
        }
        let mut shares = None;
        let depth = self.depth.asked();
        let all = || {
            shares = self.shares();
            let last = || last_alone(depth, &query.device());
            shares.clone().unwrap_or_else(last)
        };
        let scale = score.scale(query.dims()[3]) as f32;
        let inputs = [query, &memory.keys.tensor(), &memory.values];
        let chained = self.kind == HamKind::SelfAttention;
        let context = dot_hierarchy(inputs, all, memory.mask.additive(), scale, chained)?;
        let own = {
            let (score, kind) = (Score::Dot(score.clone()), self.kind);
            let (query, memory) = (query.clone(), memory.clone());
            let ([b, h, t, _], [_, _, s, _]) = (query.dims(), memory.values.dims());
            LevelWeights::lazy(depth, [b, h, t, s], move || {
                let mut state = query;
                let level = |level| {
                    let Memory {
                        keys, values, mask, ..
                    } = kind.memory(level, &score, [&state; 2], &memory);
                    let (next, weights) =
                        soft::attend(&score, state.clone(), &keys, values, &mask, UNFORCED);
                    state = next;
                    weights
                };
                (0..depth).map(level).collect()
            })
        };
        Some(self.output(context, own, shares))
    }

    fn mix_levels(
        &self,
        query: Tensor<4>,
        mut level: impl FnMut(usize, Tensor<4>) -> LevelOutput,
    ) -> AttentionOutput {
        let shares = self.shares();
        let depth = self.depth.asked();
        let (mut state, mut own) = (query, Vec::with_capacity(depth));
        let mut levels = Vec::with_capacity(depth);
        let mut log_probability: Option<Tensor<4>> = None;
        for i in 0..depth {
            let below = self.residual.then(|| state.clone());
            let LevelOutput {
                context,
                weights,
                log_probability: drawn,
            } = level(i, state);
            log_probability = sum(log_probability, drawn);
            let next = match below {
                Some(below) => below + context,
                None => context,
            };
            own.push(weights);
            if shares.is_some() {
                levels.push(next.clone());
            }
            state = next;
        }
        let mix = shares.clone().map(for_all_queries);
        let mix = mix.map(|shares| mixed(levels, shares));
        AttentionOutput {
            auxiliary: Auxiliary {
                log_probability,
                ..Auxiliary::default()
            },
            ..self.output(mix.unwrap_or(state), own.into(), shares)
        }
    }

    fn output(
        &self,
        context: Tensor<4>,
        own: LevelWeights,
        shares: Option<Tensor<2>>,
    ) -> AttentionOutput {
        let weights = AttentionWeights::Hierarchy {
            own,
            mix: shares.map(for_all_queries),
            chained: self.kind == HamKind::SelfAttention,
            residual: self.residual,
        };
        AttentionOutput::new(context, weights)
    }
}
