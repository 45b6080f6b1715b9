//! Vocabulary: tokens and their identifiers.
//!
//! - `file`: vocabularies of other programs

mod file;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::special::{TEXTS, UNK};
use crate::{TextError, TokenCounts};

/// The tokens that a model knows, each with its identifier; the four special tokens come first.
///
/// A vocabulary is saved as the list of its tokens, which is checked when it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Vocabulary {
    tokens: Vec<String>,
    /// Identifiers of all tokens except the special ones: `<s>` in a text must not become the
    /// special token.
    identifiers: HashMap<String, u32>,
}

impl Vocabulary {
    /// Builds the vocabulary of `sentences`: the most frequent tokens first, equally frequent ones
    /// in the order of their characters.
    ///
    /// Tokens that occur fewer than `minimum_count` times are left out, and so are the rarest
    /// beyond `maximum_size` entries (including the special ones).
    pub fn build<'a, S>(
        sentences: impl IntoIterator<Item = S>,
        minimum_count: usize,
        maximum_size: usize,
    ) -> Self
    where
        S: IntoIterator<Item = &'a str>,
    {
        let mut counts = TokenCounts::default();
        for token in sentences.into_iter().flatten() {
            counts.add(token);
        }
        Self::of_counts(&counts, minimum_count, maximum_size)
    }

    /// Builds the vocabulary of counted tokens; see [`build`](Self::build).
    pub fn of_counts(counts: &TokenCounts, minimum_count: usize, maximum_size: usize) -> Self {
        let kept = counts.by_frequency(minimum_count).into_iter();
        let kept = kept.filter(|(token, _)| !TEXTS.contains(token));
        let most = maximum_size.saturating_sub(TEXTS.len());
        Self::of_distinct(kept.take(most).map(|(token, _)| token))
    }

    /// Builds a vocabulary of the special tokens, then `tokens` in order; these must be different,
    /// and none may be special.
    pub fn of_distinct(tokens: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let tokens: Vec<String> = TEXTS
            .into_iter()
            .map(String::from)
            .chain(tokens.into_iter().map(Into::into))
            .collect();
        let identifiers = (0..).zip(&tokens).skip(TEXTS.len());
        let identifiers = identifiers.map(|(id, token)| (token.clone(), id)).collect();
        Self {
            tokens,
            identifiers,
        }
    }

    /// Returns the identifier of a token, or [`UNK`] if the token is unknown.
    pub fn id(&self, token: &str) -> u32 {
        self.identifiers.get(token).copied().unwrap_or(UNK)
    }

    /// Returns the text of a token; for an identifier out of range, that of [`UNK`].
    pub fn token(&self, id: u32) -> &str {
        self.tokens
            .get(id as usize)
            .map_or(TEXTS[UNK as usize], String::as_str)
    }

    /// Returns the identifiers of `tokens`; unknown ones become [`UNK`].
    pub fn encode(&self, tokens: &[impl AsRef<str>]) -> Vec<u32> {
        tokens.iter().map(|token| self.id(token.as_ref())).collect()
    }

    /// Returns the texts of `ids`, including special tokens.
    pub fn decode(&self, ids: &[u32]) -> Vec<&str> {
        ids.iter().map(|&id| self.token(id)).collect()
    }

    /// Returns the number of entries, including the special ones.
    #[allow(
        clippy::len_without_is_empty,
        reason = "the special tokens are always there"
    )]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// True if the vocabulary has only the special tokens.
    pub fn has_only_special_tokens(&self) -> bool {
        self.identifiers.is_empty()
    }

    /// Returns the tokens in the order of their identifiers.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

impl TryFrom<Vec<String>> for Vocabulary {
    type Error = TextError;

    fn try_from(tokens: Vec<String>) -> Result<Self, TextError> {
        if tokens.len() < TEXTS.len()
            || !tokens.iter().zip(TEXTS).all(|(token, text)| token == text)
        {
            return Err(TextError::VocabularyWithoutSpecials);
        }
        let vocabulary = Self::of_distinct(tokens.into_iter().skip(TEXTS.len()));
        for (id, token) in (0..).zip(&vocabulary.tokens) {
            // Of two equal tokens, the later one has the identifier.
            let special = id < TEXTS.len() as u32;
            if !special && (TEXTS.contains(&token.as_str()) || vocabulary.id(token) != id) {
                return Err(TextError::VocabularyDuplicate {
                    token: token.clone(),
                });
            }
        }
        Ok(vocabulary)
    }
}

impl From<Vocabulary> for Vec<String> {
    fn from(vocabulary: Vocabulary) -> Self {
        vocabulary.tokens
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn build(text: &str, minimum_count: usize, maximum_size: usize) -> Vocabulary {
        Vocabulary::build([text.split(' ')], minimum_count, maximum_size)
    }

    #[test]
    fn frequent_tokens_come_first_and_ties_are_sorted() {
        let vocabulary = build("d c a c b b c", 1, 100);
        assert_eq!(vocabulary.tokens()[4..], ["c", "b", "a", "d"]);
        assert_eq!(vocabulary.len(), 8);
    }

    #[test]
    fn rare_tokens_are_left_out() {
        let vocabulary = build("a a a b b c", 2, 100);
        assert_eq!(vocabulary.tokens()[4..], ["a", "b"]);
        assert_eq!(build("a a a b b c", 1, 5).tokens()[4..], ["a"]);
        assert!(build("a", 2, 100).has_only_special_tokens());
    }

    #[test]
    fn unknown_tokens_and_identifiers_become_unk() {
        let vocabulary = build("a b", 1, 100);
        assert_eq!(vocabulary.encode(&["b", "x", "a"]), [5, UNK, 4]);
        assert_eq!(vocabulary.decode(&[5, 3, 99]), ["b", "<unk>", "<unk>"]);
    }

    #[test]
    fn text_cannot_spell_a_special_token() {
        let vocabulary = build("<s> a </s>", 1, 100);
        assert_eq!(vocabulary.len(), 5);
        assert_eq!(vocabulary.encode(&["<s>", "<pad>"]), [UNK, UNK]);
    }

    #[test]
    fn it_survives_serialisation_as_a_list() {
        let vocabulary = build("a b b", 1, 100);
        let json = serde_json::to_string(&vocabulary).unwrap();
        assert_eq!(json, r#"["<pad>","<s>","</s>","<unk>","b","a"]"#);
        assert_eq!(
            serde_json::from_str::<Vocabulary>(&json).unwrap(),
            vocabulary
        );
    }

    #[test]
    fn a_damaged_list_is_refused() {
        let read = |json: &str| {
            serde_json::from_str::<Vocabulary>(json)
                .unwrap_err()
                .to_string()
        };
        assert!(read(r#"["a","b"]"#).contains("<pad>"));
        assert!(read("[]").contains("<pad>"));
        assert!(read(r#"["<pad>","<s>","</s>","<unk>","a","a"]"#).contains("`a`"));
        assert!(read(r#"["<pad>","<s>","</s>","<unk>","<s>"]"#).contains("`<s>`"));
    }
}
