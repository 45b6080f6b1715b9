//! A corpus larger than memory: read line by line, stored as identifiers in a file of blocks, and
//! trained on a window of blocks at a time.
//!
//! - `choice`: the setting that decides which corpora are streamed
//! - `lines`: the corpus, line by line
//! - `prepare`: two passes over the corpus; the first counts (`count`), the second encodes
//!   (`writer`)
//! - `text`: preparation of a text for a language model; `questions`: of questions about passages
//! - `cache`: the prepared file, which later runs find again
//! - `stored`: the examples of the prepared file, by blocks; `spans`: stored questions
//! - `batches`: the order in which training reads the examples
//! - `streams`: a text read at several places in parallel
//!
//! Memory does not grow with the corpus, except for 40 bytes per block, and for the ids of
//! questions during preparation. A text that is read at several places has one block in memory for
//! each place. Held-out examples stay in memory.

mod batches;
#[cfg(not(target_family = "wasm"))]
mod cache;
mod choice;
#[cfg(not(target_family = "wasm"))]
mod count;
#[cfg(not(target_family = "wasm"))]
mod lines;
#[cfg(not(target_family = "wasm"))]
mod prepare;
#[cfg(not(target_family = "wasm"))]
mod questions;
mod spans;
mod stored;
mod streams;
#[cfg(all(test, not(target_family = "wasm")))]
mod tests;
#[cfg(not(target_family = "wasm"))]
mod text;
#[cfg(not(target_family = "wasm"))]
mod writer;

pub use batches::StoredBatches;
pub use choice::Stream;
#[cfg(not(target_family = "wasm"))]
pub(crate) use lines::{TextLines, find_pair};
#[cfg(not(target_family = "wasm"))]
pub(crate) use prepare::{is_large, load};
#[cfg(not(target_family = "wasm"))]
pub(crate) use questions::load_questions;
pub use stored::Stored;
pub use streams::StoredStreams;
#[cfg(not(target_family = "wasm"))]
pub(crate) use text::load_text;
