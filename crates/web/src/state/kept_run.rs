//! Description of a kept run, as the page shows it.

use serde::{Deserialize, Serialize};
use strata_session::protocol::{StepReport, Validation};
use strata_training::Experiment;

/// A kept run as the list shows it, without its curves and its checkpoint.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// Id of the run, which no other run has.
    pub id: String,
    /// Name that a user gave the run.
    #[serde(default)]
    pub name: Option<String>,
    /// Name of the run if a user gave none.
    pub label: String,
    /// The experiment that is trained.
    pub experiment: Experiment,
    /// Number of steps taken.
    pub step: u64,
    /// Time spent in the steps, in milliseconds.
    pub milliseconds: f64,
    /// The last step.
    #[serde(default)]
    pub latest: Option<StepReport>,
    /// The last validation.
    #[serde(default)]
    pub validation: Option<Validation>,
    /// Time when the run was first stored, in milliseconds since 1970.
    pub begun_at: f64,
    /// Time when the run was last stored, in milliseconds since 1970.
    pub changed_at: f64,
    /// Size of the checkpoint and the texts, in bytes.
    pub bytes: usize,
    /// Number of times that the run was stored; a tab that knows another number has been overtaken.
    pub revision: u64,
}

impl KeptRun {
    /// Returns the name that a user gave the run, or else its label.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.label.clone())
    }
}
