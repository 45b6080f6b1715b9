//! Planned runs, and the options of a plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::invocation::Invocation;
use super::rates;
use super::reproduction::{Row, Table};
use super::results::RateChoice;

/// Options of a plan, besides the experiment.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Name of the scale.
    pub scale: String,
    /// Number of seeds, if not that of the scale.
    pub seeds: Option<u64>,
    /// Tables and rows to run, `TABLE` or `TABLE/ROW`; empty for all.
    pub only: Vec<String>,
    /// Folder for runs and report.
    pub out: PathBuf,
    /// Folder of corpora, each corpus in a subfolder named like the corpus.
    pub data: PathBuf,
    /// Arguments that choose a device.
    pub device: Vec<String>,
    /// Chosen learning rates of the rows whose scale has a grid of rates, by `TABLE/ROW`.
    pub rates: BTreeMap<String, RateChoice>,
}

impl PlanOptions {
    /// Returns how the learning rate of a row was chosen; `None` if its settings name the rate, or it
    /// is not chosen yet.
    pub fn rate(&self, table: &Table, row: &Row) -> Option<&RateChoice> {
        let trained = table.run_of(row);
        self.rates.get(&format!("{}/{}", table.name, trained.name))
    }

    /// Returns the folder with the files of a table's corpus.
    pub fn corpus(&self, table: &Table) -> PathBuf {
        self.data.join(table.corpus.as_deref().unwrap_or_default())
    }

    /// Returns the folder with the cleaned files of a table's corpus.
    pub fn prepared(&self, table: &Table) -> PathBuf {
        let name = table.corpus.as_deref().unwrap_or_default();
        self.out.join("prepared").join(name)
    }

    /// Replaces the placeholders of folders in a text.
    pub fn filled(&self, table: &Table, text: &str) -> String {
        let shown = |path: PathBuf| path.display().to_string();
        text.replace("{data}", &shown(self.corpus(table)))
            .replace("{prepared}", &shown(self.prepared(table)))
    }
}

/// Table, and the runs planned for the table.
pub struct PlannedTable<'a> {
    pub table: &'a Table,
    pub runs: Vec<Run<'a>>,
}

/// A run: its folder, and the commands that train and measure it. A row without training has a
/// single command, which measures.
pub struct Run<'a> {
    pub row: &'a Row,
    pub seed: u64,
    /// Learning rate, if it is or was chosen from a grid.
    pub rate: Option<f64>,
    pub folder: PathBuf,
    pub invocations: Vec<Invocation>,
}

impl Run<'_> {
    /// Returns the title of the row with the seed, and with the learning rate if it is of a grid.
    pub fn title(&self) -> String {
        let rate = self.rate.map(|it| format!("learning rate {it}, "));
        let rate = rate.unwrap_or_default();
        format!("{}, {rate}seed {}", self.row.title, self.seed)
    }

    /// True if the run is there to choose a learning rate, and is not reported.
    pub fn chooses_rate(&self) -> bool {
        self.seed == rates::SEED
    }

    /// True if the run trains a model.
    pub fn trains(&self) -> bool {
        self.invocations.iter().any(|it| it.evaluation.is_none())
    }
}

/// Returns the file of an evaluation's translations.
pub fn translations(run: &Path, evaluation: &str) -> PathBuf {
    run.join(format!("{evaluation}.txt"))
}
