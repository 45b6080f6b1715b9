//! Reasons why a poem cannot be written as requested.

use std::fmt;

/// Reason why a poem cannot be written as requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoemFault {
    /// The text holds no Chinese character.
    NoText,
    /// The keywords are not four words of one or two Chinese characters.
    Keywords,
    /// Quatrains do not have lines of this length.
    Length,
    /// A given line, or the beginning of a line, does not fit the length.
    Line {
        /// Characters per line.
        length: usize,
    },
    /// The model needs a first line, and none is given.
    First {
        /// Characters per line.
        length: usize,
    },
    /// The request asks for keywords, and the model reads none.
    Unplanned,
    /// The acrostic does not have four characters.
    Acrostic,
    /// The model does not know this character.
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
