//! Settings of Ham-V and Ham-S.

use burn::module::Param;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};
use strata_describe::{Description, OutOfRange, Settings, Words, options, settings};

use super::Ham;
use crate::attend::{Build, Configure, LevelCount};
use crate::{ConfigError, ForcedRows, ParamInit, ScoreKind, Site, Widths};

const PAPER: &str = "Hierarchical Attention: What Really Counts in Various NLP Tasks";
const PAPER_IN_SHORT: &str = "Hierarchical Attention";

/// Largest number of levels d.
const MOST_LEVELS: usize = 100;

/// Reason for which a hierarchy whose values are wider or narrower than the query has one level.
const UNEQUAL: &str =
    "a second level would ask with the result of the first, which has another width than the query";

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
        #[help = "Trained weights, the same for all heads."]
        #[formula = "softmax(w)"]
        #[source = PAPER_IN_SHORT]
        Layer = "layer",
        /// Σ softmax(w)_i, one w per head.
        #[title = "One for each head"]
        #[help = "Trained weights, separate for each head."]
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
    /// Kind of attention of a level of Ham-V.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HamLevel {
        /// All keys, by a softmax.
        #[title = "Soft"]
        #[help = "Each level weighs all keys."]
        #[source = PAPER_IN_SHORT]
        Soft = "soft",
        /// The keys within a window around the position of the query.
        #[title = "Local"]
        #[help = "Each level weighs the keys near the query's position alone, like the mechanism `local`."]
        #[formula = "|s − t| ≤ w"]
        #[source = "Luong et al. 2015, 3.2, local-m; Hierarchical Attention, future work"]
        Local = "local",
        /// One key, drawn in training and the best one afterwards.
        #[title = "Hard"]
        #[help = "Each level takes one key: a drawn one in training, afterwards the best one, like the mechanism `hard`."]
        #[formula = "s ~ softmax(f(qᵢ₋₁, K)), qᵢ = vₛ"]
        #[source = "Xu et al. 2015, 4.1; Hierarchical Attention, future work"]
        Hard = "hard",
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

/// Words of the setting `depth`.
const DEPTH: Words = Words::new(
    "depth",
    "Depth",
    "How many levels are mixed; 1 is vanilla.",
    "d",
    PAPER_IN_SHORT,
);

/// Words of the setting `mix`.
const MIX: Words = Words::new(
    "mix",
    "Mix",
    "How the levels become one result.",
    "",
    PAPER_IN_SHORT,
);

/// Words of the setting `initial_shares`.
const INITIAL_SHARES: Words = Words::new(
    "initial_shares",
    "Initial shares",
    "What share each level begins with; training goes on from there. The paper does not say which; `equal` is our choice.",
    "softmax(w) at step 0",
    "ours",
);

settings! {
    /// Settings of Ham-V: a learned mix of d levels.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct HamConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Number of levels d.
        #[words = DEPTH]
        pub depth: usize in 1..=MOST_LEVELS = 5,
        /// Combination of the levels into one result.
        #[words = MIX]
        pub mix: HamMix = HamMix::Layer,
        /// Shares of the levels before the first step of training; nothing where the last level
        /// stands alone.
        #[words = INITIAL_SHARES]
        pub initial_shares: InitialShares = InitialShares::Equal,
        /// True if each level adds what was found to the query.
        #[title = "Residual"]
        #[help = "Each level adds what it found to its query instead of replacing the query, as in memory networks."]
        #[formula = "qᵢ = qᵢ₋₁ + Attention(qᵢ₋₁, K, V)"]
        #[source = "Sukhbaatar et al. 2015, 2.2"]
        pub residual: bool = false,
        /// Kind of attention of each level.
        #[title = "Kind of level"]
        #[help = "Each level attends to all keys, to the keys near the query's position, or to one key."]
        #[source = "Hierarchical Attention, future work"]
        pub level_kind: HamLevel = HamLevel::Soft,
        /// Half width w of the window of local levels; nothing where levels are soft or hard.
        #[title = "Window"]
        #[help = "How many keys a local level sees on either side of the query's position."]
        #[formula = "w"]
        #[source = "Luong et al. 2015, 3.2"]
        pub window: usize in 1..=1000 = 3,
    }
}

settings! {
    /// Settings of Ham-S: a learned mix of d levels of self-attention on self-attention.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct HamSConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Number of levels d.
        #[words = DEPTH]
        pub depth: usize in 1..=MOST_LEVELS = 5,
        /// Combination of the levels into one result.
        #[words = MIX]
        pub mix: HamMix = HamMix::Layer,
        /// Shares of the levels before the first step of training; nothing where the last level
        /// stands alone.
        #[words = INITIAL_SHARES]
        pub initial_shares: InitialShares = InitialShares::Equal,
    }
}

impl From<HamSConfig> for HamConfig {
    fn from(config: HamSConfig) -> Self {
        let HamSConfig {
            score,
            depth,
            mix,
            initial_shares,
        } = config;
        Self {
            score,
            depth,
            mix,
            initial_shares,
            ..Self::default()
        }
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
    settings: HamSConfig::SETTINGS,
};

impl HamKind {
    /// Combines this kind of Ham with the settings of that kind.
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
        if site.is_of_reader() && self.config.level_kind != HamLevel::Soft {
            return Err(ConfigError::new(
                "the levels of a reader are soft: choose `level_kind=soft`",
            ));
        }
        let asks_again = self.config.depth > 1 || self.config.residual;
        if asks_again && widths.values != widths.query {
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
        let count = match self.config.mix {
            HamMix::Layer | HamMix::Head => LevelCount::mixed(depth),
            HamMix::Last if widths.values == widths.query => {
                LevelCount::without_parameters(depth, MOST_LEVELS)
            }
            HamMix::Last => LevelCount::limited(depth, 1, UNEQUAL),
        };
        let mix = |rows| self.config.initial_shares.mix(rows, depth, &*init);
        Ham {
            mix: match self.config.mix {
                HamMix::Layer => Some(mix(1)),
                HamMix::Head => Some(mix(heads)),
                HamMix::Last => None,
            },
            score: self.config.score.init(widths, init),
            depth: count,
            kind: self.kind,
            residual: self.config.residual,
            level_kind: self.config.level_kind,
            window: self.config.window,
            muted: Vec::new(),
            forced: ForcedRows::default(),
            rotary: false,
        }
    }
}

/// Initial share of the first level with `InitialShares::First`.
const FIRST_SHARE: f64 = 0.9;

impl InitialShares {
    /// Initial mix w of `depth` levels in each of `rows` rows, `[rows, depth]`. Draws no random
    /// numbers.
    pub(crate) fn mix(self, rows: usize, depth: usize, init: &ParamInit) -> Param<Tensor<2>> {
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
