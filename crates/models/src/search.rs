//! What a model writes for a source, token by token, batched and with caches.
//!
//! - [`Search`]: how a target is searched for: greedy, by drawing, or by a beam
//! - [`Model::search`](crate::Model::search): searches for the targets of a [`SearchRequest`]
//! - [`SearchOutput`]: what was found: [`Hypothesis`] by hypothesis, with the tree of all that were
//!   kept on the way, and the attention of every step
//! - [`Constraints`]: what may not be written
//! - [`Decoding`]: a decoder between its steps
//!
//! Whatever the search, each step reads the device once and goes on with the rows that are still
//! being written. Every search leaves a tree: greedy search and a draw have one branch.

mod attention;
mod choose;
mod config;
mod constraints;
mod decoding;
mod found;
mod probabilities;
mod run;
mod sampling;

pub use attention::WrittenAttention;
pub use config::{BeamConfig, SamplingConfig, Search};
pub use constraints::Constraints;
pub use decoding::Decoding;
pub use found::{Candidate, Hypothesis, Node, SearchOutput, SearchResult};
pub use run::SearchRequest;
