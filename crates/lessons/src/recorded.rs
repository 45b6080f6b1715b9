//! Results of a lesson's claims, recorded when they were run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Run, Value};

/// Recorded results of a lesson.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The day, as 2026-11-25.
    pub date: String,
    /// The commit that it ran from.
    pub commit: String,
    /// Device that it ran on.
    pub device: String,
    /// Results of the steps, by their ids.
    pub steps: BTreeMap<String, RecordedStep>,
    /// Runs that are shown for comparison, by the names of their experiments.
    pub runs: BTreeMap<String, Run>,
}

/// Recorded results of a step.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RecordedStep {
    /// Values and claims by their names; `measured` is the correct answer of the guess.
    pub values: BTreeMap<String, Value>,
    /// The words that were said.
    pub outcome: String,
    /// Duration of the action in seconds.
    pub seconds: f64,
}
