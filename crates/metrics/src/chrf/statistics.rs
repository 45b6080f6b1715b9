//! Counts for chrF. Counts of sentences add up, and the score is computed from the sums.

use std::ops::AddAssign;

/// N-gram counts of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderCounts {
    /// Number of n-grams of the hypotheses; 0 if the reference has none.
    pub hypothesis: u64,
    /// Number of n-grams of the references.
    pub reference: u64,
    /// Number of n-grams that both have.
    pub matches: u64,
}

/// Counts of one sentence, or sums over many sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChrfStatistics {
    /// Counts by order: character n-grams from n = 1 up, then word n-grams from n = 1 up.
    pub orders: Vec<OrderCounts>,
}

impl AddAssign for ChrfStatistics {
    fn add_assign(&mut self, other: Self) {
        let orders = self.orders.len().max(other.orders.len());
        self.orders.resize(orders, OrderCounts::default());
        for (sum, more) in self.orders.iter_mut().zip(other.orders) {
            sum.hypothesis += more.hypothesis;
            sum.reference += more.reference;
            sum.matches += more.matches;
        }
    }
}

impl std::iter::Sum for ChrfStatistics {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let mut total = Self::default();
        parts.for_each(|part| total += part);
        total
    }
}
