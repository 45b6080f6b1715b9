//! Any text line by line, packed or not, in as much memory as its longest line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::DataError;
use crate::error::Failure;

/// No sentence is longer; a file of zeros is one line.
const LONGEST_LINE: usize = 16 << 20;
/// What every gzip file begins with, and no UTF-8 text does.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// What some programs write before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A text that is read line by line.
pub struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    is_packed: bool,
    line: Vec<u8>,
    /// Lines read so far.
    number: u64,
    /// Bytes read so far, line ends included.
    pub bytes: u64,
    /// Whether the text begins with a byte order mark.
    pub has_mark: bool,
}

/// A line as it is in the file, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: u64,
    /// Its bytes, without line feed and carriage return.
    pub bytes: &'a [u8],
    /// Whether it ended as lines do on Windows.
    pub has_return: bool,
}

/// A file's reader; packed data are unpacked, whatever the file is called.
///
/// # Errors
/// If the file cannot be read.
pub fn open(path: &Path) -> Result<(Box<dyn BufRead>, bool), Failure> {
    if path.is_dir() {
        return Err(Failure::reading(path)(io::ErrorKind::IsADirectory.into()));
    }
    let file = File::open(path).map_err(Failure::reading(path))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let start = reader.fill_buf().map_err(Failure::reading(path))?;
    Ok(if start.starts_with(&GZIP_MAGIC) {
        let unpacked = MultiGzDecoder::new(reader);
        (Box::new(BufReader::with_capacity(1 << 16, unpacked)), true)
    } else {
        (Box::new(reader), false)
    })
}

impl Lines {
    /// Opens a text.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let (reader, is_packed) = open(path)?;
        Ok(Self {
            path: path.to_owned(),
            reader,
            is_packed,
            line: Vec::new(),
            number: 0,
            bytes: 0,
            has_mark: false,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lines read so far.
    pub fn count(&self) -> u64 {
        self.number
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read or unpacked, or the line never ends.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, Failure> {
        Ok(self.advance()?.then(|| self.line()))
    }

    /// Reads the next line; false at the end.
    ///
    /// # Errors
    /// If the file cannot be read or unpacked, or the line never ends.
    pub fn advance(&mut self) -> Result<bool, Failure> {
        self.line.clear();
        let mut limited = (&mut *self.reader).take(LONGEST_LINE as u64 + 1);
        let read = limited.read_until(b'\n', &mut self.line);
        if let Err(reason) = read {
            let path = self.path.clone();
            return Err(if self.is_packed {
                DataError::BrokenGzip { path, reason }.into()
            } else {
                Failure::Read { path, reason }
            });
        }
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
        self.bytes += self.line.len() as u64;
        self.has_mark |= self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK);
        Ok(true)
    }

    /// The line that was read last.
    pub fn line(&self) -> Line<'_> {
        let mut bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let has_return = bytes.ends_with(b"\r");
        if has_return {
            bytes = &bytes[..bytes.len() - 1];
        }
        if self.has_mark && self.number == 1 {
            bytes = &bytes[BYTE_ORDER_MARK.len().min(bytes.len())..];
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

    fn read(name: &str, bytes: &[u8]) -> Result<Vec<(Vec<u8>, bool)>, Failure> {
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
