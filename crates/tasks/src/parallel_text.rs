//! Parallel text: sentence pairs, read from bytes of files or of what was pasted into the page.
//!
//! Two texts with a sentence per line, or one with two columns (source TAB target; further columns,
//! as Tatoeba's attributions, are ignored). Either may be packed with gzip, begin with a byte order
//! mark, and end its lines as Windows does.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::TaskError;

/// The most text that is unpacked: a packed file of a few KiB may hold terabytes of zeros.
const MAXIMUM_MEBIBYTES: u64 = 512;

/// What every gzip file begins with, and no UTF-8 text does.
pub(crate) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Sentence pairs as they were written, empty ones included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelText {
    /// What to call the text in messages.
    pub name: String,
    /// Source and target sentences.
    pub pairs: Vec<(String, String)>,
}

impl ParallelText {
    /// Reads two texts, of which line n is the translation of line n; each with its name.
    ///
    /// # Errors
    /// If a text cannot be unpacked or is not UTF-8, or the numbers of lines differ.
    pub fn from_sides(
        (source_name, source): (&str, &[u8]),
        (target_name, target): (&str, &[u8]),
    ) -> Result<Self, TaskError> {
        let source = read_text(source_name, source, MAXIMUM_MEBIBYTES)?;
        let target = read_text(target_name, target, MAXIMUM_MEBIBYTES)?;
        let (source_lines, target_lines) = (source.lines().count(), target.lines().count());
        if source_lines != target_lines {
            return Err(TaskError::UnequalLines {
                source_name: source_name.to_owned(),
                source_lines,
                target_name: target_name.to_owned(),
                target_lines,
            });
        }
        let owned = |(left, right): (&str, &str)| (left.to_owned(), right.to_owned());
        let pairs = source.lines().zip(target.lines()).map(owned).collect();
        Ok(Self {
            name: source_name.to_owned(),
            pairs,
        })
    }

    /// Reads one text with source and target in two columns.
    ///
    /// # Errors
    /// If the text cannot be unpacked or is not UTF-8, or a line that is not blank has no TAB.
    pub fn from_columns(name: &str, bytes: &[u8]) -> Result<Self, TaskError> {
        let text = read_text(name, bytes, MAXIMUM_MEBIBYTES)?;
        let mut pairs = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let mut columns = content.split('\t');
            let source = columns.next().unwrap_or_default();
            let target = match columns.next() {
                Some(target) => target,
                None if content.trim().is_empty() => "",
                None => {
                    return Err(TaskError::NoTab {
                        name: name.to_owned(),
                        line,
                    });
                }
            };
            pairs.push((source.to_owned(), target.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            pairs,
        })
    }
}

/// The text in the bytes of a file, which may be packed with gzip and begin with a byte order mark.
///
/// # Errors
/// If it cannot be unpacked, is too large or not UTF-8; `name` is what to call the file.
pub fn unpacked_text(name: &str, bytes: &[u8]) -> Result<String, TaskError> {
    read_text(name, bytes, MAXIMUM_MEBIBYTES)
}

/// The text in `bytes`, unpacked where the name or the bytes themselves say that they are packed.
pub(crate) fn read_text(
    name: &str,
    bytes: &[u8],
    maximum_mebibytes: u64,
) -> Result<String, TaskError> {
    let maximum = maximum_mebibytes << 20;
    let mut unpacked = Vec::new();
    if name.ends_with(".gz") || bytes.starts_with(&GZIP_MAGIC) {
        MultiGzDecoder::new(bytes)
            .take(maximum + 1)
            .read_to_end(&mut unpacked)
            .map_err(|reason| TaskError::BrokenGzip {
                name: name.to_owned(),
                reason: reason.to_string(),
            })?;
    } else {
        unpacked.extend_from_slice(bytes);
    }
    if unpacked.len() as u64 > maximum {
        return Err(TaskError::TooLarge {
            name: name.to_owned(),
            mebibytes: maximum_mebibytes,
        });
    }
    let text = String::from_utf8(unpacked).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line_start = valid
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |place| place + 1);
        TaskError::NotUtf8 {
            name: name.to_owned(),
            line: valid.iter().filter(|&&byte| byte == b'\n').count() + 1,
            byte: valid.len() - line_start + 1,
        }
    })?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn pack(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn pairs(text: &ParallelText) -> Vec<(&str, &str)> {
        text.pairs
            .iter()
            .map(|(source, target)| (source.as_str(), target.as_str()))
            .collect()
    }

    #[test]
    fn two_texts_pair_line_by_line() {
        let text = ParallelText::from_sides(("s", b"a b\n\nc"), ("t", b"x\n\ny z\n")).unwrap();
        assert_eq!(pairs(&text), [("a b", "x"), ("", ""), ("c", "y z")]);
        assert_eq!(text.name, "s");
    }

    #[test]
    fn byte_order_marks_and_windows_line_ends_vanish() {
        let text = ParallelText::from_columns("t", "\u{feff}a\tb\r\n\r\nc\td\r\n".as_bytes());
        assert_eq!(pairs(&text.unwrap()), [("a", "b"), ("", ""), ("c", "d")]);
    }

    #[test]
    fn further_columns_are_ignored() {
        let text = ParallelText::from_columns("t", b"Go.\tVa !\tCC-BY 2.0 (France)\n").unwrap();
        assert_eq!(pairs(&text), [("Go.", "Va !")]);
    }

    #[test]
    fn packed_text_reads_like_plain_text() {
        let plain = ParallelText::from_columns("t.tsv", b"a\tb\n")
            .unwrap()
            .pairs;
        let mut packed = pack(b"a\tb\n");
        assert_eq!(
            ParallelText::from_columns("t.tsv.gz", &packed)
                .unwrap()
                .pairs,
            plain
        );
        // Recognised by its first bytes too, and in several members, as `cat` makes them.
        packed.extend(pack(b"c\td\n"));
        assert_eq!(
            ParallelText::from_columns("pasted", &packed)
                .unwrap()
                .pairs
                .len(),
            2
        );
    }

    #[test]
    fn broken_packing_is_said() {
        let packed = pack(b"a\tb\n".repeat(100).as_slice());
        for bytes in [&packed[..packed.len() - 6], &[], b"a\tb\n"] {
            let error = ParallelText::from_columns("t.tsv.gz", bytes).unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with("t.tsv.gz: the gzip data is broken"),
                "{error}"
            );
        }
    }

    #[test]
    fn unpacking_stops_at_its_limit() {
        let packed = pack(&vec![b'a'; (1 << 20) + 1]);
        let error = read_text("bomb.gz", &packed, 1).unwrap_err();
        assert!(error.to_string().contains("larger than 1 MiB"), "{error}");
        assert!(read_text("fits.gz", &pack(&vec![b'a'; 1 << 20]), 1).is_ok());
    }

    #[test]
    fn unequal_line_counts_are_both_told() {
        let error = ParallelText::from_sides(("s", b"a\nb\n"), ("t", b"x\n")).unwrap_err();
        assert!(
            error.to_string().starts_with("s has 2 lines and t has 1"),
            "{error}"
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_located() {
        let error = ParallelText::from_columns("t", b"a\tb\ncaf\xe9\tx\n").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("t, line 2: byte 4 of the line"),
            "{error}"
        );
        let error = ParallelText::from_columns("t", b"\xff\xfea\0\t\0").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("t, line 1: byte 1 of the line"),
            "{error}"
        );
    }

    #[test]
    fn a_line_without_tab_is_located() {
        let error = ParallelText::from_columns("t", b"a\tb\n\na b\n").unwrap_err();
        assert!(
            error.to_string().starts_with("t, line 3: no TAB"),
            "{error}"
        );
    }
}
