//! Parts of a model that can be muted or forced, by name.

use std::fmt;

use serde::{Deserialize, Serialize};
use strata_attention::{ForcedRow, GivenWeights};

use crate::{LayerName, SiteName};

/// Part of a model to mute, or attention weights to set by hand.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Attention site whose result becomes zeros.
    Site {
        /// Name of the site.
        site: SiteName,
    },
    /// Head whose context, before W^O, becomes zeros.
    Head {
        /// Name of the site.
        site: SiteName,
        /// Index of the head, counted from 0.
        head: usize,
    },
    /// Level whose share becomes 0, while the other shares are renormalised. In multilevel
    /// attention the values are fed back once less.
    Level {
        /// Name of the site.
        site: SiteName,
        /// Index of the level, counted from 0.
        level: usize,
    },
    /// Number of levels with which the site computes, instead of the number with which the model
    /// was trained.
    Levels {
        /// Name of the site.
        site: SiteName,
        /// Number of levels, N or d.
        count: usize,
    },
    /// Feed-forward block of a layer, whose result becomes zeros.
    FeedForward {
        /// Name of the layer.
        layer: LayerName,
    },
    /// Row whose attention weights are set by hand, in every example; for a mechanism of several
    /// levels, at the first level. If the mask hides all keys that should get weight, the row keeps
    /// its computed weights. If entries overlap, one for a single head and row wins over one for
    /// all.
    Row {
        /// Name of the site.
        site: SiteName,
        /// Index of the head, counted from 0; `None` for all heads.
        #[serde(default)]
        head: Option<usize>,
        /// Position of the query, counted from 0; `None` for all rows.
        #[serde(default)]
        row: Option<usize>,
        /// Weights to set for the row.
        to: GivenWeights,
    },
    /// Node of a pyramid to which no query attends and which none opens, in any example.
    Node {
        /// Name of the site.
        site: SiteName,
        /// Level of the node, counted from the leaves, level 0.
        level: usize,
        /// Index of the node in its level, counted from 0.
        index: usize,
    },
}

impl fmt::Display for Part {
    /// Writes the name of the part in words. Heads, levels, rows, keys and nodes count from 1,
    /// levels of a pyramid from the leaves, 0.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Site { site } => write!(to, "{site}"),
            Self::Head { site, head } => write!(to, "{site} head {}", head + 1),
            Self::Level { site, level } => write!(to, "{site} level {}", level + 1),
            Self::Levels { site, count } => write!(to, "{site} with {}", levels_in_words(*count)),
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
            Self::Levels { site, count } => {
                format!("{}, {}", site.title(), levels_in_words(count))
            }
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

    /// Row whose weights are set by hand, and its site; `None` for a part that is muted.
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

fn levels_in_words(count: usize) -> String {
    if count == 1 {
        "1 level".to_owned()
    } else {
        format!("{count} levels")
    }
}

/// Number of a place as users count it, from 1.
pub(super) fn counted(place: usize) -> usize {
    place.saturating_add(1)
}
