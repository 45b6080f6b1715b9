//! The last question to a reader, and the answers of the runs so far.

use super::same_question::SameQuestion;
use crate::by_pointer::ByPointer;
use strata_session::protocol::{AnswerOutput, AnswerRequest, AnswerView, TranslationView};

/// A question to a reader, and the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerState {
    /// The last question and passage.
    pub request: Option<ByPointer<AnswerRequest>>,
    /// The answer to the last question.
    pub output: Option<ByPointer<AnswerView>>,
    /// Attention of the model in the search for the answer.
    pub attention: Option<ByPointer<TranslationView>>,
    /// Answers of the runs so far to the last question.
    pub same_question: ByPointer<SameQuestion>,
    /// True while the page waits for the answer.
    pub is_waiting: bool,
}

/// The run that answers a question.
#[derive(Clone, Debug)]
pub struct RunName {
    /// Id of the run.
    pub id: String,
    /// Name of the run.
    pub name: String,
}

impl Default for AnswerState {
    fn default() -> Self {
        Self {
            request: None,
            output: None,
            attention: None,
            same_question: ByPointer::new(SameQuestion::default()),
            is_waiting: false,
        }
    }
}

impl AnswerState {
    /// Starts waiting for an answer.
    pub(super) fn start(&mut self, request: AnswerRequest) {
        self.request = Some(ByPointer::new(request));
        self.is_waiting = true;
    }

    /// Takes in the answer of a run.
    pub(super) fn finish(&mut self, output: AnswerOutput, run: RunName) {
        let AnswerOutput { answer, attention } = output;
        if let Some(request) = &self.request {
            let mut same = (*self.same_question).clone();
            same.push(request, run, &answer);
            self.same_question = ByPointer::new(same);
        }
        self.output = Some(ByPointer::new(answer));
        self.attention = Some(ByPointer::new(attention));
        self.is_waiting = false;
    }

    /// Forgets the answer of the run before; answers to the same question stay for comparison.
    pub(super) fn forget_output(&mut self) {
        (self.output, self.attention) = (None, None);
    }
}
