//! Phrases and their translations, with features.

use std::cmp::Reverse;

use ahash::AHashMap;

use crate::translation::{LONGEST, LinePair, Phrase};
use strata_metrics::{Ibm1, SentencePair};

/// Number of translations that are kept of each phrase.
const KEPT: usize = 50;

/// Smallest lexical probability; all features of an unseen character have this probability.
const FLOOR: f64 = 1e-7;

/// Translation of a phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhraseOption {
    /// Phrase of the translation.
    pub target: Phrase,
    /// Number of times that both phrases occur at the same places; 0 for unseen characters.
    pub count: u32,
    /// Features ln φ(e|f), ln φ(f|e), Σ ln t(e_j|f_j) and Σ ln t(f_j|e_j).
    pub features: [f32; 4],
}

/// Translations of phrases: spans of up to three characters at equal places. Spans of more than one
/// character must have been seen twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhraseTable {
    pub(super) options: AHashMap<Phrase, Vec<PhraseOption>>,
    /// Translations of a character that occurs in no source line: the most frequent characters.
    pub(super) frequent: Vec<PhraseOption>,
}

impl PhraseTable {
    /// Learns from pairs of lines of equal length.
    pub fn learn(lines: &[LinePair<'_>], iterations: usize) -> Self {
        let points = |line: &[char]| line.iter().map(|&it| u32::from(it)).collect::<Vec<_>>();
        let sources: Vec<_> = lines.iter().map(|line| points(line.0)).collect();
        let targets: Vec<_> = lines.iter().map(|line| points(line.1)).collect();
        let forward = learn_words(&sources, &targets, iterations);
        let backward = learn_words(&targets, &sources, iterations);
        let counted = counted_pairs(lines);
        let (mut of_source, mut of_target) = (AHashMap::new(), AHashMap::new());
        for &([source, target], count) in &counted {
            *of_source.entry(source).or_insert(0) += count;
            *of_target.entry(target).or_insert(0) += count;
        }
        let mut options: AHashMap<Phrase, Vec<PhraseOption>> = AHashMap::new();
        for of_phrase in counted.chunk_by(|one, other| one.0[0] == other.0[0]) {
            let source = of_phrase[0].0[0];
            let least = if source.len() > 1 { 2 } else { 1 };
            let mut kept: Vec<(Phrase, u32)> = of_phrase.iter().map(|it| (it.0[1], it.1)).collect();
            kept.retain(|&(_, count)| count >= least);
            kept.sort_by_key(|&(target, count)| (Reverse(count), target));
            kept.truncate(KEPT);
            let option = |(target, count): (Phrase, u32)| {
                let share = |of: u32| (f64::from(count) / f64::from(of)).ln();
                let features = [
                    share(of_source[&source]),
                    share(of_target[&target]),
                    lexical(&forward, source, target),
                    lexical(&backward, target, source),
                ];
                PhraseOption {
                    target,
                    count,
                    features: features.map(|it| it as f32),
                }
            };
            if !kept.is_empty() {
                options.insert(source, kept.into_iter().map(option).collect());
            }
        }
        let mut frequent: Vec<_> = of_target
            .into_iter()
            .filter(|(it, _)| it.len() == 1)
            .collect();
        frequent.sort_by_key(|&(target, count)| (Reverse(count), target));
        frequent.truncate(KEPT);
        Self::new(options, frequent.into_iter().map(|(target, _)| target))
    }

    /// Creates a table from translations, and the most frequent characters of target lines.
    pub(super) fn new(
        options: AHashMap<Phrase, Vec<PhraseOption>>,
        frequent: impl IntoIterator<Item = Phrase>,
    ) -> Self {
        let features = [FLOOR.ln() as f32; 4];
        let unseen = |target| PhraseOption {
            target,
            count: 0,
            features,
        };
        Self {
            options,
            frequent: frequent.into_iter().map(unseen).collect(),
        }
    }

    /// Translations of a phrase, the most probable first. An unseen character is translated by the
    /// most frequent characters.
    pub fn options(&self, phrase: &[char]) -> &[PhraseOption] {
        match self.options.get(&Phrase::of(phrase)) {
            Some(options) => options,
            None if phrase.len() == 1 => &self.frequent,
            None => &[],
        }
    }

    /// Number of phrase pairs that are kept.
    pub fn phrase_pairs(&self) -> usize {
        self.options.values().map(Vec::len).sum()
    }
}

/// Learns translation probabilities of characters, by their code points.
fn learn_words(sources: &[Vec<u32>], targets: &[Vec<u32>], iterations: usize) -> Ibm1 {
    let both = sources.iter().zip(targets);
    let pairs: Vec<SentencePair<'_>> = both.map(|(f, e)| (&f[..], &e[..])).collect();
    Ibm1::train(&pairs, iterations, |_, _| {})
}

/// Computes Σ_j ln max(t(e_j | f_j), 10⁻⁷).
fn lexical(model: &Ibm1, f: Phrase, e: Phrase) -> f64 {
    let pairs = f.characters().zip(e.characters());
    pairs
        .map(|(f, e)| model.probability(f.into(), e.into()).max(FLOOR).ln())
        .sum()
}

/// Counts the pairs of spans at equal places, in ascending order of source and target.
fn counted_pairs(lines: &[LinePair<'_>]) -> Vec<([Phrase; 2], u32)> {
    let mut spans = Vec::new();
    for &(source, target) in lines {
        for length in 1..=LONGEST {
            let both = source.windows(length).zip(target.windows(length));
            spans.extend(both.map(|(source, target)| [Phrase::of(source), Phrase::of(target)]));
        }
    }
    spans.sort_unstable();
    let equal = spans.chunk_by(|one, other| one == other);
    equal.map(|equal| (equal[0], equal.len() as u32)).collect()
}
