//! Set of the 4-grams of the training lines, small enough for a model file: a Golomb-coded set
//! (Putze, Sanders and Singler 2007) of their hashes, which takes about 9.5 bits per 4-gram. It
//! contains every 4-gram of the lines, and by mistake 1 in 256 others.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::part::fnv1a;
use crate::{Poem, PoemError};

/// Number of characters of an n-gram.
pub(crate) const ORDER: usize = 4;

/// Number of bits of a difference behind its unary part. Hashes are spread over 2^BITS values for
/// each 4-gram.
const BITS: u32 = 8;

/// Set of 4-grams, stored as hashes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredNgrams", into = "StoredNgrams")]
pub struct KnownNgrams {
    /// Upper limit of hashes, exclusive.
    range: u64,
    /// Hashes in ascending order.
    hashes: Vec<u64>,
}

impl KnownNgrams {
    /// Collects all 4-grams of the lines of poems.
    pub fn of(poems: &[Poem]) -> Self {
        let lines = poems.iter().flat_map(Poem::lines);
        let ngrams: BTreeSet<&[char]> = lines.flat_map(|line| line.windows(ORDER)).collect();
        let range = (ngrams.len() as u64) << BITS;
        let hashes: BTreeSet<u64> = ngrams.into_iter().map(|it| hash(it, range)).collect();
        Self {
            range,
            hashes: hashes.into_iter().collect(),
        }
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Counts the 4-grams of these lines: those in the set, and all.
    pub fn count_in(&self, lines: &[&[char]]) -> (usize, usize) {
        let ngrams = lines.iter().flat_map(|line| line.windows(ORDER));
        ngrams.fold((0, 0), |(known, all), ngram| {
            (known + usize::from(self.contains(ngram)), all + 1)
        })
    }

    fn contains(&self, ngram: &[char]) -> bool {
        !self.is_empty() && self.hashes.binary_search(&hash(ngram, self.range)).is_ok()
    }
}

/// Hash of a 4-gram below `range`: FNV-1a 64 of the UTF-8 bytes, mixed (last step of MurmurHash3)
/// and scaled.
fn hash(ngram: &[char], range: u64) -> u64 {
    let mut hash = fnv1a(ngram);
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^= hash >> 33;
    ((u128::from(hash) * u128::from(range)) >> 64) as u64
}

/// Set of 4-grams in the form of a model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredNgrams {
    range: u64,
    count: u64,
    /// Differences of ascending hashes, each written as difference / 2^BITS ones, a zero, and the
    /// rest in BITS bits, the highest bit first; in base64.
    code: String,
}

impl From<KnownNgrams> for StoredNgrams {
    fn from(ngrams: KnownNgrams) -> Self {
        let (mut bytes, mut length) = (Vec::new(), 0_usize);
        let mut push = |bit: bool| {
            if length.is_multiple_of(8) {
                bytes.push(0_u8);
            }
            if let (true, Some(last)) = (bit, bytes.last_mut()) {
                *last |= 0x80 >> (length % 8);
            }
            length += 1;
        };
        let mut before = 0;
        for &hash in &ngrams.hashes {
            let difference = hash - before;
            (0..difference >> BITS).for_each(|_| push(true));
            push(false);
            (0..BITS)
                .rev()
                .for_each(|bit| push(difference >> bit & 1 == 1));
            before = hash;
        }
        Self {
            range: ngrams.range,
            count: ngrams.hashes.len() as u64,
            code: STANDARD.encode(bytes),
        }
    }
}

impl TryFrom<StoredNgrams> for KnownNgrams {
    type Error = PoemError;

    fn try_from(stored: StoredNgrams) -> Result<Self, PoemError> {
        let damaged = || PoemError::Damaged { part: "4-grams" };
        let bytes = STANDARD.decode(&stored.code).map_err(|_| damaged())?;
        let mut bits = bytes
            .iter()
            .flat_map(|byte| (0..8).map(move |at| byte << at & 0x80 != 0));
        let mut hashes: Vec<u64> = Vec::new();
        for at in 0..stored.count {
            let mut difference = 0_u64;
            while bits.next().ok_or_else(damaged)? {
                difference += 1;
            }
            for _ in 0..BITS {
                difference = difference << 1 | u64::from(bits.next().ok_or_else(damaged)?);
            }
            let hash = hashes.last().copied().unwrap_or(0) + difference;
            if hash >= stored.range || (at > 0 && difference == 0) {
                return Err(damaged());
            }
            hashes.push(hash);
        }
        Ok(Self {
            range: stored.range,
            hashes,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Generates poems of different characters, none of which shares a 4-gram with another.
    fn poems(numbers: std::ops::Range<u32>) -> Vec<Poem> {
        let character = |at: u32| char::from_u32(0x4e00 + at).unwrap();
        let line = |number: u32| -> String {
            let digits = [number / 400, number / 20 % 20, number % 20, number % 7];
            let places = [0, 20, 40, 60].iter().zip(digits);
            let line = places.map(|(place, digit)| character(place + digit));
            line.chain([character(90)]).collect()
        };
        let poem = |at| -> String { (0..4).map(|it| line(4 * at + it) + "，").collect() };
        numbers.map(|at| Poem::read(&poem(at)).unwrap()).collect()
    }

    fn share(ngrams: &KnownNgrams, poems: &[Poem]) -> f64 {
        let lines: Vec<&[char]> = poems.iter().flat_map(Poem::lines).collect();
        let (known, all) = ngrams.count_in(&lines);
        known as f64 / all as f64
    }

    #[test]
    fn what_was_given_is_known_and_little_else() {
        let all = poems(0..2000);
        let ngrams = KnownNgrams::of(&all[..1000]);
        assert_eq!(share(&ngrams, &all[..1000]), 1.0);
        // The last four characters of a line occur in other lines too.
        let line: Vec<char> = all[1500].lines().next().unwrap().to_vec();
        assert_eq!(ngrams.count_in(&[&line[..3]]), (0, 0));
        let first = |poem: &Poem| -> Vec<Vec<char>> {
            let lines = poem.lines();
            lines.map(|line| line[..ORDER].to_vec()).collect()
        };
        let others: Vec<Vec<char>> = all[1000..].iter().flat_map(first).collect();
        let others: Vec<&[char]> = others.iter().map(Vec::as_slice).collect();
        let (known, all) = ngrams.count_in(&others);
        assert_eq!(all, 4000);
        assert!(known < 4000 / 64, "{known}");
        assert_eq!(KnownNgrams::default().count_in(&others), (0, 4000));
    }

    #[test]
    fn they_are_stored_in_less_than_ten_bits_each() {
        let ngrams = KnownNgrams::of(&poems(0..1000));
        let text = serde_json::to_string(&ngrams).unwrap();
        let again: KnownNgrams = serde_json::from_str(&text).unwrap();
        assert_eq!(again, ngrams);
        let stored = StoredNgrams::from(ngrams.clone());
        let bits = stored.code.len() * 6;
        assert!(bits < ngrams.hashes.len() * 10 + 24, "{bits}");
        let none = serde_json::to_string(&KnownNgrams::default()).unwrap();
        let none: KnownNgrams = serde_json::from_str(&none).unwrap();
        assert!(none.is_empty());
    }

    #[test]
    fn damaged_ones_are_refused() {
        let stored = StoredNgrams::from(KnownNgrams::of(&poems(0..50)));
        let changes: [fn(&mut StoredNgrams); 5] = [
            |it| it.count = u64::MAX,
            |it| it.range = 1000,
            |it| it.code.truncate(40),
            |it| it.code = "AAAA".repeat(40),
            |it| it.code.insert(3, '!'),
        ];
        for change in changes {
            let mut damaged = stored.clone();
            change(&mut damaged);
            assert!(KnownNgrams::try_from(damaged).is_err());
        }
    }
}
