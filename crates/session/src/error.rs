//! Errors of a session, and the events that report them.

use burn::tensor::ExecutionError;
use strata_tasks::TaskError;
use strata_training::workload::WorkloadError;
use strata_training::{CheckpointError, TrainingError, TranslationError};

use crate::pipeline::poetry::PoemFault;

/// Reason why a session could not carry out a command or a step.
pub(crate) enum SessionError {
    /// The command was refused and changed nothing.
    Refused(String),
    /// The run stopped before a step because a number was NaN or infinite.
    Diverged {
        /// Number of the step that was not taken.
        step: u64,
        /// Sentence for the user: what happened, what to do.
        reason: String,
    },
    /// The device failed, and everything on it is lost.
    Lost(String),
}

impl SessionError {
    pub fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }
}

impl From<TrainingError> for SessionError {
    fn from(error: TrainingError) -> Self {
        let reason = error.to_string();
        match error {
            TrainingError::Diverged { step, .. } => Self::Diverged { step, reason },
            TrainingError::Device(_) => Self::Lost(reason),
            _ => Self::Refused(reason),
        }
    }
}

impl From<ExecutionError> for SessionError {
    fn from(error: ExecutionError) -> Self {
        TrainingError::from(error).into()
    }
}

impl From<WorkloadError> for SessionError {
    fn from(error: WorkloadError) -> Self {
        match error {
            WorkloadError::Device(error) => error.into(),
            WorkloadError::Training(error) => error.into(),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<TranslationError> for SessionError {
    fn from(error: TranslationError) -> Self {
        match error {
            TranslationError::Device(error) => error.into(),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<PoemFault> for SessionError {
    fn from(fault: PoemFault) -> Self {
        Self::Refused(fault.to_string())
    }
}

impl From<TaskError> for SessionError {
    fn from(error: TaskError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<CheckpointError> for SessionError {
    fn from(error: CheckpointError) -> Self {
        Self::Refused(error.to_string())
    }
}
