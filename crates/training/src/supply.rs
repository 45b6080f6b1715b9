//! Batch after batch, from memory or from disk.

use strata_models::Batch;
use strata_tasks::{BatchPosition, BatchSize, Batches, StoredBatches, TaskError};

use crate::Experiment;
use crate::data::{Data, batch, pad};

/// The batches of a run.
#[derive(Clone)]
pub(crate) enum Supply {
    /// Of examples in memory.
    Memory(Batches),
    /// Of examples in a file.
    Stored(StoredBatches),
}

impl Supply {
    pub(crate) fn new(data: &Data, experiment: &Experiment) -> Result<Self, TaskError> {
        let Experiment { training, seed, .. } = experiment;
        let carries_state = experiment.model.carries_state();
        let size = match training.batch_tokens {
            budget if budget > 0 && !carries_state => BatchSize::Tokens(budget),
            _ => BatchSize::Examples(training.batch_size),
        };
        if let Some(stored) = &data.stored {
            let batches = StoredBatches::new(stored.clone(), size, *seed)?;
            return Ok(Self::Stored(batches));
        }
        let batches = Batches::new(&data.training, size, *seed)?;
        Ok(Self::Memory(match carries_state {
            true => batches.in_order(),
            false => batches,
        }))
    }

    /// The same, going on from `position`.
    pub(crate) fn at(self, position: BatchPosition) -> Result<Self, TaskError> {
        Ok(match self {
            Self::Memory(batches) => Self::Memory(batches.at(position)?),
            Self::Stored(batches) => Self::Stored(batches.at(position)?),
        })
    }

    /// The next batch of `data`, padded.
    pub(crate) fn next_batch(&mut self, data: &Data) -> Result<Batch, TaskError> {
        let form = data.tokenizer.form();
        let begins = self.position().batch == 0;
        let batch = match self {
            Self::Memory(batches) => batch(form, &data.training, &batches.next_batch()),
            Self::Stored(batches) => pad(form, batches.next_batch()?.iter()),
        };
        Ok(Batch { begins, ..batch })
    }

    pub(crate) fn position(&self) -> BatchPosition {
        match self {
            Self::Memory(batches) => batches.position(),
            Self::Stored(batches) => batches.position(),
        }
    }

    pub(crate) fn batches_per_epoch(&self) -> u64 {
        match self {
            Self::Memory(batches) => batches.batches_per_epoch(),
            Self::Stored(batches) => batches.batches_per_epoch(),
        }
    }
}
