//! Writes `docs/experiments.md` from the files of experiments and from results.

use std::fs;
use std::path::{Path, PathBuf};

use super::reproduction::{self, Reproduction, Table};
use super::results::{Results, TableResults, Verdict};
use super::{claims, gather, judge, markdown};
use crate::base::error::Error;
use crate::base::output_file;
use crate::base::text_file;

const BEGINNING: &str = "\
# What was reproduced

Published tables beside what these crates measure, and why a figure can or cannot be compared. `strata reproduce`
lists the experiments, and `strata reproduce NAME` runs one: it says what that costs, fetches the data, goes on where
it was interrupted, and writes a page with every figure and the command that gives it. This file is written by
`strata reproduce --document docs/experiments.md --results docs/results` from the files of
[`crates/cli/experiments`](../crates/cli/experiments) and from the `report.json` of runs. The speed of mechanisms and of
whole steps is in [benchmarks.md](benchmarks.md). The playground has the same as a page, `published.html`, with a small
model of each row to train there; `strata reproduce --page www/published.html --results docs/results` writes it.
";

/// Writes the document, with the results in a folder.
///
/// # Errors
/// If a file contains no results, or the document cannot be written.
pub fn write(path: &Path, results: Option<&Path>) -> Result<(), Error> {
    output_file::check(path, "document", "--document")?;
    let text = text(&read(results)?);
    output_file::write(path, text.as_bytes()).map_err(output_file::unwritable(
        path,
        "document",
        "--document",
    ))
}

/// Reads the results in a folder, each a `report.json`.
///
/// # Errors
/// If a file contains no results.
pub fn read(results: Option<&Path>) -> Result<Vec<Results>, Error> {
    let mut all = Vec::new();
    for file in results.map_or(Ok(Vec::new()), files)? {
        let mut results = report(&file)?;
        judged(&mut results);
        all.push(results);
    }
    Ok(all)
}

/// Reads a `report.json`.
///
/// # Errors
/// If the file contains no results.
pub fn report(file: &Path) -> Result<Results, Error> {
    let text = text_file::read(file)?;
    serde_json::from_str(&text).map_err(|reason| {
        Error::Session(format!(
            "{}: this is no `report.json` of `strata reproduce` ({reason}); take it out of the \
             folder",
            file.display()
        ))
    })
}

/// Judges results by the rules of today.
fn judged(results: &mut Results) {
    let Ok(experiment) = reproduction::named(&results.experiment) else {
        return;
    };
    for table in &mut results.tables {
        if let Some(described) = experiment.tables.iter().find(|it| it.name == table.name) {
            judge::judge(table, described, &results.scale);
        }
    }
}

/// Returns the JSON files in a folder, sorted by name.
///
/// # Errors
/// If the folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::reading(folder))?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry.map_err(Error::reading(folder))?.path());
    }
    files.retain(|it| it.extension().is_some_and(|it| it == "json"));
    files.sort();
    Ok(files)
}

fn text(all: &[Results]) -> String {
    let mut text = BEGINNING.to_owned();
    if let Some(found) = headline(all) {
        let found = format!(
            "**What levels are good for** ([e6](#e6-when-do-levels-help)). {found} On text, e1 to e5 find no \
             such gain: there [levels forget which query they \
             answer](#on-text-levels-forget-which-query-they-answer)."
        );
        text += &format!("\n{}", markdown::wrapped(&found, ""));
    }
    text += &claims(all);
    text += &format!("\n{}", markdown::signs());
    for experiment in reproduction::all() {
        let about = format!("{}. {}", experiment.paper, experiment.question);
        text += &format!("\n## {}: {}\n", experiment.name, experiment.title);
        text += &markdown::wrapped(&about, "");
        for table in &experiment.tables {
            text += &format!("\n### {}\n", table.title);
            let measured: Vec<(&Results, &TableResults)> = all
                .iter()
                .filter(|it| it.experiment == experiment.name)
                .filter_map(|it| Some((it, it.tables.iter().find(|it| it.name == table.name)?)))
                .collect();
            text += &command(&experiment, table);
            if measured.is_empty() {
                text += &markdown::of_published(&gather::published(table));
            }
            for (results, table) in measured {
                text += &format!("{}\n", markdown::wrapped(&markdown::origin(results), ""));
                text += &markdown::of_table(table);
            }
        }
        if !experiment.record.is_empty() {
            text += &format!("\n### Measured by hand\n{}", experiment.record);
        }
    }
    text
}

/// Writes the claims of all papers, each with what was measured here.
fn claims(all: &[Results]) -> String {
    let mut text = String::from("\n## What holds\n");
    text += &markdown::wrapped(
        "What the papers claim, beside what was measured here. A claim holds, or does not, by the verdicts of the \
         table that its experiment has below: a difference that chance does not explain, or equality within the \
         margin. It cannot be told where models know too little to compare them, where seeds are too few, or where \
         chance explains the difference. † marks figures of an earlier program.",
        "",
    );
    text.push('\n');
    let head = ["", "claim", "published", "measured here", "does it hold?"];
    text += &markdown::line(&head.map(str::to_owned));
    text += "|---|---|---|---|---|\n";
    for experiment in reproduction::all() {
        for claim in &experiment.claims {
            let answer = claims::answer(&experiment, claim, all);
            let (measured, verdict) = match &answer {
                Some(answer) => (
                    format!("{} (scale `{}`)", answer.figures.join("; "), answer.scale),
                    answer.verdict.clone(),
                ),
                None => ("–".to_owned(), "not measured".to_owned()),
            };
            text += &markdown::line(&[
                experiment.name.clone(),
                claim.text.clone(),
                claim.published.clone(),
                measured,
                verdict,
            ]);
        }
    }
    text
}

/// Says what levels are good for, with the figures of e6; `None` without these figures.
pub fn headline(all: &[Results]) -> Option<String> {
    let cell = |table: &str, row: &str, measure: &str| {
        let mut tables = all
            .iter()
            .filter(|it| it.experiment == "e6")
            .flat_map(|it| &it.tables);
        let table = tables.find(|it| it.name == table)?;
        let row = table.rows.iter().find(|it| it.name == row)?;
        row.cells.get(measure)
    };
    let values = |row: &str| Some(cell("more-levels", row, "right_16")?.values.clone());
    let [levels, one, loops] = ["n16-k23", "n16-k2", "loop-k23"].map(values);
    let (levels, one, loops) = (levels?, one?, loops?);
    // A seed follows if 99 % of the places are right.
    let follow = |values: &[f64]| values.iter().filter(|&&right| right >= 99.0).count();
    let mut text = format!(
        "A layer that was trained to follow two arrows and three, with one level and two, follows sixteen \
         with fifteen levels, without a further step: in {} of {} seeds. Trained on two arrows alone, it does \
         so in {} of {}. The same layer, looped as often, does so in {} of {}.",
        follow(&levels),
        levels.len(),
        follow(&one),
        one.len(),
        follow(&loops),
        loops.len()
    );
    let right = |row: &str| cell("variables", row, "right");
    let means = ["levels", "attention", "three"].map(|row| right(row).and_then(|cell| cell.mean));
    let difference = right("levels").and_then(|cell| cell.difference.as_ref());
    let is_better = difference.is_some_and(|it| it.verdict == Verdict::Better);
    if let ([Some(levels), Some(one), Some(three)], true) = (means, is_better) {
        text += &format!(
            " A language model of two layers with two levels in each tells the value of a \
             variable, up to two assignments away, in {levels:.0} % of the lines; with one level in {one:.0} %, and \
             with a third layer in {three:.0} %."
        );
    }
    Some(text)
}

fn command(experiment: &Reproduction, table: &Table) -> String {
    format!(
        "`strata reproduce {} --only {}`\n\n",
        experiment.name, table.name
    )
}
