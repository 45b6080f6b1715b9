//! Kinds of work: what training does differently for each, a file or folder each.
//!
//! A file holds all that its kind does: the check of an experiment, batches, the largest example,
//! tokens of a typed text, the held-out examples, the validation, and what a trained model does.
//! This module dispatches to the files. Poetry uses what translation has, wherever lines of a poem
//! are pairs like any others.

pub(crate) mod poetry;
pub(crate) mod question_answering;
pub(crate) mod text_generation;
pub(crate) mod translation;

use strata_models::{Batch, ModelConfig, SpanBatch};
use strata_poems::Planner;
use strata_tasks::{
    BatchSize, Batches, Dataset, Example, Pipeline, ReadingData, TaskConfig, TaskError,
    WordVectors, Written,
};

use crate::batch_source::BatchSource;
use crate::checkpoint::Checkpoint;
use crate::{
    CheckpointError, Encoded, Experiment, HeldOut, Tokenizer, TrainingError, Translation,
    TranslationError,
};
pub(crate) use poetry::{Poems, PoetryExamples, Versification};
pub(crate) use question_answering::ReaderTokenizer;

/// Examples of an experiment, in memory.
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

/// Examples that a model of sequences reads.
pub(crate) struct SequenceExamples {
    /// Training examples; empty if they are on disk.
    pub training: Vec<Example>,
    /// Held-out examples.
    pub validation: Vec<Example>,
    /// Text of the held-out examples as it is in the file.
    pub written: Written,
    /// Layout of the batches.
    pub layout: Layout,
    /// Vectors with which the embeddings of source and target begin; not read when a run resumes.
    pub vectors: [Option<WordVectors>; 2],
}

impl SequenceExamples {
    /// Examples of a model that is opened without its data: none.
    fn none(layout: Layout) -> Self {
        Self {
            training: Vec::new(),
            validation: Vec::new(),
            written: Written::AsTokens,
            layout,
            vectors: [None, None],
        }
    }

    fn leave_out(&mut self, is_left_out: &[bool]) {
        retain(&mut self.validation, is_left_out);
        if let Written::Pairs(pairs) = &mut self.written {
            retain(pairs, is_left_out);
        }
    }
}

/// Keeps the items for which `is_left_out` is false.
pub(crate) fn retain<T>(items: &mut Vec<T>, is_left_out: &[bool]) {
    let mut is_left_out = is_left_out.iter();
    items.retain(|_| !is_left_out.next().copied().unwrap_or(false));
}

/// Layout of a batch of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Source, and target that ends with EOS.
    Pairs,
    /// Earlier lines of a poem, and the next line, whose end follows from its length.
    Lines,
    /// Segments of one text.
    Text,
}

impl Layout {
    /// Pads examples to a batch.
    pub fn pad<'a>(self, examples: impl Iterator<Item = &'a Example>) -> Batch {
        let pairs: Vec<(&[u32], &[u32])> = examples
            .map(|example| (&example.source[..], &example.target[..]))
            .collect();
        self.pad_pairs(&pairs)
    }

    /// Pads pairs of source and target to a batch.
    pub fn pad_pairs(self, pairs: &[(&[u32], &[u32])]) -> Batch {
        match self {
            Self::Pairs => Batch::new(pairs),
            Self::Lines => Batch::of_lines(pairs),
            Self::Text => Batch::of_text(pairs),
        }
    }

    /// Pads the examples of these indices to a batch.
    pub fn batch(self, examples: &[Example], indices: &[usize]) -> Batch {
        self.pad(indices.iter().map(|&index| &examples[index]))
    }
}

impl Examples {
    /// Sorts the examples of a data set by the kind of work.
    ///
    /// `training` are the training examples in the order in which they are read.
    pub fn of(experiment: &Experiment, dataset: Dataset) -> Self {
        let sequences = |layout| SequenceExamples {
            training: dataset.training,
            validation: dataset.validation,
            written: dataset.written,
            layout,
            vectors: dataset.vectors,
        };
        match (dataset.reading, dataset.poems, experiment.task.pipeline()) {
            (Some(reading), ..) => Self::QuestionAnswering(reading),
            (None, Some(poems), _) => Self::Poetry(PoetryExamples {
                lines: sequences(poetry::layout(&experiment.model)),
                poems: Poems::Read(poems),
            }),
            (None, None, Pipeline::TextGeneration) => Self::TextGeneration(sequences(Layout::Text)),
            (None, None, _) => Self::Translation(sequences(Layout::Pairs)),
        }
    }

    /// Examples of a model that is opened without its data: none, but what its checkpoint says.
    pub fn none(
        tokenizer: &Tokenizer,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<Self, CheckpointError> {
        let experiment = checkpoint.experiment();
        Ok(match &tokenizer.kind {
            TokenizerKind::Translation => Self::Translation(SequenceExamples::none(Layout::Pairs)),
            TokenizerKind::TextGeneration => {
                Self::TextGeneration(SequenceExamples::none(Layout::Text))
            }
            TokenizerKind::QuestionAnswering(reader) => {
                Self::QuestionAnswering(question_answering::no_questions(&experiment.task, reader))
            }
            TokenizerKind::Poetry(_) => Self::Poetry(PoetryExamples {
                lines: SequenceExamples::none(poetry::layout(&experiment.model)),
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

    /// Poems from which the lines are made, or their planner; `None` for other kinds.
    pub fn poems(&self) -> Option<&Poems> {
        match self {
            Self::Poetry(poetry) => Some(&poetry.poems),
            Self::Translation(_) | Self::TextGeneration(_) | Self::QuestionAnswering(_) => None,
        }
    }

    /// Planner of poems; `None` for other kinds, and if a checkpoint has none.
    pub fn planner(&self) -> Option<&Planner> {
        self.poems()?.planner()
    }

    /// Batches of the training examples in memory.
    pub fn batches(&self, size: BatchSize, seed: u64) -> Result<Batches, TaskError> {
        match self {
            Self::QuestionAnswering(questions) => {
                Batches::of_questions(&questions.training, size, seed)
            }
            Self::Translation(examples) | Self::TextGeneration(examples) => {
                Batches::new(&examples.training, size, seed)
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
                examples.leave_out(is_left_out);
            }
            Self::Poetry(poetry) => poetry.lines.leave_out(is_left_out),
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
            Self::Translation(examples) | Self::TextGeneration(examples) => source
                .next_sequences(examples)
                .map(TrainingBatch::Sequences),
            Self::Poetry(poetry) => source
                .next_sequences(&poetry.lines)
                .map(TrainingBatch::Sequences),
        }
    }
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

/// Parts of a tokenizer that not all kinds of work have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenizerKind {
    /// Sentences to translate.
    Translation,
    /// Texts to write on.
    TextGeneration,
    /// Questions and passages.
    QuestionAnswering(ReaderTokenizer),
    /// Lines of poems.
    Poetry(Versification),
}

impl TokenizerKind {
    /// Kind of a task that is no reader's.
    pub fn of_sequences(task: &TaskConfig) -> Self {
        match task {
            TaskConfig::Poems(task) => Self::Poetry(task.into()),
            task if task.pipeline() == Pipeline::TextGeneration => Self::TextGeneration,
            _ => Self::Translation,
        }
    }

    /// Kind of work of the texts.
    pub fn pipeline(&self) -> Pipeline {
        match self {
            Self::Translation => Pipeline::Translation,
            Self::TextGeneration => Pipeline::TextGeneration,
            Self::QuestionAnswering(_) => Pipeline::QuestionAnswering,
            Self::Poetry(_) => Pipeline::Poetry,
        }
    }
}

impl Tokenizer {
    /// Splits a typed text into tokens; `normal` is the text in the form of the task's data.
    pub(crate) fn cut(&self, text: &str, normal: &str) -> Result<Encoded, TranslationError> {
        match &self.kind {
            TokenizerKind::Translation => translation::cut(self, text, normal),
            TokenizerKind::TextGeneration => Ok(text_generation::cut(self, text)),
            TokenizerKind::QuestionAnswering(_) => Err(TranslationError::Asked),
            TokenizerKind::Poetry(lines) => poetry::cut(self, *lines, text, normal),
        }
    }

    /// Largest example of the data, by which the memory of a step is estimated.
    pub(crate) fn largest_example(&self) -> LargestExample {
        match self.kind {
            TokenizerKind::Translation | TokenizerKind::Poetry(_) => {
                translation::largest_example(self)
            }
            TokenizerKind::TextGeneration => text_generation::largest_example(self),
            TokenizerKind::QuestionAnswering(_) => question_answering::largest_example(self),
        }
    }

    /// Makes a source and its translation an example to be shown. Returns the example and its text;
    /// `None` if there is nothing to show, or a reader is asked, which has questions instead.
    pub(crate) fn shown(
        &self,
        source: &Encoded,
        found: &Translation,
    ) -> (Option<Example>, Written) {
        let (example, written) = match self.kind {
            TokenizerKind::Translation | TokenizerKind::Poetry(_) => {
                translation::shown(self, source, found)
            }
            TokenizerKind::TextGeneration => (text_generation::shown(found), Written::AsTokens),
            TokenizerKind::QuestionAnswering(_) => return (None, Written::AsTokens),
        };
        (Some(example).filter(|it| !it.target.is_empty()), written)
    }
}

/// Largest example of the data, by which the memory of a step is estimated.
pub(crate) struct LargestExample {
    /// Number of tokens of the source; of a question.
    pub source: usize,
    /// Number of tokens of the target; of the passages of a question.
    pub target: usize,
    /// Number of tokens by which a batch of `training.batch_tokens` counts the example.
    pub cells: usize,
    /// Lengths, for users.
    pub words: String,
}

/// Checks that task and model suit each other, and that the training suits them.
pub(crate) fn check(experiment: &Experiment) -> Result<(), TrainingError> {
    let (needed, pipeline) = (needed(&experiment.model), experiment.task.pipeline());
    if needed != pipeline && !(needed.has_pairs() && pipeline.has_pairs()) {
        return Err(TrainingError::Unfit {
            architecture: experiment.model.name(),
            task: experiment.task.name(),
            needed,
            pipeline,
        });
    }
    match pipeline {
        Pipeline::Translation => translation::check(experiment),
        Pipeline::TextGeneration => text_generation::check(experiment),
        Pipeline::QuestionAnswering => question_answering::check(experiment),
        Pipeline::Poetry => poetry::check(experiment),
    }
}

/// Kind of work that a model can learn; models that learn pairs learn poetry too.
fn needed(model: &ModelConfig) -> Pipeline {
    match model {
        ModelConfig::Seq2Seq(_) | ModelConfig::Transformer(_) | ModelConfig::Rnnpg(_) => {
            Pipeline::Translation
        }
        ModelConfig::RecurrentLm(_) | ModelConfig::TransformerLm(_) => Pipeline::TextGeneration,
        ModelConfig::Bidaf(_) | ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_) => {
            Pipeline::QuestionAnswering
        }
    }
}

/// Message for a model that cannot learn a task.
pub(crate) fn unfit(
    architecture: &str,
    task: &str,
    needed: Pipeline,
    pipeline: Pipeline,
) -> String {
    match (needed, pipeline) {
        (_, Pipeline::QuestionAnswering) => format!(
            "the task `{task}` asks questions about passages, but `model.architecture` is \
             {architecture}, which is no reader; choose one: `model.architecture=bidaf`, \
             `match_lstm` or `rnet`"
        ),
        (Pipeline::QuestionAnswering, _) => format!(
            "`model.architecture` is {architecture}, a reader, which finds answers in passages, \
             but the task `{task}` has none; choose `task.kind=toy_reading` or `reading`"
        ),
        (Pipeline::TextGeneration, _) => format!(
            "`model.architecture` is {architecture}, a language model, which writes one text on, \
             but the task `{task}` has pairs; choose `task.kind=text`, or a model that \
             translates: `model.architecture=transformer` or `seq2seq`"
        ),
        (Pipeline::Translation | Pipeline::Poetry, _) => format!(
            "the task `{task}` is one text, but `model.architecture` is {architecture}, which \
             translates pairs; choose a language model: `model.architecture=transformer_lm` or \
             `recurrent_lm`"
        ),
    }
}
