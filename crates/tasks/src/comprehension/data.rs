//! All examples of a task of reading comprehension.

use std::collections::BTreeMap;

use super::{Question, ReadingFormat, ReadingTokenizer};
use crate::{Fingerprint, WordVectors};

/// All examples of a task of the kind
/// [`Pipeline::QuestionAnswering`](crate::Pipeline::QuestionAnswering).
#[derive(Clone, Debug)]
pub struct ReadingData {
    /// Questions to learn from, each with a target; empty if they are on disk, as
    /// [`Dataset::stored`](crate::Dataset::stored).
    pub training: Vec<Question>,
    /// Questions with an answer to measure on: first those of the validation, then the tested ones.
    pub validation: Vec<Question>,
    /// Number of tested questions, the last of `validation`: they choose no checkpoint, and the
    /// reported results are measured on them.
    pub tested: usize,
    /// Format of the file, whose rules apply when answers are scored.
    pub format: ReadingFormat,
    /// Tokenizer that cut the texts.
    pub tokenizer: ReadingTokenizer,
    /// Pretrained vectors of the tokenizer's vocabulary.
    pub vectors: Option<WordVectors>,
    /// Number of tokens that 99 % of the training targets do not exceed: the default length of the
    /// longest answer in a search.
    pub usual_answer: usize,
}

/// Histogram of the targets' lengths in tokens.
#[derive(Default)]
pub(crate) struct AnswerLengths(BTreeMap<usize, usize>);

impl AnswerLengths {
    /// Counts the length of a question's target, if it has one.
    pub(crate) fn add(&mut self, question: &Question) {
        if let Some(target) = question.target {
            *self.0.entry(target.end + 1 - target.start).or_default() += 1;
        }
    }

    /// Returns the length that 99 % of the targets do not exceed.
    pub(crate) fn usual(&self) -> usize {
        let mut left = (self.0.values().sum::<usize>() * 99).div_ceil(100);
        let is_reached = |&(_, &count): &(&usize, &usize)| {
            left = left.saturating_sub(count);
            left == 0
        };
        let usual = self.0.iter().find(is_reached);
        usual.map_or(1, |(&length, _)| length)
    }
}

impl ReadingData {
    /// Returns the questions of the validation, and the tested questions.
    pub fn measured(&self) -> (&[Question], &[Question]) {
        self.validation
            .split_at(self.validation.len() - self.tested)
    }

    /// Returns a fingerprint of all tokens, targets and answers in memory.
    pub fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for question in self.training.iter().chain(&self.validation) {
            fingerprint.add_question(question);
        }
        fingerprint.value()
    }
}
