//! Fingerprint of examples: a number that differs if any token of any example differs.

use crate::{Example, Question};

/// FNV-1a hash (Fowler, Noll and Vo) over all tokens, with a mark at the end of each sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds the tokens of an example.
    pub fn add(&mut self, example: &Example) {
        for sequence in [&example.source, &example.target] {
            sequence.iter().for_each(|&id| self.take(id.into()));
            self.take(u32::MAX.into());
        }
    }

    /// Adds a question with its passages, target and answers.
    pub fn add_question(&mut self, question: &Question) {
        let passages = question.passages.iter().map(|it| it.ids());
        for sequence in std::iter::once(question.question.ids()).chain(passages) {
            sequence.iter().for_each(|&id| self.take(id.into()));
            self.take(u32::MAX.into());
        }
        if let Some(target) = question.target {
            let numbers = target.numbers();
            numbers.iter().for_each(|&number| self.take(number as u64));
        }
        for answer in &question.answers {
            self.add_bytes(answer.as_bytes());
            self.take(u32::MAX.into());
        }
    }

    /// Adds bytes.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.take(byte.into()));
    }

    /// Returns the value of the fingerprint.
    pub fn value(self) -> u64 {
        self.0
    }

    fn take(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Returns the fingerprint of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    let mut fingerprint = Fingerprint::default();
    fingerprint.add_bytes(bytes);
    fingerprint.value()
}
