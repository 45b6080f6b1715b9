//! Reads standard input line by line; no line takes more memory than a limit.

use std::io::{BufRead, Read};

use strata_text::{TextError, ends_in_returns};

use crate::base::error::Error;

/// Lines of an input, numbered from 1.
pub struct InputLines<R> {
    input: R,
    longest: usize,
    number: usize,
    bytes: Vec<u8>,
}

/// A line of an input.
pub struct InputLine<'a> {
    pub number: usize,
    /// Bytes of the line with its line end; if the line is too long, only its beginning.
    pub bytes: &'a [u8],
    /// False if the line is longer than the limit, and cut.
    pub is_whole: bool,
}

impl<R: BufRead> InputLines<R> {
    /// Reads lines of at most `longest` bytes.
    pub fn new(input: R, longest: usize) -> Self {
        Self {
            input,
            longest,
            number: 0,
            bytes: Vec::new(),
        }
    }

    /// Reads the next line; `None` at the end of the input.
    ///
    /// # Errors
    /// If the input cannot be read, or if its lines end in carriage returns alone, which would make
    /// one line of all of them.
    pub fn next(&mut self) -> Result<Option<InputLine<'_>>, Error> {
        self.number += 1;
        let read = read_line(&mut self.input, &mut self.bytes, self.longest);
        let is_whole = read.map_err(|error| Error::Line {
            line: self.number,
            reason: format!("it cannot be read ({error}); check where it comes from"),
        })?;
        let bytes = self.bytes.as_slice();
        if bytes.is_empty() {
            return Ok(None);
        }
        if self.number == 1 && is_whole && !bytes.ends_with(b"\n") && ends_in_returns(bytes) {
            let name = "standard input".to_owned();
            return Err(TextError::Returns { name }.into());
        }
        Ok(Some(InputLine {
            number: self.number,
            bytes,
            is_whole,
        }))
    }
}

/// Decodes the bytes of a line.
///
/// # Errors
/// The reason, without a full stop, if the line is not UTF-8.
pub fn decoded(bytes: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 (convert it, for example with iconv)")
}

/// Reads a line into `line`, which is empty at the end of the input. Returns true if the line is
/// complete; if it is too long, only its beginning is kept.
fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    longest: usize,
) -> std::io::Result<bool> {
    line.clear();
    Read::take(&mut *input, longest as u64).read_until(b'\n', line)?;
    if line.len() < longest || line.ends_with(b"\n") {
        return Ok(true);
    }
    input.skip_until(b'\n')?;
    Ok(false)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Returns number, text and wholeness of each line.
    fn lines(input: &str, longest: usize) -> Vec<(usize, String, bool)> {
        let mut lines = InputLines::new(input.as_bytes(), longest);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let text = String::from_utf8(line.bytes.to_vec()).unwrap();
            found.push((line.number, text, line.is_whole));
        }
        found
    }

    #[test]
    fn a_line_that_is_too_long_keeps_its_place_and_spares_the_next() {
        let line = |number, text: &str, is_whole| (number, text.to_owned(), is_whole);
        assert_eq!(
            lines("ab\nabcdefgh\n\nlast", 5),
            [
                line(1, "ab\n", true),
                line(2, "abcde", false),
                line(3, "\n", true),
                line(4, "last", true)
            ]
        );
        // The line end counts among the bytes of a line.
        assert_eq!(lines("abcd\n", 5), [line(1, "abcd\n", true)]);
        assert_eq!(lines("", 5), []);
    }

    #[test]
    fn lines_that_end_in_returns_alone_are_refused() {
        let mut input = InputLines::new("one\rtwo\r".as_bytes(), 100);
        let error = input.next().err().unwrap().to_string();
        assert!(error.contains("standard input"), "{error}");
    }
}
