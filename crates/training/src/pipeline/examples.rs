//! Examples in memory, sorted by the kind of work.

use strata_poems::Planner;
use strata_tasks::{
    BatchSize, Batches, Dataset, Fingerprint, PoemData, ReadingData, SequenceExamples, TaskError,
};

use super::poetry::{Poems, PoetryExamples};
use super::question_answering;
use super::{Layout, TokenizerKind, TrainingBatch, sequences};
use crate::data::batch_source::BatchSource;
use crate::{Checkpoint, CheckpointError, Experiment, HeldOut, Tokenizer};

/// Examples of an experiment, in memory: [`strata_tasks::Examples`], whose poems may be lacking.
pub(crate) enum Examples {
    /// Pairs of source and target.
    Translation(SequenceExamples),
    /// Segments of a text.
    TextGeneration(SequenceExamples),
    /// Questions about passages.
    QuestionAnswering(ReadingData),
    /// Lines of poems.
    Poetry(PoetryExamples),
}

impl Examples {
    /// Takes the examples of a data set.
    pub fn of(experiment: &Experiment, loaded: strata_tasks::Examples) -> Self {
        match loaded {
            strata_tasks::Examples::Translation(pairs) => Self::Translation(pairs),
            strata_tasks::Examples::TextGeneration(segments) => Self::TextGeneration(segments),
            strata_tasks::Examples::QuestionAnswering(questions) => {
                Self::QuestionAnswering(questions)
            }
            strata_tasks::Examples::Poetry { lines, poems } => Self::Poetry(PoetryExamples {
                lines,
                layout: Layout::of_pairs(experiment.model.target_end()),
                poems: Poems::Read(poems),
            }),
        }
    }

    /// Returns no examples, for a model that is opened without data. A reader's tokenizer and the
    /// planner of poems are those of the checkpoint.
    pub fn none(
        tokenizer: &Tokenizer,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<Self, CheckpointError> {
        let experiment = checkpoint.experiment();
        Ok(match &tokenizer.kind {
            TokenizerKind::Translation => Self::Translation(SequenceExamples::default()),
            TokenizerKind::TextGeneration => Self::TextGeneration(SequenceExamples::default()),
            TokenizerKind::QuestionAnswering(reader) => {
                Self::QuestionAnswering(question_answering::no_questions(&experiment.task, reader))
            }
            TokenizerKind::Poetry(_) => Self::Poetry(PoetryExamples {
                lines: SequenceExamples::default(),
                layout: Layout::of_pairs(experiment.model.target_end()),
                poems: Poems::Lacking(checkpoint.planner()?),
            }),
        })
    }

    /// Examples that a model of sequences reads; `None` for questions.
    pub fn sequences(&self) -> Option<&SequenceExamples> {
        match self {
            Self::Translation(examples) | Self::TextGeneration(examples) => Some(examples),
            Self::Poetry(poetry) => Some(&poetry.lines),
            Self::QuestionAnswering(_) => None,
        }
    }

    /// Like [`sequences`](Self::sequences), to be changed.
    pub fn sequences_mut(&mut self) -> Option<&mut SequenceExamples> {
        match self {
            Self::Translation(examples) | Self::TextGeneration(examples) => Some(examples),
            Self::Poetry(poetry) => Some(&mut poetry.lines),
            Self::QuestionAnswering(_) => None,
        }
    }

    /// Questions about passages; `None` for other kinds.
    pub fn questions(&self) -> Option<&ReadingData> {
        match self {
            Self::QuestionAnswering(questions) => Some(questions),
            Self::Translation(_) | Self::TextGeneration(_) | Self::Poetry(_) => None,
        }
    }

    /// Like [`questions`](Self::questions), to be changed.
    pub fn questions_mut(&mut self) -> Option<&mut ReadingData> {
        match self {
            Self::QuestionAnswering(questions) => Some(questions),
            Self::Translation(_) | Self::TextGeneration(_) | Self::Poetry(_) => None,
        }
    }

    /// Poems from which the lines are made; `None` for other kinds, and if the poems are not here.
    pub fn poems(&self) -> Option<&PoemData> {
        match self {
            Self::Poetry(poetry) => poetry.poems.read(),
            Self::Translation(_) | Self::TextGeneration(_) | Self::QuestionAnswering(_) => None,
        }
    }

    /// Planner of poems; `None` for other kinds, and if a checkpoint has none.
    pub fn planner(&self) -> Option<&Planner> {
        match self {
            Self::Poetry(poetry) => poetry.poems.planner(),
            Self::Translation(_) | Self::TextGeneration(_) | Self::QuestionAnswering(_) => None,
        }
    }

    /// Batches of the training examples in memory.
    pub fn batches(&self, size: BatchSize, seed: u64) -> Result<Batches, TaskError> {
        match self {
            Self::QuestionAnswering(questions) => {
                Batches::of_questions(&questions.training, size, seed)
            }
            Self::Translation(examples) | Self::TextGeneration(examples) => {
                let batches = Batches::new(&examples.training, size, seed)?;
                Ok(batches.of_groups(examples.groups.clone()))
            }
            Self::Poetry(poetry) => Batches::new(&poetry.lines.training, size, seed),
        }
    }

    /// Number of training examples in memory.
    pub fn in_memory(&self) -> usize {
        match self {
            Self::QuestionAnswering(questions) => questions.training.len(),
            Self::Translation(examples) | Self::TextGeneration(examples) => examples.training.len(),
            Self::Poetry(poetry) => poetry.lines.training.len(),
        }
    }

    /// Held-out examples.
    pub fn held_out<'a>(&'a self, tokenizer: &'a Tokenizer) -> HeldOut<'a> {
        match self {
            Self::QuestionAnswering(questions) => {
                HeldOut::of_questions(tokenizer, questions, questions.measured().0)
            }
            Self::Translation(examples) | Self::TextGeneration(examples) => {
                HeldOut::new(tokenizer, &examples.validation, &examples.written)
            }
            Self::Poetry(poetry) => {
                HeldOut::new(tokenizer, &poetry.lines.validation, &poetry.lines.written)
            }
        }
    }

    /// Leaves out the held-out examples for which `is_left_out` is true.
    pub fn leave_out(&mut self, is_left_out: &[bool]) {
        match self {
            Self::QuestionAnswering(questions) => {
                question_answering::leave_out(questions, is_left_out);
            }
            Self::Translation(examples) | Self::TextGeneration(examples) => {
                sequences::leave_out(examples, is_left_out);
            }
            Self::Poetry(poetry) => sequences::leave_out(&mut poetry.lines, is_left_out),
        }
    }

    /// Takes the next batch of a source, padded.
    pub fn next_batch(
        &self,
        source: &mut BatchSource,
        tokenizer: &Tokenizer,
    ) -> Result<TrainingBatch, TaskError> {
        match self {
            Self::QuestionAnswering(questions) => {
                let spelt = tokenizer.reads_characters();
                question_answering::next_batch(source, questions, spelt).map(TrainingBatch::Spans)
            }
            Self::Translation(examples) => source
                .next_sequences(&examples.training, Layout::of_pairs(tokenizer.target_end))
                .map(TrainingBatch::Sequences),
            Self::TextGeneration(examples) => source
                .next_sequences(&examples.training, Layout::Text)
                .map(TrainingBatch::Sequences),
            Self::Poetry(poetry) => source
                .next_sequences(&poetry.lines.training, poetry.layout)
                .map(TrainingBatch::Sequences),
        }
    }
}

/// Fingerprint of all tokens of all examples.
pub(crate) fn fingerprint(dataset: &Dataset) -> u64 {
    match (&dataset.stored, dataset.examples.questions()) {
        (Some(stored), _) => stored.fingerprint(),
        (None, Some(questions)) => questions.fingerprint(),
        (None, None) => {
            let mut fingerprint = Fingerprint::default();
            let examples = dataset.training().iter().chain(dataset.validation());
            examples.for_each(|example| fingerprint.add(example));
            fingerprint.value()
        }
    }
}

/// Number of tokens of the longest source and of the longest target. For a reader, number of tokens
/// of the longest question, and largest number of tokens of a question's passages.
pub(crate) fn longest(dataset: &Dataset) -> (usize, usize) {
    match (dataset.examples.questions(), &dataset.stored) {
        (None, _) => dataset.maximum_lengths(),
        (Some(_), Some(stored)) => stored.maximum_lengths(),
        (Some(questions), None) => question_answering::longest(questions),
    }
}

/// Keeps the items for which `is_left_out` is false.
pub(crate) fn retain<T>(items: &mut Vec<T>, is_left_out: &[bool]) {
    let mut is_left_out = is_left_out.iter();
    items.retain(|_| !is_left_out.next().copied().unwrap_or(false));
}
