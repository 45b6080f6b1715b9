//! chrF (Popović 2015) and chrF++ (Popović 2017), equal to sacreBLEU to the last printed digit.
//!
//! chrFβ = (1 + β²) P R / (β² P + R), where precision P and recall R are means over the orders of
//! character n-grams and, for chrF++, of word n-grams.

mod score;
mod statistics;

pub use score::ChrfScore;
pub use statistics::{ChrfStatistics, OrderCounts};

use crate::ngrams::{Ngrams, TokenNumbers, take_matches};
use crate::signature::{self, SACREBLEU_VERSION};
use crate::white_space::is_white_space;
use crate::words;

/// chrF with its options; [`Chrf::default`] is what sacreBLEU computes by default.
///
/// ```
/// use strata_metrics::Chrf;
///
/// let score = Chrf::default().corpus([("The cat sat on the mat.", ["The cat sat on a mat."])]);
/// assert_eq!(score.to_string(), "chrF2 = 71.42");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chrf {
    /// Length of the longest character n-grams; 6 in the paper.
    pub character_order: usize,
    /// Length of the longest word n-grams; 0 for chrF, 2 for chrF++.
    pub word_order: usize,
    /// Weight of recall over precision.
    pub beta: u32,
    /// True if case is ignored.
    pub lowercase: bool,
    /// True if white space counts as a character.
    pub white_space: bool,
    /// True if an order without n-grams on one side counts as almost 0, as in early
    /// implementations, instead of being left out.
    pub epsilon_smoothing: bool,
}

impl Default for Chrf {
    fn default() -> Self {
        Self {
            character_order: 6,
            word_order: 0,
            beta: 2,
            lowercase: false,
            white_space: false,
            epsilon_smoothing: false,
        }
    }
}

impl Chrf {
    /// Options of chrF++, in which word unigrams and bigrams count as well.
    pub fn plus_plus() -> Self {
        Self {
            word_order: 2,
            ..Self::default()
        }
    }

    /// Computes the score of a corpus from pairs of a hypothesis and its references, whose number
    /// may vary.
    pub fn corpus<H, R, S>(&self, pairs: impl IntoIterator<Item = (H, R)>) -> ChrfScore
    where
        H: AsRef<str>,
        R: AsRef<[S]>,
        S: AsRef<str>,
    {
        let pairs = pairs.into_iter();
        let statistics = pairs.map(|(hypothesis, references)| {
            self.statistics(hypothesis.as_ref(), references.as_ref())
        });
        self.score(&statistics.sum())
    }

    /// Computes the score of one sentence.
    pub fn sentence<S: AsRef<str>>(&self, hypothesis: &str, references: &[S]) -> ChrfScore {
        self.score(&self.statistics(hypothesis, references))
    }

    /// Counts one sentence against the reference that gives the best score. The counts of sentences
    /// add up to those of a corpus. Without a reference all are 0.
    pub fn statistics<S: AsRef<str>>(&self, hypothesis: &str, references: &[S]) -> ChrfStatistics {
        let hypothesis = self.prepare(hypothesis);
        let references: Vec<_> = references
            .iter()
            .map(|reference| self.prepare(reference.as_ref()))
            .collect();
        let mut best: Option<(f64, ChrfStatistics)> = None;
        for reference in &references {
            let statistics = self.compare(&hypothesis, reference);
            let score = self.score(&statistics).score;
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, statistics));
            }
        }
        best.map(|(_, statistics)| statistics).unwrap_or_default()
    }

    /// Signature in sacreBLEU's format: all settings that decide the score except β, which is in
    /// the score's name. `references` is the number of references per sentence; `None` if it
    /// varies.
    ///
    /// The version in the signature is that of the sacreBLEU whose scores this program reproduces.
    pub fn signature(&self, references: Option<usize>) -> String {
        format!(
            "nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|version:{SACREBLEU_VERSION}",
            signature::references(references),
            signature::case(self.lowercase),
            signature::yes_or_no(!self.epsilon_smoothing),
            self.character_order,
            self.word_order,
            signature::yes_or_no(self.white_space),
        )
    }

    fn prepare(&self, text: &str) -> Prepared {
        let text = if self.lowercase {
            text.to_lowercase()
        } else {
            text.to_owned()
        };
        Prepared {
            characters: text
                .chars()
                .filter(|&it| self.white_space || !is_white_space(it))
                .map(u32::from)
                .collect(),
            words: if self.word_order > 0 {
                words(&text)
                    .flat_map(split_punctuation)
                    .map(str::to_owned)
                    .collect()
            } else {
                Vec::new()
            },
        }
    }

    fn compare(&self, hypothesis: &Prepared, reference: &Prepared) -> ChrfStatistics {
        let mut orders = compare(
            &hypothesis.characters,
            &reference.characters,
            self.character_order,
        );
        if self.word_order > 0 {
            let mut numbers = TokenNumbers::new();
            let hypothesis = numbers.number_all(&hypothesis.words);
            let reference = numbers.number_all(&reference.words);
            orders.extend(compare(&hypothesis, &reference, self.word_order));
        }
        ChrfStatistics { orders }
    }
}

/// Characters of a text and, if word n-grams count, its words.
struct Prepared {
    characters: Vec<u32>,
    words: Vec<String>,
}

fn compare(hypothesis: &[u32], reference: &[u32], orders: usize) -> Vec<OrderCounts> {
    let mut ngrams = Ngrams::with_room(hypothesis.len() + reference.len(), orders);
    let hypothesis = ngrams.of(hypothesis, orders);
    let reference = ngrams.of(reference, orders);
    let mut available = ngrams.counts(&reference);
    let pairs = hypothesis.iter().zip(&reference);
    pairs
        .map(|(hypothesis, reference)| OrderCounts {
            // An order for which the reference is too short does not lower the precision.
            hypothesis: if reference.is_empty() {
                0
            } else {
                hypothesis.len() as u64
            },
            reference: reference.len() as u64,
            matches: take_matches(hypothesis, &mut available),
        })
        .collect()
}

/// Splits a word at ASCII punctuation: at the last character if that is punctuation, otherwise at
/// the first one; never at both, as in Popović's own program.
fn split_punctuation(word: &str) -> impl Iterator<Item = &str> {
    let ends_in = word.char_indices().next_back();
    let split = match ends_in {
        Some((0, _)) | None => None,
        Some((last, mark)) if mark.is_ascii_punctuation() => Some(last),
        Some(_) if word.starts_with(|first: char| first.is_ascii_punctuation()) => Some(1),
        Some(_) => None,
    };
    let (start, end) = split.map_or((word, None), |place| {
        let (start, end) = word.split_at(place);
        (start, Some(end))
    });
    std::iter::once(start).chain(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_punctuation_at_one_end() {
        for (word, parts) in [
            ("(hi)", vec!["(hi", ")"]),
            ("(hi", vec!["(", "hi"]),
            ("hi!", vec!["hi", "!"]),
            ("!", vec!["!"]),
            ("…hi…", vec!["…hi…"]),
            ("'你", vec!["'", "你"]),
            ("你.", vec!["你", "."]),
        ] {
            assert_eq!(split_punctuation(word).collect::<Vec<_>>(), parts, "{word}");
        }
    }

    #[test]
    fn the_best_reference_counts() {
        for chrf in [Chrf::default(), Chrf::plus_plus()] {
            let best = chrf.sentence("a small cat", &["a small cat"]);
            assert!((best.score - 100.0).abs() < 1e-9);
            let both = chrf.sentence("a small cat", &["the dog", "a small cat"]);
            assert_eq!(both, best);
            let poor = chrf.sentence("a small cat", &["the dog"]);
            assert!(poor.score < 20.0);
        }
    }

    #[test]
    fn white_space_counts_if_it_shall() {
        let apart = Chrf {
            white_space: true,
            ..Chrf::default()
        };
        assert!((Chrf::default().sentence("ab cd", &["a bcd"]).score - 100.0).abs() < 1e-9);
        assert!(apart.sentence("ab cd", &["a bcd"]).score < 100.0);
    }

    #[test]
    fn nothing_scores_nothing() {
        for chrf in [
            Chrf::plus_plus(),
            Chrf {
                character_order: 0,
                epsilon_smoothing: true,
                ..Chrf::default()
            },
        ] {
            assert!(chrf.sentence("", &[""]).score < 1e-9);
            assert!(chrf.sentence("a", &[""]).score < 1e-9);
            assert_eq!(chrf.sentence::<&str>("a", &[]).score, 0.0);
        }
    }

    #[test]
    fn the_signature_holds_all_that_decides_the_score() {
        assert_eq!(
            Chrf::plus_plus().signature(Some(2)),
            "nrefs:2|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0"
        );
        let other = Chrf {
            lowercase: true,
            white_space: true,
            epsilon_smoothing: true,
            ..Chrf::default()
        };
        assert_eq!(
            other.signature(None),
            "nrefs:var|case:lc|eff:no|nc:6|nw:0|space:yes|version:2.6.0"
        );
    }
}
