//! An experiment's data, as training keeps them.

use std::sync::Arc;

use strata_models::{Batch, EmbeddingTraining, SpanBatch};
use strata_tasks::{
    Dataset, Example, Facts, Fingerprint, Form, Identities, LeftOut, PoemData, ReadingData, Stored,
    TaskError, Uploads, WordVectors, Written, in_streams,
};

use crate::{Experiment, Tokenizer};

/// An experiment's data, as training keeps them.
pub(crate) struct Data {
    pub tokenizer: Arc<Tokenizer>,
    pub training: Vec<Example>,
    /// Training examples on disk, if there are too many for memory; then `training` is empty.
    pub stored: Option<Arc<Stored>>,
    pub validation: Vec<Example>,
    /// Examples of a reader; then there are no others but those on disk.
    pub reading: Option<ReadingData>,
    /// Text of the held-out examples as it is in the file.
    pub written: Written,
    pub dropped: LeftOut,
    pub facts: Facts,
    /// Layout of a batch.
    pub sequences: Sequences,
    /// Poems that the examples are of.
    pub poems: Option<Arc<PoemData>>,
    /// Vectors with which embeddings of source and target begin; not read where a run goes on.
    pub vectors: [Option<WordVectors>; 2],
    /// Identities of learned and held-out sentences.
    pub identities: Option<Identities>,
    /// Number of held-out examples that a model had learned with which the run began, and that stay all
    /// the same: without them nothing would be left to measure.
    pub remembered: usize,
    /// Fingerprint of all tokens of all examples: by it a checkpoint notices changed files.
    pub fingerprint: u64,
}

impl Data {
    pub(crate) fn load(experiment: &Experiment, uploads: &Uploads) -> Result<Self, TaskError> {
        let mut dataset = experiment.task.load(experiment.seed, uploads)?;
        let is_read = dataset.vectors.iter().any(Option::is_some);
        if is_read && experiment.model.train_embeddings() == EmbeddingTraining::Auto {
            dataset.facts.remarks.push(
                "Embeddings that begin with vectors are not trained; `model.train_embeddings=yes` \
                 trains them."
                    .to_owned(),
            );
        }
        Ok(Self::of(experiment, dataset))
    }

    /// Loads the data of a run that is resumed, segmented by `tokenizer`.
    pub(crate) fn reload(
        experiment: &Experiment,
        uploads: &Uploads,
        tokenizer: &Tokenizer,
    ) -> Result<Self, TaskError> {
        let task = &experiment.task;
        let dataset = task.reload(experiment.seed, uploads, tokenizer.kept())?;
        Ok(Self::of(experiment, dataset))
    }

    fn of(experiment: &Experiment, dataset: Dataset) -> Self {
        let longest = dataset.maximum_lengths();
        let fingerprint = match (&dataset.stored, &dataset.reading) {
            (Some(stored), _) => stored.fingerprint(),
            (None, Some(reading)) => reading.fingerprint(),
            (None, None) => {
                let mut fingerprint = Fingerprint::default();
                let examples = dataset.training.iter().chain(&dataset.validation);
                examples.for_each(|example| fingerprint.add(example));
                fingerprint.value()
            }
        };
        let mut tokenizer = Tokenizer {
            task: experiment.task.clone(),
            source: dataset.source_vocabulary,
            target: dataset.target_vocabulary,
            source_segmenter: dataset.source_segmenter,
            target_segmenter: dataset.target_segmenter,
            longest,
            positions: experiment.model.longest(),
            reading: None,
        };
        if let Some(reading) = &dataset.reading {
            tokenizer = tokenizer.for_reading(
                reading.tokenizer.clone(),
                reading.usual_answer,
                experiment.model.reads_characters(),
            );
            tokenizer.longest = match &dataset.stored {
                Some(stored) => stored.maximum_lengths(),
                None => longest_of(reading),
            };
        }
        // A state that is carried on needs texts that go on from batch to batch.
        let training = if experiment.model.carries_state() {
            in_streams(&dataset.training, experiment.training.batch_size)
        } else {
            dataset.training
        };
        Self {
            fingerprint,
            sequences: Sequences::of(tokenizer.form(), experiment.model.continues_lines()),
            tokenizer: Arc::new(tokenizer),
            training,
            stored: dataset.stored,
            validation: dataset.validation,
            reading: dataset.reading,
            written: dataset.written,
            dropped: dataset.dropped,
            facts: dataset.facts,
            poems: dataset.poems,
            vectors: dataset.vectors,
            identities: dataset.identities,
            remembered: 0,
        }
    }
}

/// Tokens of the longest question, and of all passages of the question that has most, each as long
/// as the longest.
fn longest_of(reading: &ReadingData) -> (usize, usize) {
    let questions = || reading.training.iter();
    let asked = questions().map(|it| it.question.len()).max();
    let read = questions().map(|it| it.passages.len() * it.longest_passage());
    (asked.unwrap_or(0), read.max().unwrap_or(0))
}

/// Batch of a step.
#[derive(Clone, Debug)]
pub(crate) enum TrainingBatch {
    /// Sources and targets, or segments of a text.
    Sequences(Batch),
    /// Questions about passages.
    Spans(SpanBatch),
}

impl TrainingBatch {
    /// Number of predictions that its loss is the mean of: real target tokens, or questions.
    pub fn weight(&self) -> usize {
        match self {
            Self::Sequences(batch) => batch.target_out.count(),
            Self::Spans(batch) => batch.questions(),
        }
    }

    /// Number of predictions that are right or wrong: of a question its start and its end.
    pub fn predictions(&self) -> usize {
        match self {
            Self::Sequences(_) => self.weight(),
            Self::Spans(_) => 2 * self.weight(),
        }
    }

    /// Number of real target tokens, or of words of questions and passages.
    pub fn tokens(&self) -> usize {
        match self {
            Self::Sequences(batch) => batch.target_out.count(),
            Self::Spans(batch) => batch.passages.words.count() + batch.questions.words.count(),
        }
    }
}

/// Layout of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequences {
    /// Source and target, which ends with EOS.
    Pairs,
    /// Earlier lines of a poem and the next one, which ends by its place.
    Lines,
    /// Segments of a text.
    Text,
}

impl Sequences {
    /// Those of examples of this form, for a model that continues lines or does not.
    pub fn of(form: Form, continues_lines: bool) -> Self {
        match form {
            Form::Text => Self::Text,
            Form::Pairs if continues_lines => Self::Lines,
            Form::Pairs | Form::Spans => Self::Pairs,
        }
    }
}

/// Pads some of `examples`.
pub(crate) fn batch(sequences: Sequences, examples: &[Example], indices: &[usize]) -> Batch {
    pad(sequences, indices.iter().map(|&index| &examples[index]))
}

/// Pads examples.
pub(crate) fn pad<'a>(sequences: Sequences, examples: impl Iterator<Item = &'a Example>) -> Batch {
    let pairs: Vec<(&[u32], &[u32])> = examples
        .map(|example| (&example.source[..], &example.target[..]))
        .collect();
    match sequences {
        Sequences::Pairs => Batch::new(&pairs),
        Sequences::Lines => Batch::of_lines(&pairs),
        Sequences::Text => Batch::of_text(&pairs),
    }
}
