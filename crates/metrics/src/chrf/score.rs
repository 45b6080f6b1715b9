//! chrF score, computed from counts and printed like sacreBLEU's.

use std::fmt;

use super::{Chrf, ChrfStatistics};

/// Precision or recall of an order without n-grams, with epsilon smoothing.
const EPSILON: f64 = 1e-16;

/// chrF score with its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChrfScore {
    /// chrF, from 0 to 100.
    pub score: f64,
    /// β, which is part of the name: `chrF2`.
    pub beta: u32,
    /// Length of the longest word n-grams, the number of pluses in the name: `chrF2++`.
    pub word_order: usize,
}

impl Chrf {
    /// Computes the score from the counts of a sentence or of a corpus.
    pub fn score(&self, statistics: &ChrfStatistics) -> ChrfScore {
        let score = if self.epsilon_smoothing {
            self.mean_of_orders(statistics)
        } else {
            self.score_of_means(statistics)
        };
        ChrfScore {
            score,
            beta: self.beta,
            word_order: self.word_order,
        }
    }

    /// Computes Fβ of the mean precision and mean recall over the orders that both sides have.
    fn score_of_means(&self, statistics: &ChrfStatistics) -> f64 {
        let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
        for counts in &statistics.orders {
            if counts.hypothesis > 0 && counts.reference > 0 {
                precision += counts.matches as f64 / counts.hypothesis as f64;
                recall += counts.matches as f64 / counts.reference as f64;
                orders += 1.0;
            }
        }
        self.f(precision / orders, recall / orders)
            .map_or(0.0, |f| 100.0 * f)
    }

    /// Computes the mean of the Fβ of each order.
    fn mean_of_orders(&self, statistics: &ChrfStatistics) -> f64 {
        let share = |matches: u64, of: u64| match of {
            0 => EPSILON,
            of => matches as f64 / of as f64,
        };
        let scores = statistics.orders.iter().map(|counts| {
            let precision = share(counts.matches, counts.hypothesis);
            let recall = share(counts.matches, counts.reference);
            self.f(precision, recall).unwrap_or(EPSILON)
        });
        100.0 * scores.sum::<f64>() / statistics.orders.len().max(1) as f64
    }

    /// Computes Fβ; `None` if precision and recall are both 0, or NaN because no order counts.
    fn f(&self, precision: f64, recall: f64) -> Option<f64> {
        let factor = f64::from(self.beta).powi(2);
        let weighed = factor * precision + recall;
        (weighed > 0.0).then(|| (1.0 + factor) * precision * recall / weighed)
    }
}

impl ChrfScore {
    /// Name of the score: `chrF2`, `chrF2++`.
    pub fn name(&self) -> String {
        format!("chrF{}{}", self.beta, "+".repeat(self.word_order))
    }
}

/// Prints the score like sacreBLEU, with two decimals unless the format asks for others.
impl fmt::Display for ChrfScore {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let decimals = formatter.precision().unwrap_or(2);
        write!(formatter, "{} = {:.decimals$}", self.name(), self.score)
    }
}
