//! A question, its passages, and where its answer stands.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::TokenText;

/// A question about passages: an example of the tasks whose form is
/// [`Form::Spans`](crate::Form::Spans).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Identifier in the data set.
    pub id: String,
    /// The question; of a longer one than the task's maximum, its first tokens.
    pub question: TokenText,
    /// The passages, each read with the question: K of them. Of a passage that is longer than the
    /// task's maximum they are its windows: in training the one with the answer, else all. Where a
    /// file has no text, there may be none, or one without tokens; not in training.
    pub passages: Vec<Passage>,
    /// Place of the answer; none where it is not known or in no window. Every question of a
    /// training part has one.
    pub target: Option<AnswerSpan>,
    /// The right answers as the data set words them; scores compare with these.
    pub answers: Vec<String>,
}

impl Question {
    /// Number of tokens of its longest passage.
    pub fn longest_passage(&self) -> usize {
        self.passages.iter().map(Passage::len).max().unwrap_or(0)
    }

    /// The answer at a place: the stretch of the passage as written.
    pub fn answer(&self, span: AnswerSpan) -> &str {
        self.passages[span.passage].stretch(span.start..=span.end)
    }
}

/// Place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnswerSpan {
    /// The passage, from 0.
    pub passage: usize,
    /// Its first token in the passage, from 0.
    pub start: usize,
    /// Its last token in the passage, not before the first.
    pub end: usize,
}

impl AnswerSpan {
    /// Passage, first and last token.
    pub(crate) fn numbers(self) -> [usize; 3] {
        [self.passage, self.start, self.end]
    }
}

/// A passage that is read with a question: a paragraph, or a window of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The whole paragraph, which questions share.
    pub paragraph: Arc<TokenText>,
    /// Its tokens that are read.
    pub window: Range<usize>,
    /// Number of the document that the paragraph is of, from 0.
    pub document: usize,
}

impl Passage {
    /// A whole paragraph.
    pub fn whole(paragraph: Arc<TokenText>, document: usize) -> Self {
        Self {
            window: 0..paragraph.len(),
            paragraph,
            document,
        }
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.window.len()
    }

    /// True if there is no token.
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// Ids of its tokens.
    pub fn ids(&self) -> &[u32] {
        &self.paragraph.ids()[self.window.clone()]
    }

    /// Ids of the characters of a token.
    pub fn characters(&self, token: usize) -> &[u32] {
        self.paragraph.characters(self.window.start + token)
    }

    /// A token as written.
    pub fn token(&self, at: usize) -> &str {
        self.paragraph.token(self.window.start + at)
    }

    /// The stretch of the paragraph as written between two tokens, both included.
    pub fn stretch(&self, tokens: RangeInclusive<usize>) -> &str {
        self.paragraph.stretch(self.in_paragraph(tokens))
    }

    /// Place of the same stretch in code points of the paragraph.
    pub fn code_points(&self, tokens: RangeInclusive<usize>) -> Range<usize> {
        self.paragraph.code_points(self.in_paragraph(tokens))
    }

    /// The same tokens, counted from the beginning of the paragraph: by them, and the document, one
    /// stretch in two windows is known as the same.
    pub fn in_paragraph(&self, tokens: RangeInclusive<usize>) -> RangeInclusive<usize> {
        let start = self.window.start;
        start + tokens.start()..=start + tokens.end()
    }
}
