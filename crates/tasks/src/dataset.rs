//! Data that a task passes to training: vocabularies, training examples, held-out examples.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::{Facts, PoemData, ReadingData, Segmenter, Stored, Vocabulary, WordVectors, Written};

/// One pair of token sequences, without [`BOS`](crate::special::BOS) and
/// [`EOS`](crate::special::EOS).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Example {
    /// Token ids that the model reads.
    pub source: Vec<u32>,
    /// Token ids that the model must generate.
    pub target: Vec<u32>,
}

/// Numbers of pairs of one part of a corpus that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Pairs that are empty on one side or both.
    pub empty: usize,
    /// Pairs with more tokens than the maximum on one side or both.
    pub too_long: usize,
    /// Training pairs whose source sentence is also held out.
    pub overlapping: usize,
}

impl Dropped {
    /// A sentence for each reason; `place` names the part: `Left out of validation: 3 …`.
    fn sentences(&self, place: &str) -> impl Iterator<Item = String> {
        [
            (self.empty, "with nothing on one side"),
            (self.too_long, "longer than `task.maximum_length`"),
            (
                self.overlapping,
                "whose source is also held out for validation",
            ),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(move |(count, which)| {
            let pairs = if count == 1 { "pair" } else { "pairs" };
            format!("Left out{place}: {count} sentence {pairs} {which}.")
        })
    }
}

/// Pairs left out of a corpus. Those of validation are counted apart, as they change every score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Pairs left out of the training text, before any are held out of it.
    pub training: Dropped,
    /// Pairs left out of the held-out text.
    pub validation: Dropped,
}

impl LeftOut {
    /// Numbers of pairs left out and the reasons, a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let training = self.training.sentences("");
        training.chain(self.validation_sentences()).collect()
    }

    /// The same for validation alone.
    pub fn validation_sentences(&self) -> impl Iterator<Item = String> {
        self.validation.sentences(" of validation")
    }
}

/// A task's data, ready for training.
///
/// No source sentence of `validation` occurs in `training` (as text: where rare words become
/// `<unk>`, two sentences may look the same to the model). Neither is empty.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Segmenter of the source side.
    pub source_segmenter: Segmenter,
    /// Segmenter of the target side.
    pub target_segmenter: Segmenter,
    /// Vocabulary of the source side.
    pub source_vocabulary: Vocabulary,
    /// Vocabulary of the target side.
    pub target_vocabulary: Vocabulary,
    /// Training examples.
    pub training: Vec<Example>,
    /// Training examples on disk, if there are too many for memory; then `training` is empty.
    pub stored: Option<Arc<Stored>>,
    /// Held-out examples.
    pub validation: Vec<Example>,
    /// Examples of a task of the form [`Spans`](crate::Form::Spans), of which `training` and
    /// `validation` have none.
    pub reading: Option<ReadingData>,
    /// Text of the held-out examples as it is in the file.
    pub written: Written,
    /// Pairs left out of the corpus.
    pub dropped: LeftOut,
    /// Further facts to tell before training.
    pub facts: Facts,
    /// Poems that the examples are of.
    pub poems: Option<Arc<PoemData>>,
    /// Pretrained vectors of the tokens of source and target; of one text, of its tokens first.
    pub vectors: [Option<WordVectors>; 2],
}

impl Dataset {
    /// Number of tokens of the longest source and of the longest target.
    pub fn maximum_lengths(&self) -> (usize, usize) {
        let examples = || self.training.iter().chain(&self.validation);
        let source = examples().map(|example| example.source.len()).max();
        let target = examples().map(|example| example.target.len()).max();
        let stored = self
            .stored
            .as_ref()
            .map_or((0, 0), |it| it.maximum_lengths());
        (
            source.unwrap_or(0).max(stored.0),
            target.unwrap_or(0).max(stored.1),
        )
    }
}

/// Splits `items` by the sentence that `sentence` finds in them: all items of one sentence land on
/// the same side.
///
/// Returns the items to train on and at least `held_out` to validate on, both in their old order;
/// never more than half of the sentences are held out.
pub(crate) fn split_by_sentence<T, S: Eq + Hash + ?Sized>(
    items: Vec<T>,
    held_out: usize,
    seed: u64,
    sentence: impl Fn(&T) -> &S,
) -> (Vec<T>, Vec<T>) {
    let mut counts: HashMap<&S, usize> = HashMap::new();
    let mut distinct = Vec::new();
    for item in &items {
        let count = counts.entry(sentence(item)).or_default();
        if *count == 0 {
            distinct.push(sentence(item));
        }
        *count += 1;
    }
    Random::new(seed, "held out", 0).shuffle(&mut distinct);
    let mut chosen = HashSet::new();
    let mut pairs = 0;
    for text in &distinct[..distinct.len() / 2] {
        if pairs >= held_out {
            break;
        }
        pairs += counts[text];
        chosen.insert(*text);
    }
    let is_chosen: Vec<bool> = items
        .iter()
        .map(|item| chosen.contains(sentence(item)))
        .collect();
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for (item, held) in items.into_iter().zip(is_chosen) {
        if held {
            validation.push(item)
        } else {
            training.push(item)
        }
    }
    (training, validation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_lands_on_one_side_only() {
        let items: Vec<(String, usize)> = (0..1000).map(|i| (format!("s{}", i % 300), i)).collect();
        let (training, validation) = split_by_sentence(items, 100, 1, |item| &item.0);
        assert_eq!(training.len() + validation.len(), 1000);
        assert!(
            (100..104).contains(&validation.len()),
            "{}",
            validation.len()
        );
        let trained: HashSet<&str> = training.iter().map(|item| item.0.as_str()).collect();
        assert!(
            validation
                .iter()
                .all(|item| !trained.contains(item.0.as_str()))
        );
    }

    #[test]
    fn at_most_half_of_the_sentences_are_held_out() {
        let items: Vec<String> = (0..9).map(|i| format!("s{i}")).collect();
        let (training, validation) = split_by_sentence(items, 500, 1, |item| item);
        assert_eq!((training.len(), validation.len()), (5, 4));
        let (training, validation) = split_by_sentence(vec!["a"; 3], 1, 1, |item| item);
        assert_eq!((training.len(), validation.len()), (3, 0));
    }

    #[test]
    fn the_seed_chooses_what_is_held_out() {
        let split = |seed| {
            let items: Vec<String> = (0..100).map(|i| format!("s{i}")).collect();
            split_by_sentence(items, 10, seed, |item| item).1
        };
        assert_eq!(split(1), split(1));
        assert_ne!(split(1), split(2));
    }
}
