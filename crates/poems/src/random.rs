//! Random numbers that are the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A reproducible stream of random numbers: that of ChaCha8, and nothing of it left to a library
/// that may draw otherwise in its next version.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed for one purpose, named by at most 24 bytes.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        for (place, byte) in key[8..].iter_mut().zip(purpose.bytes()) {
            *place = byte;
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// 32 random bits.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A number in `0..bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(bound)) >> 32) as u32
    }

    /// A number from 0 to 1, without 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1 << 24) as f32
    }
}
