//! Checks that parts to be muted exist, and that rows can have the weights set by hand.

use std::collections::BTreeSet;

use strata_attention::{ConfigError, ForcedRow, GivenWeights, Mechanism, Site};

use super::part::counted;
use super::{Attention, Part};
use crate::{Model, SiteName};

impl Attention<'_> {
    /// Refuses weights for rows that cannot have them.
    fn check_row(&self, site: SiteName, forced: ForcedRow) -> Result<(), ConfigError> {
        let ForcedRow { head, row, to } = forced;
        if !self.mechanism().is_some_and(Mechanism::takes_given_weights) {
            return Err(ConfigError::new(format!(
                "the rows of {site} cannot be given weights: {}",
                match self {
                    Self::Levels(..) => "a reader computes the levels there by itself",
                    _ =>
                        "a pyramid weighs nodes, and each word reaches others; mute a node instead",
                }
            )));
        }
        let heads = self.heads();
        if let Some(head) = head.filter(|&head| head >= heads) {
            return Err(ConfigError::new(format!(
                "{site} has no head {}: choose one from 1 to {heads}",
                counted(head)
            )));
        }
        match (row, to) {
            (Some(row), GivenWeights::Key(key)) if site.place == Site::DecoderSelf && key > row => {
                Err(ConfigError::new(format!(
                    "row {} of {site} may not see key {}, which comes after it: choose a key from 1 to {0}",
                    counted(row),
                    counted(key)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a node of a level that the site's pyramid does not have.
    fn check_node(&self, site: SiteName, level: usize) -> Result<(), ConfigError> {
        match self.mechanism().map_or(0, Mechanism::pyramid_levels) {
            0 => Err(ConfigError::new(format!(
                "{site} has no pyramid, and so no node that could be muted"
            ))),
            levels if level >= levels => Err(ConfigError::new(format!(
                "the pyramid of {site} has no level {level}: choose one from 0, its leaves, to {}",
                levels - 1
            ))),
            _ => Ok(()),
        }
    }
}

impl Model {
    /// Refuses parts that the model lacks, and weights that a row cannot have.
    pub(super) fn check_parts(&mut self, parts: &[Part]) -> Result<(), ConfigError> {
        let known: BTreeSet<Part> = self.parts().into_iter().collect();
        let attentions = self.attentions();
        let mut forced = BTreeSet::new();
        for part in parts {
            let site = match part {
                Part::Row { site, .. } | Part::Node { site, .. } | Part::Levels { site, .. } => {
                    *site
                }
                _ if known.contains(part) => continue,
                _ => {
                    return Err(ConfigError::new(format!(
                        "the model has no part `{part}` that can be muted; it has {}",
                        listed(&known)
                    )));
                }
            };
            let Some((_, attention)) = attentions.iter().find(|(name, _)| *name == site) else {
                return Err(ConfigError::new(format!(
                    "the model has no attention {site}; it has {}",
                    listed(&known)
                )));
            };
            if let Some((_, row)) = part.forced() {
                attention.check_row(site, row)?;
                if !forced.insert((site, row.head, row.row)) {
                    return Err(ConfigError::new(format!(
                        "`{part}` is given weights twice: choose one of them"
                    )));
                }
            }
            if let Part::Node { level, .. } = *part {
                attention.check_node(site, level)?;
            }
        }
        Ok(())
    }
}

fn listed(parts: &BTreeSet<Part>) -> String {
    const MOST: usize = 12;
    let names: Vec<String> = parts.iter().take(MOST).map(Part::to_string).collect();
    match (names.len(), parts.len() - names.len()) {
        (0, _) => "none".to_owned(),
        (_, 0) => names.join(", "),
        (_, more) => format!("{} and {more} more", names.join(", ")),
    }
}
