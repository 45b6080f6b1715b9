//! Texts from bytes of any origin: unpacked, as UTF-8, without a byte order mark.
//!
//! - `foreign`: packed files and documents, told by their first bytes and refused by name
//! - `gzip`: packed texts, which are unpacked
//! - `wide`: UTF-16 and UTF-32, which are decoded
//! - `encoding`: likely encodings of bytes that are not UTF-8
//! - `path`: `~` in a path

mod encoding;
#[cfg(not(target_family = "wasm"))]
mod file;
mod foreign;
mod gzip;
mod path;
#[cfg(test)]
mod tests;
mod wide;

use std::io::{self, BufRead, BufReader, Cursor, Read};

pub use encoding::{looks_encoded_as, not_utf8};
#[cfg(not(target_family = "wasm"))]
pub use file::{OpenedFile, file_bytes, open_file};
pub use path::expanded;

use crate::TextError;

/// Size of the largest unpacked text, in MiB: a packed file of a few KiB may hold terabytes of
/// zeros.
pub(crate) const MAXIMUM_MEBIBYTES: u64 = 512;

/// First bytes of every gzip file, which no UTF-8 text has.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Byte order mark that some programs write before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Number of first bytes by which the kind of a file is recognised; enough for the header of a tar
/// archive.
const PEEKED_BYTES: usize = 1024;
const BUFFER: usize = 1 << 16;

/// Reader of a text from a file or standard input, which unpacks and decodes.
///
/// The output should be UTF-8 without a byte order mark, but is not checked to be UTF-8.
pub struct TextReader<'a> {
    inner: Box<dyn BufRead + 'a>,
    has_mark: bool,
}

impl<'a> TextReader<'a> {
    /// Creates a reader from the first bytes of a text, reading no further than the first line end.
    /// Messages call the text `name`.
    ///
    /// # Errors
    /// If the text cannot be read, is packed by another program than gzip, or is no text.
    pub fn new(name: &str, reader: impl BufRead + 'a) -> Result<Self, TextError> {
        let unread = |reason| TextError::of_reading(name, reason);
        let (start, plain) = peek(reader).map_err(unread)?;
        if !is_gzip(name, &start) {
            return Self::unpacked(name, &start, plain, false);
        }
        let members = BufReader::with_capacity(BUFFER, gzip::Members::new(name, plain));
        let (start, unpacked) = peek(members).map_err(unread)?;
        Self::unpacked(name, &start, unpacked, true)
    }

    fn unpacked(
        name: &str,
        start: &[u8],
        mut reader: Box<dyn BufRead + 'a>,
        was_packed: bool,
    ) -> Result<Self, TextError> {
        foreign::refuse(name, start, was_packed)?;
        let has_mark = start.starts_with(BYTE_ORDER_MARK);
        if has_mark {
            reader.consume(BYTE_ORDER_MARK.len());
        }
        let inner = match wide::WideEncoding::of(start) {
            Some(wide) => {
                reader.consume(wide.mark_length());
                let decoder = wide::Decoder::new(name, wide, reader);
                Box::new(BufReader::with_capacity(BUFFER, decoder))
            }
            None => reader,
        };
        Ok(Self { inner, has_mark })
    }

    /// True if the text began with a byte order mark of UTF-8, which has been removed.
    pub fn has_mark(&self) -> bool {
        self.has_mark
    }
}

impl Read for TextReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl BufRead for TextReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
    }
}

fn is_gzip(name: &str, start: &[u8]) -> bool {
    name.ends_with(".gz") || start.starts_with(&GZIP_MAGIC)
}

/// Returns the first bytes, and a reader that returns these bytes again before the others. Reads no
/// further than a line end, so that a terminal's first line is processed at once.
fn peek<'a>(mut reader: impl BufRead + 'a) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut start = Vec::new();
    while start.len() < PEEKED_BYTES && !start.contains(&b'\n') {
        let more = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            more => more?,
        };
        if more.is_empty() {
            break;
        }
        let count = more.len().min(PEEKED_BYTES - start.len());
        start.extend_from_slice(&more[..count]);
        reader.consume(count);
    }
    let again = Cursor::new(start.clone()).chain(reader);
    Ok((start, Box::new(again)))
}

/// Returns the text in the bytes of a file, which may be packed with gzip, be UTF-16 or UTF-32 with
/// a byte order mark, or begin with the byte order mark of UTF-8. Messages call the file `name`.
///
/// # Errors
/// If the text cannot be unpacked, is too large or not UTF-8.
pub fn unpacked_text(name: &str, bytes: &[u8]) -> Result<String, TextError> {
    read_text(name, bytes, MAXIMUM_MEBIBYTES)
}

/// Returns the text in the bytes of a file like [`unpacked_text`], but of at most this size.
///
/// # Errors
/// If the text cannot be unpacked, is too large or not UTF-8.
pub fn read_text(name: &str, bytes: &[u8], maximum_mebibytes: u64) -> Result<String, TextError> {
    let maximum = maximum_mebibytes << 20;
    // A vector that doubles its capacity could take twice the memory of a large text.
    let mut text = Vec::with_capacity(bytes.len());
    let mut limited = TextReader::new(name, bytes)?.take(maximum + 1);
    limited
        .read_to_end(&mut text)
        .map_err(|reason| TextError::of_reading(name, reason))?;
    if text.len() as u64 > maximum {
        return Err(TextError::TooLarge {
            name: name.to_owned(),
            mebibytes: maximum_mebibytes,
        });
    }
    String::from_utf8(text).map_err(|error| encoding::not_utf8_in(name, &error))
}

/// Refuses a text whose lines end in carriage returns only.
pub(crate) fn check_line_ends(name: &str, text: &str) -> Result<(), TextError> {
    match text.lines().nth(1) {
        None if ends_in_returns(text.as_bytes()) => Err(TextError::Returns {
            name: name.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// True if the only line of a text consists of several lines that end in carriage returns.
pub fn ends_in_returns(only_line: &[u8]) -> bool {
    let only_line = only_line.strip_suffix(b"\n").unwrap_or(only_line);
    let is_return = |&byte: &u8| byte == b'\r';
    let inner = only_line.iter().position(is_return);
    inner.is_some_and(|at| !only_line[at..].iter().all(is_return))
}
