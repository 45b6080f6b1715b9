//! Counts for BLEU. Counts of sentences add up, and the score is computed from the sums.

use std::hash::Hash;
use std::ops::AddAssign;

use crate::ngrams::{Ngrams, TokenNumbers, take_matches};

/// Length of the longest n-grams in BLEU.
pub const BLEU_ORDERS: usize = 4;

/// Lengths and n-gram counts of one sentence, or sums over many sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BleuStatistics {
    /// Number of words of the hypotheses.
    pub hypothesis_length: u64,
    /// Number of words of the references. Of several references, the reference closest to its
    /// hypothesis in length counts.
    pub reference_length: u64,
    /// Clipped n-gram matches, for n from 1: an n-gram counts at most as often as it is in the
    /// reference that has most of it.
    pub matches: [u64; BLEU_ORDERS],
    /// Number of n-grams of the hypotheses, for n from 1.
    pub totals: [u64; BLEU_ORDERS],
}

impl BleuStatistics {
    /// Counts one sentence, in tokens of any kind, against its references. Without a reference
    /// nothing matches, and there is no brevity penalty.
    pub fn of_tokens<T: Hash + Eq, R: AsRef<[T]>>(hypothesis: &[T], references: &[R]) -> Self {
        Self::of_words(hypothesis, references.iter().map(|it| it.as_ref()))
    }

    pub(crate) fn of_words<'a, T: Hash + Eq + ?Sized + 'a, W: IntoIterator<Item = &'a T>>(
        hypothesis: impl IntoIterator<Item = &'a T>,
        references: impl IntoIterator<Item = W>,
    ) -> Self {
        let mut numbers = TokenNumbers::new();
        let hypothesis = numbers.number_all(hypothesis);
        let references: Vec<Vec<u32>> = references
            .into_iter()
            .map(|reference| numbers.number_all(reference))
            .collect();
        let length = hypothesis.len();
        let closest = references
            .iter()
            .map(Vec::len)
            .min_by_key(|&reference| (reference.abs_diff(length), reference));

        let tokens = length + references.iter().map(Vec::len).sum::<usize>();
        let mut ngrams = Ngrams::with_room(tokens, BLEU_ORDERS);
        let hypothesis = ngrams.of(&hypothesis, BLEU_ORDERS);
        let references: Vec<_> = references
            .iter()
            .map(|reference| ngrams.of(reference, BLEU_ORDERS))
            .collect();
        let mut available = ngrams.counts(&[]);
        for reference in &references {
            let counts = ngrams.counts(reference);
            for (most, count) in available.iter_mut().zip(counts) {
                *most = count.max(*most);
            }
        }
        let mut statistics = Self {
            hypothesis_length: length as u64,
            reference_length: closest.unwrap_or(length) as u64,
            ..Self::default()
        };
        for (order, ngrams) in hypothesis.iter().enumerate() {
            statistics.totals[order] = ngrams.len() as u64;
            statistics.matches[order] = take_matches(ngrams, &mut available);
        }
        statistics
    }

    /// Computes BLEU-1 to BLEU-4 as fractions, as papers on reading comprehension and poems report
    /// them: BLEU-n = BP · (p₁ ⋯ pₙ)^(1/n), not smoothed. From the first order without a match on,
    /// all scores are 0.
    pub fn cumulative(&self) -> [f64; BLEU_ORDERS] {
        let mut product = 1.0;
        let mut order = 0.0;
        self.precisions().map(|precision| {
            product *= precision;
            order += 1.0;
            self.brevity_penalty() * f64::powf(product, 1.0 / order)
        })
    }

    /// Computes BLEU-1 to BLEU-4 as the evaluation scripts of COCO captions, MS MARCO and DuReader
    /// do: like [`cumulative`](Self::cumulative), but with small numbers added to avoid divisions
    /// by 0, so that a right answer of two words has a BLEU-4 of .001.
    pub fn of_captions(&self) -> [f64; BLEU_ORDERS] {
        const TINY: f64 = 1e-15;
        const SMALL: f64 = 1e-9;
        let [hypothesis, reference] =
            [self.hypothesis_length, self.reference_length].map(|it| it as f64);
        let ratio = (hypothesis + TINY) / (reference + SMALL);
        let brevity = (1.0 - 1.0 / ratio).exp().min(1.0);
        let mut product = 1.0;
        std::array::from_fn(|order| {
            let [matches, total] = [self.matches[order], self.totals[order]].map(|it| it as f64);
            product *= (matches + TINY) / (total + SMALL);
            brevity * f64::powf(product, 1.0 / (order as f64 + 1.0))
        })
    }

    /// N-gram precisions, for n from 1; 0 if there are no n-grams of an order.
    fn precisions(&self) -> [f64; BLEU_ORDERS] {
        std::array::from_fn(|order| match self.totals[order] {
            0 => 0.0,
            total => self.matches[order] as f64 / total as f64,
        })
    }

    /// Factor for hypotheses shorter than the references, at most 1.
    pub fn brevity_penalty(&self) -> f64 {
        if self.hypothesis_length >= self.reference_length {
            1.0
        } else if self.hypothesis_length == 0 {
            0.0
        } else {
            (1.0 - self.reference_length as f64 / self.hypothesis_length as f64).exp()
        }
    }
}

impl AddAssign for BleuStatistics {
    fn add_assign(&mut self, other: Self) {
        self.hypothesis_length += other.hypothesis_length;
        self.reference_length += other.reference_length;
        for order in 0..BLEU_ORDERS {
            self.matches[order] += other.matches[order];
            self.totals[order] += other.totals[order];
        }
    }
}

impl std::iter::Sum for BleuStatistics {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let mut total = Self::default();
        parts.for_each(|part| total += part);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    fn statistics(hypothesis: &str, references: &[&str]) -> BleuStatistics {
        let references: Vec<_> = references.iter().map(|it| split(it)).collect();
        BleuStatistics::of_tokens(&split(hypothesis), &references)
    }

    #[test]
    fn matches_are_clipped() {
        // Example 2 of Papineni et al. 2002, 2.1.
        let counted = statistics(
            "the the the the the the the",
            &["the cat is on the mat", "there is a cat on the mat"],
        );
        assert_eq!(counted.matches, [2, 0, 0, 0]);
        assert_eq!(counted.totals, [7, 6, 5, 4]);
        assert_eq!(counted.reference_length, 7);
    }

    #[test]
    fn of_two_references_equally_close_the_shorter_counts() {
        let counted = statistics("a b c", &["a b c d", "a b"]);
        assert_eq!(counted.reference_length, 2);
        assert_eq!(counted.brevity_penalty(), 1.0);
    }

    #[test]
    fn cumulative_bleu_is_a_geometric_mean() {
        let [one, two, three, four] = statistics("a b c x", &["a b c d e"]).cumulative();
        let brevity = (-0.25f64).exp();
        assert!((one - brevity * 0.75).abs() < 1e-12);
        assert!((two - brevity * (0.75f64 * 2.0 / 3.0).sqrt()).abs() < 1e-12);
        assert!((three - brevity * (0.75f64 * 2.0 / 3.0 * 0.5).cbrt()).abs() < 1e-12);
        assert_eq!(four, 0.0);
    }

    /// The expected scores are those of MS MARCO's own evaluation script for its sample, tokenised
    /// as it does.
    #[test]
    fn cumulative_bleu_is_that_of_reading_comprehension() {
        let blood = "it is include anemia , bleeding disorders such as hemophilia , blood clots , \
                     and blood cancers such as leukemia , lymphoma , and myeloma .";
        let fevers = "hiv , hepatitis b , hepatitis c , and viral hemorrhagic fevers .";
        let counted: BleuStatistics = [
            statistics("sp3", &["sp2", "sp2 hybridization"]),
            statistics("aplastic anemia", &[blood, fevers]),
        ]
        .into_iter()
        .sum();
        let [one, two, ..] = counted.cumulative();
        assert_eq!(format!("{one:.5}"), "0.00852");
        assert_eq!(two, 0.0);
    }
}
