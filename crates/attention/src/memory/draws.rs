//! Random draws of hard attention.

use std::sync::{Arc, Mutex, PoisonError};

use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Sequence of random numbers from a seed, made on the host: the same on every device.
///
/// Clones share one sequence: the sites of a model, and the batches of a step, draw from it one
/// after the other.
#[derive(Clone, Debug)]
pub struct Draws(Arc<Mutex<ChaCha8Rng>>);

impl Draws {
    /// Starts the sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(ChaCha8Rng::seed_from_u64(seed))))
    }

    /// Draws a tensor of numbers uniform in [0, 1).
    pub(crate) fn uniform(&self, shape: [usize; 4], device: &Device) -> Tensor<4> {
        // A thread that panicked while it held the lock left the generator in a valid state.
        let mut generator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let draws = (0..shape.iter().product()).map(|_| generator.random());
        let draws: Vec<f32> = draws.collect();
        Tensor::from_data(TensorData::new(draws, shape), device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(draws: &Draws, count: usize) -> Vec<f32> {
        let drawn = draws.uniform([1, 1, count, 1], &Device::flex());
        drawn.into_data().iter().collect()
    }

    #[test]
    fn clones_go_on_with_one_sequence_and_a_seed_begins_it_again() {
        let draws = Draws::new(3);
        let other = draws.clone();
        let whole = take(&Draws::new(3), 7);
        let parts = [take(&draws, 4), take(&other, 2), take(&draws, 1)].concat();
        assert_eq!(parts, whole);
        assert_ne!(take(&Draws::new(4), 7), whole);
        assert!(whole.iter().all(|draw| (0.0..1.0).contains(draw)));
    }
}
