//! Numbers of a file of questions, and of what is left out of it, by reason.

use std::collections::BTreeMap;

use serde::Serialize;
use strata_describe::shortened;

use super::TokenText;

/// Numbers of a file of questions. Nothing is left out of training without being counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReadingCounts {
    /// Documents of DuReader, articles of SQuAD; the questions of MS MARCO.
    pub documents: usize,
    /// All passages or paragraphs.
    pub passages: usize,
    /// All questions.
    pub questions: usize,
    /// All answers.
    pub answers: usize,
    /// Answers that do not stand at their offset, but elsewhere in the passage.
    pub moved: usize,
    /// Answers that stand nowhere in the passage.
    pub absent: usize,
    /// Answers that begin or end within a token.
    pub inside: usize,
    /// Tokens of all passages that are read.
    pub tokens: usize,
    /// Tokens of the longest passage.
    pub longest_passage: usize,
    /// Tokens of the longest question.
    pub longest_question: usize,
    /// Different tokens of passages and questions.
    pub vocabulary: usize,
    /// Those of them that occur at least twice.
    pub twice: usize,
    /// Questions without an answer, neither trained nor scored.
    pub without_answer: usize,
    /// Questions whose answers have no place in what is read: scored, not trained.
    pub without_target: usize,
    /// Questions whose answer stands beyond the first window, or in none.
    pub beyond: usize,
    /// Questions whose answer is in no window whole: scored, not trained.
    pub in_no_window: usize,
    /// Questions that are longer than the largest length, which keep their first tokens.
    pub long_questions: usize,
    /// Questions of which the file chose no passage.
    pub without_selected: usize,
    /// Questions whose most related paragraph is not named (DuReader).
    pub without_paragraph: usize,
    /// First questions with a fault, by the words of the number that counts it.
    pub first: BTreeMap<&'static str, Vec<String>>,
}

/// Questions that are named for each fault.
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
    /// Counts a fault of a question; the first ones are named.
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

    /// Every number with its words, in the order in which to show them.
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

    /// Numbers of questions that are left out of `part`, by reason: a sentence each.
    pub fn sentences(&self, part: &str, trains: bool) -> Vec<String> {
        let without_target = match trains {
            true => "whose answers have no place in their passages: not trained",
            false => "whose answers have no place in their passages: scored, without a loss",
        };
        let in_no_window = match trains {
            true => "whose answer is longer than what is read at once: not trained",
            false => "whose answer is longer than what is read at once: scored, without a loss",
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

    /// The same in one line, for an error.
    pub(super) fn summary(&self) -> String {
        format!(
            "of {} questions {} have no answer, {} an answer without a place in their passages, {} \
             one longer than what is read at once",
            self.questions, self.without_answer, self.without_target, self.in_no_window
        )
    }
}
