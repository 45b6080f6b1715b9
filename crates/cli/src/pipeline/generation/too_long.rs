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

/// Handling of lines that are too long, and their numbers.
pub(super) struct LongLines {
    handling: TooLong,
    left_empty: usize,
    cut: usize,
}

impl LongLines {
    pub(super) fn new(handling: Option<TooLong>) -> Self {
        Self {
            handling: handling.unwrap_or_default(),
            left_empty: 0,
            cut: 0,
        }
    }

    pub(super) fn left_empty(&mut self, line: usize, what: &str, advice: &str) {
        self.left_empty += 1;
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
                self.cut += 1;
                self.tell(&format!(
                    "standard input, line {line}: {reason}; the {kept} {taken} are taken"
                ));
                true
            }
        }
    }

    /// Warns of the first few lines that are too long: there may be thousands.
    fn tell(&self, what: &str) {
        if self.left_empty + self.cut <= PRINTED_WARNINGS {
            warn(&format!("warning: {what}."));
        }
    }

    /// Warns of the number of lines that were too long, if there was more than one.
    pub(super) fn conclude(&self) {
        let done = match (self.left_empty, self.cut) {
            (0 | 1, 0) | (0, 1) => return,
            (lines, 0) => format!("{lines} lines were too long and left empty"),
            (0, lines) => format!("{lines} lines were too long and cut"),
            (left_empty, cut) => format!(
                "{} lines were too long: {cut} cut, {left_empty} left empty",
                left_empty + cut
            ),
        };
        warn(&format!("warning: {done}."));
    }
}
