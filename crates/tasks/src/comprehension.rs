//! Reading comprehension: questions about passages, whose answers are spans of the passages.
//!
//! - `question`: an example, with its passages and the place of its answer
//! - `token_text`: a text as tokens, each with its place in the text as written
//! - `level` (`fine`): the levels at which texts are cut into tokens with places
//! - `tokenizer`: converts texts to examples, by the vocabularies of a run
//! - `config`: settings of the task `reading`; `formats` (`json`, `segmented`, `place`, `free`): its
//!   files; `record`: a question read from any format; `assemble` (`split`, `examples`): builds
//!   examples from files in memory (`stream` does so from larger files)
//! - `gold`: answers and predictions to be scored
//! - `data`: all examples of a task; `counts`: numbers of left-out questions, by reason
//! - `toy`: the generated task `toy_reading`

pub(crate) mod assemble;
pub(crate) mod config;
mod counts;
pub(crate) mod data;
mod error;
pub(crate) mod examples;
mod fine;
pub(crate) mod formats;
mod free;
mod gold;
mod json;
mod level;
mod place;
mod question;
pub(crate) mod record;
mod segmented;
pub(crate) mod split;
mod token_text;
mod tokenizer;
pub(crate) mod toy;

pub use config::{ReadingConfig, ReadingFormat, ReadingSplit};
pub use counts::ReadingCounts;
pub use data::ReadingData;
pub use error::ReadingError;
pub use gold::{GoldAnswers, gold_answers, predictions};
pub use level::ReadingLevel;
pub use question::{AnswerSpan, Passage, Question};
pub use token_text::TokenText;
use tokenizer::windows;
pub use tokenizer::{ReadingLimits, ReadingTokenizer};
pub use toy::ToyReadingConfig;
