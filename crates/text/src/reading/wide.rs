//! Decoder of UTF-16 and UTF-32.

use std::io::{self, BufRead, Read};

use crate::TextError;

/// An encoding in units of two or four bytes, with their byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WideEncoding {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

/// Byte order marks and their encodings; the longer marks come first.
const MARKS: [(&[u8], WideEncoding); 4] = [
    (b"\xff\xfe\0\0", WideEncoding::Utf32Le),
    (b"\0\0\xfe\xff", WideEncoding::Utf32Be),
    (b"\xff\xfe", WideEncoding::Utf16Le),
    (b"\xfe\xff", WideEncoding::Utf16Be),
];

impl WideEncoding {
    /// Returns the encoding of a text by the byte order mark in its first bytes, if there is one.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        let found = MARKS.iter().find(|(mark, _)| start.starts_with(mark));
        found.map(|&(_, wide)| wide)
    }

    /// Number of bytes of the byte order mark.
    pub(super) fn mark_length(self) -> usize {
        self.width()
    }

    fn width(self) -> usize {
        match self {
            Self::Utf16Le | Self::Utf16Be => 2,
            Self::Utf32Le | Self::Utf32Be => 4,
        }
    }

    /// Name of the encoding in iconv.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
        }
    }

    fn unit(self, bytes: &[u8]) -> u32 {
        let add = |unit: u32, &byte: &u8| unit << 8 | u32::from(byte);
        match self {
            Self::Utf16Be | Self::Utf32Be => bytes.iter().fold(0, add),
            Self::Utf16Le | Self::Utf32Le => bytes.iter().rev().fold(0, add),
        }
    }
}

/// Reader that decodes a text to UTF-8.
pub(super) struct Decoder<R> {
    name: String,
    wide: WideEncoding,
    reader: R,
    /// Bytes that are not decoded yet.
    bytes: Vec<u8>,
    /// First half of a surrogate pair of UTF-16, if the second is still to come.
    half: Option<u32>,
    /// Decoded text, and the number of its bytes that were passed on.
    text: String,
    given: usize,
    /// Number of the present line, from 1.
    line: usize,
}

impl<R: BufRead> Decoder<R> {
    pub(super) fn new(name: &str, wide: WideEncoding, reader: R) -> Self {
        Self {
            name: name.to_owned(),
            wide,
            reader,
            bytes: Vec::new(),
            half: None,
            text: String::new(),
            given: 0,
            line: 1,
        }
    }

    /// Decodes more text; returns false at the end.
    fn decode(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.given = 0;
        let more = self.reader.fill_buf()?;
        let count = more.len();
        self.bytes.extend_from_slice(more);
        self.reader.consume(count);
        if count == 0 {
            return if self.bytes.is_empty() && self.half.is_none() {
                Ok(false)
            } else {
                Err(self.broken())
            };
        }
        let bytes = std::mem::take(&mut self.bytes);
        let units = bytes.chunks_exact(self.wide.width());
        self.bytes = units.remainder().to_vec();
        for unit in units {
            self.take(self.wide.unit(unit))?;
        }
        Ok(true)
    }

    fn take(&mut self, unit: u32) -> io::Result<()> {
        let code = match (self.wide.width(), self.half.take(), unit) {
            (2, Some(half), 0xdc00..0xe000) => 0x1_0000 + ((half - 0xd800) << 10 | (unit - 0xdc00)),
            (2, None, 0xd800..0xdc00) => {
                self.half = Some(unit);
                return Ok(());
            }
            (_, None, _) => unit,
            _ => return Err(self.broken()),
        };
        let character = char::from_u32(code).ok_or_else(|| self.broken())?;
        self.line += usize::from(character == '\n');
        self.text.push(character);
        Ok(())
    }

    fn broken(&self) -> io::Error {
        io::Error::other(TextError::BrokenWide {
            name: self.name.clone(),
            line: self.line,
            encoding: self.wide.name(),
        })
    }
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            if !self.decode()? {
                return Ok(0);
            }
        }
        let rest = &self.text.as_bytes()[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}
