//! Batch after batch, from memory or from disk.

use strata_models::Batch;
use strata_tasks::{
    BatchPosition, BatchSize, Batches, Question, ReadingData, StoredBatches, StoredStreams,
    TaskError,
};

use crate::data::{Data, TrainingBatch, batch, pad};
use crate::{Experiment, questions};

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
        let batches = match &data.reading {
            Some(reading) => Batches::of_questions(&reading.training, size, *seed)?,
            None => Batches::new(&data.training, size, *seed)?,
        };
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
        if let Some(reading) = &data.reading {
            return self.next_questions(reading, data.tokenizer.reads_characters());
        }
        let sequences = data.sequences;
        let starts_text = self.position().batch == 0;
        let batch = match self {
            Self::Memory(batches) => batch(sequences, &data.training, &batches.next_batch()),
            Self::Stored(batches) => pad(sequences, batches.next_batch()?.iter()),
            Self::Streams(batches) => pad(sequences, batches.next_batch()?.iter()),
        };
        Ok(TrainingBatch::Sequences(Batch {
            starts_text,
            ..batch
        }))
    }

    /// Returns the next batch of questions, padded, with the characters of their words if `spelt`.
    fn next_questions(
        &mut self,
        reading: &ReadingData,
        spelt: bool,
    ) -> Result<TrainingBatch, TaskError> {
        let read;
        let questions: Vec<&Question> = match self {
            Self::Memory(batches) => {
                let batch = batches.next_batch().into_iter();
                batch.map(|at| &reading.training[at]).collect()
            }
            Self::Stored(batches) => {
                read = batches.next_questions()?;
                read.iter().collect()
            }
            Self::Streams(_) => unreachable!("a reader carries no state from batch to batch"),
        };
        Ok(TrainingBatch::Spans(questions::pad(&questions, spelt).0))
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
