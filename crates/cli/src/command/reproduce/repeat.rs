//! `--repeat`: runs rows of a kept report again, and says whether they give the same figures.
//!
//! The sources of a program may change without any figure. A repetition to the last digit shows it,
//! and is noted in the report: of the whole run of one seed, or of its first steps alone, whose losses
//! tell nearly as much in seconds.

use std::path::{Path, PathBuf};

use strata_training::write_atomically;

use super::execution::Part;
use super::plan;
use super::planned::PlanOptions;
use super::provenance::today;
use super::reproduction::{Reproduction, Table};
use super::results::{Repetition, Results, RowResults, RunResults, TableResults};
use super::{data, document, execution, gather};
use crate::base::error::Error;
use crate::base::output::print;
use crate::base::program::Program;
use crate::command::data::SourceArguments;
use crate::display::format::path as shown;

/// Seed of the runs that are repeated.
const SEED: u64 = 1;

/// Runs a part of the first seed of the tables and rows that `options` names, and compares the figures
/// with the reports in a folder of results. Rows with the same figures are marked there. Returns false
/// if the user interrupted the runs, or does not agree to the terms of the data.
///
/// # Errors
/// If the folder has no figures of a row, a run fails, figures differ, or the report cannot be
/// written.
pub fn run(
    experiment: &Reproduction,
    options: PlanOptions,
    part: Part,
    results: &Path,
    source: &SourceArguments,
) -> Result<bool, Error> {
    let scale = options.scale.clone();
    let reports = reports(results, &experiment.name, &scale)?;
    let only = options.only.iter().map(|name| {
        let rows = rows_of(name, &reports);
        rows.ok_or_else(|| unknown_name(name, &reports, results))
    });
    let only: Vec<String> = only.collect::<Result<Vec<_>, _>>()?.concat();
    let out = match part {
        Part::Whole => options.out,
        Part::FirstSteps => options.out.join("first-steps"),
    };
    let rates = reports.iter().flat_map(|(_, report)| rows(report));
    let rates = rates.filter_map(|(table, row)| {
        let name = format!("{}/{}", table.name, row.name);
        Some((name, row.rates.clone()?))
    });
    let options = PlanOptions {
        rates: rates.collect(),
        seeds: Some(SEED),
        only,
        out,
        ..options
    };
    let tables = plan::plan(experiment, &options)?;
    if !data::prepare(&tables, &options, source)? {
        return Ok(false);
    }
    let ended = execution::run(&tables, part);
    if ended.interrupted {
        return Ok(false);
    }
    if let Some((_, reason)) = ended.failures.first() {
        return Err(Error::Session(reason.clone()));
    }
    let again = gather::results(experiment, &tables, &options, &ended, String::new())?;
    let mut others = Vec::new();
    // Read anew: another process may have repeated other rows meanwhile.
    for (file, mut report) in self::reports(results, &experiment.name, &scale)? {
        let mut is_changed = false;
        for (table, now) in rows(&again) {
            // Not measured, since its task comes later: the execution has told so.
            if part == Part::FirstSteps && now.floor && first(now).is_none() {
                continue;
            }
            let name = format!("{}/{}", table.name, now.name);
            let described = experiment.tables.iter().find(|it| it.name == table.name);
            // Count models come with the row beside which they are measured.
            let before = row(&mut report, &name).filter(|it| first(it).is_some());
            if let (Some(described), Some(before)) = (described, before) {
                others.extend(compare(&name, described, part, before, now));
                is_changed = true;
            }
        }
        if is_changed {
            let json =
                serde_json::to_string_pretty(&report).expect("results are plain data") + "\n";
            write_atomically(&file, json.as_bytes()).map_err(Error::unwritable(&file))?;
        }
    }
    if others.is_empty() {
        return Ok(true);
    }
    Err(Error::Session(format!(
        "these figures are not those of {}: {}",
        shown(results),
        others.join("; ")
    )))
}

/// Marks a row that has the same figures `now`; returns a sentence if the figures differ.
fn compare(
    name: &str,
    table: &Table,
    part: Part,
    before: &mut RowResults,
    now: &RowResults,
) -> Option<String> {
    let losses = |row: &RowResults| {
        let run = row.runs.iter().find(|it| it.seed == SEED);
        run.map(|it| it.first_losses.clone()).unwrap_or_default()
    };
    let steps = match part {
        // A row without training has figures alone.
        Part::FirstSteps => Some(losses(now)).filter(|it| !it.is_empty()),
        Part::Whole => None,
    };
    let differences = match (&steps, first(before), first(now)) {
        (Some(now), ..) => differing_step(&losses(before), now),
        (None, Some(before), Some(now)) => differences(table, before, now),
        _ => vec!["no figures".to_owned()],
    };
    if !differences.is_empty() {
        before.repeated = None;
        return Some(format!("{name}, seed {SEED}: {}", differences.join(", ")));
    }
    let run = before.runs.iter_mut().find(|it| it.seed == SEED);
    if let Some(run) = run.filter(|it| it.first_losses.is_empty()) {
        run.first_losses = losses(now);
    }
    let steps = steps.map(|it| it.len() as u64);
    let what = match steps {
        Some(steps) => format!("the same losses in the first {steps} steps"),
        None => "the same figures".to_owned(),
    };
    print(&format!("{name}, seed {SEED}: {what}, to the last digit"));
    before.repeated = Some(Repetition {
        seed: SEED,
        steps,
        program: Program::present(),
        date: today(),
    });
    None
}

/// Describes the first step in which the training losses of two runs differ.
fn differing_step(before: &[f64], now: &[f64]) -> Vec<String> {
    if before.is_empty() {
        let sentence = "the report has no losses of single steps; leave out `--first-steps` to repeat \
                        the whole run";
        return vec![sentence.to_owned()];
    }
    let said = |loss: Option<&f64>| loss.map_or_else(|| "none".to_owned(), f64::to_string);
    let steps = 0..before.len().max(now.len());
    let differing = steps.map(|at| (at + 1, before.get(at), now.get(at)));
    let first = differing.into_iter().find(|(_, before, now)| before != now);
    let told = first.map(|(step, before, now)| {
        format!(
            "the training loss of step {step} was {} and is {}",
            said(before),
            said(now)
        )
    });
    told.into_iter().collect()
}

/// A report, and the file that holds the report.
type ReportFile = (PathBuf, Results);

/// Returns the reports of an experiment at a scale in a folder of results.
fn reports(folder: &Path, experiment: &str, scale: &str) -> Result<Vec<ReportFile>, Error> {
    let mut found = Vec::new();
    for file in document::files(folder)? {
        let report = document::report(&file)?;
        if report.experiment == experiment && report.scale == scale {
            found.push((file, report));
        }
    }
    if found.is_empty() {
        return Err(Error::Session(format!(
            "{}: no report in this folder is of {experiment} at the scale `{scale}`",
            shown(folder)
        )));
    }
    Ok(found)
}

/// Returns the rows with figures that a name stands for, each as `TABLE/ROW`: a row, or those of a
/// table. `None` if there is none.
fn rows_of(name: &str, reports: &[ReportFile]) -> Option<Vec<String>> {
    let all = all_rows(reports);
    if all.iter().any(|it| it == name) {
        return Some(vec![name.to_owned()]);
    }
    let of_table = |it: &String| it.split_once('/').is_some_and(|(table, _)| table == name);
    let rows: Vec<String> = all.into_iter().filter(of_table).collect();
    (!rows.is_empty()).then_some(rows)
}

/// Returns all rows of reports that have figures, but floors, as `TABLE/ROW`.
fn all_rows(reports: &[ReportFile]) -> Vec<String> {
    let all = reports.iter().flat_map(|(_, report)| rows(report));
    all.filter(|(_, row)| !row.floor && first(row).is_some())
        .map(|(table, row)| format!("{}/{}", table.name, row.name))
        .collect()
}

/// Returns all rows of a report, each with its table.
fn rows(report: &Results) -> impl Iterator<Item = (&TableResults, &RowResults)> {
    let tables = report.tables.iter();
    tables.flat_map(|table| table.rows.iter().map(move |row| (table, row)))
}

/// Returns the refusal of a name that stands for no row with figures.
fn unknown_name(name: &str, reports: &[ReportFile], folder: &Path) -> Error {
    Error::Session(format!(
        "`--repeat {name}`: {} has no figures of such a table or row with seed {SEED}; it has {}",
        shown(folder),
        all_rows(reports).join(", ")
    ))
}

/// Returns the row of a name such as `copy/cnn`.
fn row<'a>(report: &'a mut Results, name: &str) -> Option<&'a mut RowResults> {
    let (table, row) = name.split_once('/')?;
    let table = report.tables.iter_mut().find(|it| it.name == table)?;
    table.rows.iter_mut().find(|it| it.name == row)
}

/// Returns the run of a row with the repeated seed.
fn first(row: &RowResults) -> Option<&RunResults> {
    row.runs
        .iter()
        .find(|it| it.seed == SEED && !it.figures.is_empty())
}

/// Describes the figures in which two runs differ. Times are left out: no two runs have the same.
fn differences(table: &Table, before: &RunResults, now: &RunResults) -> Vec<String> {
    let said = |figure: Option<&f64>| figure.map_or_else(|| "none".to_owned(), f64::to_string);
    let measures = table.measures.iter().filter(|it| it.from != "run");
    measures
        .filter_map(|it| {
            let (before, now) = (before.figures.get(&it.name), now.figures.get(&it.name));
            let name = &it.title;
            (before != now).then(|| format!("{name} was {} and is {}", said(before), said(now)))
        })
        .collect()
}
