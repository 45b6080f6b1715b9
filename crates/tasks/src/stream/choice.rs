//! The setting that says which corpora are read block by block.

use serde::{Deserialize, Serialize};
use strata_describe::{Setting, Words};

use crate::description::choice;

/// When a corpus is read block by block from disk, in bounded memory, instead of kept in memory.
///
/// What is held out, and the order of training, differ between the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// From 64 MiB on.
    #[default]
    Auto,
    /// However small it is.
    Always,
    /// However large it is.
    Never,
}

impl Stream {
    /// The setting in words.
    pub(crate) const DESCRIPTION: Setting = choice(
        "stream",
        "Stream",
        "Read the text block by block from disk, in bounded memory; auto: above 64 MiB.",
        &[
            Words::named("auto"),
            Words::named("always"),
            Words::named("never"),
        ],
    );
}
