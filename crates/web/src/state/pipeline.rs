//! The user's requests to the model, and the results, for each kind of work.
//!
//! All kinds are kept at the same time: a user who comes back to a translating model finds the last
//! sentence again, and answers of several runs to the same question are compared.
//!
//! - here: [`PipelineState`], and translation and text generation, whose requests are the same
//! - `question_answering`, with [`same_question`]: answers of several runs
//! - `poetry`: poems of the present model and of the model beside

mod poetry;
mod question_answering;
pub mod same_question;

pub use poetry::PoetryState;
pub use question_answering::{AnswerState, RunName};

use crate::by_pointer::ByPointer;
use strata_session::protocol::{Output, Request, TranslateRequest, TranslationView};
use strata_tasks::Pipeline;

/// Returns what a model does, as the verb of a sentence of the page.
pub(super) fn does(pipeline: Pipeline) -> &'static str {
    match pipeline {
        Pipeline::Translation => "translates",
        Pipeline::TextGeneration => "goes on with texts",
        Pipeline::QuestionAnswering => "answers questions",
        Pipeline::Poetry => "writes poems below",
    }
}

/// Requests to the model, and their results.
#[derive(Clone, Debug, Default)]
pub struct PipelineState {
    /// Translation of a sentence, or continuation of a text.
    pub translation: TranslationState,
    /// Answers of a reader.
    pub question_answering: AnswerState,
    /// Poems.
    pub poetry: PoetryState,
}

/// The last translation, or continuation of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslationState {
    /// The last request.
    pub request: Option<ByPointer<TranslateRequest>>,
    /// The last result.
    pub output: Option<ByPointer<TranslationView>>,
    /// True while the page waits for the result.
    pub is_waiting: bool,
}

impl PipelineState {
    /// Starts waiting for the result of a request; `has_beside`: a model lies beside the present
    /// one.
    pub(super) fn start(&mut self, request: Request, has_beside: bool) {
        match request {
            Request::Translate(request) => {
                self.translation.request = Some(ByPointer::new(request));
                self.translation.is_waiting = true;
            }
            Request::Answer(request) => self.question_answering.start(request),
            Request::Poem(request) => self.poetry.start(&request, has_beside),
        }
    }

    /// Takes in a result of the present run.
    pub(super) fn finish(&mut self, output: Output, run: RunName) {
        match output {
            Output::Translation(view) => {
                self.translation.output = Some(ByPointer::new(view));
                self.translation.is_waiting = false;
            }
            Output::Answer(output) => self.question_answering.finish(output, run),
            Output::Poem(poem) => self.poetry.finish(poem),
            Output::PoemBeside(poem) => self.poetry.finish_beside(poem),
        }
    }

    /// Stops waiting for results.
    pub(super) fn stop_waiting(&mut self) {
        self.translation.is_waiting = false;
        self.question_answering.is_waiting = false;
        self.poetry.stop_waiting();
    }

    /// Forgets the results, which another run's model has not given.
    pub(super) fn forget_outputs(&mut self) {
        self.translation.output = None;
        self.question_answering.forget_output();
        self.poetry.forget_output();
    }
}
