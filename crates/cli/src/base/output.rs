//! Prints on standard output, checking that the output arrives, and on standard error.
//!
//! A reader that has gone, as in `| head`, is no failure, and a run goes on. A full disk is a
//! failure, reported at the end of the command.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::base::error::Error;
use crate::display::format::{bounded, in_one_line};

/// First error of writing to standard output, other than a closed pipe.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Number of columns if no terminal tells its width.
const COLUMNS: usize = 80;
/// Most columns of a line: longer lines are hard to read.
const WIDEST: usize = 100;

/// True in a process for which process 0 speaks.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Prints nothing from now on, except why the command failed.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Prints a line.
pub fn print(line: &str) {
    if IS_QUIET.load(Ordering::Relaxed) {
        return;
    }
    note(writeln!(io::stdout(), "{line}"));
}

/// Prints a line of JSON.
pub fn print_json(value: &serde_json::Value) {
    print(&value.to_string());
}

/// Prints a warning on standard error, unless `--quiet` is given.
pub fn warn(line: &str) {
    if IS_QUIET.load(Ordering::Relaxed) {
        return;
    }
    tell(&bounded(line));
}

/// Writes a line to standard error, and ignores failures, which could be reported nowhere.
pub fn tell(line: &str) {
    drop(writeln!(io::stderr(), "{}", in_one_line(line)));
}

/// Prints bytes unchanged.
pub fn write(text: &[u8]) {
    note(io::stdout().write_all(text));
}

/// Prints a text; in a terminal, lines are wrapped at the terminal's width.
pub fn write_broken(text: &str) {
    if io::stdout().is_terminal() {
        write(broken(text, columns()).as_bytes())
    } else {
        write(text.as_bytes())
    }
}

/// Records an error of printing, except a closed pipe.
pub fn note(written: io::Result<()>) {
    if let Err(reason) = written
        && reason.kind() != ErrorKind::BrokenPipe
    {
        let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert(reason);
    }
}

/// State of standard output before anything else ran. The standard library opens `/dev/null` in
/// place of a closed descriptor, where everything printed would be lost without a word.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // There is no other way to run before the standard library does.
mod at_start {
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        /// `F_GETFD`, the command that returns a descriptor's flags.
        const GET_FLAGS: c_int = 1;
        unsafe extern "C" {
            fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
        }
        // SAFETY: this command takes no argument, and only reads.
        let flags = unsafe { fcntl(1, GET_FLAGS) };
        IS_CLOSED.store(flags == -1, Ordering::Relaxed);
    }

    // SAFETY: the system calls the functions of this section once, before `main`; this function
    // needs nothing that must be initialised.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}

/// Fails if standard output was closed from the beginning, so that printed results are lost.
///
/// # Errors
/// If standard output was closed.
pub fn was_open() -> Result<(), Error> {
    #[cfg(target_os = "linux")]
    if at_start::IS_CLOSED.load(Ordering::Relaxed) {
        return Err(Error::unprinted(io::Error::other("it is closed")));
    }
    Ok(())
}

/// Flushes standard output, and checks that everything was written.
///
/// # Errors
/// If something could not be written, for another reason than a closed pipe.
pub fn finish() -> Result<(), Error> {
    note(io::stdout().flush());
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner).take();
    lost.map_or(Ok(()), |reason| Err(Error::unprinted(reason)))
}

/// Prints why the command failed; returns its exit code.
pub fn failed(failure: Error) -> ExitCode {
    tell(&format!("error: {}", bounded(&failure.to_string())));
    ExitCode::FAILURE
}

/// Returns the number of columns for help: that of the terminal, or of the variable `COLUMNS`.
pub fn columns() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = terminal.or_else(named).unwrap_or(COLUMNS);
    // Fewer columns would be unreadable.
    columns.clamp(20, WIDEST)
}

/// Wraps lines at white space; continuation lines are indented like their line and by two columns
/// more.
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
        // A word without white space stays whole.
        assert_eq!(broken("a abcdefghijkl b\n", 6), "a\n  abcdefghijkl\n  b\n");
    }
}
