//! The level at which text is cut into tokens.

use serde::{Deserialize, Serialize};

/// Stands for white space among the tokens of [`Level::Character`].
const SPACE: &str = "␣";

/// The level at which text is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Tokens are what stands between white space; the corpora come with punctuation set apart.
    #[default]
    Word,
    /// Tokens are Unicode code points; white space becomes `␣`.
    Character,
}

impl Level {
    /// Cuts text into tokens.
    pub fn split(self, text: &str) -> Vec<&str> {
        match self {
            Self::Word => text.split_whitespace().collect(),
            Self::Character => {
                let text = text.trim();
                let token = |(start, character): (usize, char)| {
                    let end = start + character.len_utf8();
                    if character.is_whitespace() {
                        SPACE
                    } else {
                        &text[start..end]
                    }
                };
                text.char_indices().map(token).collect()
            }
        }
    }

    /// Puts tokens together again. What [`split`](Self::split) forgets, the kind of white space,
    /// comes back as single spaces.
    pub fn join<T: AsRef<str>>(self, tokens: &[T]) -> String {
        let mut text = String::new();
        for (index, token) in tokens.iter().enumerate() {
            match (self, token.as_ref()) {
                (Self::Word, token) => {
                    if index > 0 {
                        text.push(' ');
                    }
                    text.push_str(token);
                }
                (Self::Character, SPACE) => text.push(' '),
                (Self::Character, token) => text.push_str(token),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_stands_between_white_space() {
        let tokens = Level::Word.split("  der alte\tmann\u{3000}. ");
        assert_eq!(tokens, ["der", "alte", "mann", "."]);
        assert_eq!(Level::Word.join(&tokens), "der alte mann .");
    }

    #[test]
    fn characters_keep_white_space_visible() {
        let tokens = Level::Character.split(" 春 eé\n");
        assert_eq!(tokens, ["春", "␣", "e", "é"]);
        assert_eq!(Level::Character.join(&tokens), "春 eé");
    }

    #[test]
    fn nothing_gives_no_tokens() {
        assert!(Level::Word.split(" \t").is_empty());
        assert!(Level::Character.split(" \t").is_empty());
        assert_eq!(Level::Word.join::<&str>(&[]), "");
    }
}
