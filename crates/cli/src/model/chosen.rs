//! Chooses the checkpoint of a run's folder: that of the best validation if it was kept, otherwise
//! the last one.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use strata_training::{BestCheckpoint, Checkpoint, EarlyStopping, Inference};

use crate::base::error::Error;
use crate::base::output::warn;
use crate::display::format::path as shown;
use crate::model::changed::Changed;
use crate::model::checkpoint_file;
use crate::model::device::DeviceChoice;
use crate::run::run_folder::{RunFolder, best_of, checkpoint_at};

#[derive(Args, Debug)]
pub struct ModelArguments {
    /// A checkpoint, or the folder of a run: the best of its validations if that was kept
    /// (`training.keep_best=1`), else the last one, `checkpoint.safetensors` in it. Several,
    /// separated by commas, are joined: the mean of their probabilities decides.
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
    /// Ask the model with another number of levels than it was trained with:
    /// `--set model.encoder_self.levels=8`. The checkpoint stays as it is.
    #[arg(long, value_name = "key=value")]
    pub set: Vec<String>,
}

impl ModelArguments {
    /// Returns the paths of the models: the given path or, if it does not exist, the paths between
    /// its commas. A comma at either end separates nothing.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self.model.to_str() {
            Some(names) if names.contains(',') && !self.model.exists() => {
                let names = names.split(',').filter(|it| !it.trim().is_empty());
                let names: Vec<PathBuf> = names.map(PathBuf::from).collect();
                if names.is_empty() {
                    vec![self.model.clone()]
                } else {
                    names
                }
            }
            _ => vec![self.model.clone()],
        }
    }

    /// Opens the model on its device, or several models joined.
    ///
    /// # Errors
    /// If a checkpoint cannot be read, or the models do not fit together.
    pub fn open(&self) -> Result<Inference, Error> {
        let chosen = read(&self.paths()[0])?;
        chosen.tell();
        let (device, _) = self.device.open()?;
        let changed = self.changed(&chosen)?;
        let mut inference = changed.open(&chosen.path, &chosen.bytes, &device)?;
        self.join_others_with(&mut inference, &changed, |_, _| Ok(()))?;
        Ok(inference)
    }

    /// Returns the changes that `--set` makes to a model.
    ///
    /// # Errors
    /// If the checkpoint is malformed, or the model has no such setting.
    pub fn changed(&self, chosen: &Chosen) -> Result<Changed, Error> {
        if self.set.is_empty() {
            return Ok(Changed::default());
        }
        let checkpoint =
            Checkpoint::open(&chosen.bytes).map_err(Error::checkpoint(&chosen.path))?;
        Changed::of_model(&self.set, checkpoint.experiment())
    }

    /// Joins the further models, if any, to the first one, each `changed` as the first is. Passes
    /// each further model to `inspect`, with the model's name as the user gave it.
    ///
    /// # Errors
    /// If a model cannot be read or changed, or does not fit the first, and those of `inspect`.
    pub fn join_others_with(
        &self,
        inference: &mut Inference,
        changed: &Changed,
        mut inspect: impl FnMut(&Path, &Checkpoint<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for path in self.paths().iter().skip(1) {
            let chosen = read(path)?;
            chosen.tell();
            let (device, _) = self.device.open()?;
            let other = changed.open(&chosen.path, &chosen.bytes, &device)?;
            inference
                .join(other)
                .map_err(|reason| Error::Session(format!("{}: {reason}", shown(&chosen.path))))?;
            let checkpoint = Checkpoint::open(&chosen.bytes);
            inspect(path, &checkpoint.map_err(Error::checkpoint(&chosen.path))?)?;
        }
        Ok(())
    }
}

/// A checkpoint file and its bytes.
pub struct Chosen {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Note that tells which checkpoint of the run was chosen, if there was a choice.
    note: Option<String>,
}

impl Chosen {
    /// Prints the note. Called once the command has checked all its arguments.
    pub fn tell(&self) {
        if let Some(note) = &self.note {
            warn(note);
        }
    }
}

/// Reads a checkpoint, given its file or the folder of a run.
///
/// # Errors
/// If the checkpoint cannot be read, or the run's last checkpoint is malformed.
pub fn read(path: &Path) -> Result<Chosen, Error> {
    let Some(folder) = folder(path) else {
        let path = checkpoint_at(path);
        return Ok(Chosen {
            bytes: checkpoint_file::read(&path)?,
            path,
            note: None,
        });
    };
    let (last, bytes) = last(&folder)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&last))?;
    let (step, early_stopping) = (checkpoint.step(), checkpoint.standing().clone());
    if let Some((path, best, bytes)) = best(&folder, &early_stopping, step)? {
        let note = format!(
            "note: the model of step {best}, the best of its validations ({}); the last one, of step \
             {step}, is {}.",
            shown(&path),
            shown(&last)
        );
        return Ok(Chosen {
            path,
            bytes,
            note: Some(note),
        });
    }
    let better = early_stopping.best.filter(|it| it.step < step);
    let note = better.map(|better| {
        format!(
            "note: the model of step {step}, the last one. That of step {} was better in validation \
             but is not kept: `training.keep_best=1` keeps it.",
            better.step
        )
    });
    Ok(Chosen {
        path: last,
        bytes,
        note,
    })
}

/// Returns the run to which this folder belongs: its own folder, or that of its best checkpoints.
fn folder(path: &Path) -> Option<RunFolder> {
    if !path.is_dir() {
        return None;
    }
    RunFolder::at(path).or_else(|| RunFolder::around(&path.join("checkpoint")))
}

/// Returns the last checkpoint; if the run was killed before writing it, the latest of the best
/// ones.
fn last(folder: &RunFolder) -> Result<(PathBuf, Vec<u8>), Error> {
    let mut file = folder.checkpoint();
    if !file.exists()
        && let Some(best) = best_of(folder.path()).unwrap_or_default().pop()
    {
        file = best;
    }
    let bytes = checkpoint_file::read(&file)?;
    Ok((file, bytes))
}

/// Returns the best checkpoint with its step; `None` if the last checkpoint is the best.
fn best(
    folder: &RunFolder,
    early_stopping: &EarlyStopping,
    last: u64,
) -> Result<Option<(PathBuf, u64, Vec<u8>)>, Error> {
    for &BestCheckpoint { step, .. } in &early_stopping.kept {
        if step == last {
            return Ok(None);
        }
        let path = folder.best(step);
        match checkpoint_file::read(&path) {
            Ok(bytes) => return Ok(Some((path, step, bytes))),
            // The file is gone: a running process has just replaced it by a better one, or a user
            // removed it.
            Err(Error::Read { reason, .. }) if reason.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
