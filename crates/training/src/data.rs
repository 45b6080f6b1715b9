//! Data of an experiment, as training keeps them.

use std::sync::Arc;

use strata_models::{Batch, EmbeddingTraining, SpanBatch};
use strata_tasks::{
    Dataset, Example, Facts, Fingerprint, Identities, LeftOut, Pipeline, PoemData, ReadingData,
    Stored, TaskError, Uploads, WordVectors, Written, in_streams,
};

use crate::{Experiment, Tokenizer};

/// Data of an experiment, as training keeps them.
pub(crate) struct Data {
    pub tokenizer: Arc<Tokenizer>,
    pub training: Vec<Example>,
    /// Training examples on disk if they do not fit into memory; then `training` is empty.
    pub stored: Option<Arc<Stored>>,
    pub validation: Vec<Example>,
    /// Questions of a reader; then all other examples are empty, except those on disk.
    pub reading: Option<ReadingData>,
    /// Text of the held-out examples as it is in the file.
    pub written: Written,
    pub dropped: LeftOut,
    pub facts: Facts,
    /// Layout of the batches.
    pub sequences: Sequences,
    /// Poems from which the examples are made; `None` for other tasks.
    pub poems: Option<Arc<PoemData>>,
    /// Vectors with which the embeddings of source and target begin; not read when a run resumes.
    pub vectors: [Option<WordVectors>; 2],
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

    /// Loads the data of a run that resumes, segmented by `tokenizer`.
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
        // A carried state needs texts that continue from batch to batch.
        let training = if experiment.model.carries_state() {
            in_streams(&dataset.training, experiment.training.batch_size)
        } else {
            dataset.training
        };
        Self {
            fingerprint,
            sequences: Sequences::of(tokenizer.pipeline(), experiment.model.continues_lines()),
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

/// Number of tokens of the longest question, and largest number of tokens of a question's passages,
/// padded to equal length.
fn longest_of(reading: &ReadingData) -> (usize, usize) {
    let questions = || reading.training.iter();
    let asked = questions().map(|it| it.question.len()).max();
    let read = questions().map(|it| it.passages.len() * it.longest_passage());
    (asked.unwrap_or(0), read.max().unwrap_or(0))
}

/// Batch of training examples.
#[derive(Clone, Debug)]
pub(crate) enum TrainingBatch {
    /// Sources and targets, or segments of a text.
    Sequences(Batch),
    /// Questions about passages.
    Spans(SpanBatch),
}

impl TrainingBatch {
    /// Number of predictions over which the loss is averaged: target tokens without padding, or
    /// questions.
    pub fn weight(&self) -> usize {
        match self {
            Self::Sequences(batch) => batch.target_out.count(),
            Self::Spans(batch) => batch.questions(),
        }
    }

    /// Number of predictions that can be right or wrong: target tokens, or the starts and ends of
    /// answers.
    pub fn predictions(&self) -> usize {
        match self {
            Self::Sequences(_) => self.weight(),
            Self::Spans(_) => 2 * self.weight(),
        }
    }

    /// Number of target tokens without padding, or of words of questions and passages.
    pub fn tokens(&self) -> usize {
        match self {
            Self::Sequences(batch) => batch.target_out.count(),
            Self::Spans(batch) => batch.passages.words.count() + batch.questions.words.count(),
        }
    }
}

/// Layout of a batch of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequences {
    /// Source, and target that ends with EOS.
    Pairs,
    /// Earlier lines of a poem, and the next line, whose end follows from its length.
    Lines,
    /// Segments of one text.
    Text,
}

impl Sequences {
    /// Layout for examples of this form, for a model that does or does not continue lines.
    pub fn of(form: Pipeline, continues_lines: bool) -> Self {
        match form {
            Pipeline::TextGeneration => Self::Text,
            Pipeline::Translation | Pipeline::Poetry if continues_lines => Self::Lines,
            Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => Self::Pairs,
        }
    }
}

/// Pads the examples of these indices to a batch.
pub(crate) fn batch(sequences: Sequences, examples: &[Example], indices: &[usize]) -> Batch {
    pad(sequences, indices.iter().map(|&index| &examples[index]))
}

/// Pads examples to a batch.
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
