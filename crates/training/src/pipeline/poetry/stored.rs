//! Planner of poems in a checkpoint.

use strata_poems::Planner;

use crate::{Checkpoint, CheckpointError};

/// Name of the tensor of word vectors by which poems are planned, `[words, width]`.
pub(crate) const WORD_VECTORS: &str = "poems.word_vectors";

impl Checkpoint<'_> {
    /// Returns the planner of poems; `None` for tasks other than `poems`.
    pub(crate) fn planner(&self) -> Result<Option<Planner>, CheckpointError> {
        let Some(stored) = self.contents.planner.clone() else {
            return Ok(None);
        };
        let shape = match self.tensors.tensor(WORD_VECTORS) {
            Ok(tensor) => tensor.shape().to_vec(),
            // Without vectors: all words were too rare to have one.
            Err(_) => vec![0, 0],
        };
        let width = shape.last().copied().unwrap_or(0);
        let vectors = match stored.vectors() {
            0 => Vec::new(),
            words => self.tensor(WORD_VECTORS, &[words, width])?,
        };
        let damaged = |error: strata_poems::PoemError| CheckpointError::Damaged {
            reason: error.to_string(),
        };
        stored
            .with_vectors(vectors, width)
            .map(Some)
            .map_err(damaged)
    }
}
