//! Hierarchical attention, Ham (*Hierarchical Attention: What Really Counts in Various NLP
//! Tasks*): a learned mix of d levels.
//!
//! - Ham-V: q₀ = q, q_i = Attention(q_{i−1}, K, V), output Σ softmax(w)_i · q_i.
//! - Ham-S: X_i = Attention(X_{i−1}, X_{i−1}, X_{i−1}), output Σ softmax(w)_i · X_i;
//!   with separate Q, K, V (heads) X₁ = Attention(Q, K, V).
//!
//! With rotary positions the query of every level is turned by its position, and so are the keys of
//! the levels of Ham-S: each level's scores depend on distances, like those of the first.
//!
//! Theorem 1's upper bound, ‖output‖ ≤ max ‖v_i‖, holds for every level. Its lower bound does
//! not: two opposite values average to 0.

mod config;
mod mixing;

use burn::module::{Module, Param};
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, Tensor, TensorData};
use strata_kernels::attention::{MASKED_SCORE, dot_hierarchy};

pub(crate) use config::KindOfHam;
pub use config::{HamConfig, HamKind, HamMix, InitialShares};
use mixing::{last_alone, mixed};

use crate::attend::Attend;
use crate::soft::Forcing;
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, ForcedRows, LevelWeights, Memory, Muted, Score,
    SoftWeights, rotate, soft,
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
    depth: usize,
    #[module(skip)]
    kind: HamKind,
    /// Muted levels, counted from 0, whose share is 0.
    #[module(skip)]
    muted: Vec<usize>,
    /// Rows of the first level whose weights are set by hand.
    #[module(skip)]
    forced: ForcedRows,
    /// True if positions are rotary: queries come unturned, and each level turns its own.
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
            Some(_) => self.depth,
            None => 0,
        }
    }

    fn shares(&self) -> Option<Tensor<2>> {
        let mix = self.mix.as_ref()?.val();
        if self.muted.is_empty() {
            return Some(softmax(mix, 1));
        }
        let absent: Vec<bool> = (0..self.depth).map(|it| self.muted.contains(&it)).collect();
        let absent = TensorData::new(absent, [1, self.depth]);
        let absent = Tensor::<2, Bool>::from_data(absent, &mix.device()).expand(mix.dims());
        Some(softmax(mix.mask_fill(absent, MASKED_SCORE), 1))
    }

    fn mute(&mut self, muted: &Muted) {
        self.muted.clone_from(&muted.levels);
        self.forced = muted.rows.clone();
    }

    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        if let Some(output) = self.attend_at_once(&query, memory) {
            return output;
        }
        self.mix_levels(query, |level, below| {
            let query = self.turned(below.clone(), first);
            let forcing = self.forcing(level, first);
            self.kind
                .level(level, &self.score, [query, below], memory, forcing)
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
        let mask = cache.mask(&query.device());
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
            let (context, weights) =
                soft::attend(&self.score, query, &keys, values, &mask, forcing);
            if self.kind == HamKind::SelfAttention {
                cache.push_row(level, weights.tensor());
            }
            (context, weights)
        });
        if let AttentionWeights::Hierarchy {
            mix, chained: true, ..
        } = output.weights
        {
            output.weights = AttentionWeights::StepRows {
                own: cache.rows.clone(),
                levels: self.depth,
                mix,
            };
        }
        output
    }
}

impl HamKind {
    /// Computes the output of a level, counted from 0, and its weights. The query is the output of
    /// the level `below`, turned if positions are rotary.
    fn level(
        self,
        level: usize,
        score: &Score,
        [query, below]: [Tensor<4>; 2],
        memory: &Memory,
        forcing: Forcing<'_>,
    ) -> (Tensor<4>, SoftWeights) {
        let (keys, values) = match self {
            Self::SelfAttention if level > 0 => (score.prepare(query.clone()), below),
            _ => (memory.keys.clone(), memory.values.clone()),
        };
        soft::attend(score, query, &keys, values, &memory.mask, forcing)
    }
}

impl Ham {
    /// Returns the forced rows of a level, counted from 0: only the first level has any.
    fn forcing(&self, level: usize, first: usize) -> Forcing<'_> {
        match level {
            0 => (&self.forced, first),
            _ => UNFORCED,
        }
    }

    /// Turns the query of a level if positions are rotary; the first is at the position `first`.
    fn turned(&self, query: Tensor<4>, first: usize) -> Tensor<4> {
        if self.rotary {
            rotate(query, first)
        } else {
            query
        }
    }

    /// Computes all levels by one kernel; `None` if no kernel supports this score, these rows or
    /// tensors, or if positions are rotary.
    fn attend_at_once(&self, query: &Tensor<4>, memory: &Memory) -> Option<AttentionOutput> {
        let Score::Dot(score) = &self.score else {
            return None;
        };
        if self.rotary || !self.forced.is_empty() {
            return None;
        }
        let mut shares = None;
        let all = || {
            shares = self.shares();
            let last = || last_alone(self.depth, &query.device());
            shares.clone().unwrap_or_else(last)
        };
        let scale = score.scale(query.dims()[3]) as f32;
        let inputs = [query, &memory.keys.tensor(), &memory.values];
        let chained = self.kind == HamKind::SelfAttention;
        let context = dot_hierarchy(inputs, all, memory.mask.additive(), scale, chained)?;
        let own = {
            let (score, kind, depth) = (Score::Dot(score.clone()), self.kind, self.depth);
            let (query, memory) = (query.clone(), memory.clone());
            let ([b, h, t, _], [_, _, s, _]) = (query.dims(), memory.values.dims());
            LevelWeights::lazy(depth, [b, h, t, s], move || {
                let mut state = query;
                let level = |level| {
                    let (next, weights) = kind.level(
                        level,
                        &score,
                        [(); 2].map(|()| state.clone()),
                        &memory,
                        UNFORCED,
                    );
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
        mut level: impl FnMut(usize, Tensor<4>) -> (Tensor<4>, SoftWeights),
    ) -> AttentionOutput {
        let shares = self.shares();
        let (mut state, mut own) = (query, Vec::with_capacity(self.depth));
        let mut levels = Vec::with_capacity(self.depth);
        for i in 0..self.depth {
            let (next, weights) = level(i, state);
            own.push(weights);
            if shares.is_some() {
                levels.push(next.clone());
            }
            state = next;
        }
        let sum = shares.clone().map(|shares| mixed(levels, shares));
        self.output(sum.unwrap_or(state), own.into(), shares)
    }

    fn output(
        &self,
        context: Tensor<4>,
        own: LevelWeights,
        shares: Option<Tensor<2>>,
    ) -> AttentionOutput {
        let mix = shares.map(|shares| {
            let [mixes, depth] = shares.dims();
            shares.reshape([1, mixes, 1, depth]) // [1, 1 or H, 1, d]
        });
        let chained = self.kind == HamKind::SelfAttention;
        let weights = AttentionWeights::Hierarchy { own, mix, chained };
        AttentionOutput::new(context, weights)
    }
}
