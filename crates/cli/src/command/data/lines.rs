//! Reads any text line by line, compressed or not, with memory for its longest line only.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use strata_text::{TextError, TextReader, ends_in_returns, expanded, open_file};

use crate::base::error::{DataError, Error};

/// Most bytes of a line: no sentence is longer, but a file of zeros is one line.
const LONGEST_LINE: usize = 16 << 20;

/// A text that is read line by line.
pub struct Lines {
    path: PathBuf,
    reader: TextReader<'static>,
    line: Vec<u8>,
    /// Number of lines read so far.
    number: u64,
    /// Number of bytes read so far, line ends included.
    pub bytes: u64,
    /// True if the text begins with a byte order mark, which is removed.
    pub has_mark: bool,
}

/// A line as the file has it, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Line number, from 1.
    pub number: u64,
    /// Bytes of the line, without line feed and carriage return.
    pub bytes: &'a [u8],
    /// True if the line ends in a carriage return, as on Windows.
    pub has_return: bool,
}

impl Lines {
    /// Opens a text.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if expanded(path).is_dir() {
            return Err(Error::reading(path)(io::ErrorKind::IsADirectory.into()));
        }
        let file = open_file(path).map_err(Error::reading(path))?;
        let name = path.display().to_string();
        let reader = TextReader::new(&name, BufReader::with_capacity(1 << 16, file))?;
        Ok(Self {
            path: path.to_owned(),
            has_mark: reader.has_mark(),
            reader,
            line: Vec::new(),
            number: 0,
            bytes: 0,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of lines read so far.
    pub fn count(&self) -> u64 {
        self.number
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read or unpacked, or the line is too long.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, Error> {
        Ok(self.advance()?.then(|| self.line()))
    }

    /// Reads the next line; false at the end.
    ///
    /// # Errors
    /// If the file cannot be read or unpacked, or the line is too long.
    pub fn advance(&mut self) -> Result<bool, Error> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(LONGEST_LINE as u64 + 1);
        let read = limited.read_until(b'\n', &mut self.line);
        read.map_err(|reason| self.unread(reason))?;
        if self.line.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        if self.line.len() > LONGEST_LINE {
            return Err(DataError::EndlessLine {
                path: self.path.clone(),
                line: self.number,
                mebibytes: LONGEST_LINE >> 20,
            }
            .into());
        }
        if self.number == 1 && ends_in_returns(&self.line) {
            let is_over = self.reader.fill_buf().map(<[u8]>::is_empty);
            if is_over.map_err(|reason| self.unread(reason))? {
                let name = self.path.display().to_string();
                return Err(TextError::Returns { name }.into());
            }
        }
        self.bytes += self.line.len() as u64;
        Ok(true)
    }

    fn unread(&self, reason: io::Error) -> Error {
        TextError::of_reading(&self.path.display().to_string(), reason).into()
    }

    /// Returns the line that was read last.
    pub fn line(&self) -> Line<'_> {
        let mut bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let has_return = bytes.ends_with(b"\r");
        if has_return {
            bytes = &bytes[..bytes.len() - 1];
        }
        Line {
            number: self.number,
            bytes,
            has_return,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<Vec<(Vec<u8>, bool)>, Error> {
        let path = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let mut lines = Lines::open(&path)?;
        std::fs::remove_file(&path).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next()? {
            found.push((line.bytes.to_vec(), line.has_return));
        }
        assert_eq!(lines.count(), found.len() as u64);
        Ok(found)
    }

    #[test]
    fn ends_and_marks_are_taken_off() {
        let found = read("ends", b"\xef\xbb\xbfa\r\n\nb").unwrap();
        let expected = [
            (b"a".to_vec(), true),
            (vec![], false),
            (b"b".to_vec(), false),
        ];
        assert_eq!(found, expected);
        assert!(read("nothing", b"").unwrap().is_empty());
    }

    #[test]
    fn packed_text_is_unpacked_and_broken_packing_is_said() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"a\nb\n").unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(read("packed", &packed).unwrap().len(), 2);
        let error = read("cut", &packed[..packed.len() - 3]).unwrap_err();
        assert!(error.to_string().contains("gzip data is broken"), "{error}");
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let error = read("endless", &vec![b'a'; LONGEST_LINE + 2]).unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
    }
}
