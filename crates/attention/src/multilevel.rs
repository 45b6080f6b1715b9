//! Multilevel attention, MultiAttention_N (Zhou and Li): the values are fed back N times.
//!
//! V₁ = V, V_{i+1} = A V_i; the output of N levels is `A^N V`, N = 1 is the Transformer. With a mix
//! the output is Σ softmax(w)_i A^i V, as in Ham; w is trained, or computed from each query.
//! In cross-attention A is `[T, S]` and cannot be applied twice; see [`Chain`].

mod config;
mod decoding;
mod options;

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;
use strata_kernels::apply;

pub use config::MultilevelConfig;
pub use options::{Chain, MultilevelMix, Recursion};

use crate::attend::{Attend, LevelCount};
use crate::ham::mixing::{for_all_queries, mixed, shares};
use crate::memory::State;
use crate::positions::rotate_if;
use crate::power::{apply_power, powers};
use crate::product::product;
use crate::soft::{Forcing, attend, attend_levels, weigh};
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, ConfigError, ForcedRows, Mask, Memory, Muted,
    Score, SoftWeights,
};

/// Multilevel attention: values fed back N times.
#[derive(Module, Debug)]
pub struct Multilevel {
    /// Score function.
    pub score: Score,
    /// Mix w before the softmax, `[1 or H, N]`; `None` if the result is the last level alone, or if
    /// the shares are computed by `gate`.
    pub mix: Option<Param<Tensor<2>>>,
    /// Layer that computes the w of each query, W `[D_h, N]` and b `[N]`; `None` unless the mix is
    /// computed for each token.
    pub gate: Option<Linear>,
    #[module(skip)]
    levels: LevelCount,
    /// Muted levels, counted from 0.
    #[module(skip)]
    muted: Vec<usize>,
    #[module(skip)]
    forced: ForcedRows,
    /// Chain of a cross-attention; `None` in self-attention.
    #[module(skip)]
    cross: Option<Chain>,
    /// True if positions are rotary and the mix is computed for each token: queries come unturned,
    /// so that the mix does not depend on positions.
    #[module(skip)]
    pub(crate) rotary: bool,
}

impl Attend for Multilevel {
    fn score(&self) -> Option<&Score> {
        Some(&self.score)
    }

    fn levels(&self) -> usize {
        self.levels.asked()
    }

    fn level_count(&self) -> Option<LevelCount> {
        Some(self.levels)
    }

    fn set_levels(&mut self, levels: usize) -> Result<(), ConfigError> {
        self.levels = self.levels.with(levels, &self.muted)?;
        Ok(())
    }

    fn shares(&self) -> Option<Tensor<2>> {
        let mix = self.mix.as_ref()?.val();
        Some(shares(mix, self.levels.asked(), &self.muted))
    }

    /// Returns false for the chain `keys`: it scores keys against keys, and a vector added to both
    /// sides does not cancel.
    fn ignores_shifted_keys(&self) -> bool {
        let scores_keys = self.cross == Some(Chain::Keys) && self.levels.asked() > 1;
        self.score.is_linear_in_key() && !scores_keys
    }

    fn mute(&mut self, muted: &Muted) {
        self.muted.clone_from(&muted.levels);
        self.forced = muted.rows.clone();
    }

    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        if self.chain() != Some(Chain::Keys) {
            return Memory::new(&self.score, keys, values, mask);
        }
        let prepared = self.score.prepare(keys.clone());
        let levels = self.active_levels();
        let (score, unforced) = (&self.score, (ForcedRows::NONE, 0));
        let (values, step) = if self.mixes() {
            // The values of each level side by side, `[B, H, S, N·D_v]`.
            let step = weigh(score, keys, &prepared, &mask, unforced); // [B, H, S, S]
            let values = powers(&step, values, levels);
            (Tensor::cat(values, 3), SoftWeights::Known(step))
        } else {
            let levels = levels - 1;
            attend_levels(score, keys, &prepared, values, &mask, unforced, levels)
        };
        Memory {
            state: Some(State::Step(step)),
            ..Memory::prepared(prepared, values, mask)
        }
    }

    fn attend_from(&self, position: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let mix = self.shares_of(&query);
        let query = self.turned(query, position);
        let forcing = (&self.forced, position);
        match (self.chain(), &memory.state) {
            (None, _) => self.attend_to_all(query, memory, forcing, mix),
            (Some(_), Some(State::Step(step))) => {
                self.attend_through_keys(query, memory, step.clone(), forcing, mix)
            }
            (Some(chain), _) => self.attend_feeding_back(chain, query, memory, forcing, mix),
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

    fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        self.self_feed_next(cache, query, key, value)
    }
}

impl Multilevel {
    /// True if the result is a mix of all levels.
    fn mixes(&self) -> bool {
        self.mix.is_some() || self.gate.is_some()
    }

    /// Number of levels to compute. In a mix a muted level is computed for the levels above, and
    /// has share 0.
    fn active_levels(&self) -> usize {
        let asked = self.levels.asked();
        if self.mixes() {
            return asked;
        }
        let muted = (0..asked).filter(|level| self.muted.contains(level));
        asked - muted.count()
    }

    /// Chain of the cross-attention; `None` if only one level is active.
    fn chain(&self) -> Option<Chain> {
        self.cross.filter(|_| self.active_levels() > 1)
    }

    /// Turns a query by rotary positions, if the layer around the mechanism has not done so.
    fn turned(&self, query: Tensor<4>, first: usize) -> Tensor<4> {
        rotate_if(self.rotary, query, first)
    }

    /// Share of each level in the result of these queries, `[1, 1 or H, 1, N]`, or `[B, H, T, N]`
    /// if shares are computed for each token; `None` if the result is the last level alone.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]`
    fn shares_of(&self, query: &Tensor<4>) -> Option<Tensor<4>> {
        let Some(gate) = &self.gate else {
            return self.shares().map(for_all_queries);
        };
        let [b, h, t, d] = query.dims();
        let rows = apply(gate, query.clone().reshape([b, h * t, d])); // [B, H·T, N]
        let mix = rows.reshape([b, h, t, self.levels.configured()]); // [B, H, T, N]
        Some(shares(mix, self.levels.asked(), &self.muted))
    }

    /// Attends to all values at once: in self-attention, or by one level.
    fn attend_to_all(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        forcing: Forcing<'_>,
        mix: Option<Tensor<4>>,
    ) -> AttentionOutput {
        let (values, levels) = (memory.values.clone(), self.active_levels());
        let (keys, mask) = (&memory.keys, &memory.mask);
        let (context, attention) = match &mix {
            None => attend_levels(&self.score, query, keys, values, mask, forcing, levels),
            Some(shares) => {
                let attention = weigh(&self.score, query, keys, mask, forcing); // [B, H, T, S]
                let first = product(attention.clone(), values); // [B, H, T, D_v]
                let context = mixed(powers(&attention, first, levels), shares.clone());
                (context, SoftWeights::Known(attention))
            }
        };
        let weights = AttentionWeights::Power {
            attention,
            levels,
            mix,
        };
        AttentionOutput::new(context, weights)
    }

    /// Attends to the values that [`prepare`](Attend::prepare) left after the levels from key to
    /// key.
    fn attend_through_keys(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        step: SoftWeights,
        forcing: Forcing<'_>,
        mix: Option<Tensor<4>>,
    ) -> AttentionOutput {
        let (values, levels) = (memory.values.clone(), self.active_levels());
        let (keys, mask) = (&memory.keys, &memory.mask);
        let (context, first) = attend(&self.score, query, keys, values, mask, forcing);
        let context = match &mix {
            None => context,
            Some(shares) => mixed(context.chunk(levels, 3), shares.clone()), // [B, H, T, N·D_v] → [B, H, T, D_v]
        };
        let weights = AttentionWeights::Chain {
            first,
            step,
            levels,
            mix,
        };
        AttentionOutput::new(context, weights)
    }

    /// Feeds the results of the queries back as values.
    fn attend_feeding_back(
        &self,
        chain: Chain,
        query: Tensor<4>,
        memory: &Memory,
        (forced, position): Forcing<'_>,
        mix: Option<Tensor<4>>,
    ) -> AttentionOutput {
        let (levels, mask) = (self.active_levels(), &memory.mask);
        let scores = self.score.relative(query, &memory.keys); // [B, H, T, S]
        let attention = mask.softmax(scores.clone());
        let attention = forced.apply(attention, mask, position);
        let step = fed_back(self.later(chain, scores, &attention, mask)); // [B, H, T, T]
        // Cut columns are missing from the row's sum; causal rows have no weight there.
        let stochastic = chain == Chain::Causal;
        let first = attention.clone().matmul(memory.values.clone()); // [B, H, T, D_v]
        let context = match &mix {
            None => apply_power(&step, first, levels - 1, stochastic),
            Some(shares) => mixed(powers(&step, first, levels), shares.clone()),
        };
        let weights = AttentionWeights::Feedback {
            first: attention,
            step,
            levels,
            mix,
        };
        AttentionOutput::new(context, weights)
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

#[cfg(all(test, feature = "wgpu"))]
mod gpu_tests;
