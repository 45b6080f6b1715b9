//! Answers to the same question, of several runs or of one run at several steps.

use super::RunName;
use strata_session::protocol::{AnswerRequest, AnswerView};

/// The most answers that are kept.
const MOST: usize = 8;

/// The best answer of a run at a step.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerOfRun {
    id: String,
    /// Name of the run.
    pub run: String,
    /// Number of steps that the run had taken.
    pub step: u64,
    /// Text of the answer.
    pub text: String,
    /// Probability of the answer.
    pub probability: f64,
}

/// Answers to one question about one passage, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SameQuestion {
    request: AnswerRequest,
    /// The answers; for a run at a step, only the last one.
    pub answers: Vec<AnswerOfRun>,
}

impl SameQuestion {
    /// Adds the answer of a run; answers to another question are removed.
    pub fn push(&mut self, request: &AnswerRequest, run: RunName, answer: &AnswerView) {
        if self.request != *request {
            *self = Self {
                request: request.clone(),
                answers: Vec::new(),
            };
        }
        let Some(best) = answer.answers.first() else {
            return;
        };
        let step = answer.step;
        self.answers
            .retain(|other| other.id != run.id || other.step != step);
        self.answers.push(AnswerOfRun {
            id: run.id,
            run: run.name,
            step,
            text: best.text.clone(),
            probability: best.probability,
        });
        let surplus = self.answers.len().saturating_sub(MOST);
        self.answers.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_session::protocol::FoundAnswerView;

    #[test]
    fn answers_to_the_same_question_stand_beside_each_other() {
        let request = |question: &str| AnswerRequest {
            question: question.to_owned(),
            passage: "anna found it .".to_owned(),
        };
        let answer = |step: u64, text: &str| AnswerView {
            step,
            answers: vec![FoundAnswerView {
                text: text.to_owned(),
                ..FoundAnswerView::default()
            }],
            ..AnswerView::default()
        };
        let mut same = SameQuestion::default();
        let mut push = |question: &str, id: &str, step, text: &str| {
            let run = RunName {
                id: id.to_owned(),
                name: "BiDAF".to_owned(),
            };
            same.push(&request(question), run, &answer(step, text));
            let texts = same.answers.iter().map(|it| it.text.clone());
            texts.collect::<Vec<_>>()
        };
        push("who ?", "a", 3, "it");
        push("who ?", "a", 9, "anna");
        // Another run of the same name is separate; the same run at the same step replaces its
        // answer.
        assert_eq!(push("who ?", "b", 9, "."), ["it", "anna", "."]);
        assert_eq!(push("who ?", "a", 9, "found"), ["it", ".", "found"]);
        assert_eq!(push("what ?", "a", 9, "it"), ["it"]);
        for step in 10..30 {
            push("what ?", "a", step, "it");
        }
        assert_eq!(push("what ?", "a", 30, "it").len(), MOST);
    }
}
