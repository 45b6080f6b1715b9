//! Decoding of target sequences, token by token, batched and with caches.
//!
//! - [`Search`]: the algorithm: greedy, sampling, or beam search
//! - [`SequenceModel::search`](crate::SequenceModel::search): searches for the targets of a [`SearchRequest`]
//! - [`SearchOutput`]: the results: each [`Hypothesis`], the tree of all hypotheses that were kept
//!   during the search, and the attention of every step
//! - [`Constraints`]: tokens that may not be written
//! - [`Decoding`]: the state of a decoder between its steps
//!
//! In any search, each step reads the device once and continues the rows that are still being
//! written. Every search returns a tree; greedy search and a single sample have one branch.

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
