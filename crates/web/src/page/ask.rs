//! Requests of a user to the model: a sentence, a question, a poem.
//!
//! - `translate`: the user's own sentence
//! - `asking`: the user's own question to a reader; `passage`: an answer in its passage
//! - `poems`: a poem by its plan, in the place of `translate`

pub mod asking;
pub mod passage;
pub mod poems;
pub mod translate;
