//! A question, its passages, and the place of its answer.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::TokenText;
use super::split::identity_of;

/// A question about passages: an example of the tasks of the kind
/// [`Pipeline::QuestionAnswering`](crate::Pipeline::QuestionAnswering).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Identifier in the data set.
    pub id: String,
    /// Tokens of the question; a question longer than the task's maximum is cut.
    pub question: TokenText,
    /// The K passages, each read with the question. A passage longer than the task's maximum is
    /// replaced by its windows: in training by the one with the answer, else by all. If a file has
    /// no text for them, there may be no passages or an empty one, but never in training.
    pub passages: Vec<Passage>,
    /// Place of the answer; `None` if it is unknown or in no window. Every training question has
    /// one.
    pub target: Option<AnswerSpan>,
    /// Right answers as written in the data set; predictions are scored against these.
    pub answers: Vec<String>,
}

impl Question {
    /// Number of tokens of the longest passage.
    pub fn longest_passage(&self) -> usize {
        self.passages.iter().map(Passage::len).max().unwrap_or(0)
    }

    /// Identity of the question with all its passages, as it is measured: the number by which the
    /// question is recognised in other files and runs ([`Learned`](crate::Learned)).
    pub fn identity(&self) -> u64 {
        // A later window of a passage repeats the paragraph of the first one.
        let first_windows = self.passages.iter().filter(|it| it.window.start == 0);
        let paragraphs = first_windows.map(|it| it.paragraph.text());
        identity_of(self.question.text(), paragraphs)
    }

    /// Returns the answer at a place: the span of the passage as written.
    pub fn answer(&self, span: AnswerSpan) -> &str {
        self.passages[span.passage].stretch(span.start..=span.end)
    }
}

/// Place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnswerSpan {
    /// Index of the passage among the question's passages.
    pub passage: usize,
    /// Index of the answer's first token in the passage.
    pub start: usize,
    /// Index of the answer's last token in the passage, not before `start`.
    pub end: usize,
}

impl AnswerSpan {
    /// Returns indices of passage, first token and last token.
    pub(crate) fn numbers(self) -> [usize; 3] {
        [self.passage, self.start, self.end]
    }
}

/// A passage that is read with a question: a paragraph, or a window of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Whole paragraph, which questions share.
    pub paragraph: Arc<TokenText>,
    /// Range of the paragraph's tokens that are read.
    pub window: Range<usize>,
    /// Index of the document that contains the paragraph.
    pub document: usize,
}

impl Passage {
    /// Creates a passage of a whole paragraph.
    pub fn whole(paragraph: Arc<TokenText>, document: usize) -> Self {
        Self {
            window: 0..paragraph.len(),
            paragraph,
            document,
        }
    }

    /// Number of tokens that are read.
    pub fn len(&self) -> usize {
        self.window.len()
    }

    /// True if the passage has no token.
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// Ids of the tokens that are read.
    pub fn ids(&self) -> &[u32] {
        &self.paragraph.ids()[self.window.clone()]
    }

    /// Ids of the characters of a token, whose index counts from the window's start.
    pub fn characters(&self, token: usize) -> &[u32] {
        self.paragraph.characters(self.window.start + token)
    }

    /// Returns a token as written.
    pub fn token(&self, at: usize) -> &str {
        self.paragraph.token(self.window.start + at)
    }

    /// Returns the text of the paragraph between two tokens, both included, as written.
    pub fn stretch(&self, tokens: RangeInclusive<usize>) -> &str {
        self.paragraph.stretch(self.in_paragraph(tokens))
    }

    /// Returns the range of code points of the paragraph between two tokens, both included.
    pub fn code_points(&self, tokens: RangeInclusive<usize>) -> Range<usize> {
        self.paragraph.code_points(self.in_paragraph(tokens))
    }

    /// Converts token indices of the window to indices of the paragraph. These, with the document,
    /// identify a span that lies in two windows.
    pub fn in_paragraph(&self, tokens: RangeInclusive<usize>) -> RangeInclusive<usize> {
        let start = self.window.start;
        start + tokens.start()..=start + tokens.end()
    }
}
