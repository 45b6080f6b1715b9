//! Runs of an experiment at a scale, each as the commands that a user would type.

use std::path::{Path, PathBuf};

use super::reproduction::{Reproduction, Row, Scale, Table};
use crate::error::Error;

/// Request, besides the experiment.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Name of the scale.
    pub scale: String,
    /// Number of seeds in place of the scale's.
    pub seeds: Option<u64>,
    /// `TABLE` or `TABLE/ROW`; all if empty.
    pub only: Vec<String>,
    /// Folder of runs and report.
    pub out: PathBuf,
    /// Folder of corpora, each in a folder of its name.
    pub data: PathBuf,
    /// Arguments that choose a device.
    pub device: Vec<String>,
}

/// A table, and its runs.
pub struct PlannedTable<'a> {
    pub table: &'a Table,
    pub runs: Vec<Run<'a>>,
}

/// A run: its folder, and the commands that train and measure it; of rows without training, the one
/// command that measures.
pub struct Run<'a> {
    pub row: &'a Row,
    pub seed: u64,
    pub folder: PathBuf,
    pub invocations: Vec<Invocation>,
}

/// A command of a run, without the name of the program.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Name of the evaluation; `None` where it trains.
    pub evaluation: Option<String>,
    pub words: Vec<String>,
}

impl Wish {
    /// Folder with the files of a table's corpus.
    pub fn corpus(&self, table: &Table) -> PathBuf {
        self.data.join(table.corpus.as_deref().unwrap_or_default())
    }

    /// Folder with the cleaned files of a table's corpus.
    pub fn prepared(&self, table: &Table) -> PathBuf {
        let name = table.corpus.as_deref().unwrap_or_default();
        self.out.join("prepared").join(name)
    }

    fn filled(&self, table: &Table, text: &str) -> String {
        let shown = |path: PathBuf| path.display().to_string();
        text.replace("{data}", &shown(self.corpus(table)))
            .replace("{prepared}", &shown(self.prepared(table)))
    }
}

/// Plans the runs that are asked for.
///
/// # Errors
/// If `--only` or `--scale` names something that the experiment does not have.
pub fn plan<'a>(experiment: &'a Reproduction, wish: &Wish) -> Result<Vec<PlannedTable<'a>>, Error> {
    let mut wanted = wish.only.clone();
    let mut planned = Vec::new();
    for table in &experiment.tables {
        let scale = table.scales.get(&wish.scale).ok_or_else(|| {
            Error::Session(format!(
                "there is no scale `{}`; there are smoke and paper",
                wish.scale
            ))
        })?;
        let mut runs = Vec::new();
        for row in &table.rows {
            let name = format!("{}/{}", table.name, row.name);
            let is_named = wish.only.contains(&name);
            wanted.retain(|it| *it != table.name && *it != name);
            let of_scale = scale
                .rows
                .as_ref()
                .is_none_or(|rows| rows.contains(&row.name));
            let is_wanted = match wish.only.is_empty() {
                true => of_scale,
                false => is_named || (of_scale && wish.only.contains(&table.name)),
            };
            if is_wanted {
                // Without training there is nothing to draw.
                let seeds = match table.run_of(row).command {
                    Some(_) => 1,
                    None => wish.seeds.unwrap_or(scale.seeds),
                };
                let seeds = 1..=seeds;
                runs.extend(seeds.map(|seed| run(table, row, scale, seed, wish)));
            }
        }
        if !runs.is_empty() {
            planned.push(PlannedTable { table, runs });
        }
    }
    match wanted.first() {
        None => Ok(planned),
        Some(unknown) => {
            let names: Vec<&str> = experiment
                .tables
                .iter()
                .map(|it| it.name.as_str())
                .collect();
            Err(Error::Session(format!(
                "`--only {unknown}`: {} has no such table or row; its tables are {}, and \
                 TABLE/ROW is a row",
                experiment.name,
                names.join(", ")
            )))
        }
    }
}

fn run<'a>(table: &'a Table, row: &'a Row, scale: &Scale, seed: u64, wish: &Wish) -> Run<'a> {
    let shown_row = row;
    let row = table.run_of(row);
    let name = format!("{}-seed{seed}", row.name);
    let folder = wish.out.join("runs").join(&table.name).join(name);
    let shown = |path: &Path| path.display().to_string();
    let of_row = row
        .scales
        .get(&wish.scale)
        .map(Vec::as_slice)
        .unwrap_or_default();
    if let Some(command) = &row.command {
        let arguments = command.arguments.iter().chain(&row.settings).chain(of_row);
        let words = arguments.map(|it| {
            let filled = wish.filled(table, it);
            filled.replace("{run}", &shown(&folder))
        });
        return Run {
            row: shown_row,
            seed,
            invocations: vec![Invocation {
                evaluation: Some(command.name.clone()),
                words: words.collect(),
            }],
            folder,
        };
    }
    let settings = table.settings.iter().chain(&row.settings);
    let settings: Vec<&String> = settings.chain(&scale.settings).chain(of_row).collect();
    let mut invocations = Vec::new();
    for stage in &scale.stages {
        let mut words = ["train", "--continue", "--out"].map(str::to_owned).to_vec();
        words.push(shown(&folder));
        if let Some(preset) = row.preset.as_ref().or(table.preset.as_ref()) {
            words.extend(["--preset".to_owned(), preset.clone()]);
        }
        words.extend(wish.device.clone());
        let settings: Vec<&String> = settings.iter().copied().chain(stage).collect();
        words.extend(last_of_each(&settings).map(|it| wish.filled(table, it)));
        words.push(format!("seed={seed}"));
        invocations.push(Invocation {
            evaluation: None,
            words,
        });
    }
    for evaluation in &table.evaluations {
        let mut words = ["eval", "--json", "--model"].map(str::to_owned).to_vec();
        words.push(shown(&folder));
        words.extend(wish.device.clone());
        let arguments = evaluation.arguments.iter().chain(&scale.evaluation);
        words.extend(arguments.map(|it| wish.filled(table, it)));
        if evaluation.output {
            words.push("--output".to_owned());
            words.push(shown(&translations(&folder, &evaluation.name)));
        }
        invocations.push(Invocation {
            evaluation: Some(evaluation.name.clone()),
            words,
        });
    }
    Run {
        row: shown_row,
        seed,
        folder,
        invocations,
    }
}

/// Settings without those that a later one replaces.
fn last_of_each<'a>(settings: &'a [&'a String]) -> impl Iterator<Item = &'a str> {
    let key = |setting: &str| setting.split_once('=').map(|it| it.0.to_owned());
    settings
        .iter()
        .enumerate()
        .filter_map(move |(at, setting)| {
            let is_replaced = settings[at + 1..].iter().any(|it| key(it) == key(setting));
            (!is_replaced).then_some(setting.as_str())
        })
}

/// File of the translations of an evaluation.
pub fn translations(run: &Path, evaluation: &str) -> PathBuf {
    run.join(format!("{evaluation}.txt"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use clap::Parser;

    use super::super::reproduction::{all, named};
    use super::*;
    use crate::args::{Arguments, Command};
    use crate::experiment;

    fn wish(scale: &str, only: &[&str]) -> Wish {
        Wish {
            scale: scale.to_owned(),
            seeds: None,
            only: only.iter().map(|it| (*it).to_owned()).collect(),
            out: "out".into(),
            data: "data".into(),
            device: Vec::new(),
        }
    }

    #[test]
    fn every_command_is_one_that_the_program_takes() {
        for experiment in all() {
            for scale in ["smoke", "paper", "trial"] {
                for table in plan(&experiment, &wish(scale, &[])).unwrap() {
                    for invocation in table.runs.iter().flat_map(|it| &it.invocations) {
                        let words = std::iter::once("strata")
                            .chain(invocation.words.iter().map(|it| it.as_str()));
                        let read = Arguments::try_parse_from(words)
                            .unwrap_or_else(|error| panic!("{:?}: {error}", invocation.words));
                        match (read.command, &invocation.evaluation) {
                            (Command::Train(train), None) => {
                                experiment::read(&train.experiment).unwrap_or_else(|error| {
                                    panic!("{:?}: {error}", invocation.words)
                                });
                            }
                            (Command::Eval(_) | Command::Smt(_), Some(_)) => {}
                            other => panic!("{other:?}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn only_chooses_tables_and_rows() {
        let experiment = named("e2").unwrap();
        let chosen = plan(&experiment, &wish("paper", &["copy/rnn", "translation"])).unwrap();
        let rows = |at: usize| {
            let runs: &Vec<Run<'_>> = &chosen[at].runs;
            runs.iter()
                .map(|it| it.row.name.clone())
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(rows(0).len(), 4);
        assert_eq!(rows(1).into_iter().collect::<Vec<_>>(), ["rnn"]);
        // A row that is named is run at a scale that leaves it out.
        let named = plan(&experiment, &wish("trial", &["translation/act"])).unwrap();
        assert_eq!(named[0].runs.len(), 2);
        for unknown in ["copies", "copy/", "copy/n"] {
            let refusal = plan(&experiment, &wish("smoke", &[unknown]))
                .err()
                .unwrap()
                .to_string();
            assert!(
                refusal.contains(unknown) && refusal.contains("complexity"),
                "{refusal}"
            );
        }
    }
}
