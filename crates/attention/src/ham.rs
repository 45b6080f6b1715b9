//! Hierarchical attention, Ham (*Hierarchical Attention: What Really Counts in Various NLP
//! Tasks*): a learned mix of d levels.
//!
//! - Ham-V: q₀ = q, q_i = Attention(q_{i−1}, K, V), output Σ softmax(w)_i · q_i.
//! - Ham-S: X_i = Attention(X_{i−1}, X_{i−1}, X_{i−1}), output Σ softmax(w)_i · X_i;
//!   with separate Q, K, V (heads) X₁ = Attention(Q, K, V).
//!
//! Theorem 1's upper bound, ‖output‖ ≤ max ‖v_i‖, holds for every level. Its lower bound does
//! not: two opposite values average to 0.

mod mixing;
mod weights;

use burn::module::{Module, Param};
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, Tensor, TensorData};
use serde::{Deserialize, Serialize};
use strata_describe::{Description, OutOfRange, Settings, Words, options, settings};
use strata_kernels::attention::{MASKED_SCORE, dot_hierarchy};

use mixing::{last_alone, mixed};
pub use weights::LevelWeights;

use crate::attend::{Attend, Build, Configure};
use crate::soft::Forcing;
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, ConfigError, ForcedRows, Mask, Memory, Muted,
    ParamInit, Score, ScoreKind, Site, SoftWeights, Widths, soft,
};

const PAPER: &str = "Hierarchical Attention: What Really Counts in Various NLP Tasks";
const PAPER_IN_SHORT: &str = "Hierarchical Attention";

/// Variants of Ham, which differ in the input of the next level.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum HamKind {
    /// Ham-V: the level below is the query; keys and values stay.
    Value,
    /// Ham-S: the level below is query, keys and values.
    SelfAttention,
}

options! {
    /// Combination of the levels into one result.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HamMix {
        /// Σ softmax(w)_i, one w for all heads.
        #[title = "One for all heads"]
        #[help = "By trained shares, the same for all heads."]
        #[formula = "softmax(w)"]
        #[source = PAPER_IN_SHORT]
        Layer = "layer",
        /// Σ softmax(w)_i, one w per head.
        #[title = "One for each head"]
        #[help = "By trained shares, others for each head."]
        #[formula = "softmax(wₕ)"]
        #[source = "Hierarchical Attention, future work"]
        Head = "head",
        /// The last level alone, the paper's multi-level baseline.
        #[title = "Last level alone"]
        #[formula = "softmax(w) = one-hot of d"]
        #[source = PAPER_IN_SHORT]
        Last = "last",
    }
}

options! {
    /// Shares of the levels before the first step of training.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum InitialShares {
        /// Each level has 1/d: w = 0.
        #[title = "Equal"]
        #[help = "Each level has the same share."]
        #[formula = "w = 0, softmax(w)ᵢ = 1/d"]
        #[source = "ours"]
        Equal = "equal",
        /// The first level has 0.9, the others share the rest equally.
        #[title = "First level"]
        #[help = "The first level has 0.9 and the others share the rest: training begins near vanilla attention."]
        #[formula = "softmax(w)₁ = 0.9"]
        #[source = "ours"]
        First = "first",
    }
}

settings! {
    /// A learned mix of d levels.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct HamConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Number of levels d.
        #[title = "Depth"]
        #[help = "How many levels are mixed; 1 is vanilla."]
        #[formula = "d"]
        #[source = PAPER_IN_SHORT]
        pub depth: usize in 1..=100 = 5,
        /// Combination of the levels into one result.
        #[title = "Mix"]
        #[help = "How the levels become one result."]
        #[source = PAPER_IN_SHORT]
        pub mix: HamMix = HamMix::Layer,
        /// Shares of the levels before the first step of training; nothing where the last level
        /// stands alone.
        #[title = "Initial shares"]
        #[help = "What share each level begins with; training goes on from there. The paper does not say which; `equal` is our choice."]
        #[formula = "softmax(w) at step 0"]
        #[source = "ours"]
        pub initial_shares: InitialShares = InitialShares::Equal,
    }
}

/// Name and help text of Ham-V.
static BY_VALUE: Description = Description {
    words: Words {
        name: "ham_v",
        title: "Ham-V",
        help: "A learned mix of d levels, each level's result asking again.",
        formula: "qᵢ = Attention(qᵢ₋₁, K, V), Σ softmax(w)ᵢ · qᵢ",
        source: PAPER,
    },
    settings: HamConfig::SETTINGS,
};

/// Name and help text of Ham-S.
static BY_SELF_ATTENTION: Description = Description {
    words: Words {
        name: "ham_s",
        title: "Ham-S",
        help: "A learned mix of d levels of self-attention on self-attention.",
        formula: "Xᵢ = Attention(Xᵢ₋₁, Xᵢ₋₁, Xᵢ₋₁), Σ softmax(w)ᵢ · Xᵢ",
        source: PAPER,
    },
    settings: HamConfig::SETTINGS,
};

impl HamKind {
    /// Combines this kind with its settings.
    pub(crate) fn of(self, config: HamConfig) -> KindOfHam {
        KindOfHam { kind: self, config }
    }
}

/// Settings of Ham-V or of Ham-S.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindOfHam {
    kind: HamKind,
    config: HamConfig,
}

impl Settings for KindOfHam {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        self.config.check_ranges()
    }
}

impl Configure for KindOfHam {
    fn description(&self) -> &'static Description {
        match self.kind {
            HamKind::Value => &BY_VALUE,
            HamKind::SelfAttention => &BY_SELF_ATTENTION,
        }
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.config.score)
    }

    fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if self.kind == HamKind::SelfAttention && !site.is_self() {
            return Err(ConfigError::new(
                "Ham-S attends to one sequence and has no cross-attention: choose `ham_v` there",
            ));
        }
        if self.config.depth > 1 && widths.values != widths.query {
            return Err(ConfigError::new(format!(
                "hierarchical attention asks again with its own result, so values need the width of the query, {}, not {}",
                widths.query, widths.values
            )));
        }
        Ok(())
    }

    fn parameters(&self, _: Widths, heads: usize) -> u64 {
        match self.config.mix {
            HamMix::Layer => self.config.depth as u64,
            HamMix::Head => (heads * self.config.depth) as u64,
            HamMix::Last => 0,
        }
    }

    fn passes(&self) -> u64 {
        self.config.depth as u64
    }
}

impl Build for KindOfHam {
    type Built = Ham;

    fn init(&self, _: Site, widths: Widths, heads: usize, init: &mut ParamInit) -> Ham {
        let depth = self.config.depth;
        let mix = |rows| self.config.initial_shares.mix(rows, depth, &*init);
        Ham {
            mix: match self.config.mix {
                HamMix::Layer => Some(mix(1)),
                HamMix::Head => Some(mix(heads)),
                HamMix::Last => None,
            },
            score: self.config.score.init(widths, init),
            depth,
            kind: self.kind,
            muted: Vec::new(),
            forced: ForcedRows::default(),
        }
    }
}

/// Initial share of the first level with `InitialShares::First`.
const FIRST_SHARE: f64 = 0.9;

impl InitialShares {
    /// Initial mix w of `depth` levels in each of `rows` rows, `[rows, depth]`. Draws no random
    /// numbers.
    fn mix(self, rows: usize, depth: usize, init: &ParamInit) -> Param<Tensor<2>> {
        let others = depth.saturating_sub(1) as f64;
        let first = match self {
            Self::First if depth > 1 => (FIRST_SHARE * others / (1.0 - FIRST_SHARE)).ln(),
            Self::First | Self::Equal => 0.0,
        };
        let row = (0..depth).map(|level| if level == 0 { first as f32 } else { 0.0 });
        let values = std::iter::repeat_n(row, rows).flatten().collect();
        init.parameter([rows, depth], values)
    }
}

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
        self.mix_levels(query, |level, query| {
            let forcing = self.forcing(level, first);
            self.kind.level(level, &self.score, query, memory, forcing)
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
        let mut output = self.mix_levels(query, |level, query| {
            let at = match self.kind {
                HamKind::Value => 0,
                HamKind::SelfAttention => level,
            };
            let (keys, values) = match (self.kind, own.take()) {
                (_, Some((key, value))) => (cache.push_key(at, key), cache.push_value(at, value)),
                (HamKind::Value, None) => (cache.keys[0].clone(), cache.values[0].clone()),
                (HamKind::SelfAttention, None) => (
                    cache.push_key(at, self.score.prepare(query.clone())),
                    cache.push_value(at, query.clone()),
                ),
            };
            let forcing = self.forcing(level, cache.position);
            let mask = Mask::none();
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
    /// Computes the output of a level, counted from 0, and its weights.
    fn level(
        self,
        level: usize,
        score: &Score,
        below: Tensor<4>,
        memory: &Memory,
        forcing: Forcing<'_>,
    ) -> (Tensor<4>, SoftWeights) {
        let (keys, values) = match self {
            Self::SelfAttention if level > 0 => (score.prepare(below.clone()), below.clone()),
            _ => (memory.keys.clone(), memory.values.clone()),
        };
        soft::attend(score, below, &keys, values, &memory.mask, forcing)
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

    /// Computes all levels by one kernel; `None` if no kernel supports this score, these rows or
    /// tensors.
    fn attend_at_once(&self, query: &Tensor<4>, memory: &Memory) -> Option<AttentionOutput> {
        let Score::Dot(score) = &self.score else {
            return None;
        };
        if !self.forced.is_empty() {
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
                    let (next, weights) =
                        kind.level(level, &score, state.clone(), &memory, UNFORCED);
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
