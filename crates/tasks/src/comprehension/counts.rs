//! Counts of a file of questions, and of the questions that are left out, by reason.

use std::collections::BTreeMap;

use serde::Serialize;
use strata_describe::shortened;

use super::TokenText;

/// Counts of a file of questions. Every question left out of training is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReadingCounts {
    /// Number of documents (DuReader), articles (SQuAD) or questions (MS MARCO).
    pub documents: usize,
    /// Number of all passages or paragraphs.
    pub passages: usize,
    /// Number of all questions.
    pub questions: usize,
    /// Number of all answers.
    pub answers: usize,
    /// Answers that were found in the passage, but not at their offset.
    pub moved: usize,
    /// Answers that are not in the passage.
    pub absent: usize,
    /// Answers that begin or end inside a token.
    pub inside: usize,
    /// Number of tokens of all passages that are read.
    pub tokens: usize,
    /// Number of tokens of the longest passage.
    pub longest_passage: usize,
    /// Number of tokens of the longest question.
    pub longest_question: usize,
    /// Number of different tokens in passages and questions.
    pub vocabulary: usize,
    /// Number of different tokens that occur at least twice.
    pub twice: usize,
    /// Questions without an answer, neither trained nor scored.
    pub without_answer: usize,
    /// Questions whose answers have no place in the passages that are read: scored, not trained.
    pub without_target: usize,
    /// Questions whose answer lies beyond the first window of its passage, or in no window.
    pub beyond: usize,
    /// Questions whose answer is not whole in any window: scored, not trained.
    pub in_no_window: usize,
    /// Questions longer than the maximum, which keep their first tokens.
    pub long_questions: usize,
    /// Questions for which the file selects no passage.
    pub without_selected: usize,
    /// Questions without a named most related paragraph (DuReader).
    pub without_paragraph: usize,
    /// Ids of the first questions with each fault; the keys are the names of the counts.
    pub first: BTreeMap<&'static str, Vec<String>>,
}

/// Number of questions that are named for each fault.
const NAMED: usize = 5;

pub(super) const MOVED: &str = "answers not at their offset, but elsewhere";
pub(super) const ABSENT: &str = "answers nowhere in the passage";
pub(super) const INSIDE: &str = "answers that begin or end within a token";
pub(super) const WITHOUT_ANSWER: &str = "questions without an answer";
pub(super) const WITHOUT_TARGET: &str = "questions without a target";
pub(super) const IN_NO_WINDOW: &str = "questions with a target in no window whole";
pub(super) const LONG_QUESTIONS: &str = "questions cut to the maximum length";
pub(super) const WITHOUT_SELECTED: &str = "questions without a selected passage";

impl ReadingCounts {
    /// Counts a fault of a question, and names the first questions.
    pub(super) fn fault(&mut self, what: &'static str, id: &str) {
        let count = match what {
            MOVED => &mut self.moved,
            ABSENT => &mut self.absent,
            INSIDE => &mut self.inside,
            WITHOUT_ANSWER => &mut self.without_answer,
            WITHOUT_TARGET => &mut self.without_target,
            IN_NO_WINDOW => &mut self.in_no_window,
            LONG_QUESTIONS => &mut self.long_questions,
            _ => &mut self.without_selected,
        };
        *count += 1;
        let first = self.first.entry(what).or_default();
        let id = shortened(id);
        if first.len() < NAMED && first.last().is_none_or(|it| *it != id) {
            first.push(id);
        }
    }

    /// Counts a passage that is read.
    pub(super) fn read(&mut self, passage: &TokenText) {
        self.tokens += passage.len();
        self.longest_passage = self.longest_passage.max(passage.len());
    }

    /// Returns all counts with their names, in the order in which they are shown.
    pub fn rows(&self) -> Vec<(&'static str, usize)> {
        vec![
            ("documents", self.documents),
            ("passages", self.passages),
            ("questions", self.questions),
            ("answers", self.answers),
            (MOVED, self.moved),
            (ABSENT, self.absent),
            (INSIDE, self.inside),
            ("tokens of the passages", self.tokens),
            ("different tokens", self.vocabulary),
            ("different tokens seen at least twice", self.twice),
            ("tokens of the longest passage", self.longest_passage),
            ("tokens of the longest question", self.longest_question),
            (WITHOUT_ANSWER, self.without_answer),
            (WITHOUT_TARGET, self.without_target),
            (
                "questions with a target beyond the first window",
                self.beyond,
            ),
            (IN_NO_WINDOW, self.in_no_window),
            (LONG_QUESTIONS, self.long_questions),
            (WITHOUT_SELECTED, self.without_selected),
            (
                "documents without a most related paragraph",
                self.without_paragraph,
            ),
        ]
    }

    /// Returns sentences on the questions that are left out of `part`, one for each reason.
    pub fn sentences(&self, part: &str, trains: bool) -> Vec<String> {
        let without_target = if trains {
            "whose answers have no place in their passages: not trained"
        } else {
            "whose answers have no place in their passages: scored, without a loss"
        };
        let in_no_window = if trains {
            "whose answer is longer than what is read at once: not trained"
        } else {
            "whose answer is longer than what is read at once: scored, without a loss"
        };
        let reasons = [
            (
                self.without_answer,
                "without an answer: neither trained nor scored",
            ),
            (self.without_target, without_target),
            (self.in_no_window, in_no_window),
            (
                self.long_questions,
                "longer than `task.maximum_question`: cut to their first tokens",
            ),
        ];
        let told = reasons.into_iter().filter(|&(count, _)| count > 0);
        let told = told.map(|(count, reason)| {
            let questions = if count == 1 { "question" } else { "questions" };
            format!("{part}: {count} {questions} {reason}.")
        });
        let mut told: Vec<String> = told.collect();
        if self.absent + self.moved + self.inside > 0 {
            told.push(format!(
                "{part}: of {} answers {} do not stand at their offset but elsewhere, {} nowhere, \
                 and {} begin or end within a token.",
                self.answers, self.moved, self.absent, self.inside
            ));
        }
        told
    }

    /// Returns the counts of left-out questions in one line, for an error.
    pub(super) fn summary(&self) -> String {
        format!(
            "of {} questions {} have no answer, {} an answer without a place in their passages, {} \
             one longer than what is read at once",
            self.questions, self.without_answer, self.without_target, self.in_no_window
        )
    }
}
