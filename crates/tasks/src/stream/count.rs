//! First pass over a corpus: counts its tokens, and chooses the held-out pairs.
//!
//! Without a validation file, the sentences with the lowest ranks are held out. The rank comes from
//! `task.split` and the sentence, or from the seed and the sentence if `task.split` is 0. Such
//! sentences are found without keeping the others in memory, and equal sentences stay together.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use strata_text::{Learner, SentencePieceModel, is_blank};

use super::lines::PairLines;
use crate::identity::{mix, rank};
use crate::split::fingerprint::Fingerprint;
use crate::{Facts, FilesConfig, LeftOut, TaskError, identity, split};

/// Result of the first pass.
pub(super) struct Counted {
    pub learners: [Learner; 2],
    pub held_out: HeldOut,
    /// Number of training pairs.
    pub training: usize,
    pub dropped: LeftOut,
    pub facts: Facts,
}

/// Held-out pairs, and the ranks of their sentences.
pub(super) struct HeldOut {
    ranking: Ranking,
    /// Ranks of the source sentences that are held out.
    sentences: HashSet<u64>,
    pub pairs: Vec<(String, String)>,
}

impl HeldOut {
    /// True if a sentence, given by its text and its units, is held out.
    pub(super) fn holds(&self, text: &str, units: &str) -> bool {
        self.sentences.contains(&self.ranking.of(text, units))
    }
}

/// Order of the sentences, the first of which are held out.
#[derive(Clone, Copy)]
enum Ranking {
    /// By `task.split` and the identity of a sentence, which is the same at all levels of tokens.
    Split(u64),
    /// By the seed and the units of a sentence, letter by letter.
    Seed(u64),
}

impl Ranking {
    /// Returns the rank of a sentence, given by its text and its units.
    fn of(self, text: &str, units: &str) -> u64 {
        match self {
            Self::Split(split) => rank(identity(text), split),
            Self::Seed(seed) => hash(seed, units),
        }
    }
}

/// Result of checking a pair by its number of tokens.
pub(super) enum Units {
    Empty,
    TooLong,
    Fit,
}

/// Writes the tokens (for subwords, the words) of a pair into `buffers`, each with a line end.
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
    // Text without visible characters may have tokens, but nothing to learn.
    if lengths.contains(&0) || texts.into_iter().any(is_blank) {
        Units::Empty
    } else if lengths.into_iter().any(|it| it > config.maximum_length) {
        Units::TooLong
    } else {
        Units::Fit
    }
}

/// Reads the held-out pairs of a validation file; their sentences are left out of the training part.
fn read_validation(
    config: &FilesConfig,
    source: &Path,
    seed: u64,
    learners: &[Learner; 2],
    dropped: &mut LeftOut,
    facts: &mut Facts,
) -> Result<HeldOut, TaskError> {
    let target = config.validation_target.as_deref();
    let mut lines = PairLines::open(source, target, "Reading the validation text")?;
    let mut held_out = HeldOut {
        ranking: Ranking::Seed(seed),
        sentences: HashSet::new(),
        pairs: Vec::new(),
    };
    facts.remarks.extend_from_slice(lines.remarks());
    let mut buffers = [String::new(), String::new()];
    while let Some((source, target)) = lines.next_pair()? {
        facts.add_pair(source, target);
        match units(config, learners, [source, target], &mut buffers) {
            Units::Empty => dropped.validation.empty += 1,
            Units::TooLong => dropped.validation.too_long += 1,
            Units::Fit => {
                if !config.keep_overlap {
                    let sentence = held_out.ranking.of(source, &buffers[0]);
                    held_out.sentences.insert(sentence);
                }
                held_out.pairs.push((source.to_owned(), target.to_owned()));
            }
        }
    }
    Ok(held_out)
}

/// Reads the corpus once: counts the training tokens, and chooses the held-out pairs.
pub(super) fn count(
    config: &FilesConfig,
    seed: u64,
    pieces: &[Option<SentencePieceModel>; 2],
) -> Result<Counted, TaskError> {
    let mut learners = config.learners(pieces)?;
    let mut dropped = LeftOut::default();
    let mut facts = Facts::default();
    let mut buffers = [String::new(), String::new()];
    let validation = config
        .validation_source
        .as_ref()
        .map(|source| read_validation(config, source, seed, &learners, &mut dropped, &mut facts));
    let validation = validation.transpose()?;
    let ranking = match config.split {
        0 => Ranking::Seed(seed),
        split => Ranking::Split(split),
    };
    let mut lowest = Lowest::default();
    let mut training = 0;
    let mut lines = PairLines::open_corpus(config, "Counting the tokens")?;
    facts.remarks.extend_from_slice(lines.remarks());
    while let Some((source, target)) = lines.next_pair()? {
        facts.add_pair(source, target);
        match units(config, &learners, [source, target], &mut buffers) {
            Units::Empty => dropped.training.empty += 1,
            Units::TooLong => dropped.training.too_long += 1,
            Units::Fit => match &validation {
                Some(held_out) if held_out.holds(source, &buffers[0]) => {
                    dropped.training.overlapping += 1;
                }
                Some(_) => {
                    training += 1;
                    add_units(&mut learners, &buffers);
                }
                None => {
                    lowest.all += 1;
                    let sentence = ranking.of(source, &buffers[0]);
                    if lowest.has_room(config.held_out, sentence) {
                        lowest.insert(sentence, source, target);
                    } else {
                        add_units(&mut learners, &buffers);
                    }
                    let spare = lowest.most_frequent;
                    lowest.shrink(config.held_out + spare, &mut learners);
                }
            },
        }
    }
    let held_out = validation.unwrap_or_else(|| {
        match ranking {
            Ranking::Split(_) => lowest.choose(config.held_out, &mut learners),
            Ranking::Seed(_) => {
                lowest.shrink(config.held_out.min(lowest.all / 2), &mut learners);
            }
        }
        training = lowest.all - lowest.pairs;
        lowest.into_held_out(ranking)
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

/// Returns the mixed FNV-1a hash of seed and sentence.
fn hash(seed: u64, sentence: &str) -> u64 {
    let mut fingerprint = Fingerprint::default();
    fingerprint.add_bytes(&seed.to_le_bytes());
    fingerprint.add_bytes(sentence.as_bytes());
    mix(fingerprint.value())
}

/// Index of a pair in the corpus, and the pair.
type Numbered = (usize, (String, String));

/// Pairs of the sentences with the lowest ranks so far; all others have been counted for training.
#[derive(Default)]
struct Lowest {
    of_rank: BTreeMap<u64, Vec<Numbered>>,
    /// Number of pairs in `of_rank`.
    pairs: usize,
    /// Number of pairs of the most frequent sentence in `of_rank`, which is not held out if it turns
    /// out to be more than half of the corpus.
    most_frequent: usize,
    /// Number of all pairs seen so far.
    all: usize,
}

impl Lowest {
    fn has_room(&self, wanted: usize, rank: u64) -> bool {
        let highest = self.of_rank.last_key_value();
        self.pairs - self.most_frequent < wanted
            || highest.is_some_and(|(&highest, _)| rank <= highest)
    }

    fn insert(&mut self, rank: u64, source: &str, target: &str) {
        let pair = (self.all, (source.to_owned(), target.to_owned()));
        let pairs = self.of_rank.entry(rank).or_default();
        pairs.push(pair);
        self.most_frequent = self.most_frequent.max(pairs.len());
        self.pairs += 1;
    }

    /// Moves the pairs that [`split::lowest`] does not choose to training.
    fn choose(&mut self, wanted: usize, learners: &mut [Learner; 2]) {
        let counts = self.of_rank.iter();
        let counts = counts.map(|(&rank, pairs)| (rank, pairs.len())).collect();
        let chosen = split::lowest(&counts, wanted, self.all);
        let (held_out, trained) = std::mem::take(&mut self.of_rank)
            .into_iter()
            .partition(|(rank, _)| chosen.contains(rank));
        self.of_rank = held_out;
        let trained: BTreeMap<u64, Vec<Numbered>> = trained;
        trained
            .into_values()
            .for_each(|pairs| self.train_on(pairs, learners));
    }

    fn train_on(&mut self, pairs: Vec<Numbered>, learners: &mut [Learner; 2]) {
        for (_, (source, target)) in pairs {
            learners[0].add(&source);
            learners[1].add(&target);
            self.pairs -= 1;
        }
    }

    /// Moves the pairs with the highest ranks to training, as long as at least `wanted` pairs
    /// remain.
    fn shrink(&mut self, wanted: usize, learners: &mut [Learner; 2]) {
        while let Some(highest) = self.of_rank.last_entry() {
            if self.pairs - highest.get().len() < wanted {
                return;
            }
            let pairs = highest.remove();
            if pairs.len() == self.most_frequent {
                let counts = self.of_rank.values().map(Vec::len);
                self.most_frequent = counts.max().unwrap_or(0);
            }
            self.train_on(pairs, learners);
        }
    }

    fn into_held_out(self, ranking: Ranking) -> HeldOut {
        let sentences = self.of_rank.keys().copied().collect();
        let mut pairs: Vec<Numbered> = self.of_rank.into_values().flatten().collect();
        // Pairs are in the order of the corpus, as in memory; by the seed, in the order of ranks
        // for older runs.
        if matches!(ranking, Ranking::Split(_)) {
            pairs.sort_unstable_by_key(|(number, _)| *number);
        }
        HeldOut {
            ranking,
            sentences,
            pairs: pairs.into_iter().map(|(_, pair)| pair).collect(),
        }
    }
}
