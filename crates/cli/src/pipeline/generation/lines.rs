//! Translates or continues standard input line by line.

use std::io::BufRead;

use super::output::Output;
use crate::base::error::Error;
use crate::base::input_lines::{InputLine, InputLines};

/// Most bytes of a line: no sentence is longer, but a file of zeros is one line.
const LONGEST_LINE: usize = 1 << 20;

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
