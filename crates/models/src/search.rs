//! Decoding of target sequences, token by token, batched and with caches.
//!
//! - [`Search`]: the algorithm: greedy, sampling, or beam search
//! - [`Model::search`](crate::Model::search): searches for the targets of a [`SearchRequest`]
//! - [`SearchOutput`]: the results: each [`Hypothesis`], the tree of all hypotheses that were kept
//!   on the way, and the attention of every step
//! - [`Constraints`]: tokens that may not be written
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
