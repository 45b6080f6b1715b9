//! What is printed, and whether it arrived; what is said on standard error.
//!
//! Nobody may be listening any more, as behind `| head`: that is no failure, and a run goes on. A
//! disk without room is one, and is told at the end of whatever the command did.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::format::in_one_line;

/// The first reason why something could not be written, other than that nobody listens.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Columns of a line where no terminal says how many there are,
const COLUMNS: usize = 80;
/// and at most: longer lines are hard to read.
const WIDEST: usize = 100;

/// Prints a line.
pub fn print(line: &str) {
    note(writeln!(io::stdout(), "{line}"));
}

/// Writes a line to standard error; if nobody reads it, there is nobody else to tell.
pub fn warn(line: &str) {
    drop(writeln!(io::stderr(), "{}", in_one_line(line)));
}

/// Prints a text as it is.
pub fn write(text: &[u8]) {
    note(io::stdout().write_all(text));
}

/// Prints a text for people, whose lines are broken where a terminal ends.
pub fn write_broken(text: &str) {
    match io::stdout().is_terminal() {
        true => write(broken(text, columns()).as_bytes()),
        false => write(text.as_bytes()),
    }
}

/// Remembers why something could not be printed.
pub fn note(written: io::Result<()>) {
    if let Err(reason) = written
        && reason.kind() != ErrorKind::BrokenPipe
    {
        let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert(reason);
    }
}

/// Says whether all that was printed arrived.
///
/// # Errors
/// If something did not, though somebody listened.
pub fn finish() -> Result<(), Error> {
    note(io::stdout().flush());
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner).take();
    lost.map_or(Ok(()), |reason| Err(Error::unprinted(reason)))
}

/// Says why the command has not done its work.
pub fn failed(failure: Error) -> ExitCode {
    warn(&format!("error: {failure}"));
    ExitCode::FAILURE
}

/// Columns to print help in: those of the terminal, or of `COLUMNS`.
pub fn columns() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = terminal.or_else(named).unwrap_or(COLUMNS);
    // Nothing can be read in fewer.
    columns.clamp(20, WIDEST)
}

/// Breaks lines at white space; what follows is indented as its line is, and two columns more.
fn broken(text: &str, columns: usize) -> String {
    let mut broken = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        broken += &" ".repeat(indent);
        let mut column = indent;
        for (at, word) in words.split(' ').enumerate() {
            let width = word.chars().count();
            if at > 0 && column + 1 + width > columns {
                column = indent + 2;
                broken.push('\n');
                broken += &" ".repeat(column);
            } else if at > 0 {
                broken.push(' ');
                column += 1;
            }
            broken += word;
            column += width;
        }
        broken.push('\n');
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_a_terminal_ends() {
        let text = "one two three\n  four five six\n\nseven\n";
        let expected = "one two\n  three\n  four\n    five\n    six\n\nseven\n";
        assert_eq!(broken(text, 8), expected);
        assert_eq!(broken(text, 80), text);
        // What has no white space stays whole.
        assert_eq!(broken("a abcdefghijkl b\n", 6), "a\n  abcdefghijkl\n  b\n");
    }
}
