//! Answers of a reader, with the passages in which the answers stand.

use serde::{Deserialize, Serialize};

use super::TranslationView;

/// Request to answer a question about a passage.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct AnswerRequest {
    /// The question.
    pub question: String,
    /// Passage in which the reader looks for the answer.
    pub passage: String,
}

/// Answers to a question, with the attention of the reader.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct AnswerOutput {
    /// The best answers.
    pub answer: AnswerView,
    /// Attention in the passage of the best answer: the question is the source, the passage the
    /// target.
    pub attention: TranslationView,
}

/// Best answers to a question, in their passages.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct AnswerView {
    /// Number of steps taken.
    pub step: u64,
    /// The question as it was asked.
    pub question: String,
    /// Passages that contain one of `answers` or the right answer; of a long passage, its windows.
    pub passages: Vec<PassageView>,
    /// The most probable answers, the best first, at most 5.
    pub answers: Vec<FoundAnswerView>,
    /// Place of the right answer; `None` if it is unknown or in no passage.
    pub right: Option<PlaceView>,
    /// Words of question and passages that are not in the vocabulary.
    pub unknown: Vec<String>,
}

/// A passage, token by token.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct PassageView {
    /// Index of the passage among all passages and windows of the question, from 0.
    pub number: usize,
    /// Tokens of the passage.
    pub tokens: Vec<PassageTokenView>,
}

/// A token of a passage.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct PassageTokenView {
    /// Text between the previous token and this one, mostly white space.
    pub before: String,
    /// The token as written.
    pub text: String,
    /// True if the token is in the vocabulary.
    pub is_known: bool,
    /// Probability that the answer starts with this token.
    pub start: f32,
    /// Probability that the answer ends with this token.
    pub end: f32,
}

/// Place of an answer.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct PlaceView {
    /// Index of the passage in [`AnswerView::passages`].
    pub passage: usize,
    /// Index of the answer's first token in the passage, from 0.
    pub first: usize,
    /// Index of the answer's last token in the passage, from 0.
    pub last: usize,
}

/// An answer that a reader found.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct FoundAnswerView {
    /// Place of the answer.
    pub place: PlaceView,
    /// The answer as written.
    pub text: String,
    /// Sentence in which the answer stands.
    pub sentence: String,
    /// Probability of the answer: its p(start) · p(end), divided by the sum over all spans that
    /// could be the answer.
    pub probability: f64,
}
