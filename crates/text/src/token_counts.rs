//! Number of occurrences of each token, in bounded memory.

use std::collections::HashMap;

/// Most different tokens that are counted at the same time; they take several tens of MiB.
const MAX_TOKENS: usize = 500_000;

/// Number of occurrences of each token.
///
/// Beyond 500,000 different tokens the rarest are forgotten, as in word2vec (Mikolov et al. 2013):
/// counts of frequent tokens stay right, and rare tokens may lose early occurrences.
#[derive(Clone, Debug)]
pub struct TokenCounts {
    of_token: HashMap<Box<str>, u64>,
    maximum: usize,
    /// Largest number of occurrences of tokens that were forgotten when memory was full.
    floor: u64,
}

impl Default for TokenCounts {
    fn default() -> Self {
        Self::with_maximum(MAX_TOKENS)
    }
}

impl TokenCounts {
    fn with_maximum(maximum: usize) -> Self {
        Self {
            of_token: HashMap::new(),
            maximum,
            floor: 0,
        }
    }

    /// Counts an occurrence of `token`.
    pub fn add(&mut self, token: &str) {
        if let Some(count) = self.of_token.get_mut(token) {
            *count += 1;
            return;
        }
        if self.of_token.len() >= self.maximum {
            self.forget_rarest();
        }
        self.of_token.insert(token.into(), 1);
    }

    fn forget_rarest(&mut self) {
        while self.of_token.len() > self.maximum / 2 {
            self.floor += 1;
            let floor = self.floor;
            self.of_token.retain(|_, count| *count > floor);
        }
    }

    /// Returns the tokens that occurred at least `minimum_count` times: the most frequent first,
    /// equally frequent ones in the order of their characters.
    pub fn by_frequency(&self, minimum_count: usize) -> Vec<(&str, u64)> {
        let counted = self.of_token.iter();
        let mut kept: Vec<(&str, u64)> = counted
            .map(|(token, &count)| (&**token, count))
            .filter(|&(_, count)| count >= minimum_count as u64)
            .collect();
        sort_by_frequency(&mut kept);
        kept
    }
}

/// Sorts the most frequent items first, and equally frequent ones in their own order.
pub(crate) fn sort_by_frequency<T: Ord>(counted: &mut [(T, u64)]) {
    counted.sort_unstable_by(|(left, left_count), (right, right_count)| {
        right_count.cmp(left_count).then_with(|| left.cmp(right))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_frequent_tokens_are_counted_right() {
        let mut counts = TokenCounts::with_maximum(100);
        for round in 0..1000 {
            counts.add("the");
            counts.add(&format!("rare{round}"));
            if round % 2 == 0 {
                counts.add("of");
            }
            assert!(counts.of_token.len() <= 100);
        }
        assert_eq!(counts.by_frequency(100), [("the", 1000), ("of", 500)]);
    }
}
