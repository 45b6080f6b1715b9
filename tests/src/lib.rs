//! Tests that cross crates, in `tests/`, and what they share.

pub mod browser;
pub mod cli;
pub mod server;
