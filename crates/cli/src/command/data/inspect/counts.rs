//! Counts occurrences of many different items in bounded memory.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Most different items that are counted exactly; beyond, a sample is counted (36 MB of memory).
const LIMIT: usize = 1_800_000;

/// Numbers of occurrences of many different items, by the items' hashes.
///
/// With more than [`LIMIT`] different items, only items whose hash falls into an ever smaller share
/// of all hashes are counted (Gibbons 2001, distinct sampling); results are scaled up accordingly,
/// with an error of about 0.1 %.
pub struct Counts {
    times: HashMap<u64, Seen>,
    /// Exponent of the sample: one in 2^`halvings` of all hashes is counted.
    halvings: u32,
    limit: usize,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    times: u32,
    /// True if the other text has the item, too.
    met: bool,
}

impl Default for Counts {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

/// Returns the hash of an item, which is the same in every run.
pub fn hash(thing: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

impl Counts {
    fn with_limit(limit: usize) -> Self {
        Self {
            times: HashMap::new(),
            halvings: 0,
            limit,
        }
    }

    /// Counts an occurrence of an item.
    pub fn add(&mut self, hash: u64) {
        if !self.is_sampled(hash) {
            return;
        }
        self.times.entry(hash).or_default().times += 1;
        while self.times.len() > self.limit {
            self.halvings += 1;
            let halvings = self.halvings;
            self.times.retain(|&hash, _| is_sampled(hash, halvings));
        }
    }

    /// Marks an item as seen in the other text. Returns the number of occurrences for which this
    /// one stands, or 0 if this text does not have the item.
    pub fn meet(&mut self, hash: u64) -> u64 {
        match self.times.get_mut(&hash) {
            Some(seen) => {
                seen.met = true;
                1 << self.halvings
            }
            None => 0,
        }
    }

    /// Returns the number of different items with at least `minimum` occurrences, and the sum of
    /// their occurrences.
    pub fn at_least(&self, minimum: u32) -> (u64, u64) {
        let frequent = self.times.values().filter(|seen| seen.times >= minimum);
        let (things, times) = frequent.fold((0, 0), |(things, times), seen| {
            (things + 1, times + u64::from(seen.times))
        });
        (things << self.halvings, times << self.halvings)
    }

    /// Returns the number of occurrences of items that the other text has, too.
    pub fn met(&self) -> u64 {
        let met = self.times.values().filter(|seen| seen.met);
        met.map(|seen| u64::from(seen.times)).sum::<u64>() << self.halvings
    }

    /// True if the counts are exact.
    pub fn is_exact(&self) -> bool {
        self.halvings == 0
    }

    fn is_sampled(&self, hash: u64) -> bool {
        is_sampled(hash, self.halvings)
    }
}

fn is_sampled(hash: u64, halvings: u32) -> bool {
    hash.leading_zeros() >= halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_things_are_counted_exactly() {
        let mut counts = Counts::with_limit(10);
        for word in "a b a c a b".split(' ') {
            counts.add(hash(word));
        }
        assert_eq!(counts.at_least(1), (3, 6));
        assert_eq!(counts.at_least(2), (2, 5));
        assert_eq!(counts.at_least(4), (0, 0));
        assert_eq!(counts.meet(hash("a")), 1);
        assert_eq!(counts.meet(hash("a")), 1);
        assert_eq!(counts.meet(hash("x")), 0);
        assert_eq!(counts.met(), 3);
        assert!(counts.is_exact());
    }

    #[test]
    fn many_things_are_sampled_in_bounded_memory() {
        let mut counts = Counts::with_limit(4000);
        for round in 0..3 {
            for thing in 0..100_000 {
                if round == 0 || thing % 2 == 0 {
                    counts.add(hash(thing));
                }
            }
        }
        assert!(counts.times.len() <= 4000 && !counts.is_exact());
        let near = |found: u64, expected: f64| {
            let ratio = found as f64 / expected;
            assert!((0.9..1.1).contains(&ratio), "{found} for {expected}");
        };
        near(counts.at_least(1).0, 100_000.0);
        near(counts.at_least(2).0, 50_000.0);
        near(counts.at_least(1).1, 200_000.0);
        let met: u64 = (0..10_000).map(|thing| counts.meet(hash(thing))).sum();
        near(met, 10_000.0);
        near(counts.met(), 20_000.0);
    }
}
