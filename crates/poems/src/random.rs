//! Random numbers that are the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Reproducible stream of random numbers by ChaCha8. Bounded numbers are derived here, not by a
/// library that may draw differently in its next version.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// Starts the stream of a seed for one purpose, named by at most 24 bytes.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (place, byte) in key[8..].iter_mut().zip(purpose.bytes()) {
            *place = byte;
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Draws 32 random bits.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Draws a number in `0..bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(bound)) >> 32) as u32
    }

    /// Draws a number in [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1 << 24) as f32
    }
}
