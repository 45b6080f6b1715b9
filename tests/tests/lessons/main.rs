//! Lessons played against a session.
//!
//! - `quick`: every set-up is made, no condition holds before its action, and what holds by
//!   construction holds without training; in every test run
//! - `whole`: every step with its training, every claim; `cargo xtask lessons`
//! - `models`: weights of recorded runs; `cargo xtask lessons --models`
//! - `controls`: names of the page's controls in the texts
//! - `compiled`: the files that the page fetches are those of their sources
#![allow(clippy::unwrap_used)]

mod compiled;
mod controls;
mod models;
mod outcome;
mod player;
mod quick;
mod recorded;
mod trained;
mod whole;

use std::path::PathBuf;

use strata_lessons::folder::{LessonFiles, read_all};

/// Returns the folder of the lessons.
fn folder() -> PathBuf {
    strata_tests::here().join("../www/lessons")
}

/// Reads all lessons.
fn lessons() -> Vec<LessonFiles> {
    read_all(&folder()).unwrap_or_else(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        panic!("lessons cannot be read:\n{}", faults.join("\n"))
    })
}
