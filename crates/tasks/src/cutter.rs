//! Cutter of a text into segments, token by token.

use strata_text::{Segmenter, Vocabulary, special::EOS};

use crate::Example;

/// Cuts a text into segments. The source of a segment is its target shifted by one token; the first
/// source begins with EOS.
pub(crate) struct Cutter {
    length: usize,
    /// Last token before the present segment.
    before: u32,
    /// Tokens of the present segment so far.
    written: Vec<u32>,
}

impl Cutter {
    /// Creates a cutter into segments of `length` tokens.
    pub(crate) fn new(length: usize) -> Self {
        Self {
            length,
            before: EOS,
            written: Vec::new(),
        }
    }

    /// Adds a line and its end, and passes segments that are full to `give`.
    pub(crate) fn line(
        &mut self,
        line: &str,
        segmenter: &Segmenter,
        vocabulary: &Vocabulary,
        give: &mut dyn FnMut(Example),
    ) {
        let mut take = |id| self.token(id).into_iter().for_each(&mut *give);
        segmenter.each_token_of_line(line, &mut |token| take(vocabulary.id(token)));
        take(EOS);
    }

    /// Adds a token; returns the segment if it is full.
    pub(crate) fn token(&mut self, id: u32) -> Option<Example> {
        self.written.push(id);
        (self.written.len() == self.length).then(|| self.end())
    }

    /// Returns the last segment, if it is not empty.
    pub(crate) fn rest(mut self) -> Option<Example> {
        (!self.written.is_empty()).then(|| self.end())
    }

    fn end(&mut self) -> Example {
        let target = std::mem::take(&mut self.written);
        let mut source = Vec::with_capacity(target.len());
        source.push(self.before);
        source.extend(&target[..target.len() - 1]);
        self.before = target[target.len() - 1];
        Example { source, target }
    }
}
