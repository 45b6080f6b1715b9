//! All examples of a task of reading comprehension.

use super::{Question, ReadingFormat, ReadingTokenizer};
use crate::{Fingerprint, WordVectors};

/// All examples of a task whose form is [`Form::Spans`](crate::Form::Spans).
#[derive(Clone, Debug)]
pub struct ReadingData {
    /// Questions to learn from, each with a target.
    pub training: Vec<Question>,
    /// Questions to measure on, all that have an answer.
    pub validation: Vec<Question>,
    /// Format of the file that these are from, which says by whose rules their answers are scored.
    pub format: ReadingFormat,
    /// Cuts texts as these were.
    pub tokenizer: ReadingTokenizer,
    /// Pretrained vectors of its vocabulary.
    pub vectors: Option<WordVectors>,
}

impl ReadingData {
    /// Number of tokens that 99 % of the training targets do not exceed: the longest answer that
    /// is searched for where nothing else is said.
    pub fn usual_answer(&self) -> usize {
        let targets = self.training.iter().filter_map(|it| it.target);
        let mut lengths: Vec<usize> = targets.map(|it| it.end + 1 - it.start).collect();
        lengths.sort_unstable();
        let at = (lengths.len() * 99).div_ceil(100);
        lengths.get(at.saturating_sub(1)).copied().unwrap_or(1)
    }

    /// Fingerprint of all tokens, targets and answers.
    pub fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for question in self.training.iter().chain(&self.validation) {
            fingerprint.add_question(question);
        }
        fingerprint.value()
    }
}
