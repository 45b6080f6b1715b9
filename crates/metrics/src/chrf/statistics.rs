//! What chrF counts: it adds up over sentences, and the score is one of the sums.

use std::ops::AddAssign;

/// N-grams of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderCounts {
    /// Those of the hypotheses, where the reference has any.
    pub hypothesis: u64,
    /// Those of the references.
    pub reference: u64,
    /// Those in both.
    pub matches: u64,
}

/// Counts of a sentence, or of many, for every order: first of characters, then of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChrfStatistics {
    /// From single characters, or words, up.
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
