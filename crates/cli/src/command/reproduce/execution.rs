//! Executes the commands of unfinished runs inside this process, so that nothing goes on when it is
//! killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use strata_training::{Checkpoint, Experiment};

use super::invocation::{Invocation, RunCommand};
use super::ledger::Ledger;
use super::planned::{PlannedTable, Run};
use super::reproduction::{Row, Table};
use crate::base::error::Error;
use crate::base::interrupt::{self, Stage};
use crate::base::output::{print, warn};
use crate::command::eval;
use crate::command::smt;
use crate::command::train::{self, TrainArguments};
use crate::display::format::typed;
use crate::model::experiment;
use crate::run::origin;
use crate::run::outcome::FIRST_STEPS;
use crate::run::run_folder::{RunFolder, read_last};

/// How the runs ended.
pub struct Ended {
    /// Folders of the runs that failed, each with the reason.
    pub failures: Vec<(PathBuf, String)>,
    /// True if the user interrupted the runs.
    pub interrupted: bool,
    /// Results of evaluations after the first steps, which no ledger holds, by the folder of the run
    /// and the name of the evaluation.
    pub after_first_steps: BTreeMap<(PathBuf, String), Json>,
}

/// Part of a run that is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All commands that are not finished.
    Whole,
    /// The first [`FIRST_STEPS`] steps of the training, anew; all commands of a row without training.
    FirstSteps,
}

/// Executes a part of all runs. A run that fails does not keep the others from running.
pub fn run(tables: &[PlannedTable<'_>], part: Part) -> Ended {
    let mut ended = Ended {
        failures: Vec::new(),
        interrupted: false,
        after_first_steps: BTreeMap::new(),
    };
    let runs = || tables.iter().flat_map(|it| &it.runs);
    let mut seen = BTreeSet::new();
    let all = runs().filter(|it| seen.insert(&it.folder)).count();
    let mut number = 0;
    for PlannedTable { table, runs } in tables {
        for run in runs {
            // A row may show the figures of another row's run, which is executed once.
            if !seen.remove(&run.folder) {
                continue;
            }
            number += 1;
            let name = format!("{number} of {all}: {}, {}", table.name, run.title());
            let executed = match part {
                Part::FirstSteps if run.trains() => {
                    print(&name);
                    begin(table, run, &mut ended.after_first_steps)
                }
                Part::FirstSteps | Part::Whole => execute(run, &name),
            };
            match executed {
                Ok(true) => {}
                Ok(false) => {
                    ended.interrupted = true;
                    return ended;
                }
                Err(error) => {
                    warn(&format!("{name} has failed: {error}"));
                    ended.failures.push((run.folder.clone(), error.to_string()));
                }
            }
        }
    }
    ended
}

/// Executes the missing commands of a run; returns false if the user interrupted the run.
fn execute(run: &Run<'_>, name: &str) -> Result<bool, Error> {
    let mut ledger = Ledger::of(run);
    check_folder(run)?;
    if ledger.count() < run.invocations.len() {
        print(name);
        // A run that trains creates its folder itself; for others it is created here.
        fs::create_dir_all(&run.folder).map_err(Error::unwritable(&run.folder))?;
    }
    for invocation in run.invocations.iter().skip(ledger.count()) {
        interrupt::enter(Stage::AtOnce(
            "Ended between two steps: the same command goes on from here.".to_owned(),
        ));
        let measured = one(invocation)?;
        if interrupt::stop_requested() {
            return Ok(false);
        }
        ledger.note(&invocation.words, measured)?;
    }
    Ok(true)
}

/// Begins a run anew, and ends it after its first steps; returns false if the user interrupted the
/// run. If count models of the table are measured beside this run, it is evaluated too: their figures
/// do not depend on what a model has learned, but on the task, which a curriculum may change later.
fn begin(
    table: &Table,
    run: &Run<'_>,
    measured: &mut BTreeMap<(PathBuf, String), Json>,
) -> Result<bool, Error> {
    // Steps that are there may be of another program.
    if run.folder.exists() {
        fs::remove_dir_all(&run.folder).map_err(Error::unwritable(&run.folder))?;
    }
    if let Some(Ok(RunCommand::Train(training))) = run.invocations.first().map(Invocation::parsed) {
        train::run(&TrainArguments {
            is_part: true,
            quiet: !io::stdout().is_terminal(),
            cut_after: Some(FIRST_STEPS),
            ..training
        })?;
    }
    let is_beside = |row: &Row| row.floor && table.run_of(row).name == table.run_of(run.row).name;
    if !table.rows.iter().any(is_beside) {
        return Ok(!interrupt::stop_requested());
    }
    if !has_last_task(&run.folder)? {
        print(&format!(
            "count models beside {}: not compared, because the curriculum changes the task after step \
             {FIRST_STEPS}; leave out `--first-steps` to compare them",
            run.row.name
        ));
        return Ok(!interrupt::stop_requested());
    }
    for invocation in &run.invocations {
        if interrupt::stop_requested() {
            return Ok(false);
        }
        if let Some(evaluation) = &invocation.evaluation
            && let Some(json) = one(invocation)?
        {
            measured.insert((run.folder.clone(), evaluation.clone()), json);
        }
    }
    Ok(!interrupt::stop_requested())
}

/// True if the task of the first steps of the run in a folder is that of the last step.
fn has_last_task(folder: &Path) -> Result<bool, Error> {
    let Some(folder) = RunFolder::at(folder) else {
        return Ok(true);
    };
    keeps_task(&experiment::of_file(&folder.experiment())?)
}

/// True if no stage of an experiment's curriculum changes the task after the first steps.
fn keeps_task(experiment: &Experiment) -> Result<bool, Error> {
    let last = experiment.training.steps;
    let task = |step| experiment.at_step(step).map(|it| it.task);
    Ok(task(FIRST_STEPS.min(last))? == task(last)?)
}

/// Refuses a folder that contains another run than this one, at any of its parts.
fn check_folder(run: &Run<'_>) -> Result<(), Error> {
    let mut parts = Vec::new();
    for invocation in run.invocations.iter().filter(|it| it.evaluation.is_none()) {
        if let Ok(RunCommand::Train(arguments)) = invocation.parsed() {
            parts.push(experiment::read(&arguments.experiment)?);
        }
    }
    let Some(folder) = RunFolder::at(&run.folder).filter(|_| !parts.is_empty()) else {
        return Ok(());
    };
    let Some((file, bytes)) = read_last(&folder)? else {
        return Ok(());
    };
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&file))?;
    let there = checkpoint.experiment();
    let differences = parts.iter().map(|it| origin::of_settings(there, it, false));
    let fewest = differences.min_by_key(Vec::len).unwrap_or_default();
    origin::refuse(&run.folder, fewest)
}

/// Executes a command; returns the results of an evaluation, and `None` for a training.
fn one(invocation: &Invocation) -> Result<Option<Json>, Error> {
    match invocation.parsed() {
        Ok(RunCommand::Train(mut arguments)) => {
            arguments.is_part = true;
            arguments.quiet = !io::stdout().is_terminal();
            train::run(&arguments)?;
            Ok(None)
        }
        Ok(RunCommand::Eval(arguments)) => {
            interrupt::listen();
            let measured = eval::measure(&arguments)?.into_iter().next();
            Ok(measured.map(|it| it.json))
        }
        Ok(RunCommand::Smt(arguments)) => {
            interrupt::listen();
            Ok(Some(smt::measure(&arguments)?.json))
        }
        Err(_) => Err(Error::Session(format!(
            "a part of this experiment is no command of this program: {}",
            typed(&invocation.words)
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::experiment::ExperimentArguments;

    #[test]
    fn a_curriculum_that_changes_the_task_after_the_first_steps_is_known() {
        for (steps, curriculum, keeps) in [
            (40, "", true),
            (40, "0: task.hops=2; 30: task.hops=4", false),
            (40, "0: task.hops=2; 10: task.hops=4", true),
            (8, "0: task.hops=2; 10: task.hops=4", true),
            (
                40,
                "0: model.encoder_self.levels=1; 30: model.encoder_self.levels=3",
                true,
            ),
        ] {
            let overrides = [
                "task.kind=hops".to_owned(),
                "model.architecture=tagger".to_owned(),
                "model.encoder_self.kind=multilevel".to_owned(),
                format!("training.steps={steps}"),
                format!("training.curriculum={curriculum}"),
            ];
            let arguments = ExperimentArguments {
                overrides: overrides.into(),
                ..ExperimentArguments::default()
            };
            let experiment = experiment::read(&arguments).unwrap();
            assert_eq!(keeps_task(&experiment).unwrap(), keeps, "{curriculum}");
        }
    }
}
