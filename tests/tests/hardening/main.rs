//! Hostile input at every door, drawn at random: addresses, configurations, checkpoints, corpora,
//! packed files, vocabularies, tokenisers, what a session is told, and whole commands.
//!
//! Of each input three promises are kept: nothing panics, no more memory is taken than a bound
//! allows, and what is refused changes nothing. A part of it runs in every test;
//! `cargo xtask fuzz` takes 10,000 inputs at each door.

mod addresses;
mod checkpoints;
mod commands;
mod configurations;
mod corpora;
mod edits;
mod harness;
mod memory;
mod messages;
mod odd;
mod packed;
mod runs;
mod tokenisers;
mod vocabularies;
