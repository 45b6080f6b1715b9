//! Results that a report already has, kept if only a part of the experiment is run.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::planned::PlanOptions;
use super::reproduction::Reproduction;
use super::results::Results;
use crate::base::error::Error;
use crate::display::format::path as shown;

/// The fields of a report that every version of the program writes.
#[derive(Deserialize)]
struct Report {
    experiment: String,
    scale: String,
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    name: String,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
}

/// Returns the rows of the report in a folder, as `TABLE/ROW`; `None` if there is no report.
///
/// # Errors
/// If the report is of another experiment, or of another scale.
pub fn report(
    folder: &Path,
    experiment: &Reproduction,
    options: &PlanOptions,
) -> Result<Option<Vec<String>>, Error> {
    let Some(report) = fs::read(folder.join("report.json"))
        .ok()
        .and_then(|text| serde_json::from_slice::<Report>(&text).ok())
    else {
        return Ok(None);
    };
    if report.experiment != experiment.name || report.scale != options.scale {
        return Err(Error::Session(format!(
            "{}: this folder holds the report of {} at the scale `{}`, which is not overwritten; \
             name another one with `--out`",
            shown(&options.out),
            report.experiment,
            report.scale
        )));
    }
    let rows = report.tables.into_iter().flat_map(|table| {
        let rows = table.rows.into_iter();
        rows.map(move |row| format!("{}/{}", table.name, row.name))
    });
    Ok(Some(rows.collect()))
}

/// Returns a sentence on the rows of the earlier report that are not in the new one.
pub fn left_out(before: &[String], now: &Results) -> Option<String> {
    let is_there = |name: &&String| {
        let (table, row) = name.split_once('/').unwrap_or_default();
        let tables = now.tables.iter().filter(|it| it.name == table);
        tables.flat_map(|it| &it.rows).any(|it| it.name == row)
    };
    let gone: Vec<&str> = before
        .iter()
        .filter(|it| !is_there(it))
        .map(String::as_str)
        .collect();
    (!gone.is_empty()).then(|| {
        format!(
            "note: these rows of the report before are left out, for their runs are not there, or \
             are of another program or other data: {}.",
            gone.join(", ")
        )
    })
}
