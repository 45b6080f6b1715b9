//! Settings of a pyramid.

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, options, settings};

use super::act::Act;
use super::cnn::Cnn;
use super::rnn::Rnn;
use super::{Pyramid, Summary};
use crate::attend::{Build, Configure};
use crate::{Beam, ConfigError, ParamInit, ScoreKind, Site, Widths};

const PAPER: &str = "Gupta and Ahmed, Attention on Hierarchical Representation of Inputs";
const PAPER_IN_SHORT: &str = "Gupta and Ahmed";
const FUTURE_WORK: &str = "Gupta and Ahmed, future work";

options! {
    /// Network that summarises a block as one node.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SummaryKind {
        /// A convolution of kernel and stride k.
        #[title = "Convolution"]
        #[formula = "r = Σᵢ Wᵢ hᵢ + b"]
        #[source = PAPER_IN_SHORT]
        Cnn = "cnn",
        /// The last state of a GRU over the block.
        #[title = "Recurrent"]
        #[formula = "r = GRU(h₁ … hₖ)"]
        #[source = PAPER_IN_SHORT]
        Rnn = "rnn",
        /// The mean of a block of up to k + 1 members, whose borders are learned.
        #[title = "Adaptive (ACT)"]
        #[formula = "p = 1/k + (1 − 1/k) · σ(u·h + b)"]
        #[source = "Gupta and Ahmed; Graves 2016"]
        Act = "act",
    }
}

settings! {
    /// A descent through blocks of the input.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct PyramidConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
        /// Summary of a block as a node.
        #[title = "Summary"]
        #[help = "How a block becomes a node."]
        #[source = PAPER_IN_SHORT]
        pub summary: SummaryKind = SummaryKind::Cnn,
        /// Nodes of the level below that make a block, k.
        #[title = "Block size"]
        #[help = "How many nodes of the level below make a block."]
        #[formula = "k"]
        #[source = PAPER_IN_SHORT]
        pub block: usize in 2..=64 = 3,
        /// Number of levels L, with the leaves; 1 is plain attention.
        #[title = "Levels"]
        #[help = "How many levels there are, the input included; 1 is vanilla."]
        #[formula = "L"]
        #[source = PAPER_IN_SHORT]
        pub levels: usize in 1..=16 = 2,
        /// Nodes of each level that are opened, b.
        #[title = "Beam"]
        #[help = "How many nodes of each level are opened. A node that is not opened counts in the context with its weight, so that the result is a mean of nodes and leaves; the paper can also be read as leaves alone, which is `all`."]
        #[formula = "b"]
        #[source = FUTURE_WORK]
        pub beam: Beam in 1..=1000 = Beam::Nodes(1),
        /// True if all levels share the score's parameters.
        #[title = "Share score parameters"]
        #[help = "Whether all levels share the parameters of the score."]
        #[source = PAPER_IN_SHORT]
        pub shared: bool = false,
        /// Cost τ of the mean halting probability of `act`: more makes longer blocks.
        #[title = "Ponder cost"]
        #[help = "What halting costs with ACT; more makes longer blocks."]
        #[formula = "loss + τ · mean(p)"]
        #[source = "Graves 2016"]
        pub ponder_cost: f64 in 0.0..=10.0 = 0.01,
    }
}

/// Name and help text of pyramid attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "pyramid",
        title: "Pyramid",
        help: "A descent through blocks of the input, of which only the heaviest are opened.",
        formula: "Σ αⱼ rⱼ, opened rⱼ by attention over its children",
        source: PAPER,
    },
    settings: PyramidConfig::SETTINGS,
};

impl Configure for PyramidConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }

    fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        if site == Site::DecoderSelf {
            return Err(ConfigError::new(
                "a pyramid has no causal form: its blocks would let a position see later ones; choose another mechanism for the decoder's attention to its past",
            ));
        }
        if widths.values != widths.keys {
            return Err(ConfigError::new(format!(
                "a pyramid's nodes are keys and values at once, so both need one width, not {} and {}",
                widths.keys, widths.values
            )));
        }
        Ok(())
    }

    /// Counts the parameters of the levels above the leaves.
    fn parameters(&self, widths: Widths, _: usize) -> u64 {
        let width = widths.states as u64;
        let score = if self.shared {
            0
        } else {
            self.score.parameters(widths)
        };
        let summary = match self.summary {
            SummaryKind::Cnn => self.block as u64 * width * width + width,
            SummaryKind::Rnn => 6 * width * (width + 1),
            SummaryKind::Act => width + 1,
        };
        (self.levels as u64).saturating_sub(1) * (score + summary)
    }
}

impl Build for PyramidConfig {
    type Built = Pyramid;

    fn init(&self, _: Site, widths: Widths, _: usize, init: &mut ParamInit) -> Pyramid {
        let mut scores = vec![self.score.init(widths, init)];
        if !self.shared {
            scores.extend((1..self.levels).map(|_| self.score.init(widths, init)));
        }
        let width = widths.states;
        let summaries = (1..self.levels).map(|_| match self.summary {
            SummaryKind::Cnn => Summary::Cnn(Cnn::init(width, self.block, init)),
            SummaryKind::Rnn => Summary::Rnn(Rnn::init(width, init)),
            SummaryKind::Act => Summary::Act(Act::init(width, init)),
        });
        Pyramid {
            scores,
            summaries: summaries.collect(),
            block: self.block,
            beam: self.beam,
            ponder_cost: self.ponder_cost,
            muted: Vec::new(),
        }
    }
}
