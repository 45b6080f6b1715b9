//! Tokens and their identifiers.
//!
//! - `file`: vocabularies of other programs

mod file;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::TaskError;
use crate::segment::Counts;
use crate::special::{TEXTS, UNK};

/// The tokens that a model knows, each with its identifier: the four special ones first.
///
/// It is kept as the list of its tokens, and read back with a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Vocabulary {
    tokens: Vec<String>,
    /// Without the special tokens: text that spells `<s>` must not become the real one.
    identifiers: HashMap<String, u32>,
}

impl Vocabulary {
    /// The vocabulary of `sentences`: the most frequent tokens first, equally frequent ones in
    /// the order of their characters.
    ///
    /// Tokens seen fewer than `minimum_count` times are left out, and so are the rarest beyond
    /// `maximum_size` entries (the special ones included).
    pub fn build<'a, S>(
        sentences: impl IntoIterator<Item = S>,
        minimum_count: usize,
        maximum_size: usize,
    ) -> Self
    where
        S: IntoIterator<Item = &'a str>,
    {
        let mut counts = Counts::default();
        for token in sentences.into_iter().flatten() {
            counts.add(token);
        }
        Self::of_counts(&counts, minimum_count, maximum_size)
    }

    /// The vocabulary of counted tokens; see [`build`](Self::build).
    pub(crate) fn of_counts(counts: &Counts, minimum_count: usize, maximum_size: usize) -> Self {
        let kept = counts.by_frequency(minimum_count).into_iter();
        let kept = kept.filter(|(token, _)| !TEXTS.contains(token));
        let most = maximum_size.saturating_sub(TEXTS.len());
        Self::of_distinct(kept.take(most).map(|(token, _)| token))
    }

    /// The special tokens and `tokens` in their order; these must be distinct and not special.
    pub(crate) fn of_distinct(tokens: impl IntoIterator<Item = impl Into<String>>) -> Self {
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

    /// The identifier of a token, [`UNK`] if it is not known.
    pub fn id(&self, token: &str) -> u32 {
        self.identifiers.get(token).copied().unwrap_or(UNK)
    }

    /// The text of a token; that of [`UNK`] for an identifier that is out of range.
    pub fn token(&self, id: u32) -> &str {
        self.tokens
            .get(id as usize)
            .map_or(TEXTS[UNK as usize], String::as_str)
    }

    /// The identifiers of `tokens`; unknown ones become [`UNK`].
    pub fn encode(&self, tokens: &[impl AsRef<str>]) -> Vec<u32> {
        tokens.iter().map(|token| self.id(token.as_ref())).collect()
    }

    /// The texts of `ids`, special tokens included.
    pub fn decode(&self, ids: &[u32]) -> Vec<&str> {
        ids.iter().map(|&id| self.token(id)).collect()
    }

    /// Number of entries, the special ones included.
    #[allow(
        clippy::len_without_is_empty,
        reason = "the special tokens are always there"
    )]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// True if there is nothing but the special tokens.
    pub fn has_only_special_tokens(&self) -> bool {
        self.identifiers.is_empty()
    }

    /// The tokens in the order of their identifiers.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

impl TryFrom<Vec<String>> for Vocabulary {
    type Error = TaskError;

    fn try_from(tokens: Vec<String>) -> Result<Self, TaskError> {
        if tokens.len() < TEXTS.len()
            || !tokens.iter().zip(TEXTS).all(|(token, text)| token == text)
        {
            return Err(TaskError::VocabularyWithoutSpecials);
        }
        let vocabulary = Self::of_distinct(tokens.into_iter().skip(TEXTS.len()));
        for (id, token) in (0..).zip(&vocabulary.tokens) {
            // The later one of two equal tokens has taken the identifier.
            let special = id < TEXTS.len() as u32;
            if !special && (TEXTS.contains(&token.as_str()) || vocabulary.id(token) != id) {
                return Err(TaskError::VocabularyDuplicate {
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
