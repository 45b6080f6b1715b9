//! Vocabularies and subword models, as a file may contain them.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use strata_text::{Segmenter, SubwordModel, TokenUnit, Vocabulary, special::TEXTS};

use crate::edits::{Change, change, changes};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;
use crate::runs::read_dictionary;

/// Vocabulary and model as JSON, before they are changed.
#[derive(Clone, Debug)]
struct Recipe {
    tokens: Vec<String>,
    merges: Vec<[Index; 2]>,
    scores: Vec<f32>,
    level: TokenUnit,
    lowercase: bool,
    changes: Option<Vec<Change>>,
    text: String,
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let token = prop_oneof![
        4 => select(vec!["▁", "a", "b", "ab", "▁a", "▁ab", "ba", "aba", "der", "D", "字"])
            .prop_map(String::from),
        1 => odd::text(3),
    ];
    let tokens = prop::collection::vec(token, 0..14);
    let merges = prop::collection::vec([any::<Index>(), any::<Index>()], 0..6);
    let scores = prop::collection::vec(-9.0..0.0_f32, 14);
    let level = select(vec![
        TokenUnit::Word,
        TokenUnit::Punctuation,
        TokenUnit::Character,
        TokenUnit::Bpe,
        TokenUnit::Bpe,
        TokenUnit::Unigram,
        TokenUnit::Unigram,
        TokenUnit::Jieba,
    ]);
    let changes = prop::option::weighted(0.3, changes());
    (
        tokens,
        merges,
        scores,
        level,
        any::<bool>(),
        changes,
        odd::text(30),
    )
        .prop_map(
            |(mut tokens, merges, scores, level, lowercase, changes, text)| {
                tokens.sort_unstable();
                tokens.dedup();
                Recipe {
                    tokens,
                    merges,
                    scores,
                    level,
                    lowercase,
                    changes,
                    text,
                }
            },
        )
}

impl Recipe {
    /// Returns vocabulary and model as a checkpoint contains them.
    fn json(&self) -> Value {
        let tokens: Vec<&str> = TEXTS
            .into_iter()
            .chain(self.tokens.iter().map(String::as_str))
            .collect();
        // Pairs that together are a piece, and now and then a pair that is not.
        let piece = |index: &Index| index.index(tokens.len());
        let merges = self.merges.iter().map(|pair| pair.each_ref().map(piece));
        let known = |[left, right]: &[usize; 2]| {
            let both = format!("{}{}", tokens[*left], tokens[*right]);
            tokens.contains(&both.as_str()) || left == right
        };
        let model = match self.level {
            TokenUnit::Bpe => {
                json!({ "kind": "bpe", "merges": merges.filter(known).collect::<Vec<_>>() })
            }
            TokenUnit::Unigram => {
                json!({ "kind": "unigram", "scores": self.scores[..self.tokens.len()] })
            }
            _ => Value::Null,
        };
        let mut both = json!({ "vocabulary": tokens, "model": model });
        change(&mut both, self.changes.as_deref().unwrap_or_default());
        both
    }

    /// Returns the segmenter of a checkpoint, or the error.
    fn read(&self) -> Result<(Segmenter, Vocabulary), String> {
        let mut json = self.json();
        let wrong = |error: serde_json::Error| format!("it cannot be read: {error}");
        let vocabulary: Vocabulary =
            serde_json::from_value(json["vocabulary"].take()).map_err(wrong)?;
        let model: Option<SubwordModel> =
            serde_json::from_value(json["model"].take()).map_err(wrong)?;
        let segmenter = Segmenter::restore(self.level, self.lowercase, model, &vocabulary);
        Ok((segmenter.map_err(|error| error.to_string())?, vocabulary))
    }
}

#[test]
fn a_vocabulary_cuts_any_text_or_is_refused() {
    let alone = alone();
    read_dictionary();
    fuzz(&alone, "vocabularies", 300, recipes(), |recipe| {
        let bytes = recipe.json().to_string().len() + recipe.text.len();
        let read = within((1 << 20) + 500 * bytes, || recipe.read());
        let (segmenter, vocabulary) = match read {
            Ok(read) => read,
            Err(reason) => {
                is_sentence(&reason);
                return Outcome::Refused;
            }
        };
        let work = || segmenter.split(&recipe.text);
        let tokens = within((1 << 20) + 500 * bytes, work);
        assert!(tokens.iter().all(|token| !token.is_empty()), "{tokens:?}");
        let ids = vocabulary.encode(&tokens);
        assert!(ids.iter().all(|&id| (id as usize) < vocabulary.len()));
        segmenter.join(&vocabulary.decode(&ids));
        // The stored model gives the same segmenter again.
        let kept = segmenter.subwords().cloned();
        let again = Segmenter::restore(recipe.level, recipe.lowercase, kept, &vocabulary);
        assert_eq!(again.map(|it| it.split(&recipe.text)).ok(), Some(tokens));
        Outcome::Taken
    });
}
