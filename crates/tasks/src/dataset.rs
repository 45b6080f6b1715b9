//! Data that a task gives to training: vocabularies, training examples, held-out examples.

pub(crate) mod batches;
pub(crate) mod example;
pub(crate) mod left_out;
mod lengths;
pub(crate) mod vectors;
pub(crate) mod written;

use std::sync::Arc;

use strata_text::{Segmenter, Vocabulary};

use crate::{Example, Examples, Facts, Learned, LearnedBuilder, LeftOut, Stored};

/// Data of a task, ready for training. Neither training examples nor held-out examples are empty.
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
    /// Examples in memory.
    pub examples: Examples,
    /// Training examples on disk, if they are too many for memory; then none of them is in memory.
    pub stored: Option<Arc<Stored>>,
    /// Numbers of pairs left out of the corpus.
    pub dropped: LeftOut,
    /// Further facts to report before training.
    pub facts: Facts,
    /// Identities of the sentences, by which later runs recognise learned ones; `None` for poems,
    /// whose parts are the same in all runs, and for drawn questions.
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
    /// Returns the training examples in memory that are sequences; none for questions.
    pub fn training(&self) -> &[Example] {
        let examples = self.examples.sequences();
        examples.map_or(&[], |examples| &examples.training)
    }

    /// Returns the held-out examples that are sequences; none for questions.
    pub fn validation(&self) -> &[Example] {
        let examples = self.examples.sequences();
        examples.map_or(&[], |examples| &examples.validation)
    }

    /// Returns the text of the held-out examples, which are sequences.
    #[cfg(test)]
    pub(crate) fn written(&self) -> &crate::Written {
        match self.examples.sequences() {
            Some(examples) => &examples.written,
            None => panic!("{:?}", self.examples),
        }
    }

    /// Returns the number of tokens of the longest source and of the longest target.
    pub fn maximum_lengths(&self) -> (usize, usize) {
        let examples = || self.training().iter().chain(self.validation());
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
