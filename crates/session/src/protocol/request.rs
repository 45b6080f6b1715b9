//! Work that a user asks of a model, and the results: one variant for each kind of request.

use serde::{Deserialize, Serialize};

use super::{
    AnswerOutput, AnswerRequest, PoemRequest, PoemView, TranslateRequest, TranslationView,
};

/// Request to the pipeline of the present model ([`Command::Run`](super::Command::Run)).
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Translate a sentence, or write on from a text. Replies [`Output::Translation`].
    Translate(TranslateRequest),
    /// Answer a question about a passage, if the model is a reader. Replies [`Output::Answer`].
    Answer(AnswerRequest),
    /// Plan a poem, and write the poem. Replies [`Output::Poem`]; then [`Output::PoemBeside`], if
    /// the model beside the present one writes the poem, too.
    Poem(Box<PoemRequest>),
}

/// Result of a [`Request`] ([`Event::Done`](super::Event::Done)).
#[derive(Serialize, Deserialize, Clone, Debug)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// A sentence was translated, or a text was continued.
    Translation(TranslationView),
    /// A question was answered.
    Answer(AnswerOutput),
    /// A poem was planned, and written.
    Poem(PoemView),
    /// The model beside was asked to write a poem by the keywords of the present model: the poem,
    /// or a sentence on the reason why there is none.
    PoemBeside(Result<PoemView, String>),
}
