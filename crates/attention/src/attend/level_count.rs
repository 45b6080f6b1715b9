//! Number of levels of a mechanism whose levels can be changed after training.

use crate::ConfigError;

/// Number of levels: as configured, and as computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LevelCount {
    configured: usize,
    asked: usize,
    /// Largest number of levels that can be computed.
    most: usize,
    /// Reason for which no more levels can be computed; empty where `most` is the end of the
    /// setting's range.
    reason: &'static str,
}

impl LevelCount {
    /// Creates the count of `configured` levels without parameters, of which any number up to
    /// `most` can be computed.
    pub fn without_parameters(configured: usize, most: usize) -> Self {
        Self::limited(configured, configured.max(most), "")
    }

    /// Creates the count of `configured` levels that are mixed.
    pub fn mixed(configured: usize) -> Self {
        let reason = "the mix has a trained share for each of them and no more";
        Self::limited(configured, configured, reason)
    }

    /// Creates the count of `configured` levels, of which no more than `most` can be computed, for
    /// this reason.
    pub fn limited(configured: usize, most: usize, reason: &'static str) -> Self {
        Self {
            configured,
            asked: configured,
            most,
            reason,
        }
    }

    /// Number of levels in the mechanism's settings.
    pub fn configured(self) -> usize {
        self.configured
    }

    /// Largest number of levels that can be computed.
    pub fn most(self) -> usize {
        self.most
    }

    /// Number of levels that are computed, the muted ones included.
    pub fn asked(self) -> usize {
        self.asked
    }

    /// Returns this count with another number of computed levels.
    ///
    /// # Errors
    /// If so many levels cannot be computed, or all of these are `muted`.
    pub fn with(self, levels: usize, muted: &[usize]) -> Result<Self, ConfigError> {
        let most = self.most;
        if !(1..=most).contains(&levels) {
            let possible = match most {
                1 => "choose 1".to_owned(),
                _ => format!("choose 1 to {most}"),
            };
            let reason = match self.reason {
                "" => String::new(),
                reason => format!(" ({reason})"),
            };
            return Err(ConfigError::new(format!(
                "this attention cannot have {levels} levels: {possible}{reason}"
            )));
        }
        if (0..levels).all(|level| muted.contains(&level)) {
            return Err(ConfigError::new(format!(
                "each of the first {levels} levels is muted, and one level must stay: first unmute one"
            )));
        }
        Ok(Self {
            asked: levels,
            ..self
        })
    }
}
