//! Examples of writing a poem by its plan: keyword and earlier lines become the next line.

use std::fmt;

use crate::Word;

/// Token of the source of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceToken {
    /// Length of the lines, without which a first line could not know how long it is.
    Length(usize),
    /// Border before each earlier line.
    Separator,
    /// Character of the keyword, or of an earlier line.
    Character(char),
}

impl fmt::Display for SourceToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => write!(formatter, "<{length}>"),
            Self::Separator => formatter.write_str("<sep>"),
            Self::Character(character) => write!(formatter, "{character}"),
        }
    }
}

/// Source of the line that follows the `earlier` ones of a poem: its length, the keyword, and each
/// line after a separator. `reversed` turns keyword and lines around, not their order.
pub fn source<'a>(
    length: usize,
    keyword: Word,
    earlier: impl IntoIterator<Item = &'a [char]>,
    reversed: bool,
) -> Vec<SourceToken> {
    let mut tokens = vec![SourceToken::Length(length)];
    let keyword: Vec<char> = keyword.characters().collect();
    tokens.extend(
        turned(&keyword, reversed)
            .into_iter()
            .map(SourceToken::Character),
    );
    for line in earlier {
        tokens.push(SourceToken::Separator);
        tokens.extend(
            turned(line, reversed)
                .into_iter()
                .map(SourceToken::Character),
        );
    }
    tokens
}

/// Characters of a line in the order in which they are written.
pub fn turned(line: &[char], reversed: bool) -> Vec<char> {
    let mut line = line.to_vec();
    if reversed {
        line.reverse();
    }
    line
}
