//! Numbers of levels that change after training.

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, Mechanism, Muted};

use super::Attention;
use crate::{Model, SiteName};

/// Attention site that can compute with more or fewer levels than in training.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteLevels {
    /// Name of the site.
    pub site: SiteName,
    /// Number of levels with which the site was trained.
    pub trained: usize,
    /// Largest number of levels with which the site can compute. Levels whose shares were learned
    /// cannot become more.
    pub maximum: usize,
}

impl Model {
    /// Lists the sites that can compute with another number of levels, in the order of a pass.
    pub fn levels(&self) -> Vec<SiteLevels> {
        // A clone shares the tensors of the model.
        let mut model = self.clone();
        let attentions = model.attentions().into_iter();
        let levels = attentions.filter_map(|(site, attention)| {
            let mechanism = attention.mechanism()?;
            Some(SiteLevels {
                site,
                trained: mechanism.configured_levels()?,
                maximum: mechanism.most_levels()?,
            })
        });
        levels.collect()
    }
}

impl Attention<'_> {
    /// Lets the site compute with `count` levels; `None` stands for as many as in training.
    ///
    /// # Errors
    /// If the site cannot compute with that number of levels.
    pub(super) fn set_levels(
        &mut self,
        site: SiteName,
        count: Option<usize>,
    ) -> Result<(), ConfigError> {
        let configured = self.mechanism().and_then(Mechanism::configured_levels);
        let Some(configured) = configured else {
            return match count {
                None => Ok(()),
                Some(_) => Err(ConfigError::new(format!(
                    "the number of levels of {site} cannot be changed: {}",
                    match self {
                        Self::Levels(..) => "a reader computes the levels there by itself",
                        _ => "only `multilevel`, `ham_v` and `ham_s` have levels",
                    }
                ))),
            };
        };
        // A level that is muted now must not keep the number from changing.
        self.mute(Muted::default());
        let mechanism = match self {
            Self::MultiHead(layer) => &mut layer.mechanism,
            Self::Decoder(decoder) => match &mut decoder.attention {
                Some(mechanism) => mechanism,
                None => return Ok(()),
            },
            Self::Mechanism(mechanism, _) => mechanism,
            Self::Levels(..) => return Ok(()),
        };
        mechanism
            .set_levels(count.unwrap_or(configured))
            .map_err(|error| ConfigError::new(format!("{site}: {error}")))
    }
}
