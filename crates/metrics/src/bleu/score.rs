//! BLEU score, computed from counts and printed like sacreBLEU's.

use std::fmt;

use super::{BleuStatistics, Smoothing};

/// BLEU score and its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct BleuScore {
    /// BLEU, from 0 to 100.
    pub score: f64,
    /// Smoothed n-gram precisions in percent, for n from 1.
    pub precisions: Vec<f64>,
    /// Factor for hypotheses shorter than the references, at most 1.
    pub brevity_penalty: f64,
    /// Number of words of the hypotheses.
    pub hypothesis_length: u64,
    /// Number of words of the closest references.
    pub reference_length: u64,
}

impl BleuScore {
    pub(super) fn new(
        statistics: &BleuStatistics,
        orders: usize,
        smoothing: Smoothing,
        effective_order: bool,
    ) -> Self {
        let mut score = Self {
            score: 0.0,
            precisions: vec![0.0; orders],
            brevity_penalty: statistics.brevity_penalty(),
            hypothesis_length: statistics.hypothesis_length,
            reference_length: statistics.reference_length,
        };
        // If not even a single word matches, nothing is smoothed.
        if statistics.matches[..orders].iter().all(|&it| it == 0) {
            return score;
        }
        let mut orders_that_count = orders;
        let mut without_match = 0;
        for order in 0..orders {
            let added = match smoothing {
                Smoothing::AddK(k) if order > 0 => k,
                _ => 0.0,
            };
            let matches = statistics.matches[order] as f64 + added;
            let total = statistics.totals[order] as f64 + added;
            if total == 0.0 {
                break;
            }
            if effective_order {
                orders_that_count = order + 1;
            }
            score.precisions[order] = match smoothing {
                _ if matches > 0.0 => 100.0 * matches / total,
                Smoothing::Exponential => {
                    without_match += 1;
                    100.0 / (f64::powi(2.0, without_match) * total)
                }
                Smoothing::Floor(value) => 100.0 * value / total,
                Smoothing::None | Smoothing::AddK(_) => 0.0,
            };
        }
        let counted = &score.precisions[..orders_that_count];
        let logarithms: f64 = counted.iter().map(|precision| precision.ln()).sum();
        score.score = score.brevity_penalty * (logarithms / orders_that_count as f64).exp();
        score
    }

    /// Hypothesis length / reference length; 0 if the references have no words.
    pub fn ratio(&self) -> f64 {
        match self.reference_length {
            0 => 0.0,
            length => self.hypothesis_length as f64 / length as f64,
        }
    }

    /// Formats everything but the score, as sacreBLEU does:
    /// `85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)`.
    pub fn details(&self) -> String {
        let precisions: Vec<_> = self
            .precisions
            .iter()
            .map(|it| format!("{it:.1}"))
            .collect();
        format!(
            "{} (BP = {:.3} ratio = {:.3} hyp_len = {} ref_len = {})",
            precisions.join("/"),
            self.brevity_penalty,
            self.ratio(),
            self.hypothesis_length,
            self.reference_length,
        )
    }
}

/// Prints the score like sacreBLEU, with two decimals unless the format asks for others.
impl fmt::Display for BleuScore {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let decimals = formatter.precision().unwrap_or(2);
        write!(
            formatter,
            "BLEU = {:.decimals$} {}",
            self.score,
            self.details()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_printed_as_python_prints_them() {
        let statistics = BleuStatistics {
            hypothesis_length: 16,
            reference_length: 16,
            matches: [1, 3, 0, 0],
            totals: [16, 16, 14, 13],
        };
        let score = BleuScore::new(&statistics, 2, Smoothing::None, false);
        // 6.25 and 18.75 are rounded half to even.
        assert!(score.details().starts_with("6.2/18.8 "), "{score}");
    }

    #[test]
    fn each_order_without_a_match_counts_half_the_one_before() {
        let statistics = BleuStatistics {
            hypothesis_length: 8,
            reference_length: 8,
            matches: [4, 0, 0, 0],
            totals: [8, 7, 6, 5],
        };
        let score = |smoothing| BleuScore::new(&statistics, 4, smoothing, false);
        assert_eq!(
            score(Smoothing::Exponential).precisions,
            [50.0, 100.0 / 14.0, 100.0 / 24.0, 100.0 / 40.0]
        );
        assert_eq!(score(Smoothing::Floor(0.1)).precisions[3], 2.0);
        assert_eq!(score(Smoothing::AddK(1.0)).precisions[1], 12.5);
        assert_eq!(score(Smoothing::None).score, 0.0);
    }
}
