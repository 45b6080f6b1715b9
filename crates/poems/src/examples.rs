//! Examples of writing a poem by its plan: a keyword and the earlier lines become the next line.

use std::fmt;

use crate::{LENGTHS, LINES, Word};

/// Token of an example's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceToken {
    /// Length of the lines, without which a model could not know how long a first line is.
    Length(usize),
    /// Separator before each earlier line.
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

/// Makes the source of the line that follows the `earlier` lines of a poem: the length of the line,
/// the keyword if the model reads one, and each line after a separator. `reversed` reverses the
/// characters of keyword and lines, but not the order of the lines.
pub fn source<'a>(
    length: usize,
    keyword: Option<Word>,
    earlier: impl IntoIterator<Item = &'a [char]>,
    reversed: bool,
) -> Vec<SourceToken> {
    let mut tokens = vec![SourceToken::Length(length)];
    let keyword: Vec<char> = keyword.into_iter().flat_map(Word::characters).collect();
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

/// Returns the characters of a line in the order in which they are written.
pub fn turned(line: &[char], reversed: bool) -> Vec<char> {
    let mut line = line.to_vec();
    if reversed {
        line.reverse();
    }
    line
}

/// True if the tokens begin with the length of the lines, as every source does.
pub fn has_length<T: AsRef<str>>(tokens: &[T]) -> bool {
    tokens.first().is_some_and(|first| {
        let mut marks = LENGTHS.into_iter().map(SourceToken::Length);
        marks.any(|mark| first.as_ref() == mark.to_string())
    })
}

/// True if the tokens are a source without a keyword: one to three lines of the length given before
/// them.
pub fn are_lines<T: AsRef<str>>(tokens: &[T]) -> bool {
    let Some((mark, lines)) = tokens.split_first() else {
        return false;
    };
    let of_mark = |length: &usize| mark.as_ref() == SourceToken::Length(*length).to_string();
    let Some(length) = LENGTHS.into_iter().find(of_mark) else {
        return false;
    };
    let separator = SourceToken::Separator.to_string();
    let is_separator = |token: &T| token.as_ref() == separator;
    let is_line = |line: &[T]| {
        let characters = line.split_first();
        characters.is_some_and(|(first, rest)| {
            is_separator(first) && rest.len() == length && !rest.iter().any(is_separator)
        })
    };
    (1..LINES).contains(&lines.len().div_ceil(length + 1)) && lines.chunks(length + 1).all(is_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_lines_are_known() {
        let line: Vec<char> = "春江花月夜".chars().collect();
        let of = |earlier: &[&[char]]| -> Vec<String> {
            let tokens = source(5, None, earlier.iter().copied(), false);
            tokens.iter().map(SourceToken::to_string).collect()
        };
        assert!(!are_lines(&of(&[])));
        for lines in 1..=3 {
            assert!(are_lines(&of(&vec![&line[..]; lines])), "{lines}");
        }
        assert!(!are_lines(&of(&[&line, &line, &line, &line])));
        assert!(!are_lines(&of(&[&line[..4]])));
        let mut tokens = of(&[&line]);
        tokens[0] = "<7>".to_owned();
        assert!(!are_lines(&tokens));
        tokens[0] = "春".to_owned();
        assert!(!are_lines(&tokens));
        assert!(!are_lines::<&str>(&[]));
    }
}
