//! TER, the translation edit rate (Snover et al. 2006), equal to sacreBLEU to the last printed
//! digit.
//!
//! Edits are insertions, deletions and substitutions of words, and shifts of blocks. TER is the
//! number of edits divided by the number of words of the reference, or by its mean over several
//! references.

mod distance;
mod shift;

use std::fmt;
use std::ops::AddAssign;

use crate::ngrams::TokenNumbers;
use crate::signature::{self, SACREBLEU_VERSION};
use crate::words;

/// TER with its options; [`Ter::default`] is what sacreBLEU computes by default.
///
/// ```
/// use strata_metrics::Ter;
///
/// // One block is shifted.
/// let score = Ter::default().corpus([("on the mat sat a cat", ["a cat sat on the mat"])]);
/// assert_eq!(score.to_string(), "TER = 33.33");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ter {
    /// True if case counts.
    pub case_sensitive: bool,
}

/// Counts of one sentence, or sums over many sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TerStatistics {
    /// Number of edits to the closest reference.
    pub edits: f64,
    /// Mean number of words of the references.
    pub reference_length: f64,
}

/// Translation edit rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TerScore {
    /// Rate in percent; may be above 100.
    pub score: f64,
}

impl Ter {
    /// Computes the score of a corpus from pairs of a hypothesis and its references, whose number
    /// may vary.
    pub fn corpus<H, R, S>(&self, pairs: impl IntoIterator<Item = (H, R)>) -> TerScore
    where
        H: AsRef<str>,
        R: AsRef<[S]>,
        S: AsRef<str>,
    {
        let mut sum = TerStatistics::default();
        for (hypothesis, references) in pairs {
            sum += self.statistics(hypothesis.as_ref(), references.as_ref());
        }
        self.score(&sum)
    }

    /// Counts one sentence. The counts of sentences add up to those of a corpus. Without a
    /// reference there are no edits.
    pub fn statistics<S: AsRef<str>>(&self, hypothesis: &str, references: &[S]) -> TerStatistics {
        let hypothesis = self.prepare(hypothesis);
        let references: Vec<String> = references
            .iter()
            .map(|reference| self.prepare(reference.as_ref()))
            .collect();
        let mut numbers = TokenNumbers::new();
        let hypothesis = numbers.number_all(words(&hypothesis));
        let references: Vec<Vec<u32>> = references
            .iter()
            .map(|reference| numbers.number_all(words(reference)))
            .collect();
        let edits = references.iter().map(|it| shift::edits(&hypothesis, it));
        let lengths: usize = references.iter().map(Vec::len).sum();
        TerStatistics {
            edits: edits.min().unwrap_or(0) as f64,
            reference_length: lengths as f64 / references.len().max(1) as f64,
        }
    }

    /// Computes the score from the counts of a sentence or of a corpus.
    pub fn score(&self, statistics: &TerStatistics) -> TerScore {
        let TerStatistics {
            edits,
            reference_length,
        } = *statistics;
        let rate = match reference_length > 0.0 {
            true => edits / reference_length,
            false if edits > 0.0 => 1.0,
            false => 0.0,
        };
        TerScore {
            score: 100.0 * rate,
        }
    }

    /// Signature in sacreBLEU's format. `references` is the number of references per sentence;
    /// `None` if it varies.
    pub fn signature(&self, references: Option<usize>) -> String {
        format!(
            "nrefs:{}|case:{}|tok:tercom|norm:no|punct:yes|asian:no|version:{SACREBLEU_VERSION}",
            signature::references(references),
            signature::case(!self.case_sensitive),
        )
    }

    fn prepare(&self, text: &str) -> String {
        if self.case_sensitive {
            text.to_owned()
        } else {
            text.to_lowercase()
        }
    }
}

impl AddAssign for TerStatistics {
    fn add_assign(&mut self, other: Self) {
        self.edits += other.edits;
        self.reference_length += other.reference_length;
    }
}

impl fmt::Display for TerScore {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let decimals = formatter.precision().unwrap_or(2);
        write!(formatter, "TER = {:.decimals$}", self.score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(hypothesis: &str, references: &[&str]) -> f64 {
        Ter::default().corpus([(hypothesis, references)]).score
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(score("a b c d", &["a b c d"]), 0.0);
        assert_eq!(score("A b x d", &["a b c d"]), 25.0);
        assert_eq!(score("a b c d e", &["a b c d"]), 25.0);
        // A block that is moved is one edit, however long the block is.
        assert_eq!(score("c d e f a b", &["a b c d e f"]), 100.0 * (1.0 / 6.0));
    }

    #[test]
    fn the_closest_reference_counts_and_the_mean_length() {
        assert_eq!(score("a b", &["a b", "x y z w"]), 0.0);
        assert_eq!(score("a c", &["a b", "x y z w"]), 100.0 * (1.0 / 3.0));
    }

    #[test]
    fn nothing_is_edited_into_nothing() {
        assert_eq!(score("", &[""]), 0.0);
        assert_eq!(score("a b", &[""]), 100.0);
        assert_eq!(score("", &["a b"]), 100.0);
        assert_eq!(
            Ter::default()
                .corpus::<&str, [&str; 0], &str>([("a", [])])
                .score,
            0.0
        );
    }

    #[test]
    fn case_counts_where_it_is_told_to() {
        let ter = Ter {
            case_sensitive: true,
        };
        assert_eq!(ter.corpus([("A", ["a"])]).score, 100.0);
        let expected = "nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0";
        assert_eq!(ter.signature(Some(1)), expected);
    }
}
