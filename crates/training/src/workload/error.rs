//! What can be wrong with a workload, each said in a sentence.

use burn::tensor::ExecutionError;
use strata_models::ConfigError;

use crate::TrainingError;

/// Why a workload cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The text is no file of workloads.
    #[error(
        "this is no file of workloads ({reason}); it must be a JSON object whose `workloads` is a \
         list of objects, each with a `name`"
    )]
    File {
        /// What the reader of JSON says.
        reason: String,
    },
    /// Two workloads of one name.
    #[error("two workloads are named `{name}`; rename one of them")]
    Twice {
        /// The name.
        name: String,
    },
    /// A name that no workload has.
    #[error("there is no workload `{name}`; there are {known}")]
    Missing {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A kind, a field or a value that is not known here.
    #[error("workload `{name}`: {reason}")]
    Definition {
        /// The workload.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A model that cannot be built.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// The loss is NaN or infinite.
    #[error("workload `{name}`: the loss of step {step} is not a finite number; lower its `lr`")]
    Diverged {
        /// The workload.
        name: String,
        /// Counted from 0, warm-up included.
        step: u32,
    },
    /// The device failed.
    #[error("the device failed: {0}; try again, or compute on the processor")]
    Device(#[from] ExecutionError),
}

impl From<ConfigError> for WorkloadError {
    fn from(error: ConfigError) -> Self {
        Self::Training(error.into())
    }
}
