//! An experiment's data, as training keeps them.

use std::sync::Arc;

use strata_models::Batch;
use strata_tasks::{Dataset, Dropped, Example, Form, TaskError, in_streams};

use crate::{Experiment, Tokenizer};

/// An experiment's data, as training keeps them.
pub(crate) struct Data {
    pub tokenizer: Arc<Tokenizer>,
    pub training: Vec<Example>,
    pub validation: Vec<Example>,
    pub dropped: Dropped,
    /// Differs if any token of any example does: tells a checkpoint that its files have changed.
    pub fingerprint: u64,
}

impl Data {
    pub(crate) fn load(experiment: &Experiment) -> Result<Self, TaskError> {
        let dataset = experiment.task.load(experiment.seed)?;
        Ok(Self::of(experiment, dataset))
    }

    /// The data of a run that goes on, cut as `tokenizer` cuts them.
    pub(crate) fn reload(
        experiment: &Experiment,
        tokenizer: &Tokenizer,
    ) -> Result<Self, TaskError> {
        let dataset = experiment.task.reload(experiment.seed, tokenizer.kept())?;
        Ok(Self::of(experiment, dataset))
    }

    fn of(experiment: &Experiment, dataset: Dataset) -> Self {
        let longest = dataset.maximum_lengths();
        let examples = dataset.training.iter().chain(&dataset.validation);
        let fingerprint = fingerprint(examples);
        // A state that is carried on needs texts that go on from batch to batch.
        let training = if experiment.model.carries_state() {
            in_streams(&dataset.training, experiment.training.batch_size)
        } else {
            dataset.training
        };
        Self {
            fingerprint,
            tokenizer: Arc::new(Tokenizer {
                task: experiment.task.clone(),
                source: dataset.source_vocabulary,
                target: dataset.target_vocabulary,
                source_segmenter: dataset.source_segmenter,
                target_segmenter: dataset.target_segmenter,
                longest,
                positions: experiment.model.longest(),
            }),
            training,
            validation: dataset.validation,
            dropped: dataset.dropped,
        }
    }
}

/// Pads some of `examples`.
pub(crate) fn batch(form: Form, examples: &[Example], indices: &[usize]) -> Batch {
    let pairs: Vec<(&[u32], &[u32])> = indices
        .iter()
        .map(|&index| (&examples[index].source[..], &examples[index].target[..]))
        .collect();
    match form {
        Form::Pairs => Batch::new(&pairs),
        Form::Text => Batch::of_text(&pairs),
    }
}

/// FNV-1a (Fowler, Noll and Vo) over all tokens, each sequence with its end.
fn fingerprint<'a>(examples: impl Iterator<Item = &'a Example>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut take = |word: u32| hash = (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3);
    for example in examples {
        for sequence in [&example.source, &example.target] {
            sequence.iter().for_each(|&id| take(id));
            take(u32::MAX);
        }
    }
    hash
}
