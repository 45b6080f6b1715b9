//! Multilevel attention position by position.

use burn::tensor::Tensor;

use super::Multilevel;
use crate::attend::Attend;
use crate::ham::mixing::mixed;
use crate::product::product;
use crate::{AttentionOutput, AttentionWeights, CausalCache, Mask, Memory};

impl Multilevel {
    /// Computes self-attention of one further position. Row t of V_{i+1} needs the rows ≤ t of V_i,
    /// so the cache keeps the values of each level.
    pub(super) fn self_feed_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let mask = cache.mask(&query.device());
        let keys = cache.push_key(0, self.score.prepare(key));
        let mix = self.shares_of(&query);
        let query = self.turned(query, cache.position);
        let row = mask.softmax(self.score.relative(query, &keys)); // [B, H, 1, t + 1]
        let row = self.forced.apply(row, &mask, cache.position);
        let mut levels = Vec::with_capacity(self.active_levels());
        let mut state = value;
        for level in 0..self.active_levels() {
            state = product(row.clone(), cache.push_value(level, state)); // [B, H, 1, D_v]
            levels.push(state.clone());
        }
        cache.push_row(0, row);
        AttentionOutput::new(
            combined(levels, mix.clone()),
            AttentionWeights::StepRows {
                own: cache.rows.clone(),
                levels: self.active_levels(),
                mix,
            },
        )
    }

    /// Computes one further position by the chain `causal`. Row t of V_{i+1} needs the rows ≤ t of
    /// V_i: one cache of values for each level.
    pub(super) fn feed_next(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        let mix = self.shares_of(&query);
        let scores = self.score.relative(query, &memory.keys); // [B, H, 1, S]
        let position = cache.position;
        let row = |mask: &Mask, scores| self.forced.apply(mask.softmax(scores), mask, position);
        let first = row(&memory.mask, scores.clone());
        let visible = scores.dims()[3].min(position + 1);
        let later = row(
            &memory.mask.first_keys(visible),
            scores.narrow(3, 0, visible),
        );
        let mut levels = vec![product(first.clone(), memory.values.clone())]; // [B, H, 1, D_v]
        for level in 0..self.active_levels() - 1 {
            let values = cache.push_value(level, levels[level].clone()); // [B, H, t + 1, D_v]
            levels.push(product(later.clone(), values.narrow(2, 0, visible))); // [B, H, 1, D_v]
        }
        cache.push_row(0, first);
        cache.push_row(1, later);
        let context = combined(levels, mix.clone());
        self.decoded(context, cache.rows[0].clone(), cache.rows[1].clone(), mix)
    }

    /// Computes all positions so far again: in the chain `paper_leaky` a new position changes the
    /// results of earlier ones.
    pub(super) fn feed_all(
        &self,
        query: Tensor<4>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> AttentionOutput {
        let mix = self.shares_of(&query);
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
                self.decoded(context, rows(&first), rows(&step), mix)
            }
            weights => AttentionOutput::new(context, weights),
        }
    }

    fn decoded(
        &self,
        context: Tensor<4>,
        first: Vec<Tensor<4>>,
        step: Vec<Tensor<4>>,
        mix: Option<Tensor<4>>,
    ) -> AttentionOutput {
        let levels = self.active_levels();
        AttentionOutput::new(
            context,
            AttentionWeights::FeedbackRow {
                first,
                step,
                levels,
                mix,
            },
        )
    }
}

/// Mixes the levels, `[B, H, 1, D_v]` each; without shares returns the last.
fn combined(mut levels: Vec<Tensor<4>>, mix: Option<Tensor<4>>) -> Tensor<4> {
    match mix {
        Some(shares) => mixed(levels, shares),
        None => levels.pop().expect("there is at least one level"),
    }
}
