//! Settings of the task `poems`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, options, settings};
use strata_poems::Script;

options! {
    /// Vectors with which the embeddings of characters begin.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum InitialVectors {
        /// Trained on the poems beforehand: CBOW with negative sampling.
        #[title = "word2vec"]
        #[source = "Mikolov et al. 2013"]
        Word2vec = "word2vec",
        /// At random, as all other parameters.
        #[title = "Random"]
        Random = "random",
    }
}

options! {
    /// Length of the lines.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum LineLength {
        /// Both lengths: one model for both.
        #[title = "5 and 7"]
        Both = "both",
        /// Lines of 5 characters.
        #[title = "5"]
        Five = "five",
        /// Lines of 7 characters.
        #[title = "7"]
        Seven = "seven",
    }
}

impl LineLength {
    /// Returns the number of characters per line; `None` for both lengths.
    pub(super) fn characters(self) -> Option<usize> {
        match self {
            Self::Both => None,
            Self::Five => Some(5),
            Self::Seven => Some(7),
        }
    }
}

settings! {
    /// Settings of the task `poems`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct PoemsConfig {
        /// Files of quatrains, separated by commas: a poem a line, or columns with source, author,
        /// title and poem. May be .gz.
        #[title = "Source"]
        #[help = "Quatrains, a poem a line, or the last of four columns; may be .gz."]
        pub source: PathBuf = PathBuf::new(),
        /// Script of the poems. Simplified characters come from OpenCC's tables.
        #[title = "Script"]
        pub script: Script = Script::Simplified,
        /// Characters that are kept, the most frequent ones; poems with any other are left out.
        #[title = "Characters"]
        pub vocabulary: usize in 10..=100_000 = 6000,
        /// Length of the lines.
        #[title = "Line length"]
        pub length: LineLength = LineLength::Both,
        /// Tell the model the keyword of each line. Without, it reads the lines before alone, and the
        /// first line is given.
        #[title = "Keywords"]
        #[help = "Tell the model each line's keyword; without, it goes on from a first line."]
        pub keywords: bool = true,
        /// Write each line from its end, which rhymes better.
        #[title = "Backwards"]
        #[source = "Yi et al. 2016"]
        pub reversed: bool = true,
        /// Beginning of the embeddings.
        #[title = "Embeddings begin"]
        pub initial: InitialVectors = InitialVectors::Word2vec,
        /// Train the vectors on the characters at the same place of the four lines, too.
        #[title = "Columns"]
        pub columns: bool = true,
        /// Fewest occurrences of a word of two characters, from which keywords are chosen.
        #[title = "Minimum count"]
        pub minimum_count: usize in 1..=1_000_000 = 10,
        /// Most poems to learn from; 0: all.
        #[title = "Training poems"]
        pub training_poems: usize in 0..=100_000_000 = 0,
        /// Most poems of validation, and of test; 0: all.
        #[title = "Held-out poems"]
        pub held_out_poems: usize in 0..=100_000_000 = 0,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "poems",
        "Chinese quatrains",
        "Write a poem line by line: a keyword and the lines before become the next line.",
        "",
        "Wang et al. 2016; HAM, 5.2",
    ),
    settings: PoemsConfig::SETTINGS,
};
