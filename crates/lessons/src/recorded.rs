//! Recorded results of a lesson: values of its claims, shown texts, and curves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Run, Value};

/// Recorded results of a lesson.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Day of the run, as 2026-11-25.
    pub date: String,
    /// Commit of the code that was run.
    pub commit: String,
    /// Device on which the lesson was run.
    pub device: String,
    /// Results of the steps, by id.
    pub steps: BTreeMap<String, RecordedStep>,
    /// Runs that are shown for comparison, by name of the experiment.
    pub runs: BTreeMap<String, Run>,
}

/// Recorded results of a step.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RecordedStep {
    /// Values and claims by name; `measured` is the correct answer of the guess.
    pub values: BTreeMap<String, Value>,
    /// Name of the text that was shown when the step was done.
    pub outcome: String,
    /// Duration of the action in seconds.
    pub seconds: f64,
}
