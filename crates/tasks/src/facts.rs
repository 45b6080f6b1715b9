//! Facts about a user's texts on which a run depends but which its metrics do not show; told before
//! it starts.

mod lost;
mod notes;
mod writing;

use serde::{Deserialize, Serialize};

use crate::files::{Side, encode};
use crate::special::UNK;
use crate::{Example, Vocabulary};

pub use lost::Lost;
pub use writing::Writing;

/// Facts to tell about a corpus before a run on it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Notes on how its files were read, a sentence each.
    pub remarks: Vec<String>,
    /// Source and target; a task of one text uses the first alone.
    pub sides: [SideFacts; 2],
    /// Number of pairs read.
    pub pairs: u64,
    /// Number of pairs with the same text on both sides.
    pub alike: u64,
}

/// One side of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideFacts {
    /// Writing of the text as it is in the file.
    pub writing: Writing,
    /// Training tokens.
    pub training: Known,
    /// Held-out tokens.
    pub held_out: Known,
    /// True if the vocabulary has its largest size.
    pub is_full: bool,
    /// Held-out tokens that the vocabulary of the other side knows.
    pub known_on_other_side: u64,
    /// Held-out lines of which tokens lose something; of a source nothing is written.
    #[serde(default)]
    pub lost: Lost,
}

/// Number of tokens that a vocabulary knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Number of all tokens of a text.
    pub tokens: u64,
    /// Number of tokens that become `<unk>`.
    pub unknown: u64,
}

impl Known {
    /// Counts one more sentence.
    pub(crate) fn add(&mut self, ids: &[u32]) {
        self.tokens += ids.len() as u64;
        self.unknown += ids.iter().filter(|&&id| id == UNK).count() as u64;
    }

    /// Share of unknown tokens.
    pub fn share(self) -> f64 {
        self.unknown as f64 / self.tokens.max(1) as f64
    }
}

impl Facts {
    /// Counts a pair as it is in the file.
    pub(crate) fn look(&mut self, source: &str, target: &str) {
        self.pairs += 1;
        self.alike += u64::from(source == target && !source.trim().is_empty());
        self.sides[0].writing.look(source);
        self.sides[1].writing.look(target);
    }

    /// Counts how much of a held-out pair the vocabulary of its other side knows.
    pub(crate) fn cross(&mut self, [source, target]: [&Side; 2], texts: [&str; 2]) {
        let known = |side, text| encode(side, text).iter().filter(|&&id| id != UNK).count() as u64;
        self.sides[0].known_on_other_side += known(target, texts[0]);
        self.sides[1].known_on_other_side += known(source, texts[1]);
        self.sides[1]
            .lost
            .look(texts[1], &target.0.rejoined(texts[1]));
    }

    /// Marks the vocabularies that have their largest size.
    pub(crate) fn fill(&mut self, maximum: usize, vocabularies: [&Vocabulary; 2]) {
        for (side, vocabulary) in self.sides.iter_mut().zip(vocabularies) {
            side.is_full = vocabulary.len() >= maximum;
        }
    }

    /// Counts an example to learn from.
    pub(crate) fn learn(&mut self, example: &Example) {
        self.sides[0].training.add(&example.source);
        self.sides[1].training.add(&example.target);
    }

    /// Counts an example to measure on.
    pub(crate) fn measure(&mut self, example: &Example) {
        self.sides[0].held_out.add(&example.source);
        self.sides[1].held_out.add(&example.target);
    }
}
