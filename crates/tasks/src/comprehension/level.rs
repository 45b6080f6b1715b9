//! Levels at which texts are cut into tokens with places.

use serde::{Deserialize, Serialize};
use strata_describe::options;
use strata_text::TokenUnit;

use super::fine;
use crate::TaskError;

options! {
    /// Level at which passages and questions are cut into tokens. An answer must begin and end with
    /// a token.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ReadingLevel {
        /// `segmented` where the file has its own tokens, else `fine`.
        Auto = "auto",
        /// Runs of letters and runs of digits; all else, and every Chinese character, alone.
        Fine = "fine",
        /// Words and punctuation marks apart: 2.1 % of SQuAD's answers begin or end within a token.
        Punctuation = "punctuation",
        /// Tokens are the text between white space.
        Word = "word",
        /// Tokens are Unicode code points but white space.
        Character = "character",
        /// Chinese words, as jieba's dictionary finds them.
        Jieba = "jieba",
        /// The tokens of the file, for DuReader.
        Segmented = "segmented",
    }
}

impl ReadingLevel {
    /// Checks that this build can cut text at this level.
    ///
    /// # Errors
    /// If this build lacks the dictionary that the level needs.
    pub(crate) fn check(self) -> Result<(), TaskError> {
        match self {
            Self::Jieba => Ok(TokenUnit::Jieba.check()?),
            _ => Ok(()),
        }
    }

    /// Returns the places of the tokens of a text that has no tokens of its own: for each token,
    /// its first byte and the byte behind its last.
    pub(crate) fn places(self, text: &str) -> Vec<[u32; 2]> {
        let mut places = Vec::new();
        let mut rest = 0;
        for word in text.split_whitespace() {
            // The next word follows at once, so the search is short.
            let start = rest + text[rest..].find(word).unwrap_or(0);
            rest = start + word.len();
            let mut at = start;
            let mut take = |token: &str| {
                places.push([at as u32, (at + token.len()) as u32]);
                at += token.len();
            };
            match self {
                Self::Auto | Self::Fine => fine::pieces(word, &mut take),
                Self::Punctuation => TokenUnit::Punctuation.cut_word(word, &mut take),
                Self::Word => take(word),
                Self::Character => TokenUnit::Character.cut_word(word, &mut take),
                // A file that was cut by Baidu's segmenter is best matched by a segmenter of the
                // same kind.
                Self::Segmented if Self::Jieba.check().is_err() => fine::pieces(word, &mut take),
                Self::Jieba | Self::Segmented => TokenUnit::Jieba.cut_word(word, &mut take),
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_cuts_all_that_is_not_white_space_and_knows_where() {
        let text = " Cafe\u{301} don't…  ３Ｄ\u{3000}光荣ω-force\r\n👨\u{200d}👩 1,000.50\u{a0}x";
        for level in [
            ReadingLevel::Fine,
            ReadingLevel::Punctuation,
            ReadingLevel::Word,
            ReadingLevel::Character,
        ] {
            let places = level.places(text);
            let joined: String = places
                .iter()
                .map(|&[start, end]| &text[start as usize..end as usize])
                .collect();
            let kept: String = text.chars().filter(|it| !it.is_whitespace()).collect();
            assert_eq!(joined, kept, "{level:?}");
            assert!(places.is_sorted());
        }
    }
}
