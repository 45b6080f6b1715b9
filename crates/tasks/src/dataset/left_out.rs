//! Numbers of pairs that are left out of a corpus.

use serde::{Deserialize, Serialize};

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
