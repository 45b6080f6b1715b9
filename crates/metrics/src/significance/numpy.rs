//! Random numbers of numpy's `default_rng(seed).integers(0, n)`: a `SeedSequence` (O'Neill's
//! `seed_seq`), PCG64 (XSL-RR), and Lemire's bounded numbers of 32 bits.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;

/// Number of 32-bit words in a seed sequence's pool.
const POOL: usize = 4;

/// numpy's generator of bounded integers.
pub struct Generator {
    bits: Pcg64,
    /// Upper half of the last 64 bits, which is the next number.
    waiting: Option<u32>,
}

impl Generator {
    /// Creates the generator of `numpy.random.default_rng(seed)`.
    pub fn new(seed: u64) -> Self {
        let [high, low, stream_high, stream_low] = seeds(seed);
        let joined = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        Self {
            bits: Pcg64::new(joined(high, low), joined(stream_high, stream_low)),
            waiting: None,
        }
    }

    /// Draws a number from 0 to `bound - 1`. Returns 0 without drawing if there is no other.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound <= 1 {
            return 0;
        }
        let threshold = (u32::MAX - (bound - 1)) % bound;
        loop {
            let product = u64::from(self.next()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    fn next(&mut self) -> u32 {
        self.waiting.take().unwrap_or_else(|| {
            let bits = self.bits.next_u64();
            self.waiting = Some((bits >> 32) as u32);
            bits as u32
        })
    }
}

/// Computes `SeedSequence(seed).generate_state(4, uint64)`.
fn seeds(seed: u64) -> [u64; 4] {
    let pool = pool(seed);
    let mut constant: u32 = 0x8b51_f9dd;
    let mut word = |at: usize| {
        let mut value = pool[at % POOL] ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        value = value.wrapping_mul(constant);
        u64::from(value ^ value >> 16)
    };
    std::array::from_fn(|at| word(2 * at) | word(2 * at + 1) << 32)
}

fn pool(seed: u64) -> [u32; POOL] {
    let mut constant: u32 = 0x43b0_d7e5;
    let mut hash = |value: u32| {
        let mut value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        value = value.wrapping_mul(constant);
        value ^ value >> 16
    };
    let mix = |one: u32, other: u32| {
        let mixed = one.wrapping_mul(0xca01_f9dd);
        let mixed = mixed.wrapping_sub(other.wrapping_mul(0x4973_f715));
        mixed ^ mixed >> 16
    };
    let entropy = [seed as u32, (seed >> 32) as u32, 0, 0];
    let mut pool = entropy.map(&mut hash);
    for from in 0..POOL {
        for to in (0..POOL).filter(|&to| to != from) {
            pool[to] = mix(pool[to], hash(pool[from]));
        }
    }
    pool
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers are those of numpy 2: `SeedSequence(12345).generate_state(4, uint64)`.
    #[test]
    fn seeds_are_numpys() {
        let expected = [
            13_091_511_679_009_522_556,
            13_538_552_136_045_918_767,
            7_269_824_232_120_749_972,
            4_520_223_790_601_600_371,
        ];
        assert_eq!(seeds(12345), expected);
    }

    /// The expected numbers are those of numpy 2: `default_rng(12345).choice(60, 12)`.
    #[test]
    fn draws_are_numpys() {
        let mut draws = Generator::new(12345);
        let drawn: Vec<u32> = (0..12).map(|_| draws.below(60)).collect();
        let expected = [41, 13, 47, 19, 12, 47, 38, 40, 59, 23, 50, 19];
        assert_eq!(drawn, expected);
        assert_eq!(draws.below(1), 0);
    }
}
