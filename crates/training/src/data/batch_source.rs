//! Batch after batch, from memory or from disk.

use strata_models::Batch;
use strata_tasks::{
    BatchPosition, BatchSize, Batches, Example, StoredBatches, StoredStreams, TaskError,
};

use crate::Experiment;
use crate::data::Data;
use crate::pipeline::{Layout, TrainingBatch};

/// Source of a run's batches.
#[derive(Clone)]
pub(crate) enum BatchSource {
    /// Batches of examples in memory.
    Memory(Batches),
    /// Batches of examples in a file.
    Stored(StoredBatches),
    /// Batches of a text in a file, for a model that carries its state.
    Streams(StoredStreams),
}

impl BatchSource {
    pub(crate) fn new(data: &Data, experiment: &Experiment) -> Result<Self, TaskError> {
        let Experiment { training, seed, .. } = experiment;
        let carries_state = experiment.model.carries_state();
        let size = match training.batch_tokens {
            budget if budget > 0 && !carries_state => BatchSize::Tokens(budget),
            _ => BatchSize::Examples(training.batch_size),
        };
        if let Some(stored) = &data.stored {
            let stored = stored.clone();
            return Ok(match carries_state {
                true => Self::Streams(StoredStreams::new(stored, training.batch_size)?),
                false => Self::Stored(StoredBatches::new(stored, size, *seed)?),
            });
        }
        let batches = data.examples.batches(size, *seed)?;
        Ok(Self::Memory(match carries_state {
            true => batches.in_order(),
            false => batches,
        }))
    }

    /// Continues from `position`.
    pub(crate) fn at(self, position: BatchPosition) -> Result<Self, TaskError> {
        Ok(match self {
            Self::Memory(batches) => Self::Memory(batches.at(position)?),
            Self::Stored(batches) => Self::Stored(batches.at(position)?),
            Self::Streams(batches) => Self::Streams(batches.at(position)?),
        })
    }

    /// Returns the next batch of `data`, padded.
    pub(crate) fn next_batch(&mut self, data: &Data) -> Result<TrainingBatch, TaskError> {
        data.examples.next_batch(self, &data.tokenizer)
    }

    /// Returns the next batch of sequences, padded; `training` are the examples in memory.
    pub(crate) fn next_sequences(
        &mut self,
        training: &[Example],
        layout: Layout,
    ) -> Result<Batch, TaskError> {
        let starts_text = self.position().batch == 0;
        let batch = match self {
            Self::Memory(batches) => layout.batch(training, &batches.next_batch()),
            Self::Stored(batches) => layout.pad(batches.next_batch()?.iter()),
            Self::Streams(batches) => layout.pad(batches.next_batch()?.iter()),
        };
        Ok(Batch {
            starts_text,
            ..batch
        })
    }

    pub(crate) fn position(&self) -> BatchPosition {
        match self {
            Self::Memory(batches) => batches.position(),
            Self::Stored(batches) => batches.position(),
            Self::Streams(batches) => batches.position(),
        }
    }

    pub(crate) fn batches_per_epoch(&self) -> u64 {
        match self {
            Self::Memory(batches) => batches.batches_per_epoch(),
            Self::Stored(batches) => batches.batches_per_epoch(),
            Self::Streams(batches) => batches.batches_per_epoch(),
        }
    }
}
