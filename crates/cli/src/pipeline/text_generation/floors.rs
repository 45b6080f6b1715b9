//! Count models of a text, for `--floors`.

use serde_json::Value as Json;
use strata_metrics::{CountModel, bits_per_character};
use strata_tasks::Example;
use strata_text::special;
use strata_training::Tokenizer;

use crate::pipeline::floors::Counted;

/// Count models of a text: name and order.
const OF_TEXTS: [(&str, usize); 4] = [("unigram", 1), ("bigram", 2), ("trigram", 3), ("5-gram", 5)];

/// Measures count models, learned from one text, on another text in segments.
pub fn of_text(
    tokenizer: &Tokenizer,
    training: &[Example],
    segments: &[Example],
    characters: u64,
) -> Json {
    let of_order = |(name, order): (&str, usize)| {
        let mut model = CountModel::new(order, tokenizer.vocabularies().target);
        for segment in training {
            model.add(&joined(segment), 1);
        }
        let mut counted = Counted::default();
        // Segments follow each other, so the end of one is the history of the next.
        let mut text = Vec::new();
        for segment in segments {
            match text.len() {
                0 => text = joined(segment),
                length => {
                    text.drain(..length.saturating_sub(order));
                    text.extend(counted_of(segment));
                }
            }
            let own = counted_of(segment).count();
            counted.add(&model, &text, text.len() - own);
        }
        let mut json = counted.json();
        json["bits_per_character"] = bits_per_character(counted.loss.sum, characters).into();
        (name.to_owned(), json)
    };
    Json::Object(OF_TEXTS.into_iter().map(of_order).collect())
}

/// Returns a segment's tokens, preceded by the token before the segment.
fn joined(segment: &Example) -> Vec<u32> {
    let mut tokens: Vec<u32> = segment.source.first().copied().into_iter().collect();
    tokens.extend(counted_of(segment));
    tokens
}

/// Returns the tokens of a segment's target without the places that are not counted.
fn counted_of(segment: &Example) -> impl Iterator<Item = u32> {
    let target = segment.target.iter().copied();
    target.filter(|&id| id != special::PAD)
}
