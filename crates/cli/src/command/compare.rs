//! `strata compare`: runs side by side, with the settings in which they differ and their results.

mod attention;
mod group;
mod held_out;
mod page;
mod remarks;
mod table;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value as Json;
use strata_settings::diff;
use strata_settings::value;
use strata_training::Experiment;

use crate::base::error::Error;
use crate::base::output::print;
use crate::base::output_file;
use crate::display::format::{counted, path as shown};
use crate::model::experiment;
use crate::run::origin::Origin;
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
    /// Also compare the attention weights: entropy, peak, weight on the diagonal and on the token
    /// before, agreement with a permutation, effective depth, and the steps at which one jumps.
    #[arg(long)]
    attention: bool,
}

/// Prints a line for each group of runs that differ only in their seeds.
pub fn run(arguments: &CompareArguments) -> Result<ExitCode, Error> {
    if let Some(path) = &arguments.html {
        output_file::check(path, "page", "--html")?;
    }
    let mut runs = Vec::new();
    for folder in folders(&arguments.runs)? {
        let experiment = experiment::of_file(&folder.experiment())?;
        let origin = Origin::read(&folder);
        let began_from = origin.as_ref().and_then(Origin::began_from);
        runs.push(Run {
            began_from: began_from.map(str::to_owned),
            data: origin.map(|it| it.data().clone()).unwrap_or_default(),
            outcome: Outcome::read(&folder.metrics(), experiment.training.steps)?,
            folder: folder.path().to_owned(),
            experiment,
        });
    }
    let groups = grouped(runs);
    if arguments.json {
        groups
            .iter()
            .for_each(|group| print(&json(group, arguments.attention).to_string()));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.html {
        output_file::write(path, page::text(&groups, arguments.attention).as_bytes())
            .map_err(output_file::unwritable(path, "page", "--html"))?;
        output_file::tell(path, &format!("The page is {}.", shown(path)));
        return Ok(ExitCode::SUCCESS);
    }
    let count = groups.iter().map(|it| it.all().count()).sum::<usize>() as u64;
    print(&format!(
        "{}{}\n",
        counted(count, "run"),
        table::legend(&groups)
    ));
    table::lines(&groups).iter().for_each(|line| print(line));
    remarks::of(&groups).iter().for_each(|line| print(line));
    if arguments.attention {
        print("");
        attention::lines(&groups)
            .iter()
            .for_each(|line| print(line));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a group as an object, with the statistics of its attention weights if these are asked for.
fn json(group: &Group, with_attention: bool) -> Json {
    let mut line = group.json();
    if with_attention {
        line["attention"] = attention::json(group);
    }
    line
}

/// Returns the folders of the runs to compare: each given folder is a run, or contains runs.
fn folders(paths: &[PathBuf]) -> Result<Vec<RunFolder>, Error> {
    let mut found: Vec<RunFolder> = Vec::new();
    let mut known: HashSet<PathBuf> = HashSet::new();
    for path in paths {
        let mut here = match run_at(path) {
            Some(run) => vec![run],
            None => inside(path)?,
        };
        if here.is_empty() {
            return Err(no_run(path));
        }
        // One folder may have several names.
        here.retain(|run| {
            let place = fs::canonicalize(run.path());
            known.insert(place.unwrap_or_else(|_| run.path().to_owned()))
        });
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
    let mut groups: Vec<(Experiment, Group)> = Vec::new();
    for run in runs {
        let experiment = without_seed(&run.experiment);
        match groups
            .iter_mut()
            .find(|(it, group)| *it == experiment && group.takes(&run))
        {
            Some((_, group)) => group.add(run),
            None => groups.push((experiment, Group::of(run))),
        }
    }
    let keys = differing(groups.iter().map(|(experiment, _)| experiment));
    let changed = changed_files(&groups);
    let beginnings: BTreeSet<String> = groups
        .iter()
        .filter_map(|(_, group)| group.beginning())
        .collect();
    let settings = |experiment: &Experiment, group: &Group| {
        let table = diff::table(experiment);
        let value = |key: &String| match diff::get(&table, key) {
            Some(found) => value::write(found),
            None => "–".to_owned(),
        };
        let mut settings: Vec<(String, String)> =
            keys.iter().map(|key| (key.clone(), value(key))).collect();
        let contents = |key: &String| (format!("contents of {key}"), group.contents(key));
        settings.extend(changed.iter().map(contents));
        if beginnings.len() > 1 {
            let model = group.beginning().unwrap_or_else(|| "–".to_owned());
            settings.push(("--from".to_owned(), model));
        }
        settings
    };
    let named = |(experiment, group): (Experiment, Group)| Group {
        settings: settings(&experiment, &group),
        ..group
    };
    groups.into_iter().map(named).collect()
}

/// Returns the settings whose file has the same path in two groups, and other contents.
fn changed_files(groups: &[(Experiment, Group)]) -> Vec<String> {
    let tables: Vec<_> = groups.iter().map(|(it, _)| diff::table(it)).collect();
    let keys: BTreeSet<&String> = groups
        .iter()
        .flat_map(|(_, group)| &group.runs)
        .flat_map(|run| run.data.keys())
        .collect();
    let is_changed = |key: &str| {
        let mut digests: HashMap<String, &str> = HashMap::new();
        groups.iter().zip(&tables).any(|((_, group), table)| {
            let (Some(path), Some(digest)) = (diff::get(table, key), group.digest(key)) else {
                return false;
            };
            *digests.entry(path.to_string()).or_insert(digest) != digest
        })
    };
    let changed = keys.into_iter().filter(|key| is_changed(key));
    changed.cloned().collect()
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
