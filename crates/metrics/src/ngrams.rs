//! Counts and matches n-grams of token sequences.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Numbers tokens in the order of their first appearance: equal tokens have equal ids.
#[derive(Debug)]
pub(crate) struct TokenNumbers<'a, T: ?Sized>(HashMap<&'a T, u32>);

impl<'a, T: Hash + Eq + ?Sized> TokenNumbers<'a, T> {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    pub(crate) fn number_all(&mut self, tokens: impl IntoIterator<Item = &'a T>) -> Vec<u32> {
        let mut number = |token| {
            let next = self.0.len() as u32;
            *self.0.entry(token).or_insert(next)
        };
        tokens.into_iter().map(&mut number).collect()
    }
}

/// Numbers all n-grams of a few sequences. The key of an n-gram is the pair of the id of its
/// beginning, without the last token, and the last token.
#[derive(Debug, Default)]
pub(crate) struct Ngrams {
    numbers: HashMap<u64, u32, BuildHasherDefault<PairHasher>>,
}

impl Ngrams {
    /// Creates an empty table with capacity for the n-grams of `tokens` tokens.
    pub(crate) fn with_room(tokens: usize, orders: usize) -> Self {
        let mut ngrams = Self::default();
        // The limit suffices for most sentences; for a book in one line the table grows.
        let expected = tokens.saturating_mul(orders).min(1 << 16);
        ngrams.numbers.reserve(expected);
        ngrams
    }

    /// Returns the ids of the n-grams of each order from 1, from left to right.
    pub(crate) fn of(&mut self, tokens: &[u32], orders: usize) -> Vec<Vec<u32>> {
        /// Id of the empty n-gram.
        const NOTHING: u32 = u32::MAX;
        let mut shorter = vec![NOTHING; tokens.len()];
        (1..=orders)
            .map(|order| {
                let lasts = tokens.get(order - 1..).unwrap_or_default();
                let longer: Vec<u32> = shorter
                    .iter()
                    .zip(lasts)
                    .map(|(&start, &last)| self.number(start, last))
                    .collect();
                shorter.clone_from(&longer);
                longer
            })
            .collect()
    }

    fn number(&mut self, start: u32, last: u32) -> u32 {
        let next = self.numbers.len() as u32;
        let pair = (u64::from(start) << 32) | u64::from(last);
        *self.numbers.entry(pair).or_insert(next)
    }

    /// Counts each n-gram of a sequence; the result is indexed by n-gram ids.
    pub(crate) fn counts(&self, ngrams: &[Vec<u32>]) -> Vec<u32> {
        let mut counts = vec![0; self.numbers.len()];
        for &ngram in ngrams.iter().flatten() {
            counts[ngram as usize] += 1;
        }
        counts
    }
}

/// Counts clipped matches: each of `ngrams` takes one occurrence of `available`, as long as any is
/// left.
pub(crate) fn take_matches(ngrams: &[u32], available: &mut [u32]) -> u64 {
    let mut matches = 0;
    for &ngram in ngrams {
        let left = &mut available[ngram as usize];
        if *left > 0 {
            *left -= 1;
            matches += 1;
        }
    }
    matches
}

/// Hash of a pair of small numbers, which combines both halves of a product. Ten times as fast as
/// the standard library's hash, which resists attacks.
#[derive(Debug, Default)]
pub(crate) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn write_u64(&mut self, pair: u64) {
        let product = u128::from(pair ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ngrams_have_equal_numbers() {
        let mut ngrams = Ngrams::default();
        let left = ngrams.of(&[1, 2, 1, 2], 3);
        let right = ngrams.of(&[2, 1, 2], 3);
        assert_eq!(left[0], [0, 1, 0, 1]);
        assert_eq!(right[0], [1, 0, 1]);
        assert_eq!(left[1][1..], right[1]);
        assert_eq!(left[2][1..], right[2]);
        assert_ne!(left[2][0], left[2][1]);
        assert_eq!(ngrams.of(&[5], 3)[1..], [vec![], vec![]]);
    }

    #[test]
    fn no_ngram_is_matched_more_often_than_it_is_there() {
        let mut ngrams = Ngrams::default();
        let reference = ngrams.of(&[1, 2, 3], 2);
        let hypothesis = ngrams.of(&[2, 2, 2, 3], 2);
        let mut available = ngrams.counts(&reference);
        assert_eq!(take_matches(&hypothesis[0], &mut available), 2);
        assert_eq!(take_matches(&hypothesis[1], &mut available), 1);
    }
}
