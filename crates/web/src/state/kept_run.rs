//! Description of a kept run, as the page shows it.

use serde::{Deserialize, Serialize};
use strata_session::protocol::{StepReport, Validation};
use strata_training::Experiment;

/// A kept run, without its curves and its checkpoint.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// Its id, which no other run has.
    pub id: String,
    /// Name that a user gave it.
    #[serde(default)]
    pub name: Option<String>,
    /// Its name where a user gave none.
    pub label: String,
    /// The experiment that is trained.
    pub experiment: Experiment,
    /// Steps taken.
    pub step: u64,
    /// Time spent in them, in milliseconds.
    pub milliseconds: f64,
    /// The last step.
    #[serde(default)]
    pub latest: Option<StepReport>,
    /// The last validation.
    #[serde(default)]
    pub validation: Option<Validation>,
    /// Time when it was first kept, in milliseconds since 1970.
    pub begun_at: f64,
    /// Time when it was last kept, in milliseconds since 1970.
    pub changed_at: f64,
    /// Size of its checkpoint and its texts, in bytes.
    pub bytes: usize,
    /// Number of times that it was kept; a tab that knows another number has been overtaken.
    pub revision: u64,
}

impl KeptRun {
    /// Name that a user gave it, or else its label.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.label.clone())
    }
}
