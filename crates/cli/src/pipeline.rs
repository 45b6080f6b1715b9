//! Kinds of work: what the commands do and say for each.
//!
//! - `translation`, `text_generation`, `question_answering`, `poetry`: a file for each kind, with a
//!   folder for what only that kind needs
//! - `generation`: writes translations and continuations, for the kinds whose models write
//! - `arguments`: arguments of the commands that work with a trained model
//! - `evaluation`: what `strata eval` measures, with `floors` and `unlearned`
//!
//! A command asks [`of`] once which kind a model is for, and leaves the rest to the kind.

pub mod arguments;
pub mod evaluation;
mod floors;
pub mod generation;
pub mod poetry;
mod question_answering;
mod text_generation;
mod translation;
mod unlearned;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use burn::tensor::ExecutionError;
use strata_models::Search;
use strata_session::protocol::Validation;
use strata_tasks::Pipeline;
use strata_training::{Inference, Trainer};

use crate::base::error::Error;
use crate::display::format::grouped;
use crate::display::summary::Usage;
use crate::model::chosen::Chosen;
use arguments::answer::AnswerArguments;
use arguments::poem::PoemArguments;
use evaluation::{EvalRequest, Measured};
use generation::Generation;
use poetry::Poetry;
use question_answering::QuestionAnswering;
use text_generation::TextGeneration;
use translation::Translation;

/// Number of held-out examples that a summary shows with the model's output.
const SAMPLES: usize = 5;

/// Number of tokens of a vocabulary, and number of these tokens that a model knows.
#[derive(Clone, Copy)]
pub struct KnownTokens {
    pub known: usize,
    pub all: usize,
}

impl fmt::Display for KnownTokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [known, all] = [self.known, self.all].map(|count| grouped(count as u64));
        write!(formatter, "{known} of {all}")
    }
}

/// Held-out examples that the model with which a run begins has learned.
#[derive(Clone, Copy)]
pub struct LearnedBefore<'a> {
    pub learned: usize,
    pub all: usize,
    /// Path of the model.
    pub model: &'a Path,
}

/// Parts of the commands that differ from one kind of work to another: evaluation, samples and
/// sentences.
pub trait PipelineCommands: Sync {
    /// Returns the noun for this number of examples.
    fn examples(&self, count: usize) -> &'static str;

    /// Says how many tokens of source and target the first model of a run knows.
    fn known_tokens(&self, source: KnownTokens, target: KnownTokens) -> String;

    /// Says how many held-out examples the first model of a run has learned.
    fn learned_before(&self, learned: LearnedBefore<'_>) -> String;

    /// Writes the figures of a validation.
    fn validation(&self, validation: &Validation) -> String;

    /// Returns a few held-out examples with the model's output.
    ///
    /// # Errors
    /// If the device fails.
    fn samples(&self, trainer: &Trainer) -> Result<String, ExecutionError>;

    /// Returns the command to use the model.
    fn usage(&self, trainer: &Trainer) -> Usage;

    /// Measures a model as `strata eval` asks.
    ///
    /// # Errors
    /// If the options contradict each other or the model, a file cannot be used, or the device
    /// fails.
    fn evaluate(&self, request: &EvalRequest<'_>) -> Result<Vec<Measured>, Error>;

    /// Returns what differs between kinds in `strata translate`.
    fn generation(&self) -> &'static dyn Generation {
        &Translation
    }

    /// Answers questions as `strata answer` asks.
    ///
    /// # Errors
    /// If the model is no reader, the options contradict each other, a file cannot be used, or the
    /// device fails.
    fn answer(
        &self,
        _arguments: &AnswerArguments,
        _inference: &Inference,
        _chosen: &Chosen,
    ) -> Result<ExitCode, Error> {
        Err(Error::Session(
            "the model is no reader; `strata answer` needs one (`model.architecture=bidaf`, \
             `match_lstm` or `rnet`), and `strata translate` uses this one"
                .to_owned(),
        ))
    }

    /// Writes a poem as `strata poem` asks, each line by `search`.
    ///
    /// # Errors
    /// If the model plans no poems, the options contradict each other, a file cannot be used, or
    /// the device fails.
    fn poem(
        &self,
        _arguments: &PoemArguments,
        _search: Search,
        _inference: &Inference,
    ) -> Result<ExitCode, Error> {
        Err(poetry::no_planner())
    }

    /// Returns the settings of files without which a run can go on: texts that are needed only after
    /// training, and files whose contents are in the checkpoint.
    fn files_not_needed(&self) -> &'static [&'static str] {
        &[
            "test_source",
            "source_vocabulary",
            "target_vocabulary",
            "pieces",
            "target_pieces",
            "source_vectors",
            "target_vectors",
            "vectors",
        ]
    }

    /// Returns the names of the texts that a program of `strata export` is called with.
    fn exported_arguments(&self) -> &'static [&'static str] {
        &["SOURCE", "TARGET"]
    }
}

/// Returns what the commands do and say for a kind of work.
pub fn of(pipeline: Pipeline) -> &'static dyn PipelineCommands {
    match pipeline {
        Pipeline::Translation => &Translation,
        Pipeline::TextGeneration => &TextGeneration,
        Pipeline::QuestionAnswering => &QuestionAnswering,
        Pipeline::Poetry => &Poetry,
    }
}
