//! The parts of a model that can be muted or forced, by name.

use std::fmt;

use serde::{Deserialize, Serialize};
use strata_attention::{ForcedRow, GivenWeights};

use crate::{LayerName, SiteName};

/// A part of a model that can be muted, or weights that can be given by hand.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The result of an attention site is zeros.
    Site {
        /// Its name.
        site: SiteName,
    },
    /// The context of one head is zeros before W^O.
    Head {
        /// Its site.
        site: SiteName,
        /// Counted from 0.
        head: usize,
    },
    /// One level has no share, and those of the others are renormalised; values that are fed back
    /// are fed back once less.
    Level {
        /// Its site.
        site: SiteName,
        /// Counted from 0.
        level: usize,
    },
    /// The result of a layer's feed-forward block is zeros.
    FeedForward {
        /// Name of the layer.
        layer: LayerName,
    },
    /// The weights of a row are given by hand, in every example; of several levels those of the
    /// first. Where it may see none of the keys that it is given, they stay as computed. Of rows
    /// that are named twice, one head and one row count before all of them.
    Row {
        /// Its site.
        site: SiteName,
        /// Counted from 0; all heads if absent.
        #[serde(default)]
        head: Option<usize>,
        /// Position of the query, counted from 0; all rows if absent.
        #[serde(default)]
        row: Option<usize>,
        /// Its weights.
        to: GivenWeights,
    },
    /// No query looks at this node of a pyramid or opens it, in any example.
    Node {
        /// Its site.
        site: SiteName,
        /// Counted from the leaves, 0.
        level: usize,
        /// Its place in the level, counted from 0.
        index: usize,
    },
}

impl fmt::Display for Part {
    /// Name of the part in words; heads, levels, rows, keys and nodes count from 1, levels of a
    /// pyramid from its leaves, 0.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Site { site } => write!(to, "{site}"),
            Self::Head { site, head } => write!(to, "{site} head {}", head + 1),
            Self::Level { site, level } => write!(to, "{site} level {}", level + 1),
            Self::FeedForward { layer } => write!(to, "{layer} feed-forward"),
            Self::Row {
                site,
                head,
                row,
                to: given,
            } => {
                write!(to, "{site}")?;
                if let Some(head) = head {
                    write!(to, " head {}", counted(*head))?;
                }
                match row {
                    Some(row) => write!(to, " row {}", counted(*row))?,
                    None => write!(to, " all rows")?,
                }
                match given {
                    GivenWeights::Uniform => write!(to, " uniform"),
                    GivenWeights::Diagonal => write!(to, " diagonal"),
                    GivenWeights::Key(key) => write!(to, " on key {}", counted(*key)),
                }
            }
            Self::Node { site, level, index } => {
                write!(to, "{site} node {} of level {level}", counted(*index))
            }
        }
    }
}

impl Part {
    /// Name for users, who count from 1: `Encoder 1, self, head 2`.
    pub fn title(self) -> String {
        match self {
            Self::Site { site } => site.title(),
            Self::Head { site, head } => format!("{}, head {}", site.title(), head + 1),
            Self::Level { site, level } => format!("{}, level {}", site.title(), level + 1),
            Self::FeedForward { layer } => format!("{}, feed-forward", layer.title()),
            Self::Row {
                site,
                head,
                row,
                to,
            } => {
                let head = head.map(|head| format!(", head {}", counted(head)));
                let rows = match row {
                    Some(row) => format!("row {}", counted(row)),
                    None => "all rows".to_owned(),
                };
                let to = match to {
                    GivenWeights::Uniform => "even".to_owned(),
                    GivenWeights::Diagonal => "own place".to_owned(),
                    GivenWeights::Key(key) => format!("word {} alone", counted(key)),
                };
                format!("{}{}, {rows}: {to}", site.title(), head.unwrap_or_default())
            }
            Self::Node { site, level, index } => {
                format!("{}, node {} of level {level}", site.title(), counted(index))
            }
        }
    }

    /// The rows whose weights are given by hand, and their site; `None` if nothing is given, but muted.
    pub fn forced(self) -> Option<(SiteName, ForcedRow)> {
        match self {
            Self::Row {
                site,
                head,
                row,
                to,
            } => Some((site, ForcedRow { head, row, to })),
            _ => None,
        }
    }
}

/// A place as users count it, from 1.
pub(super) fn counted(place: usize) -> usize {
    place.saturating_add(1)
}
