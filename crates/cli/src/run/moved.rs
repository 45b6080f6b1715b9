//! Finds data that have moved since a run was started, or asks the user for their path.

use std::env;
use std::path::{Path, PathBuf};

use strata_tasks::TaskConfig;
use strata_text::expanded;
use strata_training::{Checkpoint, Experiment};

use crate::base::error::Error;
use crate::display::format::path as shown;
use crate::model::experiment::{ExperimentArguments, asked_for};
use crate::pipeline;
use crate::run::lock;
use crate::run::run_folder::RunFolder;

/// Finds the files of a task that are not where their settings say, except paths in `typed`, which
/// the user has just given. A path is looked for relative to the current folder, to the folder in
/// which the run was started, and to the folders around the run's own. Returns the folder in which
/// a file was found, if one was not at its path.
///
/// # Errors
/// If a file is in none of these folders; `advice` tells the user what to do then.
pub fn find(
    task: &mut TaskConfig,
    typed: &[String],
    run: Option<&RunFolder>,
    advice: &str,
) -> Result<Option<PathBuf>, Error> {
    // A setting may list several files.
    if task.paths().iter().all(|path| expanded(path).exists()) {
        return Ok(None);
    }
    let started = run.and_then(|run| lock::record(run.path())?.folder);
    let folders = places(started.as_deref(), run);
    let not_needed = pipeline::of(task.pipeline()).files_not_needed();
    let mut needed = None;
    for (name, path) in task.path_settings() {
        let key = format!("task.{name}");
        let is_typed = |it: &String| it.split('=').next().is_some_and(|it| it.trim() == key);
        if expanded(path).exists() || path.as_os_str().is_empty() || typed.iter().any(is_typed) {
            continue;
        }
        // Absolute paths inside the folder of the start move together with that folder.
        let within = match &started {
            Some(started) if path.is_absolute() => path.strip_prefix(started).ok(),
            _ => Some(path.as_path()).filter(|path| path.is_relative()),
        };
        let within = within.map(Path::to_owned);
        let found = within.and_then(|within| {
            let mut candidates = folders.iter();
            candidates.find_map(|folder| {
                let place = folder.join(&within);
                place.exists().then_some((folder, place))
            })
        });
        match found {
            Some((folder, place)) => {
                *path = place;
                needed = Some(folder.clone());
            }
            None if not_needed.contains(&name) => {}
            None => {
                return Err(Error::NotThere {
                    key,
                    path: path.clone(),
                    places: where_it_was_sought(path, started.as_deref()),
                    advice: advice.to_owned(),
                });
            }
        }
    }
    Ok(needed)
}

/// Returns the checkpoint with the present paths of its data, given in `overrides` or found.
///
/// # Errors
/// If data are not found, or `overrides` contains settings other than paths.
pub fn found(
    file: &Path,
    bytes: Vec<u8>,
    overrides: &[String],
    advice: &str,
) -> Result<Vec<u8>, Error> {
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(file))?;
    let stored = checkpoint.experiment();
    let mut asked = asked_for(stored, &typed(overrides))?;
    let mut only_paths = stored.clone();
    only_paths.task.take_paths_of(&asked.task);
    if only_paths != asked {
        return Err(Error::OnlyPaths);
    }
    let run = RunFolder::around(file);
    find(&mut asked.task, overrides, run.as_ref(), advice)?;
    if asked == *stored {
        return Ok(bytes);
    }
    Ok(checkpoint.going_on_as(&asked))
}

/// Returns arguments that contain only `overrides`.
fn typed(overrides: &[String]) -> ExperimentArguments {
    ExperimentArguments {
        overrides: overrides.to_vec(),
        ..ExperimentArguments::default()
    }
}

/// Returns the folders to which the paths of a run may be relative, besides the current one.
fn places(started: Option<&Path>, run: Option<&RunFolder>) -> Vec<PathBuf> {
    let own = run.and_then(|run| run.path().canonicalize().ok());
    let around = own.iter().flat_map(|own| own.ancestors());
    started
        .into_iter()
        .chain(around)
        .map(Path::to_owned)
        .collect()
}

fn where_it_was_sought(path: &Path, started: Option<&Path>) -> String {
    if path.is_absolute() {
        return "is not there any more".to_owned();
    }
    let here = env::current_dir().unwrap_or_default();
    match started.filter(|&started| *started != here) {
        Some(started) => format!(
            "is neither in {}, the current folder, nor in {}, where the run was started",
            shown(&here),
            shown(started)
        ),
        None => format!("is not in {}, the current folder", shown(&here)),
    }
}

/// True if a path of the task is relative.
pub fn has_relative_paths(experiment: &Experiment) -> bool {
    experiment.task.paths().iter().any(|it| it.is_relative())
}
