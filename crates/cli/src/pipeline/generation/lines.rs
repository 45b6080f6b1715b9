//! Translates or continues standard input line by line.

use std::io::BufRead;

use super::TooLongWords;
use super::output::Output;
use crate::base::error::Error;
use crate::base::input_lines::{InputLine, InputLines};
use crate::base::output::warn;
use crate::pipeline::arguments::translate::TooLong;

/// Most bytes of a line: no sentence is longer, but a file of zeros is one line.
const LONGEST_LINE: usize = 1 << 20;
/// Number of warnings on single lines that are too long; further lines are only counted.
const PRINTED_WARNINGS: usize = 10;

/// Translates the lines of `input`, this many at once.
///
/// # Errors
/// If a line cannot be read or translated, or the device fails. Lines before that line are still
/// translated.
pub(super) fn translate_lines(
    output: &mut Output,
    input: impl BufRead,
    at_once: usize,
) -> Result<(), Error> {
    let mut waiting = Vec::new();
    let mut lines = InputLines::new(input, LONGEST_LINE);
    while let Some(line) = lines.next()? {
        let InputLine { number, bytes, .. } = line;
        if output.written.is_err() {
            break;
        }
        let encoded = if line.is_whole {
            output.encode(number, bytes)
        } else {
            let mebibytes = LONGEST_LINE >> 20;
            let what = format!("it is longer than {mebibytes} MiB, which no sentence is");
            output.long.left_empty(number, &what, "");
            Ok(None)
        };
        match encoded {
            Ok(encoded) => waiting.push(encoded),
            Err(reason) => {
                // Lines before the faulty one are still translated.
                output.translate(waiting)?;
                return Err(Error::Line {
                    line: number,
                    reason,
                });
            }
        }
        if waiting.len() == at_once {
            output.translate(std::mem::take(&mut waiting))?;
        }
    }
    output.translate(waiting)?;
    output.long.conclude();
    Ok(())
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

    fn left_empty(&mut self, line: usize, what: &str, advice: &str) {
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

    fn conclude(&self) {
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
