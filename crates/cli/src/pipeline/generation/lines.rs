//! Translates or continues standard input line by line.

use std::io::BufRead;

use super::output::Output;
use super::too_long::PRINTED_WARNINGS;
use crate::base::error::Error;
use crate::base::input_lines::{InputLine, InputLines, decoded};
use crate::base::output::warn;

/// Most bytes of a line: no sentence is longer, but a file of zeros is one line.
const LONGEST_LINE: usize = 1 << 20;

/// Translates the lines of `input`, this many at once. The output line of a line that is too long or
/// not UTF-8 stays empty, and a warning names the line.
///
/// # Errors
/// If the input cannot be read, the model translates no texts, or the device fails. Lines before the
/// error are still translated.
pub(super) fn translate_lines(
    output: &mut Output,
    input: impl BufRead,
    at_once: usize,
) -> Result<(), Error> {
    let mut waiting = Vec::new();
    let mut undecoded = UndecodedLines::default();
    let mut lines = InputLines::new(input, LONGEST_LINE);
    let end = loop {
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(()),
            Err(failure) => break Err(failure),
        };
        if output.written.is_err() {
            break Ok(());
        }
        let InputLine { number, bytes, .. } = line;
        let encoded = if !line.is_whole {
            let mebibytes = LONGEST_LINE >> 20;
            let what = format!("it is longer than {mebibytes} MiB, which no sentence is");
            output.long.left_empty(number, &what, "");
            Ok(None)
        } else {
            match decoded(bytes) {
                Ok(text) => output.encode(number, text),
                Err(reason) => {
                    undecoded.left_empty(number, reason);
                    Ok(None)
                }
            }
        };
        match encoded {
            Ok(encoded) => waiting.push(encoded),
            Err(reason) => {
                break Err(Error::Line {
                    line: number,
                    reason,
                });
            }
        }
        if waiting.len() == at_once {
            output.translate(std::mem::take(&mut waiting))?;
        }
    };
    output.translate(waiting)?;
    output.long.conclude();
    undecoded.conclude();
    end
}

/// Lines that are not UTF-8, of which there may be thousands.
#[derive(Default)]
struct UndecodedLines {
    count: usize,
}

impl UndecodedLines {
    /// Warns of a line, if the line is among the first few.
    fn left_empty(&mut self, line: usize, reason: &str) {
        self.count += 1;
        if self.count <= PRINTED_WARNINGS {
            warn(&format!(
                "warning: standard input, line {line}: {reason}; its line is left empty."
            ));
        }
    }

    fn conclude(&self) {
        if self.count > 1 {
            warn(&format!(
                "warning: {} lines were not UTF-8 and left empty.",
                self.count
            ));
        }
    }
}
