//! Cost of a plan, told before it starts: two steps of each row are taken and timed.

use std::collections::BTreeSet;
use std::time::Instant;

use clap::Parser;
use pollster::block_on;
use strata_tasks::Uploads;
use strata_training::Trainer;

use super::ledger::Ledger;
use super::plan::{PlannedTable, Run};
use crate::args::{Arguments, Command};
use crate::columns;
use crate::error::Error;
use crate::experiment;
use crate::format::{counted, duration, grouped, typed};

/// Duration of the first step, in seconds, up to which a second one is timed: the first one also
/// prepares what later ones reuse.
const SHORT: f64 = 5.0;

/// Cost of the runs of one row.
pub struct RowCost {
    table: String,
    title: String,
    runs: usize,
    /// Number of runs with something left to do.
    left: usize,
    /// Training of one run; `None` if there is none.
    training: Option<TrainingCost>,
}

/// Cost of the training of a run.
struct TrainingCost {
    steps: u64,
    parameters: usize,
    /// Duration of a step.
    seconds: f64,
}

/// Measures the rows of a plan.
///
/// # Errors
/// If an experiment cannot be begun here.
pub fn measure(tables: &[PlannedTable<'_>]) -> Result<Vec<RowCost>, Error> {
    let mut costs = Vec::new();
    for PlannedTable { table, runs } in tables {
        let mut seen = BTreeSet::new();
        for run in runs {
            if !seen.insert(&run.row.name) {
                continue;
            }
            let of_row: Vec<&Run<'_>> = runs
                .iter()
                .filter(|it| it.row.name == run.row.name)
                .collect();
            let is_left = |run: &&&Run<'_>| Ledger::of(run).count() < run.invocations.len();
            let left = of_row.iter().filter(is_left).count();
            if left > 0 {
                let cost = RowCost {
                    table: table.name.clone(),
                    title: run.row.title.clone(),
                    runs: of_row.len(),
                    left,
                    training: None,
                };
                costs.push(RowCost {
                    training: of_run(run)?,
                    ..cost
                });
            }
        }
    }
    Ok(costs)
}

/// Steps, size and time of a run, whose last part asks for the most steps; `None` if it trains
/// nothing.
fn of_run(run: &Run<'_>) -> Result<Option<TrainingCost>, Error> {
    let trained = run
        .invocations
        .iter()
        .rev()
        .find(|it| it.evaluation.is_none());
    let Some(trained) = trained else {
        return Ok(None);
    };
    let words = &trained.words;
    let words_read = std::iter::once("strata").chain(words.iter().map(String::as_str));
    let Ok(Command::Train(arguments)) = Arguments::try_parse_from(words_read).map(|it| it.command)
    else {
        return Err(Error::Session(format!(
            "this trains nothing: {}",
            typed(words)
        )));
    };
    let (device, _) = arguments.device.open()?;
    let experiment = experiment::read(&arguments.experiment)?;
    let begun = Trainer::new(experiment, &Uploads::default(), &device);
    let mut trainer = begun.map_err(|error| Error::Session(error.to_string()))?;
    let mut timed = || {
        let begin = Instant::now();
        // Where a run diverges at its first step, its own report says so.
        drop(block_on(trainer.step()));
        begin.elapsed().as_secs_f64()
    };
    let first = timed();
    let seconds = if first < SHORT { timed() } else { first };
    Ok(Some(TrainingCost {
        steps: trainer.experiment().training.steps,
        parameters: trainer.parameters(),
        seconds,
    }))
}

/// The plan in words: a line for each row, and the sum.
pub fn told(costs: &[RowCost]) -> Vec<String> {
    let head = ["table", "row", "runs", "steps", "parameters", "training"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let of_run = |it: &TrainingCost| it.steps as f64 * it.seconds;
    for it in costs {
        let runs = match it.runs - it.left {
            0 => it.runs.to_string(),
            _ => format!("{} of {}", it.left, it.runs),
        };
        let mut row = vec![it.table.clone(), it.title.clone(), runs];
        row.extend(match &it.training {
            Some(training) => [
                grouped(training.steps),
                grouped(training.parameters as u64),
                format!("{} each", duration(of_run(training))),
            ],
            None => ["–", "–", "none"].map(str::to_owned),
        });
        rows.push(row);
    }
    let mut lines = columns::aligned(&rows, 2);
    let runs: usize = costs.iter().map(|it| it.left).sum();
    let trained = costs
        .iter()
        .filter_map(|it| Some((it.left, it.training.as_ref()?)));
    let seconds: f64 = trained.map(|(left, it)| left as f64 * of_run(it)).sum();
    lines.push(format!(
        "{}: about {} of training, going by a step of each row; evaluations come on top.",
        counted(runs as u64, "run"),
        duration(seconds)
    ));
    lines
}
