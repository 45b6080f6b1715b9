//! Going on with a run from its checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use strata_settings::change;
use strata_training::{Checkpoint, CheckpointError, Experiment};

use crate::args::ExperimentArguments;
use crate::error::Failure;
use crate::experiment::Settings;
use crate::run_folder::checkpoint_at;

/// A checkpoint to go on from.
pub struct Resumed {
    /// The file.
    pub path: PathBuf,
    /// Its bytes, with the length that was asked for.
    pub checkpoint: Vec<u8>,
}

/// Reads a checkpoint and holds its experiment against the one asked for.
///
/// # Errors
/// If the file is no checkpoint, belongs to another experiment, or has no step left to take.
pub fn read(path: &Path, asked: &ExperimentArguments) -> Result<Resumed, Failure> {
    let path = checkpoint_at(path);
    let bytes = fs::read(&path).map_err(Failure::reading(&path))?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Failure::checkpoint(&path))?;
    let step = checkpoint.step();
    let length = hold_against(&checkpoint, asked).map_err(|failure| match failure {
        Asked::Impossible(failure) => failure,
        Asked::Other(source) => Failure::checkpoint(&path)(source),
    })?;
    let Length { steps, patience } = length;
    if step < steps && checkpoint.standing().is_hopeless(patience) {
        return Err(Failure::NoHope {
            path,
            step,
            patience,
        });
    }
    if step >= steps {
        return Err(Failure::NothingLeft {
            path,
            step,
            steps,
            more: step.saturating_mul(2).max(1),
        });
    }
    let checkpoint = if length == Length::of(checkpoint.experiment()) {
        bytes
    } else {
        checkpoint.with_length(steps, patience)
    };
    Ok(Resumed { path, checkpoint })
}

enum Asked {
    Impossible(Failure),
    Other(CheckpointError),
}

/// How long a run is: the settings that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Length {
    steps: u64,
    patience: u64,
}

impl Length {
    fn of(experiment: &Experiment) -> Self {
        Self {
            steps: experiment.training.steps,
            patience: experiment.training.patience,
        }
    }
}

/// The length asked for; all else must be as in the checkpoint.
fn hold_against(checkpoint: &Checkpoint<'_>, asked: &ExperimentArguments) -> Result<Length, Asked> {
    let stored = checkpoint.experiment();
    let old = Length::of(stored);
    if asked.is_empty() {
        return Ok(old);
    }
    let settings = Settings::read(asked, change::table(stored)).map_err(Asked::Impossible)?;
    let length = Length {
        steps: settings.of_training("steps").unwrap_or(old.steps),
        patience: settings.of_training("patience").unwrap_or(old.patience),
    };
    let mut asked = settings
        .resolve()
        .map_err(|error| Asked::Impossible(error.into()))?;
    asked.training.steps = old.steps;
    asked.training.patience = old.patience;
    checkpoint.matches(&asked).map_err(Asked::Other)?;
    Ok(length)
}
