//! Gathers the figures of a table's runs, and compares its rows.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use strata_training::Metric;

use super::execution::Ended;
use super::invocation::Invocation;
use super::judge::judge;
use super::ledger::Ledger;
use super::paired::{RowRuns, Sentences, difference};
use super::planned::{PlanOptions, PlannedTable, Run};
use super::provenance::{of_data, of_experiment};
use super::reproduction::{Measure, Reproduction, Row, Table};
use super::results::{
    CaseResults, Cell, Extent, MeasureResults, Results, RowResults, RunResults, TableResults,
    clipped,
};
use crate::base::error::Error;
use crate::display::format::recorded;
use crate::display::spread::Spread;
use crate::model::experiment;
use crate::run::outcome::Outcome;
use crate::run::run_folder::RunFolder;

/// Returns the results of the runs of a plan, as far as there are any.
///
/// # Errors
/// If a file of a run cannot be read.
pub fn results(
    experiment: &Reproduction,
    tables: &[PlannedTable<'_>],
    options: &PlanOptions,
    ended: &Ended,
    device: String,
) -> Result<Results, Error> {
    let tables = tables.iter().map(|table| of_table(table, options, ended));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    let runs = || {
        tables
            .iter()
            .flat_map(|it| &it.rows)
            .flat_map(|it| &it.runs)
    };
    let mut commits: Vec<&str> = Vec::new();
    for program in runs().flat_map(|it| &it.programs) {
        if !commits.contains(&program.commit.as_str()) {
            commits.push(&program.commit);
        }
    }
    Ok(Results {
        experiment: experiment.name.clone(),
        title: experiment.title.clone(),
        paper: experiment.paper.clone(),
        question: experiment.question.clone(),
        scale: options.scale.clone(),
        strata: env!("CARGO_PKG_VERSION").to_owned(),
        commit: commits.join(", "),
        date: runs()
            .filter_map(|it| it.date.clone())
            .max()
            .unwrap_or_default(),
        device,
        tables,
    })
}

fn of_table(
    PlannedTable { table, runs }: &PlannedTable<'_>,
    options: &PlanOptions,
    ended: &Ended,
) -> Result<TableResults, Error> {
    let mut rows: Vec<RowRuns<'_>> = Vec::new();
    for run in runs {
        let results = of_run(table, run, ended)?;
        match rows.iter_mut().find(|rows| rows.row.name == run.row.name) {
            Some(rows) => {
                rows.runs.push(run);
                rows.results.push(results);
            }
            None => rows.push(RowRuns {
                row: run.row,
                runs: vec![run],
                results: vec![results],
            }),
        }
    }
    let sentences = Sentences::of(table, options);
    let of_row = |of_row: &RowRuns<'_>| {
        let RowRuns { row, results, .. } = of_row;
        let baseline = table.baseline(row);
        let baseline = rows
            .iter()
            .find(|other| Some(other.row.name.as_str()) == baseline)
            .filter(|_| !row.floor);
        let cells = table.measures.iter().map(|measure| {
            let mut cell = cell(table, row, measure, results, &options.scale);
            if let (Some(_), Some(baseline)) = (measure.better, baseline) {
                let paired = sentences.pairs(measure, baseline, of_row);
                cell.difference = difference(measure, &baseline.results, results, paired);
            }
            (measure.name.clone(), cell)
        });
        RowResults {
            name: row.name.clone(),
            title: row.title.clone(),
            note: row.note.clone(),
            baseline: baseline.map(|baseline| baseline.row.title.clone()),
            floor: row.floor,
            reads_source: row.reads_source,
            experiment_digest: Some(of_experiment(table, row, &options.scale)),
            stale: false,
            repeated: None,
            rates: options.rate(table, row).filter(|_| !row.floor).cloned(),
            cells: cells.collect(),
            runs: results.clone(),
        }
    };
    let mut gathered = TableResults {
        rows: rows.iter().map(of_row).collect(),
        signatures: signatures(runs),
        data_digest: of_data(table, options),
        ..without_rows(table)
    };
    // `judge` also takes the words of the scale.
    judge(&mut gathered, table, &options.scale);
    Ok(gathered)
}

/// Returns a table with only its published figures.
pub fn published(table: &Table) -> TableResults {
    let row = |row: &Row| RowResults {
        name: row.name.clone(),
        title: row.title.clone(),
        note: row.note.clone(),
        baseline: None,
        floor: row.floor,
        reads_source: row.reads_source,
        experiment_digest: None,
        stale: false,
        repeated: None,
        rates: None,
        cells: table
            .measures
            .iter()
            .map(|it| (it.name.clone(), cell(table, row, it, &[], "")))
            .collect(),
        runs: Vec::new(),
    };
    TableResults {
        rows: table.rows.iter().map(row).collect(),
        ..without_rows(table)
    }
}

fn without_rows(table: &Table) -> TableResults {
    let measures = table.measures.iter().map(|it| MeasureResults {
        name: it.name.clone(),
        title: it.title.clone(),
        digits: it.digits,
        chart: it.chart,
        range: it.range(),
        margin: it.margin(),
        optional: it.is_optional(),
    });
    TableResults {
        name: table.name.clone(),
        title: table.title.clone(),
        published: table.published.clone(),
        text: table.text.clone(),
        notes: table.notes.clone(),
        measures: measures.collect(),
        rows: Vec::new(),
        signatures: Vec::new(),
        data_digest: None,
    }
}

/// Returns the cell of a row for runs at a scale, not yet compared with another row.
fn cell(table: &Table, row: &Row, measure: &Measure, runs: &[RunResults], scale: &str) -> Cell {
    let values = runs.iter().filter_map(|it| it.figures.get(&measure.name));
    let spread = Spread::of(values.copied().collect());
    let interval = spread.as_ref().and_then(Spread::interval);
    let published = row.published.get(&measure.name).copied();
    let reason = table.incomparable(row, &measure.name, table.scales.get(scale));
    Cell {
        mean: spread.as_ref().map(|it| it.mean),
        deviation: spread.as_ref().and_then(|it| it.deviation),
        interval: interval.map(|it| clipped(it, measure.range())),
        values: spread.map(|it| it.values).unwrap_or_default(),
        published,
        incomparable: reason.filter(|_| published.is_some()),
        difference: None,
    }
}

fn of_run(table: &Table, run: &Run<'_>, ended: &Ended) -> Result<RunResults, Error> {
    let folder = RunFolder::at(&run.folder);
    let failure = ended
        .failures
        .iter()
        .find(|(folder, _)| *folder == run.folder);
    let mut results = RunResults {
        seed: run.seed,
        folder: run.folder.display().to_string(),
        steps: 0,
        commands: run
            .invocations
            .iter()
            .map(|it| recorded(&it.words))
            .collect(),
        figures: BTreeMap::new(),
        curve: Vec::new(),
        failure: failure.map(|(_, reason)| reason.clone()),
        ..RunResults::default()
    };
    let trainings = run.invocations.iter().filter(|it| it.evaluation.is_none());
    let trainings = trainings.count();
    let outcome = match folder.filter(|it| trainings > 0 && it.experiment().exists()) {
        Some(folder) => {
            let asked = experiment::of_file(&folder.experiment())?.training.steps;
            Some(Outcome::read(&folder.metrics(), asked)?)
        }
        None if trainings > 0 => return Ok(results),
        None => None,
    };
    if let Some(outcome) = &outcome {
        results.steps = outcome.steps;
        // A count model only shows figures beside this run.
        if !run.row.floor {
            results.first_losses.clone_from(&outcome.first_losses);
            results.training = outcome.training_curve();
        }
        let losses = outcome.validations.iter();
        results.curve = losses
            .filter_map(|it| Some((it.step, Metric::Loss.of(it)?)))
            .collect();
    }
    let ledger = Ledger::of(run);
    results.programs = ledger.programs();
    results.date = ledger.date().map(str::to_owned);
    for (at, invocation) in run.invocations.iter().enumerate() {
        let extent = ledger.measured(at).and_then(extent);
        let named = invocation.evaluation.clone().zip(extent);
        results.measured.extend(named);
        // A count model writes nothing: what this run writes is told in the row beside it.
        if let (Some(name), Some(json)) = (&invocation.evaluation, ledger.measured(at))
            && !run.row.floor
        {
            results.cases.extend(cases(name, json));
        }
    }
    // Times of an unfinished run would be compared with those of finished ones.
    let outcome = outcome.filter(|_| ledger.count() >= trainings);
    for measure in &table.measures {
        let figure = match measure.from.as_str() {
            "run" if run.row.floor => None,
            "run" => outcome.as_ref().and_then(|it| of_outcome(it, &measure.key)),
            _ => evaluated(measure, run, &ledger, ended),
        };
        let figure = figure.filter(|value| value.is_finite());
        results
            .figures
            .extend(figure.map(|value| (measure.name.clone(), value * measure.factor)));
    }
    Ok(results)
}

/// Returns the figure of a measure that an evaluation of a run gave.
fn evaluated(measure: &Measure, run: &Run<'_>, ledger: &Ledger, ended: &Ended) -> Option<f64> {
    // A count model's row uses the run of another row: it has only the figures that it names.
    if run.row.floor && !run.row.keys.contains_key(&measure.name) {
        return None;
    }
    let named = |invocation: &Invocation| invocation.evaluation.as_ref() == Some(&measure.from);
    let at = run.invocations.iter().position(named)?;
    let after_first_steps = || {
        let key = (run.folder.clone(), measure.from.clone());
        ended.after_first_steps.get(&key)
    };
    let json = ledger.measured(at).or_else(after_first_steps)?;
    at_key(json, run.row.key(measure))?.as_f64()
}

/// Returns a figure of the run itself, such as its time.
fn of_outcome(outcome: &Outcome, key: &str) -> Option<f64> {
    match key {
        "seconds" => Some(outcome.seconds()),
        "milliseconds" => outcome.median_milliseconds(),
        "tokens_per_second" => outcome.tokens_per_second(),
        "reached_99" => Some(if outcome.step_of_99().is_some() {
            1.0
        } else {
            0.0
        }),
        "training_loss" => Some(outcome.at_end_of_training()?.loss),
        "training_accuracy" => Some(outcome.at_end_of_training()?.accuracy),
        "step_of_99" => outcome.step_of_99().map(|step| step as f64),
        _ => None,
    }
}

/// Returns the number of examples that an evaluation has measured.
fn extent(json: &Json) -> Option<Extent> {
    let number = |key: &str| json.get(key)?.as_u64();
    let counted = ["sentences", "questions", "tokens"];
    let (what, all) = counted.iter().find_map(|it| Some((*it, number(it)?)))?;
    Some(Extent {
        what: what.to_owned(),
        all,
        decoded: number("decoded_lines"),
    })
}

/// Returns the cases that an evaluation has translated.
fn cases(evaluation: &str, json: &Json) -> Vec<CaseResults> {
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let list = |json: &Json| json.as_array().cloned().unwrap_or_default();
    let case = |case: &Json| CaseResults {
        evaluation: evaluation.to_owned(),
        source: text(&case["source"]),
        translations: list(&case["translations"])
            .iter()
            .map(|it| text(&it["text"]))
            .collect(),
    };
    list(&json["cases"]).iter().map(case).collect()
}

fn at_key<'a>(json: &'a Json, key: &str) -> Option<&'a Json> {
    key.split('.').try_fold(json, |json, part| json.get(part))
}

/// Returns the signatures of BLEU in these runs' evaluations.
fn signatures(runs: &[Run<'_>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for run in runs {
        let ledger = Ledger::of(run);
        for at in 0..ledger.count() {
            let signature = ledger
                .measured(at)
                .and_then(|it| at_key(it, "bleu.signature"));
            if let Some(signature) = signature.and_then(Json::as_str)
                && !all.iter().any(|it| it == signature)
            {
                all.push(signature.to_owned());
            }
        }
    }
    all
}
