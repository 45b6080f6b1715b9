//! Facts about a user's texts that influence a run but do not show in its metrics; reported before
//! training.

mod lost;
mod writing;

use serde::{Deserialize, Serialize};
use strata_text::{Vocabulary, special::UNK};

use crate::Example;

pub use lost::Lost;
pub use writing::Writing;

/// Facts about a corpus, to be reported before training.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Notes on how the files were read, a sentence each.
    pub remarks: Vec<String>,
    /// Facts on source and target; for a task of one text, the first element only.
    pub sides: [SideFacts; 2],
    /// Number of pairs read.
    pub pairs: u64,
    /// Number of pairs with the same text on both sides.
    pub alike: u64,
}

/// Facts on one side of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideFacts {
    /// Properties of the writing, in the text as written in the file.
    pub writing: Writing,
    /// Known and unknown training tokens.
    pub training: Known,
    /// Known and unknown held-out tokens.
    pub held_out: Known,
    /// True if the vocabulary has reached its largest size.
    pub is_full: bool,
    /// Number of held-out tokens that are in the vocabulary of the other side.
    pub known_on_other_side: u64,
    /// Held-out lines that change when they are cut into tokens and joined again; counted for
    /// targets only.
    #[serde(default)]
    pub lost: Lost,
}

/// Numbers of tokens in a text, and of those that a vocabulary lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Number of all tokens of a text.
    pub tokens: u64,
    /// Number of tokens that become `<unk>`.
    pub unknown: u64,
}

impl Known {
    /// Counts the tokens of a sentence.
    pub(crate) fn add(&mut self, ids: &[u32]) {
        self.tokens += ids.len() as u64;
        self.unknown += ids.iter().filter(|&&id| id == UNK).count() as u64;
    }

    /// Returns the share of unknown tokens.
    pub fn share(self) -> f64 {
        self.unknown as f64 / self.tokens.max(1) as f64
    }
}

impl Facts {
    /// Counts a pair as written in the file.
    pub(crate) fn add_pair(&mut self, source: &str, target: &str) {
        self.pairs += 1;
        self.alike += u64::from(source == target && !source.trim().is_empty());
        self.sides[0].writing.add_line(source);
        self.sides[1].writing.add_line(target);
    }

    /// Marks the vocabularies that have reached their largest size.
    pub(crate) fn note_full(&mut self, maximum: usize, vocabularies: [&Vocabulary; 2]) {
        for (side, vocabulary) in self.sides.iter_mut().zip(vocabularies) {
            side.is_full = vocabulary.len() >= maximum;
        }
    }

    /// Counts the tokens of a training example.
    pub(crate) fn add_training(&mut self, example: &Example) {
        self.sides[0].training.add(&example.source);
        self.sides[1].training.add(&example.target);
    }

    /// Counts the tokens of a held-out example.
    pub(crate) fn add_held_out(&mut self, example: &Example) {
        self.sides[0].held_out.add(&example.source);
        self.sides[1].held_out.add(&example.target);
    }
}

/// Returns a name with a capital as the first letter.
pub(crate) fn capital(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().into_iter();
    first
        .flat_map(char::to_uppercase)
        .chain(characters)
        .collect()
}
