//! Errors, displayed as sentences.

use crate::{LENGTHS, Unread};

/// Reason why something cannot be done with poems.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoemError {
    /// Program that was built without the tables for simplifying characters.
    #[error(
        "this program has no tables to simplify characters with; set `task.script=as_read` to take \
         poems as they are in the file"
    )]
    NoScript,
    /// Files without any poem.
    #[error(
        "there is no quatrain in these files: give a poem a line, four lines of 5 or of 7 \
         characters, set apart by punctuation{}",
        unread.sentences().map(|it| format!(". {}", it.trim_end_matches('.'))).collect::<String>()
    )]
    NoPoem {
        /// Numbers of poems that were left out.
        unread: Unread,
    },
    /// Part of a collection without poems.
    #[error("{}", no_part(*read, part, *other_length))]
    EmptyPart {
        /// Number of poems read.
        read: usize,
        /// Name of the part.
        part: &'static str,
        /// Length of the lines asked for, and number of poems of the part with lines of the other
        /// length, if there are any.
        other_length: Option<(usize, usize)>,
    },
    /// Translation model in another format.
    #[error(
        "this is no model of `strata smt`, or one of another version: its format is {format:?}"
    )]
    OtherFormat {
        /// Format that the file states.
        format: String,
    },
    /// Translation model whose parts contradict each other.
    #[error("the model's {part} are damaged; make it again by `strata smt`")]
    Damaged {
        /// Name of the damaged part.
        part: &'static str,
    },
}

fn no_part(read: usize, part: &str, other_length: Option<(usize, usize)>) -> String {
    match other_length {
        Some((length, others)) => {
            let other = LENGTHS
                .into_iter()
                .find(|&it| it != length)
                .unwrap_or(length);
            format!(
                "of {read} poems none is left for {part}: lines of {length} characters are asked for, \
                 and all {others} poems of that part have lines of {other}; ask for these \
                 (`task.length=both`; `strata smt --length {other}`), or give poems of {length}"
            )
        }
        None => format!(
            "of {read} poems none is left for {part}: about one of 40 is held out for testing and one \
             for validation; give more poems"
        ),
    }
}
