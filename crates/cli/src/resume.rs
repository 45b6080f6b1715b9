//! Going on with a run from its checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use strata_settings::change;
use strata_training::{Changes, Checkpoint, CheckpointError};

use crate::args::ExperimentArguments;
use crate::error::Failure;
use crate::experiment::Settings;
use crate::run_folder::checkpoint_at;

/// A checkpoint to go on from.
pub struct Resumed {
    /// The file.
    pub path: PathBuf,
    /// Its bytes, with the changes that were asked for.
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
    let changes = hold_against(&checkpoint, asked).map_err(|failure| match failure {
        Asked::Impossible(failure) => failure,
        Asked::Other(source) => Failure::checkpoint(&path)(source),
    })?;
    let Changes {
        steps, patience, ..
    } = changes;
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
    let checkpoint = if changes == Changes::none(checkpoint.experiment()) {
        bytes
    } else {
        checkpoint.with(changes)
    };
    Ok(Resumed { path, checkpoint })
}

enum Asked {
    Impossible(Failure),
    Other(CheckpointError),
}

/// The changes asked for; all else must be as in the checkpoint.
fn hold_against(
    checkpoint: &Checkpoint<'_>,
    asked: &ExperimentArguments,
) -> Result<Changes, Asked> {
    let stored = checkpoint.experiment();
    let old = Changes::none(stored);
    if asked.is_empty() {
        return Ok(old);
    }
    let settings = Settings::read(asked, change::table(stored)).map_err(Asked::Impossible)?;
    let [steps, patience] = ["steps", "patience"].map(|name| settings.of_training(name));
    let mut asked = settings
        .resolve()
        .map_err(|error| Asked::Impossible(error.into()))?;
    let changes = Changes {
        steps: steps.unwrap_or(old.steps),
        patience: patience.unwrap_or(old.patience),
        dropout: asked.model.dropout(),
    };
    old.make(&mut asked);
    checkpoint.matches(&asked).map_err(Asked::Other)?;
    Ok(changes)
}
