//! Cost of a plan, told before it starts: two steps of each row are taken and timed.

use std::collections::BTreeSet;
use std::time::Instant;

use clap::Parser;
use pollster::block_on;
use strata_tasks::Uploads;
use strata_training::Trainer;

use super::execution::typed;
use super::ledger::Ledger;
use super::plan::{PlannedTable, Run};
use crate::args::{Arguments, Command};
use crate::columns;
use crate::error::Error;
use crate::experiment;
use crate::format::{counted, duration, grouped};

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
    /// Training steps of one run.
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
                costs.push(RowCost {
                    table: table.name.clone(),
                    title: run.row.title.clone(),
                    runs: of_row.len(),
                    left,
                    ..of_run(run)?
                });
            }
        }
    }
    Ok(costs)
}

/// Steps, size and time of a run, whose last part asks for the most steps.
fn of_run(run: &Run<'_>) -> Result<RowCost, Error> {
    let trained = run
        .invocations
        .iter()
        .rev()
        .find(|it| it.evaluation.is_none());
    let words = &trained.expect("every run is trained").words;
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
    Ok(RowCost {
        table: String::new(),
        title: String::new(),
        runs: 0,
        left: 0,
        steps: trainer.experiment().training.steps,
        parameters: trainer.parameters(),
        seconds,
    })
}

/// The plan in words: a line for each row, and the sum.
pub fn told(costs: &[RowCost]) -> Vec<String> {
    let head = ["table", "row", "runs", "steps", "parameters", "training"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let of_run = |it: &RowCost| it.steps as f64 * it.seconds;
    for it in costs {
        let runs = match it.runs - it.left {
            0 => it.runs.to_string(),
            _ => format!("{} of {}", it.left, it.runs),
        };
        rows.push(vec![
            it.table.clone(),
            it.title.clone(),
            runs,
            grouped(it.steps),
            grouped(it.parameters as u64),
            format!("{} each", duration(of_run(it))),
        ]);
    }
    let mut lines = columns::aligned(&rows, 2);
    let runs: usize = costs.iter().map(|it| it.left).sum();
    let seconds: f64 = costs.iter().map(|it| it.left as f64 * of_run(it)).sum();
    lines.push(format!(
        "{}: about {} of training, going by a step of each row; evaluations come on top.",
        counted(runs as u64, "run"),
        duration(seconds)
    ));
    lines
}
