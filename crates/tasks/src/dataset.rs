//! Data that a task passes to training: vocabularies, training examples, held-out examples.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    Facts, Learned, PoemData, ReadingData, Segmenter, Stored, Vocabulary, WordVectors, Written,
};

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
    /// Held-out pairs, or questions, that the model from which a run began has learned.
    #[serde(default)]
    pub learned: usize,
}

impl Dropped {
    /// A sentence for each reason; `place` names the part: `Left out of validation: 3 …`.
    fn sentences(&self, place: &str) -> impl Iterator<Item = String> {
        [
            (self.empty, "sentence pair", "with nothing on one side"),
            (
                self.too_long,
                "sentence pair",
                "longer than `task.maximum_length`",
            ),
            (
                self.overlapping,
                "sentence pair",
                "whose source is also held out for validation",
            ),
            (
                self.learned,
                "example",
                "that the model from which the run began has learned",
            ),
        ]
        .into_iter()
        .filter(|&(count, ..)| count > 0)
        .map(move |(count, what, which)| {
            let plural = if count == 1 { "" } else { "s" };
            format!("Left out{place}: {count} {what}{plural} {which}.")
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
    /// Sentences by which it is known later what was learned of them; only of what is read from files.
    pub identities: Option<Identities>,
}

/// Sentences of a data set as numbers by which they are known in other data sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    /// Those that are trained on: sources of pairs, questions with their passages, lines of a text.
    pub training: Learned,
    /// Those of each held-out example, in the order of the examples; of a text, of each line that is
    /// long enough.
    pub held_out: Vec<Vec<u64>>,
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
