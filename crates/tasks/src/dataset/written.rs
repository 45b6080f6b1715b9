//! Text of the held-out examples as written in the file, with which outputs are compared for
//! scores, and which users are shown.
//!
//! The tokens do not determine this text: a rare word becomes `<unk>`, and spaces and case may be
//! lost.

use serde::{Deserialize, Serialize};
use strata_text::{
    Segmenter, Vocabulary,
    special::{EOS, UNK},
};

use crate::Example;
use crate::cutter::Cutter;

/// Text of the held-out examples as written in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// The tokens determine the text: none is `<unk>`, and joined they equal the text.
    #[default]
    AsTokens,
    /// Source and target of every example, each a line of its file.
    Pairs(Vec<[String; 2]>),
    /// Properties of a single text.
    Text(WrittenText),
}

/// Properties of a text that its tokens do not determine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenText {
    /// Number of characters of the text, each line end counted as one.
    pub characters: u64,
    /// Tokens that the vocabulary lacks, each with its index among all tokens, in order.
    unknown: Vec<(u64, String)>,
}

impl WrittenText {
    /// Returns the token at an index among all tokens, if the vocabulary lacks that token.
    pub fn unknown(&self, place: u64) -> Option<&str> {
        let found = self
            .unknown
            .binary_search_by_key(&place, |(place, _)| *place);
        found.ok().map(|at| self.unknown[at].1.as_str())
    }

    /// Returns the number of tokens that the vocabulary lacks.
    pub fn unknown_tokens(&self) -> usize {
        self.unknown.len()
    }
}

/// Cuts a held-out text into segments, and records the properties that the tokens do not determine.
pub(crate) struct HeldOutCutter {
    cutter: Cutter,
    segments: Vec<Example>,
    written: WrittenText,
    /// Number of tokens so far.
    place: u64,
}

impl HeldOutCutter {
    /// Creates a cutter into segments of `segment_length` tokens.
    pub(crate) fn new(segment_length: usize) -> Self {
        Self {
            cutter: Cutter::new(segment_length),
            segments: Vec::new(),
            written: WrittenText::default(),
            place: 0,
        }
    }

    /// Adds a line, given without its end.
    pub(crate) fn line(&mut self, line: &str, segmenter: &Segmenter, vocabulary: &Vocabulary) {
        self.written.characters += line.chars().count() as u64 + 1;
        segmenter.each_token_of_line(line, &mut |token| {
            let id = vocabulary.id(token);
            if id == UNK {
                self.written.unknown.push((self.place, token.to_owned()));
            }
            self.token(id);
        });
        self.token(EOS);
    }

    fn token(&mut self, id: u32) {
        self.place += 1;
        self.segments.extend(self.cutter.token(id));
    }

    /// Returns the segments, and the properties of the text.
    pub(crate) fn finish(mut self) -> (Vec<Example>, Written) {
        self.segments.extend(self.cutter.rest());
        (self.segments, Written::Text(self.written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_length_and_the_tokens_that_are_unknown() {
        let vocabulary = Vocabulary::build([["a", "b"]], 1, 100);
        let mut cutter = HeldOutCutter::new(3);
        for line in ["a  rare b", "", "<unk> b"] {
            cutter.line(line, &Segmenter::of_words(), &vocabulary);
        }
        let (segments, written) = cutter.finish();
        let tokens: Vec<u32> = segments.iter().flat_map(|it| it.target.clone()).collect();
        assert_eq!(tokens, [4, UNK, 5, EOS, EOS, UNK, 5, EOS]);
        let Written::Text(written) = written else {
            panic!("{written:?}")
        };
        assert_eq!(written.characters, "a  rare b\n\n<unk> b\n".len() as u64);
        let unknown: Vec<_> = (0..8).map(|place| written.unknown(place)).collect();
        let mut expected = [None; 8];
        (expected[1], expected[5]) = (Some("rare"), Some("<unk>"));
        assert_eq!(unknown, expected);
        assert_eq!(written.unknown_tokens(), 2);
    }
}
