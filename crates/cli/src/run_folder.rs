//! The folder of a run: checkpoint, metrics and configuration side by side.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use strata_training::{Experiment, write_atomically};

use crate::describe;
use crate::error::Failure;

/// Where runs go that are given no folder.
const RUNS: &str = "runs";
const CHECKPOINT: &str = "checkpoint.safetensors";
const METRICS: &str = "metrics.jsonl";
const EXPERIMENT: &str = "experiment.toml";

/// The folder of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// A new folder: the one given, or the first free name in `runs`.
    ///
    /// # Errors
    /// If the folder given holds a run already, or cannot be written.
    pub fn create(given: Option<&Path>, experiment: &Experiment) -> Result<Self, Failure> {
        let folder = match given {
            Some(path) => {
                fs::create_dir_all(path).map_err(unwritable(path))?;
                Self {
                    path: path.to_owned(),
                }
            }
            None => Self {
                path: claim(Path::new(RUNS), &name(experiment))?,
            },
        };
        let kept = [
            folder.checkpoint(),
            folder.metrics(),
            folder.path.join(EXPERIMENT),
        ];
        if kept.iter().any(|file| file.exists()) {
            return Err(Failure::Occupied {
                folder: folder.path,
            });
        }
        Ok(folder)
    }

    /// The folder of the run that a checkpoint belongs to, if the file lies in one.
    pub fn of_checkpoint(checkpoint: &Path) -> Option<Self> {
        let path = match checkpoint.parent()? {
            parent if parent.as_os_str().is_empty() => Path::new("."),
            parent => parent,
        };
        let folder = Self {
            path: path.to_owned(),
        };
        let is_ours = checkpoint.file_name()? == CHECKPOINT && folder.metrics().exists();
        is_ours.then_some(folder)
    }

    /// Whether `path` leads to this folder.
    pub fn is_at(&self, path: &Path) -> bool {
        let [here, there] = [self.path.as_path(), path].map(fs::canonicalize);
        matches!((here, there), (Ok(here), Ok(there)) if here == there)
    }

    /// Writes down what is trained.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn describe(&self, experiment: &Experiment) -> Result<(), Failure> {
        let path = self.path.join(EXPERIMENT);
        let text = describe::text(experiment)?;
        write_atomically(&path, text.as_bytes()).map_err(|reason| Failure::Write {
            path,
            what: "configuration",
            reason,
            advice: WRITABLE.to_owned(),
        })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last checkpoint.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// What was measured.
    pub fn metrics(&self) -> PathBuf {
        self.path.join(METRICS)
    }
}

/// What to do about a folder that cannot be written.
const WRITABLE: &str = "name a folder that can be written with `--out`";

/// The checkpoint that is meant: a file, or the one in the folder of a run.
pub fn checkpoint_at(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(CHECKPOINT)
    } else {
        path.to_owned()
    }
}

fn name(experiment: &Experiment) -> String {
    let Experiment {
        seed, task, model, ..
    } = experiment;
    let architecture = match model {
        strata_models::ModelConfig::Seq2Seq(_) => "seq2seq",
        strata_models::ModelConfig::Transformer(_) => "transformer",
    };
    format!("{}-{architecture}-seed{seed}", task.description().name)
}

/// Makes the first of `name`, `name-2`, `name-3`, … that there is not yet.
fn claim(runs: &Path, name: &str) -> Result<PathBuf, Failure> {
    fs::create_dir_all(runs).map_err(unwritable(runs))?;
    let mut path = runs.join(name);
    for number in 2.. {
        match fs::create_dir(&path) {
            Ok(()) => break,
            Err(reason) if reason.kind() == io::ErrorKind::AlreadyExists => {
                path = runs.join(format!("{name}-{number}"));
            }
            Err(reason) => return Err(unwritable(&path)(reason)),
        }
    }
    Ok(path)
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |reason| Failure::Write {
        path,
        what: "folder",
        reason,
        advice: WRITABLE.to_owned(),
    }
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
    fn a_lone_checkpoint_lies_in_no_run() {
        let folder = std::env::temp_dir().join(format!("strata-lone-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let checkpoint = folder.join(CHECKPOINT);
        let before = RunFolder::of_checkpoint(&checkpoint);
        fs::write(folder.join(METRICS), "").unwrap();
        let found = RunFolder::of_checkpoint(&checkpoint).unwrap();
        let copy = RunFolder::of_checkpoint(&folder.join("copy.safetensors"));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((before, copy), (None, None));
        assert_eq!(found.checkpoint(), checkpoint);
    }
}
