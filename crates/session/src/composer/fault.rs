//! Reasons why a poem cannot be written as it was asked for.

use std::fmt;

/// Reason why a poem cannot be written as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoemFault {
    /// The text holds no Chinese character.
    NoText,
    /// Not four words of one or two Chinese characters.
    Keywords,
    /// A length that quatrains do not have.
    Length,
    /// A given line, or its beginning, that is none of this length.
    Line {
        /// Characters of a line.
        length: usize,
    },
    /// No first line for a model that needs one.
    First {
        /// Characters of a line.
        length: usize,
    },
    /// Keywords are asked for of a model that reads none.
    Unplanned,
    /// Not four characters.
    Acrostic,
    /// A character that the model does not know.
    Unknown(char),
}

impl fmt::Display for PoemFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoText => formatter.write_str(
                "there is no Chinese character in the text: type what the poem is about in Chinese, \
                 such as 明月",
            ),
            Self::Keywords => formatter.write_str(
                "a poem has four keywords, each of one or two Chinese characters, such as 春风, 明月, \
                 江南, 故人",
            ),
            Self::Length => formatter.write_str("lines of quatrains have 5 or 7 characters"),
            Self::Line { length } => write!(
                formatter,
                "a given line has {length} Chinese characters, without punctuation"
            ),
            Self::First { length } => write!(
                formatter,
                "this model goes on from a first line: type one of {length} Chinese characters, without \
                 punctuation"
            ),
            Self::Unplanned => formatter.write_str(
                "this model reads no keywords: it goes on from a first line",
            ),
            Self::Acrostic => formatter.write_str(
                "an acrostic has four Chinese characters, one for each line, such as 春夏秋冬",
            ),
            Self::Unknown(character) => write!(
                formatter,
                "the model does not know {character}: it is not among the characters of its poems; \
                 choose another"
            ),
        }
    }
}
