//! Lessons: each step asks the learner for an action, and the program notices the result.
//!
//! A lesson is data. Its folder has `lesson.toml`, the structure, and a file of texts for each
//! language, `en.md` first. The crate has no tensors and needs no browser: both the page and the
//! program that plays lessons to prove their claims use it.
//!
//! - [`Lesson`]: the types of the structure; [`Words`]: the texts
//! - [`read`]: reads structure and texts, with a sentence for each fault; [`folder`]: all lessons
//!   of a folder
//! - [`Expression`], [`Condition`]: values read off the facts, and bounds on the values
//! - [`Facts`]: facts about a session, folded from its commands and events
//! - [`Compiled`]: a lesson in one language, as the page fetches it; [`Recorded`]: measured values
//!   of its claims
//!
//! ```
//! use strata_lessons::{Expression, Facts, Measure, Unit, Value};
//!
//! let accuracy: Measure = "run(wide, 500).held.accuracy".parse()?;
//! assert_eq!(accuracy.unit(), Unit::Share);
//!
//! // Before a session has begun, no measure has a value.
//! let facts = Facts::default();
//! assert_eq!("held.loss - 1".parse::<Expression>()?.value(&facts), None);
//! assert_eq!("2 * (1 + 3)".parse::<Expression>()?.value(&facts), Some(Value::Number(8.0)));
//!
//! let misspelt = "peek".parse::<Measure>();
//! assert!(misspelt.unwrap_err().contains("did you mean `peak`?"));
//! # Ok::<(), String>(())
//! ```
//!
//! Modules, in the order in which a lesson uses the modules: `toml_source` and `read` (structure), `markdown` and `words`,
//! `links`, `check` (structure and texts against experiments, sites, measures), `commands` (set-ups
//! and actions as commands of a session), `facts`, `measure` and `expression`, `values` (values
//! that texts name), `number` (format of values).
//!
//! # Invariants
//!
//! - A lesson is data, without code or HTML, and no digit stands in its words: numbers are
//!   measured. Test: `faults_of_the_words_are_told_with_their_lines`.
//! - Each step begins in a known state; its condition is false before the action and true after it.
//!   Tests: `set_ups_can_be_made_and_what_holds_by_construction_holds`, and `whole` for steps that
//!   train (`cargo xtask lessons`).
//! - `cargo xtask lessons --write` writes the files that the page fetches. Test:
//!   `what_the_page_fetches_is_what_the_sources_say`.
//! - A lesson notices the learner's actions from commands and events alone, except for the guess and
//!   for a run laid beside the curves, for which no command exists. Test:
//!   `what_happens_without_a_session_is_told`.
//! - This crate has no tensor code of its own. Not tested.

mod check;
mod commands;
mod compiled;
mod condition;
pub mod control;
mod error;
mod expression;
mod facts;
pub mod folder;
mod glossary;
mod guess;
mod lesson;
mod links;
mod markdown;
mod measure;
pub mod number;
pub mod read;
mod recorded;
mod sites;
mod toml_source;
mod value;
mod values;
mod words;

pub use compiled::{Compiled, Entry, IndexStep};
pub use condition::{Condition, all_hold};
pub use error::LessonError;
pub use expression::Expression;
pub use facts::{Facts, Run};
pub use glossary::{Glossary, Word};
pub use guess::{Guess, GuessKind};
pub use lesson::{
    Action, Claim, Late, Lesson, Look, LookKind, Offer, Outcome, Setup, Start, Step, model_name,
};
pub use measure::{
    AnswerMeasure, AskedMeasure, MapMeasure, MapOf, Measure, Moment, RunMeasure, RunOf, ViewMeasure,
};
pub use number::{Unit, with_decimal_mark, written};
pub use recorded::{Recorded, RecordedStep};
pub use value::Value;
pub use values::MEASURED;
pub use words::{Block, Inline, Place, StepWords, Target, Text, Words, plain};
