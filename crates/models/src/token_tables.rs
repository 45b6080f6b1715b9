//! Parameters with numbers for each token, which transfer to models with other vocabularies.

use crate::reader::Reader;
use crate::{
    Model, RecurrentLm, Rnnpg, Seq2Seq, SequenceModel, Tagger, Transformer, TransformerLm,
};

/// Vocabulary whose tokens a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VocabularySide {
    /// Vocabulary of the source; for a reader, of words.
    Source,
    /// Vocabulary of the target, or of a text; for a reader, of the characters of words.
    Target,
}

/// Parameter with numbers for each token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenTable {
    /// Name of the parameter: the path of its fields, joined by points.
    pub name: &'static str,
    /// Vocabulary of the rows or columns.
    pub side: VocabularySide,
    /// True if tokens are columns; otherwise they are rows, or single numbers.
    pub by_column: bool,
}

impl TokenTable {
    /// Describes a table with a row or a number for each token.
    pub(crate) const fn rows(name: &'static str, side: VocabularySide) -> Self {
        Self {
            name,
            side,
            by_column: false,
        }
    }

    /// Describes a table with a column for each token.
    pub(crate) const fn columns(name: &'static str, side: VocabularySide) -> Self {
        Self {
            name,
            side,
            by_column: true,
        }
    }
}

impl Model {
    /// Token tables that a model of this architecture can have. Settings may leave some of them
    /// out.
    pub fn token_tables(&self) -> &'static [TokenTable] {
        match self {
            Self::Sequence(SequenceModel::Seq2Seq(_)) => &Seq2Seq::TOKEN_TABLES,
            Self::Sequence(SequenceModel::Transformer(_)) => &Transformer::TOKEN_TABLES,
            Self::Sequence(SequenceModel::RecurrentLm(_)) => &RecurrentLm::TOKEN_TABLES,
            Self::Sequence(SequenceModel::TransformerLm(_)) => &TransformerLm::TOKEN_TABLES,
            Self::Sequence(SequenceModel::Rnnpg(_)) => &Rnnpg::TOKEN_TABLES,
            Self::Sequence(SequenceModel::Tagger(_)) => &Tagger::TOKEN_TABLES,
            Self::Reader(_) => &Reader::TOKEN_TABLES,
        }
    }
}
