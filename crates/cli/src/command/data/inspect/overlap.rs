//! Overlap of a held-out part with the training part.

use serde::Serialize;
use strata_tasks::identity;

use super::counts::{Counts, hash};
use super::entries::Entry;

/// Sentences of a part: its sources, its targets, and its pairs.
#[derive(Default)]
pub struct Sentences {
    sources: Known,
    targets: Known,
    pairs: Known,
}

#[derive(Default)]
struct Known {
    counts: Counts,
    /// Number of entries of the other part that this part has, too.
    theirs: u64,
}

/// Overlap of a part with the training part, in lines, pairs or questions.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Number of entries of this part that the training part has, too.
    pub here: u64,
    /// Number of entries of the training part that this part has, too.
    pub in_training: u64,
}

/// Returns the identity of a sentence, by which sentences are also held out; each invalid byte
/// counts as U+FFFD.
fn of_sentence(bytes: &[u8]) -> u64 {
    identity(&String::from_utf8_lossy(bytes))
}

impl Sentences {
    /// Adds an entry of this part.
    pub fn add(&mut self, entry: &Entry) {
        let source = of_sentence(entry.source);
        let Some(target) = entry.target.map(of_sentence) else {
            if !is_blank(entry.source) {
                self.pairs.counts.add(source);
            }
            return;
        };
        self.sources.counts.add(source);
        self.targets.counts.add(target);
        self.pairs.counts.add(hash((source, target)));
    }

    /// Counts an entry of the training part as overlap if this part has it, too.
    pub fn meet(&mut self, entry: &Entry) {
        let source = of_sentence(entry.source);
        let Some(target) = entry.target.map(of_sentence) else {
            self.pairs.meet(source);
            return;
        };
        self.sources.meet(source);
        self.targets.meet(target);
        self.pairs.meet(hash((source, target)));
    }

    /// Returns the number of entries that repeat an earlier entry.
    pub fn repeats(&self) -> u64 {
        let (distinct, all) = self.pairs.counts.at_least(1);
        all - distinct
    }

    /// True if the counts are exact, not estimated from a sample.
    pub fn are_exact(&self) -> bool {
        let all = [&self.sources, &self.targets, &self.pairs];
        all.iter().all(|known| known.counts.is_exact())
    }

    /// Returns the overlap of whole entries, of sources, and of targets.
    pub fn shared(&self) -> [Shared; 3] {
        [&self.pairs, &self.sources, &self.targets].map(|known| Shared {
            here: known.counts.met(),
            in_training: known.theirs,
        })
    }
}

impl Known {
    fn meet(&mut self, hash: u64) {
        self.theirs += self.counts.meet(hash);
    }
}

/// True if the text has no visible character.
pub fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty() || std::str::from_utf8(bytes).is_ok_and(strata_text::is_blank)
}
