//! Estimates the cost of a plan before it starts: takes and times a few steps of each row.

use std::collections::BTreeSet;
use std::time::Instant;

use pollster::block_on;
use strata_text::Uploads;
use strata_training::Trainer;

use super::invocation::RunCommand;
use super::ledger::Ledger;
use super::planned::{PlannedTable, Run};
use crate::base::error::Error;
use crate::command::train::TrainArguments;
use crate::display::columns;
use crate::display::format::{counted, duration, grouped, typed};
use crate::model::experiment;

/// Duration of the first step, in seconds, up to which further steps are timed. The first step also
/// prepares what later ones reuse.
const SHORT: f64 = 5.0;
/// Time for further steps of a row, in seconds; `TIMED` is their largest number.
const TIMING: f64 = 1.5;
const TIMED: usize = 5;

/// Cost of the runs of one row.
pub struct RowCost {
    /// Name for `--only`: TABLE/ROW.
    name: String,
    title: String,
    runs: usize,
    /// Number of runs that are not finished.
    left: usize,
    /// Cost of training one run; `None` if nothing is trained.
    training: Option<TrainingCost>,
}

/// Cost of training a run.
struct TrainingCost {
    /// Number of steps, or the setting that decides this number.
    steps: String,
    /// Number of parameters, and seconds of all steps; `None` if the data are not here.
    measured: Option<(usize, f64)>,
}

/// Measures the rows of a plan.
///
/// # Errors
/// If an experiment cannot be begun here.
pub fn measure(tables: &[PlannedTable<'_>]) -> Result<Vec<RowCost>, Error> {
    costs(tables, of_run)
}

/// Returns the rows of a plan whose data are not here.
///
/// # Errors
/// If a command of the plan trains nothing.
pub fn without_data(tables: &[PlannedTable<'_>]) -> Result<Vec<RowCost>, Error> {
    costs(tables, |run| {
        let Some(arguments) = trained(run)? else {
            return Ok(None);
        };
        let training = experiment::read(&arguments.experiment)?.training;
        let steps = match training.epochs {
            0 => grouped(training.steps),
            epochs => counted(epochs, "epoch"),
        };
        Ok(Some(TrainingCost {
            steps,
            measured: None,
        }))
    })
}

fn costs(
    tables: &[PlannedTable<'_>],
    of_run: impl Fn(&Run<'_>) -> Result<Option<TrainingCost>, Error>,
) -> Result<Vec<RowCost>, Error> {
    let mut costs = Vec::new();
    for PlannedTable { table, runs } in tables {
        let mut seen = BTreeSet::new();
        for run in runs {
            // A row that shows figures of another row's run costs nothing besides.
            let is_again = |it: &Run<'_>| it.row.of.is_none() && it.folder == run.folder;
            let is_shared = run.row.of.is_some() && runs.iter().any(is_again);
            if is_shared || !seen.insert(&run.row.name) {
                continue;
            }
            let of_row: Vec<&Run<'_>> = runs
                .iter()
                .filter(|it| it.row.name == run.row.name)
                .collect();
            let left = of_row.iter().filter(|it| !Ledger::of(it).is_whole(it));
            let left = left.count();
            if left > 0 {
                costs.push(RowCost {
                    name: format!("{}/{}", table.name, run.row.name),
                    title: if run.chooses_rate() {
                        format!("{}, to choose its learning rate", run.row.title)
                    } else {
                        run.row.title.clone()
                    },
                    runs: of_row.len(),
                    left,
                    training: of_run(run)?,
                });
            }
        }
    }
    Ok(costs)
}

/// Returns the arguments of the last part of a run's training, which asks for the most steps;
/// `None` if the run trains nothing.
fn trained(run: &Run<'_>) -> Result<Option<TrainArguments>, Error> {
    let commands = run.invocations.iter().rev();
    let Some(trained) = commands.clone().find(|it| it.evaluation.is_none()) else {
        return Ok(None);
    };
    match trained.parsed() {
        Ok(RunCommand::Train(arguments)) => Ok(Some(arguments)),
        _ => Err(Error::Session(format!(
            "this trains nothing: {}",
            typed(&trained.words)
        ))),
    }
}

/// Returns steps, size and time of a run; `None` for a run that trains nothing.
fn of_run(run: &Run<'_>) -> Result<Option<TrainingCost>, Error> {
    let Some(arguments) = trained(run)? else {
        return Ok(None);
    };
    let (device, _) = arguments.device.open()?;
    let experiment = experiment::read(&arguments.experiment)?;
    let begun = Trainer::new(experiment, &Uploads::default(), &device);
    let mut trainer = begun.map_err(|error| Error::Session(error.to_string()))?;
    let mut timed = || {
        let begin = Instant::now();
        // If a run diverges at its first step, its own report will say so.
        drop(block_on(trainer.step()));
        begin.elapsed().as_secs_f64()
    };
    let first = timed();
    let mut further = Vec::new();
    if first < SHORT {
        while further.len() < TIMED && further.iter().sum::<f64>() < TIMING {
            further.push(timed());
        }
    }
    further.sort_by(f64::total_cmp);
    let seconds = further.get(further.len() / 2).copied().unwrap_or(first);
    let steps = trainer.experiment().training.steps;
    Ok(Some(TrainingCost {
        steps: grouped(steps),
        measured: Some((trainer.parameters(), steps as f64 * seconds)),
    }))
}

/// Writes the plan: a line for each row, and the sum.
pub fn table(costs: &[RowCost]) -> Vec<String> {
    let head = ["--only", "row", "runs", "steps", "parameters", "training"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for it in costs {
        let runs = match it.runs - it.left {
            0 => it.runs.to_string(),
            _ => format!("{} of {}", it.left, it.runs),
        };
        let mut row = vec![it.name.clone(), it.title.clone(), runs];
        row.extend(match &it.training {
            Some(training) => {
                let steps = training.steps.clone();
                match training.measured {
                    Some((parameters, seconds)) => [
                        steps,
                        grouped(parameters as u64),
                        format!("{} each", duration(seconds)),
                    ],
                    None => [steps, "–".to_owned(), "not known".to_owned()],
                }
            }
            None => ["–", "–", "none"].map(str::to_owned),
        });
        rows.push(row);
    }
    let mut lines = columns::aligned(&rows, 2);
    let runs: usize = costs.iter().map(|it| it.left).sum();
    let measured = costs.iter().filter_map(|it| {
        let (_, seconds) = it.training.as_ref()?.measured?;
        Some(it.left as f64 * seconds)
    });
    let known: Vec<f64> = measured.collect();
    let seconds: f64 = known.iter().sum();
    let runs = counted(runs as u64, "run");
    lines.push(if known.is_empty() {
        format!("{runs}; nothing of them was timed.")
    } else {
        format!(
            "{runs}: about {} of training, going by a few steps of each row. Evaluations come on \
             top; where few steps are trained and many sentences decoded, they are most of it.",
            duration(seconds)
        )
    });
    lines
}
