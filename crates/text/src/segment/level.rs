//! Levels at which text can be cut into tokens, by name.

use serde::{Deserialize, Serialize};
use strata_describe::{Words, options};

options! {
    /// The level at which text is cut into tokens.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum TokenUnit {
        /// Tokens are the text between white space; for corpora with punctuation set apart.
        Word = "word",
        /// Words and punctuation marks apart, for text as it is written.
        Punctuation = "punctuation",
        /// Tokens are Unicode code points; white space becomes `␣`.
        Character = "character",
        /// Pieces of words by byte-pair encoding (Sennrich et al. 2016), learned from the training
        /// text; `▁` begins a word.
        Bpe = "bpe",
        /// Pieces of words by a unigram language model (Kudo 2018), learned from the training text;
        /// `▁` begins a word.
        Unigram = "unigram",
        /// Chinese words, as jieba's dictionary finds them.
        Jieba = "jieba",
        /// Pieces of a model of SentencePiece (Kudo and Richardson 2018), which `task.pieces` names.
        Sentencepiece = "sentencepiece",
    }
}

impl TokenUnit {
    /// Words of the setting that chooses a level.
    pub const WORDS: Words = Words::new(
        "level",
        "Level",
        "Tokens: what white space parts, words and punctuation apart, characters, \
         learned pieces of words (bpe, unigram), Chinese words (jieba), or pieces of your own \
         model (sentencepiece).",
        "",
        "",
    );

    /// True if the level cuts text into pieces that are learned from the training text.
    pub fn is_subword(self) -> bool {
        matches!(self, Self::Bpe | Self::Unigram)
    }
}

options! {
    /// The level of the target side.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum TargetLevel {
        /// The source side's unit.
        Same = "same",
        /// [`TokenUnit::Word`].
        Word = "word",
        /// [`TokenUnit::Punctuation`].
        Punctuation = "punctuation",
        /// [`TokenUnit::Character`].
        Character = "character",
        /// [`TokenUnit::Bpe`].
        Bpe = "bpe",
        /// [`TokenUnit::Unigram`].
        Unigram = "unigram",
        /// [`TokenUnit::Jieba`].
        Jieba = "jieba",
        /// [`TokenUnit::Sentencepiece`].
        Sentencepiece = "sentencepiece",
    }
}

impl TargetLevel {
    /// Returns the level of the target side, given that of the source side.
    pub fn beside(self, source: TokenUnit) -> TokenUnit {
        match self {
            Self::Same => source,
            Self::Word => TokenUnit::Word,
            Self::Punctuation => TokenUnit::Punctuation,
            Self::Character => TokenUnit::Character,
            Self::Bpe => TokenUnit::Bpe,
            Self::Unigram => TokenUnit::Unigram,
            Self::Jieba => TokenUnit::Jieba,
            Self::Sentencepiece => TokenUnit::Sentencepiece,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_target_level_is_the_unit_of_its_name_or_that_of_the_source() {
        for unit in TokenUnit::OPTIONS {
            let target: TargetLevel = serde_json::from_value(unit.name.into()).unwrap();
            let unit: TokenUnit = serde_json::from_value(unit.name.into()).unwrap();
            assert_eq!(target.beside(TokenUnit::Word), unit);
            assert_eq!(TargetLevel::Same.beside(unit), unit);
        }
    }
}
