//! What can go wrong with settings, each said in a sentence.

use std::path::PathBuf;

use strata_settings::overrides::Malformed;
use strata_settings::schema::SettingError;

/// Why settings make no experiment.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No TOML.
    #[error("{path}, line {line}, column {column}: this is not TOML ({reason}); correct that line")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// In the words of the format's reader.
        reason: String,
    },
    /// No `key=value`.
    #[error(transparent)]
    Override(#[from] Malformed),
    /// An unknown key or an impossible value.
    #[error("{place}: {trouble}")]
    Setting {
        /// The file, or the command line.
        place: String,
        /// What is wrong.
        trouble: SettingError,
    },
}
