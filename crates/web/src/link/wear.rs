//! Wear of a worker: the number of runs that it has prepared.
//!
//! The memory of a WebAssembly program grows and never shrinks: the memory of a large model stays
//! taken when the model is dropped, and each further model leaves gaps into which the next does not
//! fit. Only a new worker frees that memory. The new worker takes the run over as another device
//! would.

use strata_session::protocol::Ready;

/// Number of runs that a worker prepares before another worker takes over.
const MOST_RUNS: usize = 12;
/// Parameters of a model whose memory is worth a new worker: with gradients, optimiser moments and
/// activations, a tenth of a gigabyte.
const LARGE: usize = 1_000_000;

/// Runs that a worker has prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wear {
    runs: usize,
    /// Parameters of the largest model so far.
    largest: usize,
}

impl Wear {
    /// Records a prepared run; returns true if another worker should take the run over.
    pub fn ready(&mut self, ready: &Ready) -> bool {
        let dropped = self.largest;
        self.runs += 1;
        self.largest = dropped.max(ready.parameters);
        // Two large models in succession reuse the same memory; after a large one a small one
        // leaves most of it unused.
        let is_smaller = dropped >= LARGE && ready.parameters < dropped / 2;
        is_smaller || self.runs > MOST_RUNS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    fn ready(parameters: usize) -> Ready {
        Ready {
            experiment: Preset::Copy.experiment(),
            parameters,
            ..Ready::default()
        }
    }

    #[test]
    fn a_large_model_is_given_back_when_a_smaller_one_follows() {
        let mut wear = Wear::default();
        assert!(!wear.ready(&ready(20_000)));
        assert!(!wear.ready(&ready(5_000_000)));
        assert!(!wear.ready(&ready(4_000_000)));
        assert!(wear.ready(&ready(20_000)));
        // Small models wear out no worker.
        let mut wear = Wear::default();
        assert!(!wear.ready(&ready(200_000)));
        assert!(!wear.ready(&ready(20_000)));
    }

    #[test]
    fn many_small_models_are_given_back_together() {
        let mut wear = Wear::default();
        for _ in 0..MOST_RUNS {
            assert!(!wear.ready(&ready(20_000)));
        }
        assert!(wear.ready(&ready(20_000)));
    }
}
