//! `--repeat`: runs rows of a kept report again, and says whether they give the same figures.
//!
//! The sources of a program may change without any figure: a repetition to the last digit shows it,
//! for a third of the cost, and is noted in the report.

use std::path::{Path, PathBuf};

use strata_training::write_atomically;

use super::plan;
use super::planned::PlanOptions;
use super::provenance::today;
use super::reproduction::{Reproduction, Table};
use super::results::{Repetition, Results, RowResults, RunResults};
use super::{data, document, execution, gather};
use crate::base::error::Error;
use crate::base::output::print;
use crate::base::program::Program;
use crate::command::data::SourceArguments;
use crate::display::format::path as shown;

/// Seed of the runs that are repeated.
const SEED: u64 = 1;

/// Runs the first seed of the rows that `options` names, and compares the figures with the report in a
/// folder of results. Rows with the same figures are marked there. Returns false if the user
/// interrupted the runs, or does not agree to the terms of the data.
///
/// # Errors
/// If the folder has no figures of a row, a run fails, figures differ, or the report cannot be
/// written.
pub fn run(
    experiment: &Reproduction,
    options: PlanOptions,
    results: &Path,
    source: &SourceArguments,
) -> Result<bool, Error> {
    let mut reports = reports(results, &experiment.name, &options.scale)?;
    for name in &options.only {
        check(name, &mut reports, results)?;
    }
    let options = PlanOptions {
        seeds: Some(SEED),
        ..options
    };
    let tables = plan::plan(experiment, &options)?;
    if !data::prepare(&tables, &options, source)? {
        return Ok(false);
    }
    let ended = execution::run(&tables);
    if ended.interrupted {
        return Ok(false);
    }
    if let Some((_, reason)) = ended.failures.first() {
        return Err(Error::Session(reason.clone()));
    }
    let mut again = gather::results(experiment, &tables, &options, &ended, String::new())?;
    let mut others = Vec::new();
    for name in &options.only {
        let table = experiment
            .tables
            .iter()
            .find(|table| name.starts_with(&format!("{}/", table.name)));
        let rows = (row(&mut again, name), row_with_figures(&mut reports, name));
        let (Some(table), (Some(now), Some(before))) = (table, rows) else {
            continue;
        };
        others.extend(compare(name, table, before, now));
    }
    for (file, report) in &reports {
        let json = serde_json::to_string_pretty(report).expect("results are plain data") + "\n";
        write_atomically(file, json.as_bytes()).map_err(Error::unwritable(file))?;
    }
    if others.is_empty() {
        return Ok(true);
    }
    Err(Error::Session(format!(
        "these figures are not those of {}:\n  {}",
        shown(results),
        others.join("\n  ")
    )))
}

/// Marks a row that has the same figures `now`; returns a sentence if the figures differ.
fn compare(name: &str, table: &Table, before: &mut RowResults, now: &RowResults) -> Option<String> {
    let differences = match (first(before), first(now)) {
        (Some(before), Some(now)) => differences(table, before, now),
        _ => vec!["no figures".to_owned()],
    };
    if !differences.is_empty() {
        before.repeated = None;
        return Some(format!("{name}, seed {SEED}: {}", differences.join(", ")));
    }
    print(&format!(
        "{name}, seed {SEED}: the same figures to the last digit"
    ));
    before.repeated = Some(Repetition {
        seed: SEED,
        program: Program::present(),
        date: today(),
    });
    None
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

/// Refuses a name that is no TABLE/ROW with figures.
fn check(name: &str, reports: &mut [ReportFile], folder: &Path) -> Result<(), Error> {
    if row_with_figures(reports, name).is_some() {
        return Ok(());
    }
    let tables = reports.iter().flat_map(|(_, report)| &report.tables);
    let there: Vec<String> = tables
        .flat_map(|table| table.rows.iter().map(move |row| (table, row)))
        .filter(|(_, row)| !row.floor && first(row).is_some())
        .map(|(table, row)| format!("{}/{}", table.name, row.name))
        .collect();
    Err(Error::Session(format!(
        "`--repeat {name}`: {} has no figures of such a row with seed {SEED}; it has {}",
        shown(folder),
        there.join(", ")
    )))
}

/// Returns the row of this name that has figures to compare with.
fn row_with_figures<'a>(reports: &'a mut [ReportFile], name: &str) -> Option<&'a mut RowResults> {
    let mut rows = reports
        .iter_mut()
        .filter_map(|(_, report)| row(report, name));
    rows.find(|it| first(it).is_some())
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
