//! Data of an experiment, as training keeps them.

pub(crate) mod batch_source;
pub(crate) mod held_out;
pub(crate) mod initial;
pub(crate) mod learned_before;
pub(crate) mod tokenizer;

use std::sync::Arc;

use strata_models::{EmbeddingTraining, TargetEnd};
use strata_tasks::{Dataset, Facts, Identities, LeftOut, Stored, TaskError, in_streams};
use strata_text::Uploads;

use crate::pipeline::{Examples, fingerprint};
use crate::{Experiment, Tokenizer};

/// Data of an experiment, as training keeps them.
pub(crate) struct Data {
    pub tokenizer: Arc<Tokenizer>,
    /// Examples in memory.
    pub examples: Examples,
    /// Training examples on disk if they do not fit into memory; then none of them is in memory.
    pub stored: Option<Arc<Stored>>,
    pub dropped: LeftOut,
    pub facts: Facts,
    /// Identities of learned and held-out sentences.
    pub identities: Option<Identities>,
    /// Number of held-out examples that the model from which the run began had learned, but that
    /// stay, since without them nothing would be left to measure.
    pub remembered: usize,
    /// Fingerprint of all tokens of all examples, by which a checkpoint notices changed files.
    pub fingerprint: u64,
}

impl Data {
    pub(crate) fn load(experiment: &Experiment, uploads: &Uploads) -> Result<Self, TaskError> {
        let mut dataset = experiment.task.load(experiment.seed, uploads)?;
        let sequences = dataset.examples.sequences();
        let is_read = sequences.is_some_and(|it| it.vectors.iter().any(Option::is_some));
        if is_read && experiment.model.train_embeddings() == EmbeddingTraining::Auto {
            dataset.facts.remarks.push(
                "Embeddings that begin with vectors are not trained; `model.train_embeddings=yes` \
                 trains them."
                    .to_owned(),
            );
        }
        check_lengths(experiment, &dataset, uploads)?;
        Ok(Self::of(experiment, dataset))
    }

    /// Loads the data of a run that resumes, segmented by `tokenizer`.
    pub(crate) fn reload(
        experiment: &Experiment,
        uploads: &Uploads,
        tokenizer: &Tokenizer,
    ) -> Result<Self, TaskError> {
        let task = &experiment.task;
        let dataset = task.reload(experiment.seed, uploads, tokenizer.kept())?;
        check_lengths(experiment, &dataset, uploads)?;
        Ok(Self::of(experiment, dataset))
    }

    fn of(experiment: &Experiment, mut dataset: Dataset) -> Self {
        let fingerprint = fingerprint(&dataset);
        let tokenizer = Tokenizer::of(experiment, &dataset);
        // A carried state needs texts that continue from batch to batch.
        if experiment.model.carries_state()
            && let Some(text) = dataset.examples.sequences_mut()
        {
            text.training = in_streams(&text.training, experiment.training.batch_size);
        }
        Self {
            fingerprint,
            tokenizer: Arc::new(tokenizer),
            examples: Examples::of(experiment, dataset.examples),
            stored: dataset.stored,
            dropped: dataset.dropped,
            facts: dataset.facts,
            identities: dataset.identities,
            remembered: 0,
        }
    }
}

/// Refuses pairs of unequal lengths for a model that answers in place.
fn check_lengths(
    experiment: &Experiment,
    dataset: &Dataset,
    uploads: &Uploads,
) -> Result<(), TaskError> {
    if experiment.model.target_end() == TargetEnd::SourceLength {
        experiment.task.check_equal_lengths(dataset, uploads)?;
    }
    Ok(())
}
