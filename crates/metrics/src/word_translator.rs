//! Translation word by word from counts alone: what can be had from a text without a network.

use crate::{CountModel, Ibm1, SentencePair};
use std::collections::HashMap;

/// Number of iterations of IBM model 1.
const ITERATIONS: usize = 5;
/// Number of translations that are tried of each word.
const TRIED: usize = 10;

/// Translates each source word by itself, in the order of the source: IBM model 1 proposes
/// translations, and a bigram model of the target chooses among them.
///
/// A translation e_1 … e_n of f_1 … f_l, of which some words have no translation, has the score
///
/// Σ_j ln s(f_j) or ln((1 − s(f_j)) t(e | f_j)) + Σ_i ln(p(e_i | e_{i−1}) / p(e_i)),
///
/// with t of IBM model 1, s(f) the share of the occurrences of f to which no target word is aligned,
/// and p of the bigram model, whose last e is the end of the sentence.
///
/// ```
/// use strata_metrics::WordTranslator;
///
/// // Words are numbers: 1 begins and 2 ends a sentence.
/// let pairs: [(&[u32], &[u32]); 3] = [(&[3, 4], &[5, 6]), (&[3], &[5]), (&[4], &[6])];
/// let translator = WordTranslator::learn(&pairs, [1, 2], 7);
/// assert_eq!(translator.translate(&[3, 4]), [5, 6]);
/// ```
#[derive(Clone, Debug)]
pub struct WordTranslator {
    model: Ibm1,
    bigram: CountModel,
    /// Number that begins a target, and number that ends one.
    frame: [u32; 2],
    /// Number of occurrences of each source word, and of those to which no target word is aligned.
    silent: HashMap<u32, [f64; 2]>,
}

/// Best translation of the words so far that ends with a given word.
#[derive(Clone, Debug)]
struct Hypothesis {
    score: f64,
    words: Vec<u32>,
}

impl WordTranslator {
    /// Learns from pairs of sentences. `frame` has the numbers that begin and end a target;
    /// `vocabulary` is the number of target words.
    ///
    /// # Panics
    /// If the vocabulary is empty.
    pub fn learn(sentences: &[SentencePair<'_>], frame: [u32; 2], vocabulary: usize) -> Self {
        let model = Ibm1::train(sentences, ITERATIONS, |_, _| {});
        let mut bigram = CountModel::new(2, vocabulary);
        let mut silent = HashMap::<u32, [f64; 2]>::new();
        for &(source, target) in sentences {
            bigram.add(&framed(target, frame), 1);
            let mut is_aligned = vec![false; source.len()];
            for &e in target {
                if let Some(at) = aligned(&model, source, e) {
                    is_aligned[at] = true;
                }
            }
            for (&f, is_aligned) in source.iter().zip(is_aligned) {
                let counts = silent.entry(f).or_default();
                counts[0] += 1.0;
                counts[1] += f64::from(u8::from(!is_aligned));
            }
        }
        Self {
            model,
            bigram,
            frame,
            silent,
        }
    }

    /// Probability of a target word after `history`, given the source: of the end of the sentence
    /// that of the bigram, of all other words half that and half what IBM model 1 gives them of the
    /// rest. A history begins with the word that begins targets.
    pub fn probability(&self, source: &[u32], history: &[u32], word: u32) -> f64 {
        let of_bigram = self.bigram.probability(history, word);
        let end = self.frame[1];
        if word == end {
            return of_bigram;
        }
        let rest = 1.0 - self.bigram.probability(history, end);
        // A word that was never seen has no translations; without it the others sum to one.
        let is_known = |f: &u32| self.silent.contains_key(f);
        let source: Vec<u32> = source.iter().copied().filter(is_known).collect();
        0.5 * of_bigram + 0.5 * rest * self.model.probability_in(&source, word)
    }

    /// Translates a source. A word that was never seen has no translation.
    pub fn translate(&self, source: &[u32]) -> Vec<u32> {
        let [begin, end] = self.frame;
        let nothing = Hypothesis {
            score: 0.0,
            words: Vec::new(),
        };
        let mut best = vec![(begin, nothing)];
        for &f in source {
            let Some(&[all, silent]) = self.silent.get(&f) else {
                continue;
            };
            // One occurrence of each kind is added: no share is 0.
            let silence = (silent + 1.0) / (all + 2.0);
            let tried = self.tried(f);
            let mut after = HashMap::<u32, Hypothesis>::new();
            for (last, hypothesis) in &best {
                keep(&mut after, *last, hypothesis.score + silence.ln(), || {
                    hypothesis.words.clone()
                });
                for &(e, t) in &tried {
                    let own = ((1.0 - silence) * t).ln() + self.gain(*last, e);
                    keep(&mut after, e, hypothesis.score + own, || {
                        hypothesis.words.iter().copied().chain([e]).collect()
                    });
                }
            }
            best = after.into_iter().collect();
            // The order of a hash map is none: of equal scores the lower words win.
            best.sort_by_key(|(last, _)| *last);
        }
        for (last, hypothesis) in &mut best {
            hypothesis.score += self.gain(*last, end);
        }
        let whole = best.into_iter().map(|(_, hypothesis)| hypothesis);
        let found = whole.reduce(|best, other| {
            if other.score > best.score {
                other
            } else {
                best
            }
        });
        found.map_or_else(Vec::new, |hypothesis| hypothesis.words)
    }

    /// Most probable translations of a word, the most probable first.
    fn tried(&self, f: u32) -> Vec<(u32, f64)> {
        let mut tried: Vec<_> = self.model.translations(f).collect();
        tried.sort_by(|one, other| other.1.total_cmp(&one.1));
        tried.truncate(TRIED);
        tried
    }

    /// ln(p(e | last) / p(e)): how much better a word fits after another than anywhere.
    fn gain(&self, last: u32, e: u32) -> f64 {
        (self.bigram.probability(&[last], e) / self.bigram.probability(&[], e)).ln()
    }
}

/// Returns a target between the words that begin and end it.
fn framed(target: &[u32], [begin, end]: [u32; 2]) -> Vec<u32> {
    let words = target.iter().copied();
    std::iter::once(begin).chain(words).chain([end]).collect()
}

/// Returns the place of the source word that translates to `e` with the highest probability; `None`
/// if that is the empty word.
fn aligned(model: &Ibm1, source: &[u32], e: u32) -> Option<usize> {
    let mut best = (model.probability(Ibm1::EMPTY, e), None);
    for (at, &f) in source.iter().enumerate() {
        let probability = model.probability(f, e);
        if probability > best.0 {
            best = (probability, Some(at));
        }
    }
    best.1
}

/// Keeps a hypothesis if it is the first that ends with `last`, or better than the one there.
fn keep(after: &mut HashMap<u32, Hypothesis>, last: u32, score: f64, words: impl Fn() -> Vec<u32>) {
    let there = after.get(&last).map(|it| it.score);
    if there.is_none_or(|there| score > there) {
        let words = words();
        after.insert(last, Hypothesis { score, words });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: [u32; 2] = [1, 2];
    /// Source words 10 to 15 mean the target words 20 to 25, and 16 means nothing.
    const SILENT: u32 = 16;

    fn sentences() -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut state = 7_u32;
        let mut draw = move |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        (0..300)
            .map(|_| {
                let words: Vec<u32> = (0..2 + draw(4)).map(|_| draw(6)).collect();
                let mut source: Vec<u32> = words.iter().map(|word| 10 + word).collect();
                source.insert(draw(source.len() as u32) as usize, SILENT);
                (source, words.iter().map(|word| 20 + word).collect())
            })
            .collect()
    }

    fn learned() -> WordTranslator {
        let sentences = sentences();
        let pairs: Vec<SentencePair<'_>> = sentences
            .iter()
            .map(|(source, target)| (&source[..], &target[..]))
            .collect();
        WordTranslator::learn(&pairs, FRAME, 26)
    }

    #[test]
    fn a_language_of_other_words_is_translated_and_its_silent_word_left_out() {
        let translator = learned();
        let translated = translator.translate(&[12, SILENT, 10, 15, 11]);
        assert_eq!(translated, [22, 20, 25, 21]);
        // A word that was never seen is left out, and so is a whole sentence of such words.
        assert_eq!(translator.translate(&[12, 99, 10]), [22, 20]);
        assert_eq!(translator.translate(&[99]), Vec::<u32>::new());
        assert_eq!(translator.translate(&[]), Vec::<u32>::new());
    }

    #[test]
    fn who_reads_the_source_knows_its_words_better_than_the_bigram_does() {
        let translator = learned();
        let of_word = translator.probability(&[13], &[1], 23);
        assert!(of_word > 1.5 * translator.bigram.probability(&[1], 23));
        assert!(translator.probability(&[13], &[1], 24) < of_word / 2.0);
    }

    #[test]
    fn probabilities_sum_to_one() {
        let translator = learned();
        for (source, history) in [(&[13, SILENT, 99][..], &[1][..]), (&[10], &[1, 21])] {
            let words = 0..26;
            let sum: f64 = words
                .map(|word| translator.probability(source, history, word))
                .sum();
            assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        }
    }
}
