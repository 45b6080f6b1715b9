//! Settings of multilevel attention.

use burn::nn::Linear;
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use super::{Chain, Multilevel, MultilevelMix, Recursion};
use crate::attend::{Build, Configure, LevelCount};
use crate::ham::KindOfHam;
use crate::{
    ConfigError, ForcedRows, HamConfig, HamKind, HamMix, InitialShares, ParamInit, ScoreKind, Site,
    Widths,
};

pub(super) const PAPER: &str = "Zhou and Li, Multilevel Attention";

/// Largest number of levels N.
const MOST_LEVELS: usize = 1000;

/// Reason for which a cross-attention by the chain `keys` may have one level alone.
const UNEQUAL: &str = "the chain `keys` scores keys against keys with the parameters made for queries, and the two have different widths";

settings! {
    /// Values fed back N times.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct MultilevelConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Number of levels N.
        #[title = "Levels"]
        #[help = "How often the values are multiplied by A: N times, so that 1 is vanilla. The paper's formula can also be read as N − 1 times, with its MultiAttention_2 as vanilla; for that reading set one less."]
        #[formula = "N"]
        #[source = PAPER]
        pub levels: usize in 1..=MOST_LEVELS = 4,
        /// Combination of the levels into one result.
        #[title = "Mix"]
        #[help = "How the levels become one result: the last alone, or a sum by trained shares."]
        #[source = "Hierarchical Attention; the last alone: Zhou and Li, Multilevel Attention"]
        pub mix: MultilevelMix = MultilevelMix::Last,
        /// Recursion of the levels of a cross-attention.
        #[title = "Chain"]
        #[help = "How the levels of a cross-attention follow each other."]
        #[source = "the paper's experiment has T = S"]
        pub chain: Chain = Chain::Keys,
        /// Tensors that are fed back.
        #[title = "Recursion"]
        #[help = "What is fed back."]
        #[source = PAPER]
        pub recursion: Recursion = Recursion::Value,
    }
}

/// Name and help text of multilevel attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "multilevel",
        title: "Multilevel",
        help: "Values fed back N times.",
        formula: "Aᴺ V",
        source: PAPER,
    },
    settings: MultilevelConfig::SETTINGS,
};

impl Configure for MultilevelConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }

    fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if self.recursion == Recursion::QueryKeyValue {
            if self.mix == MultilevelMix::Token {
                return Err(ConfigError::new(
                    "the recursion `query_key_value` is Ham-S, which has no mix `token`: choose the mix `last`, `layer` or `head`, or the recursion `value`",
                ));
            }
            if !site.is_self() {
                return Err(ConfigError::new(
                    "the recursion `query_key_value` attends to one sequence and has no cross-attention: choose the recursion `value` there",
                ));
            }
            if widths.values != widths.query {
                return Err(ConfigError::new(format!(
                    "the recursion `query_key_value` makes queries of values, so both need one width, not {} and {}",
                    widths.query, widths.values
                )));
            }
        }
        let by_keys = !site.is_self() && self.chain == Chain::Keys && self.levels > 1;
        if by_keys && widths.query != widths.keys {
            return Err(ConfigError::new(format!(
                "the chain `keys` scores keys against keys with the parameters made for queries, so both need one width, not {} and {}: choose the chain `causal`, or equal widths",
                widths.query, widths.keys
            )));
        }
        Ok(())
    }

    fn parameters(&self, widths: Widths, heads: usize) -> u64 {
        let mixes = match self.mix {
            MultilevelMix::Last => 0,
            MultilevelMix::Layer => 1,
            MultilevelMix::Head => heads,
            // W and b.
            MultilevelMix::Token => widths.query + 1,
        };
        (mixes * self.levels) as u64
    }

    fn passes(&self) -> u64 {
        self.levels as u64
    }
}

impl Build for MultilevelConfig {
    type Built = Multilevel;

    fn init(&self, site: Site, widths: Widths, heads: usize, init: &mut ParamInit) -> Multilevel {
        let levels = self.levels;
        let by_keys = !site.is_self() && self.chain == Chain::Keys;
        let count = match self.mix {
            MultilevelMix::Last if by_keys && widths.query != widths.keys => {
                LevelCount::limited(levels, 1, UNEQUAL)
            }
            MultilevelMix::Last => LevelCount::without_parameters(levels, MOST_LEVELS),
            _ => LevelCount::mixed(levels),
        };
        let score = self.score.init(widths, init);
        let mix = |rows| InitialShares::Equal.mix(rows, levels, init);
        Multilevel {
            mix: match self.mix {
                MultilevelMix::Layer => Some(mix(1)),
                MultilevelMix::Head => Some(mix(heads)),
                MultilevelMix::Last | MultilevelMix::Token => None,
            },
            // All shares are equal at first, whatever the query.
            gate: (self.mix == MultilevelMix::Token).then(|| Linear {
                weight: init.zeros([widths.query, levels]),
                bias: Some(init.zeros([levels])),
            }),
            score,
            levels: count,
            muted: Vec::new(),
            forced: ForcedRows::default(),
            cross: (!site.is_self()).then_some(self.chain),
            rotary: false,
        }
    }
}

impl MultilevelConfig {
    /// Settings of the Ham-S that computes the recursion `query_key_value`.
    pub(crate) fn as_ham_s(&self) -> KindOfHam {
        HamKind::SelfAttention.of(HamConfig {
            depth: self.levels,
            score: self.score,
            mix: match self.mix {
                MultilevelMix::Layer => HamMix::Layer,
                MultilevelMix::Head => HamMix::Head,
                // `token` is refused for this recursion.
                MultilevelMix::Last | MultilevelMix::Token => HamMix::Last,
            },
            ..HamConfig::default()
        })
    }
}
