//! Setting that decides which corpora are read block by block.

use serde::{Deserialize, Serialize};
use strata_describe::{Words, options};

options! {
    /// Corpora that are read block by block from disk, in bounded memory, instead of kept in memory.
    ///
    /// The order of training differs between the two, and the held-out part of a text does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Stream {
        /// From 64 MiB on.
        Auto = "auto",
        /// However small it is.
        Always = "always",
        /// However large it is.
        Never = "never",
    }
}

impl Stream {
    /// Words of the setting.
    pub(crate) const WORDS: Words = Words::new(
        "stream",
        "Stream",
        "Read the text block by block from disk, in bounded memory; auto: above 64 MiB.",
        "",
        "",
    );
}
