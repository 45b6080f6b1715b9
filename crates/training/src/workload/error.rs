//! Errors in the definition or the run of a workload.

use burn::tensor::ExecutionError;
use strata_models::ConfigError;

use crate::TrainingError;

/// Reason why a workload cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// Text that is not a file of workloads.
    #[error(
        "this is no file of workloads ({reason}); it must be a JSON object whose `workloads` is a \
         list of objects, each with a `name`"
    )]
    File {
        /// Message of the JSON reader.
        reason: String,
    },
    /// Two workloads of the same name.
    #[error("two workloads are named `{name}`; rename one of them")]
    Twice {
        /// Name that occurs twice.
        name: String,
    },
    /// Name that no workload has.
    #[error("there is no workload `{name}`; there are {known}")]
    Missing {
        /// Name asked for.
        name: String,
        /// Names of all workloads.
        known: String,
    },
    /// Unknown kind, field or value.
    #[error("workload `{name}`: {reason}")]
    Definition {
        /// Name of the workload.
        name: String,
        /// Description of the fault.
        reason: String,
    },
    /// Error from building the model.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// Loss that is NaN or infinite.
    #[error("workload `{name}`: the loss of step {step} is not a finite number; lower its `lr`")]
    Diverged {
        /// Name of the workload.
        name: String,
        /// Step, counted from 0, warm-up included.
        step: u32,
    },
    /// Failure of the device.
    #[error("the device failed: {0}; try again, or compute on the processor")]
    Device(#[from] ExecutionError),
}

impl From<ConfigError> for WorkloadError {
    fn from(error: ConfigError) -> Self {
        Self::Training(error.into())
    }
}
