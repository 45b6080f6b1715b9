//! The folder of a run, with its checkpoints, metrics and configuration.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use strata_training::{Experiment, write_atomically};

use crate::base::error::{Error, NAME_ANOTHER};
use crate::command::config;
use crate::model::checkpoint_file;
use crate::run::lock::Lock;
use crate::run::tensorboard;

/// Default folder for runs.
const RUNS: &str = "runs";
const CHECKPOINT: &str = "checkpoint.safetensors";
const METRICS: &str = "metrics.jsonl";
const EXPERIMENT: &str = "experiment.toml";
/// Name of the file with the run's program and the digests of its data.
const ORIGIN: &str = "origin.json";
/// Name of the subfolder with the checkpoints of the best validations.
const BEST: &str = "best";

/// The folder of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Creates and locks a folder: the given one, or the first free name in `runs`.
    ///
    /// # Errors
    /// If the given folder contains a run already, another process has locked it, or it cannot be
    /// written.
    pub fn create(out: Option<&Path>, experiment: &Experiment) -> Result<(Self, Lock), Error> {
        let path = match out {
            Some(path) => {
                fs::create_dir_all(path).map_err(Error::unwritable(path))?;
                path.to_owned()
            }
            None => claim(Path::new(RUNS), &name(experiment))?,
        };
        let lock = Lock::take(&path)?;
        Self::check_free(&path)?;
        Ok((Self { path }, lock))
    }

    /// Refuses a folder that contains a run with a checkpoint.
    ///
    /// # Errors
    /// If the folder contains such a run.
    pub fn check_free(path: &Path) -> Result<(), Error> {
        let folder = Self {
            path: path.to_owned(),
        };
        let has_best = best_of(path).is_ok_and(|best| !best.is_empty());
        if folder.checkpoint().exists() || has_best {
            return Err(Error::Occupied {
                folder: folder.path,
            });
        }
        Ok(())
    }

    /// Returns the run in an existing folder, with or without a checkpoint; `None` if there is no
    /// run.
    pub fn at(path: &Path) -> Option<Self> {
        let folder = Self {
            path: path.to_owned(),
        };
        let kept = [
            folder.checkpoint(),
            folder.metrics(),
            folder.experiment(),
            folder.path.join(BEST),
        ];
        kept.iter().any(|file| file.exists()).then_some(folder)
    }

    /// Returns the run whose last checkpoint has this path, even if the file does not exist yet.
    pub fn of_checkpoint(checkpoint: &Path) -> Option<Self> {
        let is_last = checkpoint.file_name()? == CHECKPOINT;
        Self::around(checkpoint).filter(|_| is_last)
    }

    /// Returns the run in whose folder a checkpoint is, which may also be one of the best
    /// checkpoints.
    pub fn around(checkpoint: &Path) -> Option<Self> {
        let parent = |path: &Path| match path.parent()? {
            parent if parent.as_os_str().is_empty() => Some(PathBuf::from(".")),
            parent => Some(parent.to_owned()),
        };
        let mut path = parent(checkpoint)?;
        if path.file_name().is_some_and(|name| name == BEST) {
            path = parent(&path)?;
        }
        let folder = Self { path };
        let is_ours = folder.metrics().exists() || folder.experiment().exists();
        is_ours.then_some(folder)
    }

    /// Moves the files of a run that ended before its first checkpoint to a subfolder; returns the
    /// subfolder's path.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn set_aside(&self) -> Result<Option<PathBuf>, Error> {
        let failed = || Error::unwritable(&self.path);
        let is_left = |name: &str| {
            [METRICS, EXPERIMENT, ORIGIN].contains(&name) || name.starts_with(tensorboard::MARK)
        };
        let left = files_in(&self.path, is_left).map_err(failed())?;
        if left.is_empty() {
            return Ok(None);
        }
        let aside = claim(&self.path, "unfinished")?;
        for file in left {
            if let Some(name) = file.file_name() {
                fs::rename(&file, aside.join(name)).map_err(failed())?;
            }
        }
        Ok(Some(aside))
    }

    /// True if `path` leads to this folder.
    pub fn is_at(&self, path: &Path) -> bool {
        let [here, there] = [self.path.as_path(), path].map(fs::canonicalize);
        matches!((here, there), (Ok(here), Ok(there)) if here == there)
    }

    /// Writes the run's configuration.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn describe(&self, experiment: &Experiment) -> Result<(), Error> {
        let path = self.experiment();
        let text = config::text(experiment)?;
        write_atomically(&path, text.as_bytes()).map_err(|reason| Error::Write {
            path,
            what: "configuration",
            reason,
            advice: NAME_ANOTHER.to_owned(),
        })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the last checkpoint.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Returns the path of the configuration.
    pub fn experiment(&self) -> PathBuf {
        self.path.join(EXPERIMENT)
    }

    /// Returns the path of the run's origin.
    pub fn origin(&self) -> PathBuf {
        self.path.join(ORIGIN)
    }

    /// Returns the path of the checkpoint of one of the best validations.
    pub fn best(&self, step: u64) -> PathBuf {
        let name = format!("step-{step:08}.safetensors");
        self.path.join(BEST).join(name)
    }

    /// Writes the checkpoint of one of the best validations.
    ///
    /// # Errors
    /// If the checkpoint cannot be written.
    pub fn write_best(&self, step: u64, checkpoint: &[u8]) -> io::Result<()> {
        fs::create_dir_all(self.path.join(BEST))?;
        write_atomically(&self.best(step), checkpoint)
    }

    /// Removes partial files that a killed process has left.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn sweep(&self) -> Result<(), Error> {
        for folder in [self.path.clone(), self.path.join(BEST)] {
            let left = files_in(&folder, |name| name.ends_with(".partial"));
            left.and_then(|left| left.iter().try_for_each(fs::remove_file))
                .map_err(Error::unwritable(&folder))?;
        }
        Ok(())
    }

    /// Removes the best-validation checkpoints whose steps are not in `steps`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn keep_best(&self, steps: &[u64]) -> io::Result<()> {
        for path in checkpoints_in(&self.path.join(BEST))? {
            if !steps.iter().any(|&step| self.best(step) == path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Returns the path of the metrics.
    pub fn metrics(&self) -> PathBuf {
        self.path.join(METRICS)
    }
}

/// Returns the path of a checkpoint, given its file or the folder of a run.
pub fn checkpoint_at(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(CHECKPOINT)
    } else {
        path.to_owned()
    }
}

/// Paths of the checkpoints of a run's best validations, the earliest first.
///
/// # Errors
/// If the folder cannot be read.
pub fn best_of(run: &Path) -> io::Result<Vec<PathBuf>> {
    checkpoints_in(&run.join(BEST))
}

/// Returns the checkpoints of a run's best validations, like [`best_of`], if `folder` is the
/// subfolder that holds them.
///
/// # Errors
/// If the folder cannot be read.
pub fn best_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if folder.file_name().is_some_and(|name| name == BEST) {
        checkpoints_in(folder)
    } else {
        Ok(Vec::new())
    }
}

/// Returns the checkpoint to resume from: the last one or, if the run was killed before writing
/// one, the latest of the best ones.
pub fn last_checkpoint(folder: &RunFolder) -> Result<Option<PathBuf>, Error> {
    let last = folder.checkpoint();
    if last.exists() {
        return Ok(Some(last));
    }
    let mut best = best_of(folder.path()).map_err(Error::reading(folder.path()))?;
    Ok(best.pop())
}

/// Returns path and bytes of the [`last_checkpoint`].
///
/// # Errors
/// If the file cannot be read.
pub fn read_last(folder: &RunFolder) -> Result<Option<(PathBuf, Vec<u8>)>, Error> {
    let Some(file) = last_checkpoint(folder)? else {
        return Ok(None);
    };
    let bytes = checkpoint_file::read(&file)?;
    Ok(Some((file, bytes)))
}

fn checkpoints_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    files_in(folder, |name| {
        name.starts_with("step-") && name.ends_with(".safetensors")
    })
}

/// Returns the files in a folder whose names pass `fits`, sorted by name; empty if there is no such
/// folder.
fn files_in(folder: &Path, fits: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let fits = |path: &PathBuf| {
        path.file_name()
            .and_then(|it| it.to_str())
            .is_some_and(&fits)
    };
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| entry.map(|it| it.path())).collect();
    let mut paths: Vec<PathBuf> = paths?.into_iter().filter(fits).collect();
    paths.sort();
    Ok(paths)
}

fn name(experiment: &Experiment) -> String {
    let Experiment {
        seed, task, model, ..
    } = experiment;
    let architecture = model.name();
    format!("{}-{architecture}-seed{seed}", task.name())
}

/// Creates the first of `name`, `name-2`, `name-3`, … that does not exist yet.
fn claim(runs: &Path, name: &str) -> Result<PathBuf, Error> {
    fs::create_dir_all(runs).map_err(Error::unwritable(runs))?;
    let mut path = runs.join(name);
    for number in 2.. {
        match fs::create_dir(&path) {
            Ok(()) => break,
            Err(reason) if reason.kind() == io::ErrorKind::AlreadyExists => {
                path = runs.join(format!("{name}-{number}"));
            }
            Err(reason) => return Err(Error::unwritable(&path)(reason)),
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_run_never_takes_the_place_of_another() {
        let runs = std::env::temp_dir().join(format!("strata-runs-{}", std::process::id()));
        let names: Vec<PathBuf> = (0..3).map(|_| claim(&runs, "copy").unwrap()).collect();
        fs::remove_dir_all(&runs).unwrap();
        assert_eq!(
            names,
            ["copy", "copy-2", "copy-3"].map(|name| runs.join(name))
        );
    }

    #[test]
    fn what_was_left_half_done_is_swept_away() {
        let path = std::env::temp_dir().join(format!("strata-sweep-{}", std::process::id()));
        fs::create_dir_all(path.join(BEST)).unwrap();
        let folder = RunFolder { path: path.clone() };
        let half_done = [
            path.join("checkpoint.safetensors.7.partial"),
            path.join("best/step-00000001.safetensors.7.partial"),
        ];
        for file in half_done.iter().chain([&folder.best(1), &folder.metrics()]) {
            fs::write(file, "").unwrap();
        }
        folder.sweep().unwrap();
        let left = half_done.iter().any(|file| file.exists());
        let best = best_of(&path).unwrap();
        let metrics = folder.metrics().exists();
        fs::remove_dir_all(&path).unwrap();
        assert!(!left && metrics);
        assert_eq!(best, [folder.best(1)]);
    }

    #[test]
    fn what_a_run_left_without_a_checkpoint_is_put_aside() {
        let path = std::env::temp_dir().join(format!("strata-aside-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = RunFolder { path: path.clone() };
        let nothing = folder.set_aside().unwrap();
        let mut places = Vec::new();
        for text in ["first", "second"] {
            fs::write(folder.metrics(), text).unwrap();
            let aside = folder.set_aside().unwrap().unwrap();
            places.push(fs::read_to_string(aside.join(METRICS)).unwrap());
        }
        RunFolder::check_free(&path).unwrap();
        folder.write_best(1, b"").unwrap();
        let best = RunFolder::check_free(&path);
        fs::remove_dir_all(&path).unwrap();
        assert_eq!(nothing, None);
        assert_eq!(places, ["first", "second"]);
        assert!(best.is_err(), "the best checkpoints are a run");
    }

    #[test]
    fn a_lone_checkpoint_lies_in_no_run() {
        let folder = std::env::temp_dir().join(format!("strata-lone-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let checkpoint = folder.join(CHECKPOINT);
        let before = RunFolder::of_checkpoint(&checkpoint);
        fs::write(folder.join(METRICS), "").unwrap();
        let found = RunFolder::of_checkpoint(&checkpoint).unwrap();
        let best = [RunFolder::of_checkpoint, RunFolder::around].map(|of| of(&found.best(3)));
        let copy = RunFolder::of_checkpoint(&folder.join("copy.safetensors"));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((before, copy), (None, None));
        assert_eq!(found.checkpoint(), checkpoint);
        // A run that is resumed from one of the best checkpoints must not replace the last one.
        assert_eq!(best, [None, Some(found)]);
    }
}
