//! A toy language pair.

use serde::{Deserialize, Serialize};

use crate::config::Task;
use crate::{CopyConfig, Dataset, FieldDescription, TaskDescription, TaskError};

pub(crate) const DESCRIPTION: TaskDescription = TaskDescription {
    name: "german_english",
    title: "German to English",
    help: "Translate a toy German with real word order: the verb waits at the end of clauses.",
    fields: &[
        FieldDescription::number(
            "examples",
            "Sentences to learn from.",
            (1, 1_000_000),
            40_000,
        ),
        FieldDescription::number("held_out", "Sentences to measure on.", (1, 100_000), 500),
    ],
};

/// Settings of the task `german_english`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GermanEnglishConfig {
    /// How many sentences to learn from.
    pub examples: usize,
    /// How many other sentences to measure on.
    pub held_out: usize,
}

impl Default for GermanEnglishConfig {
    fn default() -> Self {
        Self {
            examples: 40_000,
            held_out: 500,
        }
    }
}

impl Task for GermanEnglishConfig {
    fn description(&self) -> &'static TaskDescription {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        DESCRIPTION.check(&[("examples", self.examples), ("held_out", self.held_out)])
    }

    fn load(&self, seed: u64) -> Result<Dataset, TaskError> {
        CopyConfig::default().load(seed)
    }
}
