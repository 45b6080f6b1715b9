//! Parts of a tokenizer that not all kinds of work have.

use strata_tasks::{Dataset, Example, Pipeline, TaskConfig, Written};
use strata_text::Vocabulary;

use super::poetry::{self, Versification};
use super::{ReaderTokenizer, question_answering, text_generation, translation};
use crate::checkpoint::Contents;
use crate::{
    CheckpointError, Encoded, Experiment, HeldOut, Tokenizer, Translation, TranslationError,
};

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
    /// Kind of the tokenizer of a data set.
    pub fn of(experiment: &Experiment, dataset: &Dataset) -> Self {
        match dataset.examples.questions() {
            Some(questions) => Self::QuestionAnswering(ReaderTokenizer {
                tokenizer: questions.tokenizer.clone(),
                longest_answer: questions.usual_answer,
                reads_characters: experiment.model.reads_characters(),
            }),
            None => Self::of_sequences(&experiment.task),
        }
    }

    /// Kind of the tokenizer of a checkpoint.
    pub fn stored(contents: &Contents) -> Result<Self, CheckpointError> {
        let task = &contents.experiment.task;
        if task.pipeline() == Pipeline::QuestionAnswering {
            return ReaderTokenizer::stored(contents).map(Self::QuestionAnswering);
        }
        Ok(Self::of_sequences(task))
    }

    /// Vocabularies of source and target; of a reader's words and characters.
    pub fn vocabularies<'a>(&'a self, dataset: &'a Dataset) -> [&'a Vocabulary; 2] {
        match self {
            Self::QuestionAnswering(reader) => {
                [&reader.tokenizer.vocabulary, &reader.tokenizer.characters]
            }
            Self::Translation | Self::TextGeneration | Self::Poetry(_) => {
                [&dataset.source_vocabulary, &dataset.target_vocabulary]
            }
        }
    }

    /// Kind of a tokenizer that is not a reader's.
    fn of_sequences(task: &TaskConfig) -> Self {
        if let TaskConfig::Poems(task) = task {
            return Self::Poetry(task.into());
        }
        match task.pipeline() {
            Pipeline::TextGeneration => Self::TextGeneration,
            Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => {
                Self::Translation
            }
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

    /// Participle for the model's work on a text, for users.
    pub fn done(&self) -> &'static str {
        match self {
            Self::Translation | Self::Poetry(_) => "translated",
            Self::TextGeneration => "written on",
            Self::QuestionAnswering(_) => "read",
        }
    }

    /// True if targets begin with the text that the model is given.
    pub fn writes_on(&self) -> bool {
        matches!(self, Self::TextGeneration)
    }

    /// Parts of a reader's tokenizer; `None` for other kinds.
    pub fn reader(&self) -> Option<&ReaderTokenizer> {
        match self {
            Self::QuestionAnswering(reader) => Some(reader),
            Self::Translation | Self::TextGeneration | Self::Poetry(_) => None,
        }
    }

    /// How lines of poems are written; `None` for other kinds.
    pub fn versification(&self) -> Option<Versification> {
        match self {
            Self::Poetry(versification) => Some(*versification),
            Self::Translation | Self::TextGeneration | Self::QuestionAnswering(_) => None,
        }
    }

    /// Prompt made of a held-out example, as tokens and ids: [`HeldOut::prompt`].
    pub fn prompt(&self, held_out: &HeldOut<'_>, at: usize) -> (Vec<String>, Vec<u32>) {
        match self {
            Self::Translation | Self::Poetry(_) => translation::prompt(held_out, at),
            Self::TextGeneration => text_generation::prompt(held_out, at),
            Self::QuestionAnswering(_) => question_answering::prompt(&held_out.questions()[at]),
        }
    }

    /// Prompt made of a held-out example, as text.
    pub fn prompt_text(&self, held_out: &HeldOut<'_>, at: usize) -> String {
        match self {
            Self::Translation | Self::Poetry(_) => held_out.source(at),
            Self::TextGeneration => text_generation::prompt_text(held_out, at),
            Self::QuestionAnswering(_) => held_out.questions()[at].question.text().to_owned(),
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
