//! BLEU (Papineni et al. 2002), equal to sacreBLEU (Post 2018) to the last printed digit.
//!
//! BLEU = BP · exp(1/4 Σₙ ln pₙ), where pₙ is the clipped n-gram precision (each n-gram of the
//! hypothesis counts at most as often as it is in a reference), and BP = min(1, exp(1 - r/h)) is
//! the brevity penalty for h hypothesis words and the r words of the closest references.

mod score;
mod smoothing;
mod statistics;

pub use score::BleuScore;
pub use smoothing::Smoothing;
pub use statistics::{BLEU_ORDERS, BleuStatistics};

use crate::signature::{self, SACREBLEU_VERSION};
use crate::white_space::is_white_space;
use crate::{BleuTokenizer, words};

/// BLEU with its options; [`Bleu::default`] is what sacreBLEU computes by default.
///
/// ```
/// use strata_metrics::Bleu;
///
/// let pairs = [("The cat sat on the mat.", ["The cat sat on a mat."])];
/// let score = Bleu::default().corpus(pairs);
/// assert_eq!(
///     score.to_string(),
///     "BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bleu {
    /// Tokeniser, which decides what a word is.
    pub tokenizer: BleuTokenizer,
    /// Smoothing of n-gram orders without a match.
    pub smoothing: Smoothing,
    /// True if case is ignored.
    pub lowercase: bool,
    /// True if orders longer than the hypothesis are left out, as recommended for single sentences.
    pub effective_order: bool,
    /// Length of the longest n-grams, 1 to 4.
    pub maximum_order: usize,
}

impl Default for Bleu {
    fn default() -> Self {
        Self {
            tokenizer: BleuTokenizer::default(),
            smoothing: Smoothing::default(),
            lowercase: false,
            effective_order: false,
            maximum_order: BLEU_ORDERS,
        }
    }
}

impl Bleu {
    /// Computes the score of a corpus from pairs of a hypothesis and its references, whose number
    /// may vary.
    pub fn corpus<H, R, S>(&self, pairs: impl IntoIterator<Item = (H, R)>) -> BleuScore
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

    /// Computes the score of one sentence. sacreBLEU advises `effective_order` for single
    /// sentences.
    pub fn sentence<S: AsRef<str>>(&self, hypothesis: &str, references: &[S]) -> BleuScore {
        self.score(&self.statistics(hypothesis, references))
    }

    /// Counts one sentence. The counts of sentences add up to those of a corpus. Without a
    /// reference nothing matches, and there is no brevity penalty.
    pub fn statistics<S: AsRef<str>>(&self, hypothesis: &str, references: &[S]) -> BleuStatistics {
        let hypothesis = self.prepare(hypothesis);
        let references: Vec<String> = references
            .iter()
            .map(|reference| self.prepare(reference.as_ref()))
            .collect();
        let references = references.iter().map(|reference| words(reference));
        BleuStatistics::of_words(words(&hypothesis), references)
    }

    /// Computes the score from the counts of a sentence or of a corpus.
    pub fn score(&self, statistics: &BleuStatistics) -> BleuScore {
        let orders = self.maximum_order.clamp(1, BLEU_ORDERS);
        BleuScore::new(statistics, orders, self.smoothing, self.effective_order)
    }

    /// Signature in sacreBLEU's format: all settings that decide the score. `references` is the
    /// number of references per sentence; `None` if it varies.
    ///
    /// The version in the signature is that of the sacreBLEU whose scores this program reproduces.
    pub fn signature(&self, references: Option<usize>) -> String {
        format!(
            "nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:{SACREBLEU_VERSION}",
            signature::references(references),
            signature::case(self.lowercase),
            signature::yes_or_no(self.effective_order),
            self.tokenizer,
            self.smoothing,
        )
    }

    fn prepare(&self, text: &str) -> String {
        let text = text.trim_end_matches(is_white_space);
        if self.lowercase {
            self.tokenizer.tokenize(&text.to_lowercase())
        } else {
            self.tokenizer.tokenize(text)
        }
    }
}

/// True if a hypothesis ends in a separate full stop. A hundred such hypotheses show that the text
/// was not detokenised, so that its score is not comparable with others.
pub fn looks_tokenized(hypothesis: &str) -> bool {
    hypothesis.ends_with(" .")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_perfect_hypothesis_has_100_whatever_its_length() {
        let bleu = Bleu {
            effective_order: true,
            ..Bleu::default()
        };
        for text in ["one", "one two", "a b c d e f"] {
            let score = bleu.sentence(text, &[text]).score;
            assert!((score - 100.0).abs() < 1e-9, "{text}: {score}");
        }
        // By default an order for which the hypothesis is too short counts as no match.
        assert_eq!(Bleu::default().sentence("one", &["one"]).score, 0.0);
    }

    #[test]
    fn references_help_each_other() {
        let bleu = Bleu::default();
        let hypothesis = "the black cat sat on the mat today";
        let halves = ["the black cat sat down", "it sat on the mat today"];
        let both = bleu.sentence(hypothesis, &halves).score;
        for half in halves {
            assert!(bleu.sentence(hypothesis, &[half]).score < both);
        }
    }

    #[test]
    fn a_corpus_is_not_the_mean_of_its_sentences() {
        let bleu = Bleu::default();
        let pairs = [("a b c d e", ["a b c d e"]), ("a b x y z", ["a b c d e"])];
        let gathered: BleuStatistics = pairs
            .iter()
            .map(|(hypothesis, references)| bleu.statistics(hypothesis, references))
            .sum();
        assert_eq!(bleu.score(&gathered), bleu.corpus(pairs));
        assert_eq!(gathered.matches, [7, 5, 3, 2]);
        assert_eq!(gathered.totals, [10, 8, 6, 4]);
    }

    #[test]
    fn nothing_scores_nothing() {
        let nothing: [(&str, [&str; 1]); 0] = [];
        for score in [
            Bleu::default().corpus(nothing),
            Bleu::default().sentence("", &["a"]),
            Bleu::default().sentence("a", &[""]),
            Bleu::default().sentence::<&str>("a b c d", &[]),
        ] {
            assert_eq!(score.score, 0.0);
            assert!(!score.to_string().contains("NaN"), "{score}");
        }
    }

    #[test]
    fn the_signature_holds_all_that_decides_the_score() {
        assert_eq!(
            Bleu::default().signature(Some(1)),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
        );
        let other = Bleu {
            tokenizer: BleuTokenizer::Chinese,
            smoothing: Smoothing::AddK(0.5),
            lowercase: true,
            effective_order: true,
            ..Bleu::default()
        };
        assert_eq!(
            other.signature(None),
            "nrefs:var|case:lc|eff:yes|tok:zh|smooth:add-k[0.50]|version:2.6.0"
        );
    }
}
