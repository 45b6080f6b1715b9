//! Going on with a run from its checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use strata_training::{Checkpoint, CheckpointError};

use crate::args::ExperimentArguments;
use crate::describe;
use crate::error::Failure;
use crate::experiment::Settings;
use crate::run_folder::checkpoint_at;

/// A checkpoint to go on from.
pub struct Resumed {
    /// The file.
    pub path: PathBuf,
    /// Its bytes, with the number of steps that was asked for.
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
    let steps = hold_against(&checkpoint, asked).map_err(|failure| match failure {
        Asked::Impossible(failure) => failure,
        Asked::Other(source) => Failure::checkpoint(&path)(source),
    })?;
    if step >= steps {
        return Err(Failure::NothingLeft {
            path,
            step,
            steps,
            more: step.saturating_mul(2).max(1),
        });
    }
    let checkpoint = if steps == checkpoint.experiment().training.steps {
        bytes
    } else {
        checkpoint.with_steps(steps)
    };
    Ok(Resumed { path, checkpoint })
}

enum Asked {
    Impossible(Failure),
    Other(CheckpointError),
}

/// The number of steps asked for; all else must be as in the checkpoint.
fn hold_against(checkpoint: &Checkpoint<'_>, asked: &ExperimentArguments) -> Result<u64, Asked> {
    let stored = checkpoint.experiment();
    if asked.config.is_none() && asked.overrides.is_empty() {
        return Ok(stored.training.steps);
    }
    let base = describe::table(stored).map_err(Asked::Impossible)?;
    let settings = Settings::read(asked, base).map_err(Asked::Impossible)?;
    let steps = settings.steps().unwrap_or(stored.training.steps);
    let mut asked = settings
        .resolve()
        .map_err(|error| Asked::Impossible(error.into()))?;
    asked.training.steps = stored.training.steps;
    checkpoint.matches(&asked).map_err(Asked::Other)?;
    Ok(steps)
}
