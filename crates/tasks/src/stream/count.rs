//! The first pass over a corpus: counts its tokens, and chooses what is held out.
//!
//! Without a validation file these are the sentences whose hash (of the seed and the sentence) is
//! lowest: they are found without keeping the others in memory, and equal sentences stay together.

use std::collections::{BTreeMap, HashSet};

use super::lines::PairLines;
use crate::fingerprint::Fingerprint;
use crate::segment::{GivenPieces, Learner};
use crate::{Facts, FilesConfig, LeftOut, TaskError, is_blank};

/// Result of the first pass.
pub(super) struct Counted {
    pub learners: [Learner; 2],
    pub held_out: HeldOut,
    /// Number of training pairs.
    pub training: usize,
    pub dropped: LeftOut,
    pub facts: Facts,
}

/// Held-out pairs.
pub(super) struct HeldOut {
    /// Hashes of the source sentences that are kept out of training.
    sentences: HashSet<u64>,
    pub pairs: Vec<(String, String)>,
}

impl HeldOut {
    /// True if a sentence, given by its units, is held out.
    pub(super) fn holds(&self, seed: u64, sentence: &str) -> bool {
        self.sentences.contains(&hash(seed, sentence))
    }
}

/// Verdict on a pair by its number of tokens.
pub(super) enum Units {
    Empty,
    TooLong,
    Fit,
}

/// Puts the tokens (for subwords, the words) of a pair into `buffers`, each with a line end.
pub(super) fn units(
    config: &FilesConfig,
    learners: &[Learner; 2],
    texts: [&str; 2],
    buffers: &mut [String; 2],
) -> Units {
    let mut lengths = [0; 2];
    for side in 0..2 {
        let buffer = &mut buffers[side];
        buffer.clear();
        learners[side].each_unit(texts[side], &mut |unit| {
            buffer.extend([unit, "\n"]);
            lengths[side] += 1;
        });
    }
    // Where nothing is seen there may be tokens, but nothing to learn.
    if lengths.contains(&0) || texts.into_iter().any(is_blank) {
        Units::Empty
    } else if lengths.into_iter().any(|it| it > config.maximum_length) {
        Units::TooLong
    } else {
        Units::Fit
    }
}

/// Reads the corpus once: what to learn from, what to hold out.
pub(super) fn count(
    config: &FilesConfig,
    seed: u64,
    pieces: &[Option<GivenPieces>; 2],
) -> Result<Counted, TaskError> {
    let mut learners = config.learners(pieces)?;
    let mut dropped = LeftOut::default();
    let mut facts = Facts::default();
    let mut buffers = [String::new(), String::new()];
    let validation = match &config.validation_source {
        Some(source) => {
            let target = config.validation_target.as_deref();
            let mut lines = PairLines::open(source, target, "Reading the validation text")?;
            let mut held_out = HeldOut {
                sentences: HashSet::new(),
                pairs: Vec::new(),
            };
            facts.remarks.extend_from_slice(lines.remarks());
            while let Some((source, target)) = lines.next_pair()? {
                facts.look(source, target);
                match units(config, &learners, [source, target], &mut buffers) {
                    Units::Empty => dropped.validation.empty += 1,
                    Units::TooLong => dropped.validation.too_long += 1,
                    Units::Fit => {
                        if !config.keep_overlap {
                            held_out.sentences.insert(hash(seed, &buffers[0]));
                        }
                        held_out.pairs.push((source.to_owned(), target.to_owned()));
                    }
                }
            }
            Some(held_out)
        }
        None => None,
    };
    let mut lowest = Lowest::default();
    let mut training = 0;
    let mut lines = PairLines::open_corpus(config, "Counting the tokens")?;
    facts.remarks.extend_from_slice(lines.remarks());
    while let Some((source, target)) = lines.next_pair()? {
        facts.look(source, target);
        match units(config, &learners, [source, target], &mut buffers) {
            Units::Empty => dropped.training.empty += 1,
            Units::TooLong => dropped.training.too_long += 1,
            Units::Fit => match &validation {
                Some(held_out) if held_out.holds(seed, &buffers[0]) => {
                    dropped.training.overlapping += 1;
                }
                Some(_) => {
                    training += 1;
                    add_units(&mut learners, &buffers);
                }
                None => {
                    lowest.all += 1;
                    let sentence = hash(seed, &buffers[0]);
                    if lowest.has_room(config.held_out, sentence) {
                        lowest.insert(sentence, source, target);
                    } else {
                        add_units(&mut learners, &buffers);
                    }
                    lowest.shrink(config.held_out, &mut learners);
                }
            },
        }
    }
    let held_out = validation.unwrap_or_else(|| {
        lowest.shrink(config.held_out.min(lowest.all / 2), &mut learners);
        training = lowest.all - lowest.pairs;
        lowest.into_held_out()
    });
    Ok(Counted {
        learners,
        held_out,
        training,
        dropped,
        facts,
    })
}

fn add_units(learners: &mut [Learner; 2], buffers: &[String; 2]) {
    for (learner, buffer) in learners.iter_mut().zip(buffers) {
        learner.add_units(buffer.lines());
    }
}

/// FNV-1a of seed and sentence, and the finaliser of SplitMix64 (Steele et al. 2014), so that
/// alike sentences have nothing in common.
fn hash(seed: u64, sentence: &str) -> u64 {
    let mut fingerprint = Fingerprint::default();
    fingerprint.add_bytes(&seed.to_le_bytes());
    fingerprint.add_bytes(sentence.as_bytes());
    let mut bits = fingerprint.value();
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The pairs of the sentences with the lowest hashes so far; all others are counted.
#[derive(Default)]
struct Lowest {
    of_hash: BTreeMap<u64, Vec<(String, String)>>,
    /// Number of pairs in `of_hash`.
    pairs: usize,
    /// Number of all pairs seen so far.
    all: usize,
}

impl Lowest {
    fn has_room(&self, wanted: usize, hash: u64) -> bool {
        let highest = self.of_hash.last_key_value();
        self.pairs < wanted || highest.is_some_and(|(&highest, _)| hash <= highest)
    }

    fn insert(&mut self, hash: u64, source: &str, target: &str) {
        let pair = (source.to_owned(), target.to_owned());
        self.of_hash.entry(hash).or_default().push(pair);
        self.pairs += 1;
    }

    /// Moves the pairs with the highest hashes to training, as long as at least `wanted` pairs
    /// remain.
    fn shrink(&mut self, wanted: usize, learners: &mut [Learner; 2]) {
        while let Some(highest) = self.of_hash.last_entry() {
            if self.pairs - highest.get().len() < wanted {
                return;
            }
            for (source, target) in highest.remove() {
                learners[0].add(&source);
                learners[1].add(&target);
                self.pairs -= 1;
            }
        }
    }

    fn into_held_out(self) -> HeldOut {
        HeldOut {
            sentences: self.of_hash.keys().copied().collect(),
            pairs: self.of_hash.into_values().flatten().collect(),
        }
    }
}
