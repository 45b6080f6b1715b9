//! Compressed set of the identities of all sentences that a model has learned; part of a
//! checkpoint.
//!
//! The first bits of each identity are kept, 40 if there is room. The identities are sorted, and
//! the gaps between them are written as Rice codes (Golomb 1966; Rice 1979). Each of n identities
//! takes about 42 − log₂ n bits: 27 bits for 30,000 sentences, 19 bits for ten million. A sentence
//! that is not in the set counts as learned with probability n / 2⁴⁰, one in 100,000 for ten
//! million. A set larger than [`MOST_BYTES`] keeps fewer bits, which makes such errors more likely.

use std::sync::Arc;

/// Most bits of an identity that are kept.
const BITS: u32 = 40;
/// Largest size of a set in bytes: about 30 million sentences with 40 bits.
const MOST_BYTES: usize = 64 << 20;
/// Size of the head in bytes: bits per identity, parameter of the code, number of identities.
const HEAD: usize = 10;
/// Number of identities that are collected before they join the set.
const AT_ONCE: usize = 1 << 20;

/// A compressed set of identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    bytes: Arc<[u8]>,
}

impl Default for Learned {
    fn default() -> Self {
        Self::of_sorted(BITS, &[])
    }
}

impl Learned {
    /// Reads a set from its bytes; `None` if the bytes are invalid.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let set = Self {
            bytes: bytes.into(),
        };
        let (bits, code, count) = set.head()?;
        let is_sound = (1..=BITS).contains(&bits) && code < bits.max(2);
        // Each identity takes at least one bit.
        let is_possible = count <= 8 * bytes.len() as u64;
        (is_sound && is_possible && set.values().count() as u64 == count).then_some(set)
    }

    /// Returns the bytes of the set.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of identities.
    pub fn len(&self) -> u64 {
        self.head().map_or(0, |(_, _, count)| count)
    }

    /// True if the set has no identities.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true for each identity that the set contains.
    pub fn holds(&self, identities: &[u64]) -> Vec<bool> {
        let mut asked: Vec<usize> = (0..identities.len()).collect();
        asked.sort_unstable_by_key(|&at| identities[at]);
        let mut found = vec![false; identities.len()];
        let shift = 64 - self.bits();
        let mut values = self.values().peekable();
        for at in asked {
            let wanted = identities[at] >> shift;
            while values.next_if(|&value| value < wanted).is_some() {}
            match values.peek() {
                Some(&value) => found[at] = value == wanted,
                None => break,
            }
        }
        found
    }

    /// Returns for each group of identities whether the set contains at least one.
    pub fn holds_any(&self, groups: &[Vec<u64>]) -> Vec<bool> {
        let mut found = self.holds(&groups.concat()).into_iter();
        let any = |group: &Vec<u64>| {
            found
                .by_ref()
                .take(group.len())
                .fold(false, |any, it| any | it)
        };
        groups.iter().map(any).collect()
    }

    /// Returns the union of this set and another.
    pub fn with(&self, other: &Self) -> Self {
        if other.is_empty() && other.bits() >= self.bits() {
            return self.clone();
        }
        let bits = self.bits().min(other.bits());
        let [ours, theirs] = [self, other].map(|set| {
            let shift = set.bits() - bits;
            set.values().map(move |value| value >> shift)
        });
        Self::within(bits, &merged(ours, theirs), MOST_BYTES)
    }

    fn bits(&self) -> u32 {
        self.head().map_or(BITS, |(bits, ..)| bits)
    }

    /// Returns bits per identity, parameter of the code, and number of identities.
    fn head(&self) -> Option<(u32, u32, u64)> {
        let (&[bits, code], rest) = self.bytes.split_first_chunk()?;
        let (count, _) = rest.split_first_chunk()?;
        Some((bits.into(), code.into(), u64::from_le_bytes(*count)))
    }

    /// Iterates over the kept bits of all identities, in increasing order.
    fn values(&self) -> impl Iterator<Item = u64> {
        let (bits, code, count) = self.head().unwrap_or((BITS, 0, 0));
        let mut codes = BitReader {
            bytes: self.bytes.get(HEAD..).unwrap_or(&[]),
            at: 0,
        };
        let mut next = 0_u64;
        (0..count).map_while(move |_| {
            let gap = codes.rice(code)?;
            let value = next.checked_add(gap)?;
            next = value + 1;
            (value >> bits == 0).then_some(value)
        })
    }

    /// Builds a set of sorted, different values of `bits` bits each. If the set would be larger
    /// than `most` bytes, it keeps fewer bits.
    fn within(mut bits: u32, values: &[u64], most: usize) -> Self {
        let mut set = Self::of_sorted(bits, values);
        let mut values = values.to_vec();
        while set.bytes.len() > most && bits > 1 {
            bits -= 1;
            values.iter_mut().for_each(|value| *value >>= 1);
            values.dedup();
            set = Self::of_sorted(bits, &values);
        }
        set
    }

    fn of_sorted(bits: u32, values: &[u64]) -> Self {
        let count = values.len() as u64;
        // Codes are shortest if two to the power of the parameter is close to the mean gap.
        let gap = (1_u64 << bits) / count.max(1);
        let code = gap.max(1).ilog2().min(bits - 1);
        let mut writer = BitWriter::default();
        writer.bits(bits.into(), 8);
        writer.bits(code.into(), 8);
        for byte in count.to_le_bytes() {
            writer.bits(byte.into(), 8);
        }
        let mut next = 0;
        for &value in values {
            writer.rice(value - next, code);
            next = value + 1;
        }
        Self {
            bytes: writer.finish().into(),
        }
    }
}

/// Builder of a set; uses 16 MiB besides the memory of the set.
#[derive(Default)]
pub struct LearnedBuilder {
    set: Learned,
    waiting: Vec<u64>,
}

impl LearnedBuilder {
    /// Adds an identity.
    pub fn add(&mut self, identity: u64) {
        self.waiting.push(identity);
        if self.waiting.len() >= AT_ONCE {
            self.take();
        }
    }

    /// Returns the set.
    pub fn finish(mut self) -> Learned {
        self.take();
        self.set
    }

    fn take(&mut self) {
        let bits = self.set.bits();
        for value in &mut self.waiting {
            *value >>= 64 - bits;
        }
        self.waiting.sort_unstable();
        let waiting = self.waiting.drain(..);
        let values = merged(self.set.values(), waiting);
        self.set = Learned::within(bits, &values, MOST_BYTES);
    }
}

impl Extend<u64> for LearnedBuilder {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, identities: T) {
        identities.into_iter().for_each(|it| self.add(it));
    }
}

/// Merges two sorted sequences into one without repetitions.
fn merged(ours: impl Iterator<Item = u64>, theirs: impl Iterator<Item = u64>) -> Vec<u64> {
    let (mut ours, mut theirs) = (ours.peekable(), theirs.peekable());
    let mut all: Vec<u64> = Vec::new();
    loop {
        let next = match (ours.peek(), theirs.peek()) {
            (Some(our), Some(their)) if our <= their => ours.next(),
            (_, Some(_)) => theirs.next(),
            (_, None) => ours.next(),
        };
        match next {
            Some(value) if all.last() == Some(&value) => {}
            Some(value) => all.push(value),
            None => return all,
        }
    }
}

/// Writer of codes, with the lowest bit of a byte first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that are not in `bytes` yet.
    rest: u64,
    length: u32,
}

impl BitWriter {
    /// Writes a Rice code: the quotient of the value by 2^code as ones and a zero, then the
    /// remainder.
    fn rice(&mut self, value: u64, code: u32) {
        (0..value >> code).for_each(|_| self.bits(1, 1));
        self.bits(0, 1);
        self.bits(value & ((1 << code) - 1), code);
    }

    fn bits(&mut self, bits: u64, count: u32) {
        self.rest |= bits << self.length;
        self.length += count;
        while self.length >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.length -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.length > 0 {
            self.bytes.push(self.rest as u8);
        }
        self.bytes
    }
}

/// Reader of the bits from a [`BitWriter`].
struct BitReader<'a> {
    bytes: &'a [u8],
    /// Number of bits that have been read.
    at: usize,
}

impl BitReader<'_> {
    /// Reads a Rice code; `None` at the end.
    fn rice(&mut self, code: u32) -> Option<u64> {
        let mut ones = 0_u64;
        loop {
            let (bits, valid) = self.ahead();
            if valid == 0 {
                return None;
            }
            let here = bits.trailing_ones().min(valid);
            ones += u64::from(here);
            self.at += here as usize;
            if here < valid {
                break;
            }
        }
        self.at += 1;
        let (bits, valid) = self.ahead();
        if valid < code {
            return None;
        }
        self.at += code as usize;
        let rest = bits & ((1 << code) - 1);
        ones.checked_mul(1 << code)?.checked_add(rest)
    }

    /// Returns the next bits, at least 57 except at the end, and their number.
    fn ahead(&self) -> (u64, u32) {
        let (byte, bit) = (self.at / 8, (self.at % 8) as u32);
        let rest = self.bytes.get(byte..).unwrap_or(&[]);
        let mut word = [0; 8];
        let length = rest.len().min(8);
        word[..length].copy_from_slice(&rest[..length]);
        let valid = (8 * length as u32).saturating_sub(bit);
        (u64::from_le_bytes(word) >> bit, valid)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;
    use crate::identity::mix;

    fn identities(from: u64, count: u64) -> Vec<u64> {
        (from..from + count).map(mix).collect()
    }

    fn set(identities: &[u64]) -> Learned {
        let mut builder = LearnedBuilder::default();
        builder.extend(identities.iter().copied());
        builder.finish()
    }

    #[test]
    fn a_set_holds_what_was_added_and_next_to_nothing_else() {
        for count in [0, 1, 2, 3, 100, 5000, 300_000] {
            let learned = identities(0, count);
            let set = set(&learned);
            assert_eq!(set.len(), count);
            assert!(set.holds(&learned).iter().all(|&it| it));
            let others = identities(1 << 40, 100_000);
            let mistaken = set.holds(&others).into_iter().filter(|&it| it).count();
            // The expected number of errors in the largest set is 300,000 · 100,000 / 2⁴⁰ = 0.03.
            assert!(mistaken <= 1, "{mistaken} of {count}");
            assert_eq!(Learned::read(set.bytes()), Some(set));
        }
        // A set of the largest and the smallest possible identity.
        let ends = [u64::MAX, 0, u64::MAX];
        assert_eq!(
            set(&ends).holds(&[0, 1 << 32, u64::MAX]),
            [true, false, true]
        );
    }

    #[test]
    fn its_size_is_what_the_documentation_says() {
        for (count, bits) in [(1_000, 32), (30_000, 27), (1_000_000, 22)] {
            let bytes = set(&identities(0, count)).bytes().len() as u64;
            assert!(8 * bytes <= count * bits, "{count}: {bytes}");
        }
    }

    #[test]
    fn the_order_and_repeats_do_not_matter_and_two_sets_are_one() {
        let [one, other] = [identities(0, 2000), identities(1500, 3000)];
        let all: HashSet<u64> = one.iter().chain(&other).copied().collect();
        let all: Vec<u64> = all.into_iter().collect();
        let joined = set(&one).with(&set(&other));
        assert_eq!(joined, set(&all));
        assert_eq!(joined, set(&other).with(&set(&one)));
        assert_eq!(joined.with(&Learned::default()), joined);
        assert_eq!(Learned::default().with(&joined), joined);
    }

    #[test]
    fn a_set_that_is_too_large_keeps_fewer_bits() {
        let learned = identities(0, 20_000);
        let mut values: Vec<u64> = learned.iter().map(|it| it >> 24).collect();
        values.sort_unstable();
        for most in [60_000, 30_000, 10_000, 40] {
            let small = Learned::within(BITS, &values, most);
            assert!(small.bytes().len() <= most);
            assert!(small.holds(&learned).iter().all(|&it| it));
            // Joined to this set, other identities lose the same bits.
            let others = identities(1 << 30, 500);
            let joined = set(&others).with(&small);
            assert!(joined.holds(&others).iter().all(|&it| it));
            assert!(joined.holds(&learned).iter().all(|&it| it));
            assert_eq!(Learned::read(joined.bytes()), Some(joined));
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_are_another_set() {
        let good = set(&identities(0, 300));
        for length in 0..good.bytes().len() {
            assert_eq!(Learned::read(&good.bytes()[..length]), None, "{length}");
        }
        for at in 0..good.bytes().len() {
            for bit in 0..8 {
                let mut bytes = good.bytes().to_vec();
                bytes[at] ^= 1 << bit;
                // A set read from damaged bytes can still be queried.
                if let Some(read) = Learned::read(&bytes) {
                    assert_eq!(read.holds(&identities(0, 9)).len(), 9);
                    assert!(!read.with(&good).is_empty());
                }
            }
        }
    }
}
