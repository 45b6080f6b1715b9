//! Wear of a worker: the runs that it has prepared since it began.
//!
//! The memory of a WebAssembly program grows and never shrinks: the memory of a large model stays
//! taken when the model is gone, and each further model leaves gaps that the next one does not fit.
//! Only a new worker gives it back. It takes the run over as another device would.

use strata_session::protocol::Ready;

/// Runs that a worker prepares before another one takes over.
const MOST_RUNS: usize = 12;
/// Parameters of a model whose memory is worth a new worker: with gradients, moments and what a
/// step needs, a tenth of a gigabyte.
const LARGE: usize = 1_000_000;

/// The runs that a worker has prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wear {
    runs: usize,
    /// Parameters of the largest model.
    largest: usize,
}

impl Wear {
    /// Notes a run that was prepared; true if another worker should take it over.
    pub fn ready(&mut self, ready: &Ready) -> bool {
        let dropped = self.largest;
        self.runs += 1;
        self.largest = dropped.max(ready.parameters);
        // Two large models in succession use the same memory.
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
        // Small ones are no reason.
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
