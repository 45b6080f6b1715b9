//! Data that a task gives to training: vocabularies, training examples, held-out examples.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_text::{Segmenter, Vocabulary};

use crate::{Facts, Learned, LearnedBuilder, PoemData, ReadingData, Stored, WordVectors, Written};

/// A pair of token sequences, without [`BOS`](strata_text::special::BOS) and
/// [`EOS`](strata_text::special::EOS).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Example {
    /// Token ids that the model reads.
    pub source: Vec<u32>,
    /// Token ids that the model must generate.
    pub target: Vec<u32>,
}

/// Numbers of pairs that were left out of one part of a corpus, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Pairs that are empty on one side or both.
    pub empty: usize,
    /// Pairs with more tokens than the maximum on one side or both.
    pub too_long: usize,
    /// Training pairs whose source sentence is also held out.
    pub overlapping: usize,
    /// Held-out pairs or questions that the initial model of a run has already learned.
    #[serde(default)]
    pub learned: usize,
}

impl Dropped {
    /// Returns a sentence for each reason, where `place` names the part:
    /// `Left out of validation: 3 …`.
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

/// Numbers of pairs left out of a corpus. Those of validation are counted apart, because they
/// change every score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Pairs left out of the training text, before any are held out.
    pub training: Dropped,
    /// Pairs left out of the held-out text.
    pub validation: Dropped,
}

impl LeftOut {
    /// Returns sentences on the pairs that were left out, one for each reason and part.
    pub fn sentences(&self) -> Vec<String> {
        let training = self.training.sentences("");
        training.chain(self.validation_sentences()).collect()
    }

    /// Returns sentences on the pairs that were left out of validation, one for each reason.
    pub fn validation_sentences(&self) -> impl Iterator<Item = String> {
        self.validation.sentences(" of validation")
    }
}

/// Data of a task, ready for training.
///
/// No source sentence of `validation` occurs in `training`, compared as text. (If rare words become
/// `<unk>`, two different sentences may look the same to the model.) Neither is empty.
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
    /// Training examples on disk, if they are too many for memory; then `training` is empty.
    pub stored: Option<Arc<Stored>>,
    /// Held-out examples.
    pub validation: Vec<Example>,
    /// Examples of a task of the kind [`QuestionAnswering`](crate::Pipeline::QuestionAnswering);
    /// then `training` and `validation` are empty.
    pub reading: Option<ReadingData>,
    /// Text of the held-out examples as written in the file.
    pub written: Written,
    /// Numbers of pairs left out of the corpus.
    pub dropped: LeftOut,
    /// Further facts to report before training.
    pub facts: Facts,
    /// Poems from which the examples were made.
    pub poems: Option<Arc<PoemData>>,
    /// Pretrained vectors of the tokens of source and target; for a single text, of its tokens
    /// first.
    pub vectors: [Option<WordVectors>; 2],
    /// Identities of the sentences, by which later runs recognise learned ones; `None` for poems,
    /// whose parts are the same in all runs.
    pub identities: Option<Identities>,
}

/// Numbers by which the sentences of a data set are recognised in other data sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    /// Identities of the training sentences: sources of pairs, questions with passages, lines of a
    /// text.
    pub training: Learned,
    /// Identities of each held-out example, in the order of the examples; for a text, of each line
    /// that is long enough.
    pub held_out: Vec<Vec<u64>>,
}

impl Identities {
    /// Identities of examples with one sentence each.
    pub(crate) fn of(
        training: impl IntoIterator<Item = u64>,
        held_out: impl IntoIterator<Item = u64>,
    ) -> Self {
        let mut learned = LearnedBuilder::default();
        learned.extend(training);
        Self {
            training: learned.finish(),
            held_out: held_out.into_iter().map(|it| vec![it]).collect(),
        }
    }
}

impl Dataset {
    /// Returns the number of tokens of the longest source and of the longest target.
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
