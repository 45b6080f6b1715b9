//! Answers of a reader, with the passages in which they stand.

use serde::{Deserialize, Serialize};

/// The best answers to a question, in their passages.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct AnswerView {
    /// Steps taken.
    pub step: u64,
    /// The question as it was asked.
    pub question: String,
    /// Passages in which one of `answers`, or the right one, stands; of a long passage its windows.
    pub passages: Vec<PassageView>,
    /// The most probable answers, the best first, at most 5.
    pub answers: Vec<FoundAnswerView>,
    /// Place of the right answer; `None` where it is not known, or stands nowhere.
    pub right: Option<PlaceView>,
    /// Words of question and passages that the vocabulary does not know.
    pub unknown: Vec<String>,
}

/// A passage, token by token.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct PassageView {
    /// Its number among all passages and windows of the question, from 0.
    pub number: usize,
    /// Its tokens.
    pub tokens: Vec<PassageTokenView>,
}

/// A token of a passage.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct PassageTokenView {
    /// Text between the token before and this one, mostly white space.
    pub before: String,
    /// The token as written.
    pub text: String,
    /// True if the vocabulary has it.
    pub is_known: bool,
    /// Probability that the answer starts with it.
    pub start: f32,
    /// Probability that the answer ends with it.
    pub end: f32,
}

/// Place of an answer.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceView {
    /// The passage, from 0 in [`AnswerView::passages`].
    pub passage: usize,
    /// Its first token in the passage, from 0.
    pub first: usize,
    /// Its last token in the passage.
    pub last: usize,
}

/// An answer that a reader found.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct FoundAnswerView {
    /// Its place.
    pub place: PlaceView,
    /// The answer as written.
    pub text: String,
    /// The sentence in which it stands.
    pub sentence: String,
    /// Share of this stretch in the sum of p(start) · p(end) over all stretches that could be the answer.
    pub probability: f64,
}
