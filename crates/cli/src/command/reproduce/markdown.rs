//! `report.md`: results as Markdown tables.

use std::collections::BTreeMap;

use super::cases;
use super::results::{
    Extent, MeasureResults, RateChoice, Repetition, Results, RowResults, SIGNS, TableResults,
    Verdict, number,
};
use crate::display::format::counted;

/// Writes the report.
pub fn text(results: &Results) -> String {
    let mut text = summary(results) + "\n## Commands\n```sh\n";
    let rows = results.tables.iter().flat_map(|it| &it.rows);
    for command in once_each(rows.flat_map(commands)) {
        text += &format!("{command}\n");
    }
    text + "```\n"
}

/// Writes the report without its commands.
pub fn summary(results: &Results) -> String {
    let mut text = format!(
        "# {}\n{}\n{}\n{}",
        results.title,
        wrapped(&format!("{}. {}", results.paper, results.question), ""),
        wrapped(&origin(results), ""),
        signs(),
    );
    for table in &results.tables {
        text += &format!("\n## {}\n", table.title);
        text += &of_table(table);
    }
    text
}

/// Describes scale, machine, program and day of results.
pub fn origin(results: &Results) -> String {
    let commit = match results.commit.as_str() {
        "" => "of a commit that was not noted".to_owned(),
        commit => format!("commit {commit}"),
    };
    let date = match results.date.as_str() {
        "" => String::new(),
        date => format!(", {date}"),
    };
    format!(
        "Scale `{}`, on {}; Strata {}, {commit}{date}.",
        results.scale, results.device, results.strata
    )
}

/// Writes a table with its notes, but without its heading.
pub fn of_table(table: &TableResults) -> String {
    let measures = table.columns();
    let mut head = vec!["row".to_owned(), "seeds".to_owned()];
    for measure in &measures {
        head.push(measure.title.clone());
        if table.has_published(measure) {
            head.push("published".to_owned());
        }
    }
    let about = format!("{} Published: {}.", table.text, table.published);
    let mut text = wrapped(&format!("{about} {}", extent(table)), "") + "\n";
    text += &line(&head);
    text += &format!("|---|{}\n", "--:|".repeat(head.len() - 1));
    for row in &table.rows {
        let seeds = row.seeds(&table.measures);
        let mut cells = vec![row.words(), seeds.to_string()];
        for measure in &measures {
            let cell = row.cell(measure);
            cells.push(row.shown(measure, seeds));
            if table.has_published(measure) {
                cells.push(cell.shown_published(measure.digits));
            }
        }
        text += &line(&cells);
    }
    text + "\n" + &list(&remarks(table)) + &cases::as_markdown(table)
}

/// Writes only the published figures of a table.
pub fn of_published(table: &TableResults) -> String {
    let measures = table.measures.iter().filter(|it| table.has_published(it));
    let measures: Vec<&MeasureResults> = measures.collect();
    let about = format!("{} Published: {}.", table.text, table.published);
    let mut text = wrapped(&about, "") + "\n";
    let has_notes = table.rows.iter().any(|row| !row.note.is_empty());
    let mut head = vec!["row".to_owned()];
    head.extend(has_notes.then(|| "claim".to_owned()));
    head.extend(measures.iter().map(|it| it.title.clone()));
    if head.len() > 1 {
        text += &line(&head);
        text += &format!("|---|{}\n", "--:|".repeat(head.len() - 1));
        for row in table.rows.iter().filter(|it| !it.floor) {
            let mut cells = vec![row.title.clone()];
            cells.extend(has_notes.then(|| row.note.clone()));
            for measure in &measures {
                let cell = row.cell(measure);
                cells.push(cell.shown_published(measure.digits));
            }
            text += &line(&cells);
        }
        text.push('\n');
    }
    text + &list(&remarks(table))
}

/// Writes a line of a table.
pub fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|it| it.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn list(items: &[String]) -> String {
    let items = items.iter().map(|it| wrapped(&format!("- {it}"), "  "));
    items.collect()
}

/// Explains the signs in a table.
pub fn signs() -> String {
    wrapped(
        &format!("{SIGNS} Published figures in parentheses cannot be compared."),
        "",
    )
}

/// Wraps a paragraph at 115 columns; `indent` begins all lines but the first.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        let columns = line.chars().count() + 1 + word.chars().count();
        if !line.trim().is_empty() && columns > 115 {
            lines.push(format!("{indent}{word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// Describes the examples and steps behind a table's figures, as the runs record both.
pub fn extent(table: &TableResults) -> String {
    let runs = || table.rows.iter().flat_map(|it| &it.runs);
    let mut all: Vec<(&String, &Extent)> = Vec::new();
    for it in runs().flat_map(|it| &it.measured) {
        if !all.contains(&it) {
            all.push(it);
        }
    }
    let measures = table.measures.iter().filter(|it| it.is_of_decoded());
    // "BLEU" and "BLEU, beam 5" are one quantity.
    let quantity = |it: &MeasureResults| it.title.split(',').next().map(str::to_owned);
    let mut of_decoded: Vec<String> = measures.filter_map(quantity).collect();
    of_decoded.dedup();
    let mut told: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, extent) in all {
        let words = told.entry(extent.words(&of_decoded)).or_default();
        words.push(name);
    }
    let mut sentences: Vec<String> = Vec::new();
    for (words, names) in &told {
        sentences.push(match told.len() {
            1 => format!("Measured on {words}."),
            _ => format!("Measured on {words} (`{}`).", names.join("`, `")),
        });
    }
    if told.is_empty() {
        sentences.extend(decoded_at_most(runs().flat_map(|it| &it.commands)));
    }
    let mut steps: Vec<(u64, Vec<&str>)> = Vec::new();
    for row in &table.rows {
        for run in row.runs.iter().filter(|it| it.steps > 0 && !row.floor) {
            let at = steps.iter().position(|it| it.0 == run.steps);
            let at = at.unwrap_or_else(|| {
                steps.push((run.steps, Vec::new()));
                steps.len() - 1
            });
            if !steps[at].1.contains(&row.title.as_str()) {
                steps[at].1.push(&row.title);
            }
        }
    }
    match steps.as_slice() {
        [] => {}
        [(count, _)] => sentences.push(format!("Trained for {}.", counted(*count, "step"))),
        all => {
            let words = all
                .iter()
                .map(|(count, rows)| format!("{}: {}", counted(*count, "step"), rows.join(", ")));
            let words: Vec<String> = words.collect();
            sentences.push(format!(
                "Rows differ in their training ({}): differences between these are of both.",
                words.join("; ")
            ));
        }
    }
    sentences.join(" ")
}

/// Returns a sentence on results that do not record how much was measured, from their commands.
fn decoded_at_most<'a>(commands: impl Iterator<Item = &'a String>) -> Option<String> {
    let after = |it: &'a String| it.split("--decode ").nth(1)?.split(' ').next();
    let mut numbers: Vec<&str> = commands.filter_map(after).collect();
    numbers.dedup();
    let number = numbers.first()?;
    Some(format!(
        "BLEU and exact matches are of the first {number} sequences alone (`--decode {number}`)."
    ))
}

/// Returns notes on verdicts that a table does not give, and on the margin of those that it does.
fn on_verdicts(table: &TableResults) -> Vec<String> {
    let mut notes = Vec::new();
    if titles_with(table, Verdict::TooFewSeeds).is_some() {
        notes.push("No verdict where a row and its baseline have fewer than three seeds in common: too few seeds.".to_owned());
    }
    if let Some(measures) = titles_with(table, Verdict::WithoutFloor) {
        notes.push(format!(
            "No verdict on {measures}: these results are without floors, so that nothing tells whether a model knows more than counting does."
        ));
    }
    if let Some(measures) = titles_with(table, Verdict::BelowFloor) {
        notes.push(format!(
            "⊥ ({measures}): a row or its baseline is no better than the best floor, or its loss is not; such a model has not learned to read."
        ));
    }
    notes.extend(margins(table));
    let has_floor = table.rows.iter().any(|it| it.floor && !it.runs.is_empty());
    if !has_floor
        && titles_with(table, Verdict::WithoutFloor).is_none()
        && titles_with(table, Verdict::TooFewSeeds).is_some()
    {
        notes.push("Nothing here tells what counting alone scores.".to_owned());
    }
    let stale = table
        .rows
        .iter()
        .filter(|it| it.stale && !it.runs.is_empty());
    if stale.count() > 0 {
        notes.push(
            "† of an earlier program or of an experiment that was described otherwise: the same command may give other digits today."
                .to_owned(),
        );
    }
    notes.extend(repetitions(table));
    notes
}

/// Returns the titles of the columns with a verdict; `None` if no column has the verdict.
fn titles_with(table: &TableResults, verdict: Verdict) -> Option<String> {
    let columns = columns_with(table, verdict);
    let titles: Vec<&str> = columns.iter().map(|it| it.title.as_str()).collect();
    (!titles.is_empty()).then(|| titles.join(", "))
}

/// Returns the columns in which a row has the verdict.
fn columns_with(table: &TableResults, verdict: Verdict) -> Vec<&MeasureResults> {
    let has = |measure: &&MeasureResults| {
        let cells = table
            .rows
            .iter()
            .filter_map(|row| row.cells.get(&measure.name));
        let mut differences = cells.filter_map(|cell| cell.difference.as_ref());
        differences.any(|difference| difference.verdict == verdict)
    };
    table.columns().into_iter().filter(has).collect()
}

/// Returns a note on the margins within which figures are equal, if a verdict says so.
fn margins(table: &TableResults) -> Option<String> {
    let equal = columns_with(table, Verdict::Equal).into_iter();
    let margins: Vec<String> = equal
        .filter_map(|measure| {
            let margin = number(measure.margin?, measure.digits.max(2));
            Some(format!("{} ± {margin}", measure.title))
        })
        .collect();
    (!margins.is_empty())
        .then(|| format!("Equal (=) is a difference within {}.", margins.join(", ")))
}

/// Returns notes on the repetitions of rows but floors; rows that were repeated alike share one.
fn repetitions(table: &TableResults) -> Vec<String> {
    let mut told: Vec<(&Repetition, Vec<&str>)> = Vec::new();
    for row in table.rows.iter().filter(|it| !it.floor) {
        let Some(repetition) = &row.repeated else {
            continue;
        };
        match told.iter_mut().find(|(it, _)| *it == repetition) {
            Some((_, rows)) => rows.push(&row.title),
            None => told.push((repetition, vec![&row.title])),
        }
    }
    let measured = table.rows.iter().filter(|it| !it.floor).count();
    let told = told.into_iter().map(|(repetition, rows)| {
        let Repetition {
            seed,
            steps,
            program,
            date,
        } = repetition;
        let what = if rows.len() > 1 && rows.len() == measured {
            format!("Seed {seed} of every row")
        } else {
            format!("{}, seed {seed},", rows.join("; "))
        };
        match steps {
            None => format!(
                "{what} was run again by {program} on {date}: the same figures to the last digit."
            ),
            Some(steps) => format!(
                "{what} was begun again by {program} on {date}: the same losses in the first \
                 {steps} steps, to the last digit."
            ),
        }
    });
    told.collect()
}

/// Returns notes on the choice of learning rates from a grid: one for all rows with the same grid.
fn on_rates(table: &TableResults) -> Vec<String> {
    let mut grids: Vec<(&RateChoice, Vec<(&RowResults, f64)>)> = Vec::new();
    for row in &table.rows {
        let Some(choice) = &row.rates else {
            continue;
        };
        let chosen = (row, choice.chosen);
        let is_same = |it: &&RateChoice| it.seed == choice.seed && it.grid().eq(choice.grid());
        match grids.iter_mut().find(|(it, _)| is_same(it)) {
            Some((_, rows)) => rows.push(chosen),
            None => grids.push((choice, vec![chosen])),
        }
    }
    let told = grids.iter().map(|(choice, rows)| {
        let grid: Vec<f64> = choice.grid().collect();
        let rates: Vec<String> = grid.iter().map(f64::to_string).collect();
        let mut words = format!(
            "Of the learning rates {} each row has the one with the least held-out loss for seed {}, \
             which is not reported",
            rates.join(", "),
            choice.seed
        );
        let of_rate = |rate: f64| rows.iter().filter(move |(_, it)| *it == rate);
        // The rows of the rate that most of them have need no names.
        let most = grid.iter().find(|it| of_rate(**it).count() * 2 > rows.len());
        let most = most.filter(|_| rows.len() > 2);
        let mut named: Vec<String> = Vec::new();
        for rate in grid.iter().filter(|it| Some(*it) != most) {
            let titles: Vec<&str> = of_rate(*rate).map(|(row, _)| row.title.as_str()).collect();
            if !titles.is_empty() {
                named.push(format!("{rate} ({})", titles.join("; ")));
            }
        }
        if let Some(rate) = most {
            let who = if named.is_empty() { "all rows" } else { "all others" };
            named.push(format!("{rate} ({who})"));
        }
        words += &format!(": {}.", named.join(", "));
        let chosen: Vec<f64> = rows.iter().map(|&(_, rate)| rate).collect();
        words += &on_ends(&grid, &chosen);
        words
    });
    told.collect()
}

/// Returns a sentence for each end of a grid of learning rates that rows have chosen.
fn on_ends(grid: &[f64], chosen: &[f64]) -> String {
    let ends = [
        (f64::max as fn(f64, f64) -> f64, "largest", "a larger"),
        (f64::min, "smallest", "a smaller"),
    ];
    let mut words = String::new();
    for (of_two, name, beyond) in ends {
        let end = grid.iter().copied().reduce(of_two);
        let count = chosen.iter().filter(|it| Some(**it) == end).count();
        let who = match count {
            // A grid of one rate has no other.
            _ if grid.len() < 2 => continue,
            0 => continue,
            _ if count == chosen.len() => "All rows have".to_owned(),
            1 => "One row has".to_owned(),
            _ => format!("{count} of {} rows have", chosen.len()),
        };
        words += &format!(" {who} the {name} of them, and {beyond} one may be better still.");
    }
    words
}

/// Returns notes on a table: those of its file, comparisons with published figures, failures.
pub fn remarks(table: &TableResults) -> Vec<String> {
    let mut remarks = table.notes.clone();
    for signature in &table.signatures {
        remarks.push(format!("BLEU: {signature}"));
    }
    remarks.extend(on_verdicts(table));
    remarks.extend(on_rates(table));
    for measure in table.columns() {
        // Rows with the same note share one sentence.
        let mut said: Vec<(String, Vec<&str>)> = Vec::new();
        for row in &table.rows {
            let cell = row.cells.get(&measure.name);
            let Some(words) = cell.and_then(|it| it.beside_published(measure.digits)) else {
                continue;
            };
            match said.iter_mut().find(|(it, _)| *it == words) {
                Some((_, rows)) => rows.push(&row.title),
                None => said.push((words, vec![&row.title])),
            }
        }
        for (words, rows) in said {
            let rows = if rows.len() == table.rows.len() && rows.len() > 1 {
                "all rows".to_owned()
            } else {
                rows.join("; ")
            };
            remarks.push(format!("{} of {rows}: {words}.", measure.title));
        }
        for row in &table.rows {
            let difference = row
                .cells
                .get(&measure.name)
                .and_then(|it| it.difference.as_ref());
            if let Some(it) =
                difference.filter(|it| !it.p_values.is_empty() && is_tested(table, row, measure))
            {
                let p_values: Vec<String> = it.p_values.iter().map(|p| format!("{p:.3}")).collect();
                remarks.push(format!(
                    "{} of {} beside {}: p = {} by paired bootstrap resampling, seed by seed.",
                    measure.title,
                    row.title,
                    row.baseline.as_deref().unwrap_or_default(),
                    p_values.join(", ")
                ));
            }
        }
    }
    remarks.extend(on_failures(table));
    remarks
}

/// Returns a note on each run that has failed; rows of count models have the run of a trained row.
fn on_failures(table: &TableResults) -> Vec<String> {
    let mut remarks = Vec::new();
    for run in table.rows.iter().flat_map(|it| &it.runs) {
        if let Some(failure) = &run.failure {
            // Most errors of a run name its folder themselves.
            let reason = failure.strip_prefix(&format!("{}: ", run.folder));
            let reason = reason.unwrap_or(failure);
            let remark = format!("{} has failed: {reason}", run.folder);
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
    }
    remarks
}

/// True if a row and its baseline have a BLEU high enough for a difference to mean anything.
fn is_tested(table: &TableResults, row: &RowResults, measure: &MeasureResults) -> bool {
    let baseline = table
        .rows
        .iter()
        .find(|it| Some(&it.title) == row.baseline.as_ref());
    let mut means = [Some(row), baseline]
        .into_iter()
        .flatten()
        .map(|it| it.cell(measure).mean);
    means.all(|it| it.is_some_and(|it| it >= 1.0))
}

/// Returns commands without repeats: one command may give the figures of several rows.
pub fn once_each(commands: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    commands.filter(|it| seen.insert(it.clone())).collect()
}

/// Returns the commands that give the figures of a row.
pub fn commands(row: &RowResults) -> Vec<String> {
    let of_runs = row.runs.iter().flat_map(|it| it.commands.clone());
    let differences = row.cells.values().filter_map(|it| it.difference.as_ref());
    of_runs
        .chain(differences.flat_map(|it| it.commands.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn told(chosen: &[f64]) -> Vec<String> {
        let row = |(at, rate): (usize, &f64)| {
            let losses = json!([[0.001, 2.0], [0.002, null], [0.004, 1.0]]);
            json!({
                "name": "", "title": format!("row {at}"), "note": "", "cells": {}, "runs": [],
                "rates": { "seed": 0, "chosen": rate, "losses": losses },
            })
        };
        let rows: Vec<_> = chosen.iter().enumerate().map(row).collect();
        let table = json!({
            "name": "", "title": "", "published": "", "text": "", "notes": [],
            "measures": [], "rows": rows, "signatures": [],
        });
        on_rates(&serde_json::from_value(table).unwrap())
    }

    #[test]
    fn a_failed_run_is_told_once() {
        let run = |folder: &str, failure: &str| {
            json!({
                "seed": 1, "folder": folder, "steps": 0, "commands": [], "figures": {}, "curve": [],
                "failure": failure,
            })
        };
        let row = |runs: &[serde_json::Value]| json!({ "name": "", "title": "", "note": "", "cells": {}, "runs": runs });
        let trained = run("runs/a", "runs/a: the run in this folder is another");
        let rows = [
            row(&[trained.clone(), run("runs/b", "no space is left")]),
            row(&[trained]),
        ];
        let table = json!({
            "name": "", "title": "", "published": "", "text": "", "notes": [],
            "measures": [], "rows": rows, "signatures": [],
        });
        assert_eq!(
            on_failures(&serde_json::from_value(table).unwrap()),
            [
                "runs/a has failed: the run in this folder is another",
                "runs/b has failed: no space is left",
            ]
        );
    }

    #[test]
    fn a_choice_of_rates_names_the_rows_that_differ_and_tells_of_the_ends_of_the_grid() {
        let grid = "Of the learning rates 0.001, 0.002, 0.004 each row has the one with the least \
                    held-out loss for seed 0, which is not reported: ";
        for (chosen, rest) in [
            (&[0.002, 0.002, 0.002][..], "0.002 (all rows)."),
            (
                &[0.004, 0.001, 0.004, 0.004],
                "0.001 (row 1), 0.004 (all others). 3 of 4 rows have the largest of them, and a \
                 larger one may be better still. One row has the smallest of them, and a smaller one \
                 may be better still.",
            ),
            (
                &[0.002, 0.004],
                "0.002 (row 0), 0.004 (row 1). One row has the largest of them, and a larger one may \
                 be better still.",
            ),
            (
                &[0.004, 0.004, 0.004],
                "0.004 (all rows). All rows have the largest of them, and a larger one may be better \
                 still.",
            ),
        ] {
            assert_eq!(told(chosen), [format!("{grid}{rest}")]);
        }
        assert!(told(&[]).is_empty());
    }
}
