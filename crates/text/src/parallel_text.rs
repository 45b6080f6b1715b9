//! Parallel text: sentence pairs, read from bytes of files or of text pasted into the page.
//!
//! The input is two texts with a sentence per line, or one text with two columns (source TAB
//! target; see [`columns`](crate::columns) for others). Either may be packed with gzip, be UTF-16
//! with its byte order mark, and have line ends of Windows.

use serde::{Deserialize, Serialize};

use crate::TextError;
use crate::columns::Columns;
use crate::reading::{check_line_ends, unpacked_text};
use crate::shape::remark_on_shape;

/// Sentence pairs as written, including empty ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParallelText {
    /// Name of the text in messages.
    pub name: String,
    /// Source and target sentences.
    pub pairs: Vec<(String, String)>,
    /// Notes on how the text was read, a sentence each.
    #[serde(default)]
    pub remarks: Vec<String>,
}

impl ParallelText {
    /// Reads two named texts, in which line n of one is the translation of line n of the other.
    ///
    /// # Errors
    /// If a text cannot be unpacked or is not UTF-8, or the numbers of lines differ.
    pub fn from_sides(
        (source_name, source): (&str, &[u8]),
        (target_name, target): (&str, &[u8]),
    ) -> Result<Self, TextError> {
        let source = lines_of(source_name, source)?;
        let target = lines_of(target_name, target)?;
        let (source_lines, target_lines) = (source.lines().count(), target.lines().count());
        if source_lines != target_lines {
            return Err(TextError::UnequalLines {
                source_name: source_name.to_owned(),
                source_lines,
                target_name: target_name.to_owned(),
                target_lines,
            });
        }
        let owned = |(left, right): (&str, &str)| (left.to_owned(), right.to_owned());
        let pairs = source.lines().zip(target.lines()).map(owned).collect();
        let remarks = [(source_name, &source), (target_name, &target)]
            .into_iter()
            .filter_map(|(name, text)| remark_on_shape(name, text.lines()));
        Ok(Self {
            name: source_name.to_owned(),
            pairs,
            remarks: remarks.collect(),
        })
    }

    /// Reads one text with source and target in two columns.
    ///
    /// # Errors
    /// If the text cannot be unpacked or is not UTF-8, or a line that is not blank has no TAB.
    pub fn from_columns(name: &str, bytes: &[u8]) -> Result<Self, TextError> {
        let text = lines_of(name, bytes)?;
        let columns = Columns::of(name, text.lines())?;
        let mut pairs = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let (source, target) = columns.pair(name, line, content)?;
            pairs.push((source.to_owned(), target.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            pairs,
            remarks: columns.remarks().to_vec(),
        })
    }
}

/// Unpacks and decodes a text, and refuses one whose lines end in carriage returns only.
fn lines_of(name: &str, bytes: &[u8]) -> Result<String, TextError> {
    let text = unpacked_text(name, bytes)?;
    check_line_ends(name, &text)?;
    Ok(text)
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
        // gzip is recognised by its first bytes, too, and several members are unpacked, as `cat`
        // makes them.
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
    }

    #[test]
    fn what_is_read_in_a_way_of_its_own_is_told() {
        let text = ParallelText::from_columns("t", b"1\ta\t2\tb\n3\tc\t4\td\n").unwrap();
        assert_eq!(pairs(&text), [("a", "b"), ("c", "d")]);
        assert!(text.remarks[0].contains("columns 2 and 4"));
        let sides = (("s", &b"<seg>a</seg>\n"[..]), ("t", &b"x\n"[..]));
        let text = ParallelText::from_sides(sides.0, sides.1).unwrap();
        assert!(text.remarks[0].starts_with("s: this file looks like a test set in SGML"));
        assert_eq!(text.remarks.len(), 1);
    }

    #[test]
    fn lines_that_end_in_carriage_returns_alone_are_told_before_their_number() {
        let error = ParallelText::from_sides(("s", b"a\rb\r"), ("t", b"x\ny\n")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("s: its lines end in carriage"),
            "{error}"
        );
        let error = ParallelText::from_columns("t", b"a\tb\rc\td\r").unwrap_err();
        assert!(error.to_string().contains("tr '\\r' '\\n'"), "{error}");
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
