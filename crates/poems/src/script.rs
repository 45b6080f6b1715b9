//! Script of the poems: simplified, or as it is in the file.

use serde::{Deserialize, Serialize};
use strata_describe::options;

use crate::PoemError;

options! {
    /// Script in which poems are trained on and asked for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Script {
        /// Simplified characters, by OpenCC's tables, each line by itself. A few words that
        /// traditional script tells apart are one (後 and 后).
        #[title = "Simplified"]
        #[help = "Simplified characters, by OpenCC's tables; a few words become one (後 and 后)."]
        Simplified = "simplified",
        /// Characters of the file.
        #[title = "As read"]
        AsRead = "as_read",
    }
}

/// Converter of texts to a script.
pub struct ScriptChange(Change);

enum Change {
    None,
    #[cfg(feature = "opencc")]
    Simplify(Box<ferrous_opencc::OpenCC>),
}

impl ScriptChange {
    /// Creates a converter to `script`.
    ///
    /// # Errors
    /// If this program has no tables for the script.
    pub fn new(script: Script) -> Result<Self, PoemError> {
        match script {
            Script::AsRead => Ok(Self(Change::None)),
            #[cfg(feature = "opencc")]
            Script::Simplified => {
                let simplify = ferrous_opencc::config::BuiltinConfig::T2s;
                match ferrous_opencc::OpenCC::from_config(simplify) {
                    Ok(converter) => Ok(Self(Change::Simplify(Box::new(converter)))),
                    Err(_) => Err(PoemError::NoScript),
                }
            }
            #[cfg(not(feature = "opencc"))]
            Script::Simplified => Err(PoemError::NoScript),
        }
    }

    /// Converts a text to the script, character by character.
    pub fn convert(&self, text: &str) -> String {
        match &self.0 {
            Change::None => text.to_owned(),
            #[cfg(feature = "opencc")]
            Change::Simplify(converter) => converter.convert(text),
        }
    }
}
