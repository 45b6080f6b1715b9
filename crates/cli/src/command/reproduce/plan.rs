//! Plans the runs of an experiment at a scale, each as commands that a user could type.

use std::path::Path;

use strata_settings::suggestion::nearest;

use super::commands::RunOfRow;
use super::ledger::Ledger;
use super::planned::{PlanOptions, PlannedTable, Run};
use super::rates;
use super::reproduction::{Reproduction, Row, SCALES, Scale, Table};
use crate::base::error::Error;

/// Most seeds of a row, the limit of `--seeds`.
const MOST_SEEDS: u64 = 100;

/// Plans the runs that the user asks for.
///
/// # Errors
/// If `--only` or `--scale` names something that the experiment does not have.
pub fn plan<'a>(
    experiment: &'a Reproduction,
    options: &PlanOptions,
) -> Result<Vec<PlannedTable<'a>>, Error> {
    let mut wanted = options.only.clone();
    let mut planned = Vec::new();
    for table in &experiment.tables {
        let Some(scale) = table.scales.get(&options.scale) else {
            continue;
        };
        let mut runs = Vec::new();
        for row in &table.rows {
            let name = format!("{}/{}", table.name, row.name);
            // A count model comes with the row whose run it uses.
            let beside = if row.floor {
                &table.run_of(row).name
            } else {
                &row.name
            };
            let is_named = options.only.contains(&name)
                || options.only.contains(&format!("{}/{beside}", table.name));
            wanted.retain(|it| *it != table.name && *it != name);
            let of_scale = scale.rows.as_ref().is_none_or(|rows| rows.contains(beside));
            let is_wanted = if options.only.is_empty() {
                of_scale
            } else {
                is_named || (of_scale && options.only.contains(&table.name))
            };
            if is_wanted {
                // A row without training is deterministic, so one seed is enough.
                let seeds = match table.run_of(row).command {
                    Some(_) => 1,
                    None => options.seeds.unwrap_or(scale.seeds),
                };
                let seeds = 1..=seeds;
                runs.extend(seeds.map(|seed| run(table, row, scale, seed, options)));
            }
        }
        if !runs.is_empty() {
            planned.push(PlannedTable { table, runs });
        }
    }
    match wanted.first() {
        None if planned.is_empty() => Err(Error::Session(without_scale(experiment, options))),
        None => Ok(planned),
        Some(unknown) => Err(Error::Session(unknown_name(experiment, options, unknown))),
    }
}

/// Returns a sentence on a scale that no table of the experiment has.
fn without_scale(experiment: &Reproduction, options: &PlanOptions) -> String {
    let has = |scale: &&str| {
        experiment
            .tables
            .iter()
            .any(|it| it.shown_scales().contains(scale))
    };
    let scales: Vec<&str> = SCALES.into_iter().filter(has).collect();
    format!(
        "{} has no scale `{}`; it has {}",
        experiment.name,
        options.scale,
        scales.join(", ")
    )
}

/// Returns a sentence on a name of no table or row: the existing names, and the one that may have
/// been meant.
fn unknown_name(experiment: &Reproduction, options: &PlanOptions, unknown: &str) -> String {
    let joined = |names: &[&str]| names.join(", ");
    let tables: Vec<&str> = experiment
        .tables
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let (of_table, of_row) = match unknown.split_once('/') {
        Some((table, row)) => (table, Some(row)),
        None => (unknown, None),
    };
    let suggested = |name: &str, names: &[&str]| match nearest(name, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`? "),
        None => String::new(),
    };
    let table = experiment.tables.iter().find(|it| it.name == of_table);
    if let Some(table) = table
        && !table.scales.contains_key(&options.scale)
    {
        return format!(
            "`--only {unknown}`: table `{of_table}` of {} has no scale `{}`; it has {}",
            experiment.name,
            options.scale,
            table.shown_scales().join(", ")
        );
    }
    if let (Some(table), Some(row)) = (table, of_row) {
        let rows: Vec<&str> = table.rows.iter().map(|it| it.name.as_str()).collect();
        return format!(
            "`--only {unknown}`: table `{of_table}` of {} has no row `{row}`; {}its rows are {}",
            experiment.name,
            suggested(row, &rows),
            joined(&rows)
        );
    }
    let name = &experiment.name;
    format!(
        "`--only {unknown}`: {name} has no such table or row; {}its tables are {}, and TABLE/ROW is \
         a row (`strata reproduce {name} --list` names all)",
        suggested(of_table, &tables),
        joined(&tables)
    )
}

/// Plans the runs that the user asks for, and all others of the same scale that are finished.
///
/// # Errors
/// As in [`plan`].
pub fn with_done<'a>(
    experiment: &'a Reproduction,
    options: &PlanOptions,
) -> Result<Vec<PlannedTable<'a>>, Error> {
    let asked = plan(experiment, options)?;
    let mut all = Vec::new();
    for table in &experiment.tables {
        let asked: Vec<&Path> = asked
            .iter()
            .filter(|it| it.table.name == table.name)
            .flat_map(|it| it.runs.iter().map(|run| run.folder.as_path()))
            .collect();
        let Some(scale) = table.scales.get(&options.scale) else {
            continue;
        };
        let mut runs = Vec::new();
        for row in &table.rows {
            let most = match table.run_of(row).command {
                Some(_) => 1,
                None => MOST_SEEDS,
            };
            let planned = (1..=most).map(|seed| run(table, row, scale, seed, options));
            runs.extend(
                planned.filter(|it| {
                    asked.contains(&it.folder.as_path()) || Ledger::of(it).is_whole(it)
                }),
            );
        }
        if !runs.is_empty() {
            all.push(PlannedTable { table, runs });
        }
    }
    Ok(all)
}

/// Plans the runs that choose the learning rates of planned rows: one for each rate of the grid.
pub fn choosing<'a>(planned: &[PlannedTable<'a>], options: &PlanOptions) -> Vec<PlannedTable<'a>> {
    let mut tables = Vec::new();
    for PlannedTable { table, runs } in planned {
        let table: &'a Table = table;
        let Some(scale) = table.scales.get(&options.scale) else {
            continue;
        };
        let mut rows: Vec<&'a Row> = Vec::new();
        for row in runs.iter().map(|it| table.run_of(it.row)) {
            if row.command.is_none() && !rows.iter().any(|it| it.name == row.name) {
                rows.push(row);
            }
        }
        let of_row = |row: &'a Row| {
            let rates = scale.rates.iter();
            rates.map(move |rate| choosing_run(table, row, scale, *rate, options))
        };
        let runs: Vec<Run<'a>> = rows.into_iter().flat_map(of_row).collect();
        if !runs.is_empty() {
            tables.push(PlannedTable { table, runs });
        }
    }
    tables
}

/// Plans the run of a row with a rate of the grid, which is trained and not evaluated.
fn choosing_run<'a>(
    table: &'a Table,
    row: &'a Row,
    scale: &Scale,
    rate: f64,
    options: &PlanOptions,
) -> Run<'a> {
    let name = format!("{}-rate{rate}-seed{}", row.name, rates::SEED);
    let folder = options.out.join("runs").join(&table.name).join(name);
    let of_run = RunOfRow {
        table,
        row,
        scale,
        seed: rates::SEED,
        rate: Some(rate),
        folder: &folder,
        options,
    };
    let invocations = of_run.trainings().collect();
    Run {
        row,
        seed: rates::SEED,
        rate: Some(rate),
        invocations,
        folder,
    }
}

/// Plans the run of a row with a seed. A row may show the figures of another row's run.
fn run<'a>(
    table: &'a Table,
    row: &'a Row,
    scale: &Scale,
    seed: u64,
    options: &PlanOptions,
) -> Run<'a> {
    let trained = table.run_of(row);
    let name = format!("{}-seed{seed}", trained.name);
    let folder = options.out.join("runs").join(&table.name).join(name);
    let rate = options.rate(table, row).map(|it| it.chosen);
    let of_run = RunOfRow {
        table,
        row: trained,
        scale,
        seed,
        rate,
        folder: &folder,
        options,
    };
    let invocations = match &trained.command {
        Some(command) => vec![of_run.measuring(command)],
        None => of_run.trainings().chain(of_run.evaluations()).collect(),
    };
    Run {
        row,
        seed,
        rate,
        invocations,
        folder,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::invocation::RunCommand;
    use super::super::reproduction::{all, named};
    use super::super::results::RateChoice;
    use super::*;
    use crate::model::experiment;

    fn options(scale: &str, only: &[&str]) -> PlanOptions {
        PlanOptions {
            scale: scale.to_owned(),
            seeds: None,
            only: only.iter().map(|it| (*it).to_owned()).collect(),
            out: "out".into(),
            data: "data".into(),
            device: Vec::new(),
            rates: Default::default(),
        }
    }

    /// Scales that a table of the experiment has: all but `evening` in any case.
    fn scales(experiment: &Reproduction) -> Vec<&'static str> {
        let has = |scale: &&str| {
            let mut tables = experiment.tables.iter();
            *scale != "evening" || tables.any(|it| it.scales.contains_key(*scale))
        };
        SCALES.into_iter().filter(has).collect()
    }

    #[test]
    fn every_command_is_one_that_the_program_takes() {
        for experiment in all() {
            for scale in scales(&experiment) {
                for table in plan(&experiment, &options(scale, &[])).unwrap() {
                    for invocation in table.runs.iter().flat_map(|it| &it.invocations) {
                        let command = invocation
                            .parsed()
                            .unwrap_or_else(|error| panic!("{:?}: {error}", invocation.words));
                        match (command, &invocation.evaluation) {
                            (RunCommand::Train(train), None) => {
                                experiment::read(&train.experiment).unwrap_or_else(|error| {
                                    panic!("{:?}: {error}", invocation.words)
                                });
                            }
                            (RunCommand::Eval(_) | RunCommand::Smt(_), Some(_)) => {}
                            other => panic!("{other:?}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn each_run_has_a_folder_of_its_own() {
        for experiment in all() {
            for scale in scales(&experiment) {
                let mut folders = std::collections::BTreeMap::new();
                for table in plan(&experiment, &options(scale, &[])).unwrap() {
                    for run in &table.runs {
                        let words: Vec<_> = run.invocations.iter().map(|it| &it.words).collect();
                        let words = format!("{words:?}");
                        // Rows that show figures of another row share its run.
                        let other = folders.insert(run.folder.clone(), words.clone());
                        assert!(other.is_none_or(|it| it == words), "{:?}", run.folder);
                    }
                }
            }
        }
    }

    #[test]
    fn only_chooses_tables_and_rows() {
        let experiment = named("e2").unwrap();
        let chosen = plan(&experiment, &options("paper", &["copy/rnn", "translation"])).unwrap();
        let rows = |at: usize| {
            let runs: &Vec<Run<'_>> = &chosen[at].runs;
            runs.iter()
                .map(|it| it.row.name.clone())
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(
            rows(0).into_iter().collect::<Vec<_>>(),
            [
                "act", "bahdanau", "bigram", "cnn", "cnn_2", "cnn_4", "cnn_all", "ibm1", "rnn",
                "unigram"
            ]
        );
        assert_eq!(rows(1).into_iter().collect::<Vec<_>>(), ["rnn"]);
        // A row that is named is run even at a scale that leaves it out.
        let named = plan(&experiment, &options("trial", &["translation/act"])).unwrap();
        assert_eq!(named[0].runs.len(), 2);
        for (unknown, told) in [
            ("copies", "complexity"),
            ("copi", "did you mean `copy`"),
            ("copi/cnn", "did you mean `copy`"),
            ("copy/", "bahdanau, cnn, rnn"),
            ("copy/bahdanu", "did you mean `bahdanau`"),
        ] {
            let refusal = plan(&experiment, &options("smoke", &[unknown]));
            let refusal = refusal.err().unwrap().to_string();
            assert!(
                refusal.contains(unknown) && refusal.contains(told),
                "{refusal}"
            );
        }
    }

    #[test]
    fn a_grid_has_a_run_for_each_rate_and_the_chosen_rate_replaces_that_of_the_settings() {
        let mut experiment = named("e6").unwrap();
        let table = experiment.tables.iter_mut().find(|it| it.name == "needle");
        let scale = table.unwrap().scales.get_mut("trial").unwrap();
        scale.rates = vec![1e-3, 1e-2];
        let mut options = options("trial", &["needle"]);
        let planned = plan(&experiment, &options).unwrap();
        let choosing = choosing(&planned, &options);
        let runs = &choosing[0].runs;
        let names = runs.iter().map(|it| it.folder.file_name().unwrap());
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "plain-256-rate0.001-seed0",
                "plain-256-rate0.01-seed0",
                "cnn-256-rate0.001-seed0",
                "cnn-256-rate0.01-seed0"
            ]
        );
        let rates = |run: &Run<'_>| -> Vec<String> {
            let words = run.invocations[0].words.iter();
            let rates = words.filter(|it| it.contains("learning_rate="));
            rates.cloned().collect()
        };
        assert_eq!(rates(&runs[1]), ["training.optimizer.learning_rate=0.01"]);
        assert!(runs.iter().all(|it| it.invocations.len() == 1));
        let choice = RateChoice {
            seed: 0,
            chosen: 0.01,
            losses: Vec::new(),
        };
        options.rates.insert("needle/cnn-256".to_owned(), choice);
        let planned = plan(&experiment, &options).unwrap();
        let of = |row: &str| {
            let mut runs = planned[0].runs.iter();
            rates(runs.find(|it| it.row.name == row).unwrap())
        };
        assert_eq!(of("cnn-256"), ["training.optimizer.learning_rate=0.01"]);
        assert_eq!(of("plain-256"), ["training.optimizer.learning_rate=3e-3"]);
    }

    #[test]
    fn tables_without_the_scale_are_left_out_and_are_refused_by_name() {
        let experiment = named("e2").unwrap();
        let planned = plan(&experiment, &options("evening", &[])).unwrap();
        let names: Vec<&str> = planned.iter().map(|it| it.table.name.as_str()).collect();
        assert_eq!(names, ["translation", "copy"]);
        for only in ["complexity", "complexity/two-800"] {
            let refusal = plan(&experiment, &options("evening", &[only])).err();
            let refusal = refusal.unwrap().to_string();
            let told = "has no scale `evening`; it has smoke, paper";
            assert!(refusal.contains(told), "{refusal}");
        }
        let levels = named("e6").unwrap();
        let refusal = plan(&levels, &options("evening", &[])).err();
        let told = "e6 has no scale `evening`; it has smoke, paper";
        assert_eq!(refusal.unwrap().to_string(), told);
    }
}
