//! The levels at which text can be cut into tokens, by name.

use serde::{Deserialize, Serialize};
use strata_describe::{Setting, Words};

use crate::description::choice;

/// The level at which text is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenUnit {
    /// Tokens are what stands between white space; for corpora with punctuation set apart.
    #[default]
    Word,
    /// Words and punctuation marks apart, for text as it is written.
    Punctuation,
    /// Tokens are Unicode code points; white space becomes `␣`.
    Character,
    /// Pieces of words by byte-pair encoding (Sennrich et al. 2016), learned from the training
    /// text; `▁` begins a word.
    Bpe,
    /// Pieces of words by a unigram language model (Kudo 2018), learned from the training text;
    /// `▁` begins a word.
    Unigram,
    /// Chinese words, as jieba's dictionary finds them.
    Jieba,
}

impl TokenUnit {
    /// All levels by their names, as a configuration writes them.
    pub const OPTIONS: &[Words] = &[
        Words::named("word"),
        Words::named("punctuation"),
        Words::named("character"),
        Words::named("bpe"),
        Words::named("unigram"),
        Words::named("jieba"),
    ];

    /// The setting by which a task takes one.
    pub(crate) const DESCRIPTION: Setting = choice(
        "level",
        "Level",
        "Tokens: what white space parts, words and punctuation apart, characters, \
         learned pieces of words (bpe, unigram), or Chinese words (jieba).",
        Self::OPTIONS,
    );

    /// Its name, as a configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Punctuation => "punctuation",
            Self::Character => "character",
            Self::Bpe => "bpe",
            Self::Unigram => "unigram",
            Self::Jieba => "jieba",
        }
    }

    /// True if its pieces are learned from the training text.
    pub fn is_subword(self) -> bool {
        matches!(self, Self::Bpe | Self::Unigram)
    }
}

/// The level of the target side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetLevel {
    /// That of the source side.
    #[default]
    Same,
    /// [`TokenUnit::Word`].
    Word,
    /// [`TokenUnit::Punctuation`].
    Punctuation,
    /// [`TokenUnit::Character`].
    Character,
    /// [`TokenUnit::Bpe`].
    Bpe,
    /// [`TokenUnit::Unigram`].
    Unigram,
    /// [`TokenUnit::Jieba`].
    Jieba,
}

impl TargetLevel {
    /// All choices by their names, as a configuration writes them.
    pub const OPTIONS: &[Words] = &[
        Words::named("same"),
        Words::named("word"),
        Words::named("punctuation"),
        Words::named("character"),
        Words::named("bpe"),
        Words::named("unigram"),
        Words::named("jieba"),
    ];

    /// The level, given that of the source side.
    pub fn beside(self, source: TokenUnit) -> TokenUnit {
        match self {
            Self::Same => source,
            Self::Word => TokenUnit::Word,
            Self::Punctuation => TokenUnit::Punctuation,
            Self::Character => TokenUnit::Character,
            Self::Bpe => TokenUnit::Bpe,
            Self::Unigram => TokenUnit::Unigram,
            Self::Jieba => TokenUnit::Jieba,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_name_is_a_level() {
        let read = |it: &Words| serde_json::from_value::<TokenUnit>(it.name.into()).unwrap();
        let levels: Vec<TokenUnit> = TokenUnit::OPTIONS.iter().map(read).collect();
        let names = levels.iter().map(|level| level.name());
        assert!(names.eq(TokenUnit::OPTIONS.iter().map(|it| it.name)));
        for (target, level) in TargetLevel::OPTIONS[1..].iter().zip(levels) {
            let target: TargetLevel = serde_json::from_value(target.name.into()).unwrap();
            assert_eq!(target.beside(TokenUnit::Word), level);
            assert_eq!(TargetLevel::Same.beside(level), level);
        }
    }
}
