//! `strata compare`: runs side by side, with the settings in which they differ and their results.

mod group;
mod page;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use strata_settings::diff;
use strata_settings::value;
use strata_tasks::{ReadingSplit, TaskConfig};
use strata_training::Experiment;

use crate::base::error::Error;
use crate::base::output::print;
use crate::base::output_file;
use crate::display::format::{counted, path as shown};
use crate::model::experiment;
use crate::run::outcome::Outcome;
use crate::run::run_folder::RunFolder;
use group::{Group, Run};

#[derive(Args, Debug)]
pub struct CompareArguments {
    /// Folders of runs, or folders that contain runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Print one line of JSON for each group of runs that differ in their seed alone.
    #[arg(long)]
    json: bool,
    /// Write a page with table and curves, one file that needs nothing from elsewhere.
    #[arg(long, value_name = "FILE.html", conflicts_with = "json")]
    pub html: Option<PathBuf>,
}

/// Prints a line for each group of runs that differ only in their seeds.
pub fn run(arguments: &CompareArguments) -> Result<ExitCode, Error> {
    if let Some(path) = &arguments.html {
        output_file::check(path, "page", "--html")?;
    }
    let mut runs = Vec::new();
    for folder in folders(&arguments.runs)? {
        let experiment = experiment::of_file(&folder.experiment())?;
        runs.push(Run {
            outcome: Outcome::read(&folder.metrics(), experiment.training.steps)?,
            folder: folder.path().to_owned(),
            experiment,
        });
    }
    let groups = grouped(runs);
    if arguments.json {
        groups
            .iter()
            .for_each(|group| print(&group.json().to_string()));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.html {
        output_file::write(path, page::text(&groups).as_bytes())
            .map_err(output_file::unwritable(path, "page", "--html"))?;
        output_file::tell(path, &format!("The page is {}.", shown(path)));
        return Ok(ExitCode::SUCCESS);
    }
    let count = groups.iter().map(|it| it.runs.len()).sum::<usize>() as u64;
    print(&format!(
        "{}; ± is the deviation over seeds.\n",
        counted(count, "run")
    ));
    table::lines(&groups).iter().for_each(|line| print(line));
    let all = groups.iter().flat_map(|it| &it.runs);
    let parts: BTreeSet<String> = all.filter_map(|it| held_out_part(&it.experiment)).collect();
    if parts.len() > 1 {
        print(
            "These runs hold out other sentences, so that their figures differ by these, too; one \
             `task.split`, not 0, and one `task.held_out` make them the same.",
        );
    }
    for run in groups
        .iter()
        .flat_map(|it| &it.runs)
        .filter(|it| !it.outcome.is_done())
    {
        print(&format!(
            "{}: {}",
            shown(&run.folder),
            run.outcome.unfinished()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns all settings that decide which examples of its files a run holds out; `None` for tasks
/// without files.
fn held_out_part(experiment: &Experiment) -> Option<String> {
    let seed = |split| (split == 0).then_some(experiment.seed);
    Some(match &experiment.task {
        TaskConfig::Files(task) => match &task.validation_source {
            Some(source) => format!("{source:?} {:?}", task.validation_target),
            None => format!(
                "{:?} {:?} {} {} {:?}",
                task.source,
                task.target,
                task.held_out,
                task.split,
                seed(task.split)
            ),
        },
        TaskConfig::Reading(task) => match &task.validation_source {
            Some(source) => format!("{source:?}"),
            None => format!(
                "{:?} {:?} {} {} {:?}",
                task.source,
                task.split,
                task.held_out,
                task.split_number,
                seed(task.split_number).filter(|_| task.split == ReadingSplit::Question)
            ),
        },
        _ => return None,
    })
}

/// Returns the folders of the runs to compare: each given folder is a run, or contains runs.
fn folders(given: &[PathBuf]) -> Result<Vec<RunFolder>, Error> {
    let mut found: Vec<RunFolder> = Vec::new();
    for path in given {
        let mut here = match run_at(path) {
            Some(run) => vec![run],
            None => inside(path)?,
        };
        if here.is_empty() {
            return Err(no_run(path));
        }
        here.retain(|run| !found.contains(run));
        found.extend(here);
    }
    Ok(found)
}

fn run_at(path: &Path) -> Option<RunFolder> {
    RunFolder::at(path).filter(|run| run.experiment().exists())
}

fn no_run(path: &Path) -> Error {
    Error::Session(format!(
        "{}: there is no run to compare; name the folder of a run, or one that contains runs",
        shown(path)
    ))
}

fn inside(path: &Path) -> Result<Vec<RunFolder>, Error> {
    if path.is_file() {
        return Err(no_run(path));
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(path).map_err(Error::reading(path))? {
        inside.push(entry.map_err(Error::reading(path))?.path());
    }
    inside.sort();
    Ok(inside.iter().filter_map(|it| run_at(it)).collect())
}

/// Groups runs that differ only in their seeds, in the order in which they were named.
fn grouped(runs: Vec<Run>) -> Vec<Group> {
    let without_seed = |experiment: &Experiment| Experiment {
        seed: 0,
        ..experiment.clone()
    };
    let mut groups: Vec<(Experiment, Vec<Run>)> = Vec::new();
    for run in runs {
        let experiment = without_seed(&run.experiment);
        match groups.iter_mut().find(|(it, _)| *it == experiment) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((experiment, vec![run])),
        }
    }
    let keys = differing(groups.iter().map(|(experiment, _)| experiment));
    let settings = |experiment: &Experiment| {
        let table = diff::table(experiment);
        let value = |key: &String| match diff::get(&table, key) {
            Some(found) => value::write(found),
            None => "–".to_owned(),
        };
        keys.iter().map(|key| (key.clone(), value(key))).collect()
    };
    let group = |(experiment, runs)| Group {
        settings: settings(&experiment),
        runs,
    };
    groups.into_iter().map(group).collect()
}

/// Returns the dotted keys of the settings in which these experiments differ.
fn differing<'a>(experiments: impl Iterator<Item = &'a Experiment> + Clone) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for (at, one) in experiments.clone().enumerate() {
        for other in experiments.clone().skip(at + 1) {
            for setting in diff::differences(one, other) {
                let key = setting.dotted();
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
    }
    keys
}
