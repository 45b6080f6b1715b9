//! All examples of a task of reading comprehension.

use std::collections::BTreeMap;

use super::{Question, ReadingFormat, ReadingTokenizer};
use crate::{Fingerprint, WordVectors};

/// All examples of a task whose form is [`Form::Spans`](crate::Form::Spans).
#[derive(Clone, Debug)]
pub struct ReadingData {
    /// Questions to learn from, each with a target; none where they are on disk, as
    /// [`Dataset::stored`](crate::Dataset::stored).
    pub training: Vec<Question>,
    /// Questions to measure on, all that have an answer: those of the validation, then the tested ones.
    pub validation: Vec<Question>,
    /// Number of the last of them that are tested: they choose nothing, and are what is reported.
    pub tested: usize,
    /// Format of the file that these are from, which says by whose rules their answers are scored.
    pub format: ReadingFormat,
    /// Cuts texts as these were.
    pub tokenizer: ReadingTokenizer,
    /// Pretrained vectors of its vocabulary.
    pub vectors: Option<WordVectors>,
    /// Number of tokens that 99 % of the training targets do not exceed: the longest answer that
    /// is searched for where nothing else is said.
    pub usual_answer: usize,
}

/// Number of targets of each length in tokens.
#[derive(Default)]
pub(crate) struct AnswerLengths(BTreeMap<usize, usize>);

impl AnswerLengths {
    /// Counts the target of a question.
    pub(crate) fn add(&mut self, question: &Question) {
        if let Some(target) = question.target {
            *self.0.entry(target.end + 1 - target.start).or_default() += 1;
        }
    }

    /// The length that 99 % do not exceed.
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
    /// Questions of the validation, and those that are tested.
    pub fn measured(&self) -> (&[Question], &[Question]) {
        self.validation
            .split_at(self.validation.len() - self.tested)
    }

    /// Fingerprint of all tokens, targets and answers in memory.
    pub fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for question in self.training.iter().chain(&self.validation) {
            fingerprint.add_question(question);
        }
        fingerprint.value()
    }
}
