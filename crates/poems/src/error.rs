//! Errors, as sentences.

use crate::Unread;

/// Why something cannot be done with poems.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoemError {
    /// The program was built without the tables of characters.
    #[error(
        "this program has no tables to simplify characters with; set `task.script=as_read` to take \
         poems as they are in the file"
    )]
    NoScript,
    /// No poem in any of the files.
    #[error(
        "there is no quatrain in these files: give a poem a line, four lines of 5 or of 7 \
         characters, set apart by punctuation{}",
        unread.sentences().map(|it| format!(". {}", it.trim_end_matches('.'))).collect::<String>()
    )]
    NoPoem {
        /// Numbers of what was left out.
        unread: Unread,
    },
    /// No poem left in a part.
    #[error(
        "of {read} poems none is left for {part}: about one of 40 is held out for testing and one \
         for validation; give more poems"
    )]
    EmptyPart {
        /// Number of poems read.
        read: usize,
        /// Name of the part.
        part: &'static str,
    },
    /// A model of translation in another format.
    #[error(
        "this is no model of `strata smt`, or one of another version: its format is {format:?}"
    )]
    OtherFormat {
        /// The format that it says it has.
        format: String,
    },
    /// A model of translation whose parts contradict each other.
    #[error("the model's {part} are damaged; make it again by `strata smt`")]
    Damaged {
        /// The damaged part.
        part: &'static str,
    },
}
