//! Texts of more tokens than the model reads.

use super::Cutting;
use crate::base::output::warn;
use crate::pipeline::arguments::translate::TooLong;

/// Number of warnings on single lines of a kind; further lines are only counted.
pub(super) const PRINTED_WARNINGS: usize = 10;

/// Words for a text of more tokens than the model reads.
pub(super) struct TooLongWords {
    /// Sentence, without a full stop, on the number of tokens.
    pub reason: String,
    /// Tokens that are kept: `first` or `last`.
    pub kept: &'static str,
    /// Number of tokens that are kept.
    pub taken: usize,
}

impl TooLongWords {
    /// Returns words for a text of which `taken` tokens are kept, and `surplus` are not.
    pub fn new(cutting: Cutting, taken: usize, surplus: usize) -> Self {
        let Cutting { done, kept } = cutting;
        let tokens = taken + surplus;
        Self {
            reason: format!("the text has {tokens} tokens, but at most {taken} can be {done}"),
            kept,
            taken,
        }
    }
}

/// Handling and number of lines that are too long.
pub(super) struct LongLines {
    handling: TooLong,
    count: usize,
}

impl LongLines {
    pub(super) fn new(handling: Option<TooLong>) -> Self {
        Self {
            handling: handling.unwrap_or_default(),
            count: 0,
        }
    }

    pub(super) fn left_empty(&mut self, line: usize, what: &str, advice: &str) {
        self.tell(&format!(
            "standard input, line {line}: {what}; its line is left empty{advice}"
        ));
    }

    /// Handles a line with more tokens than the model reads; returns true if the tokens that `words`
    /// names are used.
    pub(super) fn handle(&mut self, line: usize, words: &TooLongWords) -> bool {
        let TooLongWords {
            reason,
            kept,
            taken,
        } = words;
        match self.handling {
            TooLong::Skip => {
                let advice = format!(" (`--too-long cut` takes the {kept} {taken})");
                self.left_empty(line, reason, &advice);
                false
            }
            TooLong::Cut => {
                self.tell(&format!(
                    "standard input, line {line}: {reason}; the {kept} {taken} are taken"
                ));
                true
            }
        }
    }

    /// Warns of the first few lines that are too long: there may be thousands.
    fn tell(&mut self, what: &str) {
        self.count += 1;
        if self.count <= PRINTED_WARNINGS {
            warn(&format!("warning: {what}."));
        }
    }

    pub(super) fn conclude(&self) {
        if self.count > 1 {
            let done = match self.handling {
                TooLong::Skip => "left empty",
                TooLong::Cut => "cut",
            };
            warn(&format!(
                "warning: {} lines were too long and {done}.",
                self.count
            ));
        }
    }
}
