//! Hostile input, drawn at random, for every part that reads: addresses, configurations,
//! checkpoints, attention files, corpora, compressed files, vocabularies, tokenisers, commands to a
//! session, and the whole program.
//!
//! Three promises are checked for each input: nothing panics, no more memory is taken than a bound
//! allows, and refused input changes nothing. Some inputs are drawn in every test;
//! `cargo xtask fuzz` draws 10,000 for each part.

mod addresses;
mod attention_files;
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
