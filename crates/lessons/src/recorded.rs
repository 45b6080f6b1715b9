//! What a lesson's claims came to when they were run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Run, Value};

/// What was recorded of a lesson.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The day, as 2026-11-25.
    pub date: String,
    /// The commit that it ran from.
    pub commit: String,
    /// Where it ran.
    pub device: String,
    /// By their ids.
    pub steps: BTreeMap<String, RecordedStep>,
    /// Runs whose curves lie beside others, by the names of their experiments.
    pub runs: BTreeMap<String, Run>,
}

/// What was recorded of a step.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RecordedStep {
    /// Values and claims by their names, `measured` what the guess is held against.
    pub values: BTreeMap<String, Value>,
    /// The words that were said.
    pub outcome: String,
    /// How long the action took.
    pub seconds: f64,
}
