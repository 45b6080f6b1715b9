//! Settings of a pyramid.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strata_describe::Description;

use super::act::Act;
use super::cnn::Cnn;
use super::description::DESCRIPTION;
use super::rnn::Rnn;
use super::{Pyramid, Summary};
use crate::attend::{Build, Configure};
use crate::{ConfigError, ParamInit, ScoreKind, Site, Widths, check_ranges};

/// Summary of a block as a node.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
pub enum SummaryKind {
    /// A convolution of kernel and stride k.
    #[default]
    Cnn,
    /// The last state of a GRU over the block.
    Rnn,
    /// The mean of a block of at most k + 1 members, whose borders are learned (adaptive
    /// computation time).
    Act,
}

/// b: how many nodes of each level a query opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beam {
    /// The heaviest ones.
    Nodes(usize),
    /// The full soft pyramid, written `"all"`.
    All,
}

impl Default for Beam {
    fn default() -> Self {
        Self::Nodes(1)
    }
}

impl Serialize for Beam {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nodes(nodes) => serializer.serialize_u64(*nodes as u64),
            Self::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for Beam {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrAll;
        impl Visitor<'_> for NumberOrAll {
            type Value = Beam;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a number of nodes, or \"all\"")
            }

            fn visit_u64<E: Error>(self, nodes: u64) -> Result<Beam, E> {
                let nodes = usize::try_from(nodes)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(nodes), &self))?;
                Ok(Beam::Nodes(nodes))
            }

            fn visit_i64<E: Error>(self, nodes: i64) -> Result<Beam, E> {
                let unsigned = u64::try_from(nodes)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(nodes), &self))?;
                self.visit_u64(unsigned)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Beam, E> {
                match text {
                    "all" => Ok(Beam::All),
                    other => Err(E::invalid_value(Unexpected::Str(other), &self)),
                }
            }
        }
        deserializer.deserialize_any(NumberOrAll)
    }
}

/// A descent through blocks of the input.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct PyramidConfig {
    /// Summary of a block as a node.
    pub summary: SummaryKind,
    /// k, how many nodes of the level below make a block, at least 2.
    pub block: usize,
    /// L, the levels with the leaves, at least 1; 1 is plain attention.
    pub levels: usize,
    /// b, how many nodes of each level are opened.
    pub beam: Beam,
    /// The score function.
    pub score: ScoreKind,
    /// True if all levels share the score's parameters.
    pub shared: bool,
    /// τ, what the mean halting probability of `act` costs: more makes longer blocks.
    pub ponder_cost: f64,
}

impl Default for PyramidConfig {
    fn default() -> Self {
        Self {
            summary: SummaryKind::default(),
            block: 3,
            levels: 2,
            beam: Beam::default(),
            score: ScoreKind::default(),
            shared: false,
            ponder_cost: 0.01,
        }
    }
}

impl Configure for PyramidConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }

    fn check(&self, site: Site, widths: Widths) -> Result<(), ConfigError> {
        check_ranges(
            &DESCRIPTION,
            &[
                ("block", self.block.into()),
                ("levels", self.levels.into()),
                ("ponder_cost", self.ponder_cost.into()),
            ],
        )?;
        if let Beam::Nodes(nodes) = self.beam {
            check_ranges(&DESCRIPTION, &[("beam", nodes.into())])?;
        }
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

    /// Counts the levels above the leaves.
    fn parameters(&self, widths: Widths, _: usize) -> u64 {
        let width = widths.states as u64;
        let score = match self.shared {
            true => 0,
            false => self.score.parameters(widths),
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
        }
    }
}
