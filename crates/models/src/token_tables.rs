//! Parameters with numbers for each token, by which a model learns on with other vocabularies.

use crate::{Model, RecurrentLm, Rnnpg, Seq2Seq, Transformer, TransformerLm, reader::Reader};

/// Vocabulary whose tokens a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VocabularySide {
    /// Tokens of the source; words, of a reader.
    Source,
    /// Tokens of the target, or of a text; of a reader, the characters of its words.
    Target,
}

/// A parameter with numbers for each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenTable {
    /// Name of the parameter: the path of fields, joined by points.
    pub name: &'static str,
    /// Vocabulary that the rows or columns stand for.
    pub side: VocabularySide,
    /// True if tokens are columns; otherwise they are rows, or single numbers.
    pub by_column: bool,
}

impl TokenTable {
    /// A table with a row or a number for each token.
    pub(crate) const fn rows(name: &'static str, side: VocabularySide) -> Self {
        Self {
            name,
            side,
            by_column: false,
        }
    }

    /// A table with a column for each token.
    pub(crate) const fn columns(name: &'static str, side: VocabularySide) -> Self {
        Self {
            name,
            side,
            by_column: true,
        }
    }
}

impl Model {
    /// The tables of tokens that a model of this architecture can have; its settings may leave some
    /// out.
    pub fn token_tables(&self) -> &'static [TokenTable] {
        match self {
            Self::Seq2Seq(_) => &Seq2Seq::TOKEN_TABLES,
            Self::Transformer(_) => &Transformer::TOKEN_TABLES,
            Self::RecurrentLm(_) => &RecurrentLm::TOKEN_TABLES,
            Self::TransformerLm(_) => &TransformerLm::TOKEN_TABLES,
            Self::Reader(_) => &Reader::TOKEN_TABLES,
            Self::Rnnpg(_) => &Rnnpg::TOKEN_TABLES,
        }
    }
}
