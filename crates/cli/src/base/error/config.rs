//! Errors in settings.

use std::path::PathBuf;

use strata_settings::overrides::Malformed;
use strata_settings::schema::SettingError;

/// Error in settings, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that is not valid TOML.
    #[error("{path}, line {line}, column {column}: this is not TOML ({reason}); correct that line")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// Message of the TOML parser.
        reason: String,
    },
    /// A malformed `key=value`.
    #[error(transparent)]
    Override(#[from] Malformed),
    /// An unknown key or an impossible value.
    #[error("{place}: {reason}")]
    Setting {
        /// Where the setting was given: the file, or the command line.
        place: String,
        /// Error in the setting.
        reason: SettingError,
    },
}
