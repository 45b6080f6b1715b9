//! Commands of a run: trainings and evaluations, or a single command that measures.

use std::path::Path;

use super::invocation::Invocation;
use super::planned::{PlanOptions, translations};
use super::reproduction::{Evaluation, Row, Scale, Table};

/// Setting that a grid of learning rates replaces.
const LEARNING_RATE: &str = "training.optimizer.learning_rate";

/// A run of which the commands are planned.
pub struct RunOfRow<'a> {
    pub table: &'a Table,
    /// The row that is trained or measured.
    pub row: &'a Row,
    pub scale: &'a Scale,
    pub seed: u64,
    /// Learning rate in place of that of the settings.
    pub rate: Option<f64>,
    pub folder: &'a Path,
    pub options: &'a PlanOptions,
}

impl<'a> RunOfRow<'a> {
    /// Settings of the row at the scale.
    fn at_scale(&self) -> &'a [String] {
        let settings = self.row.scales.get(&self.options.scale);
        settings.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the command of a row without training.
    pub fn measuring(&self, command: &Evaluation) -> Invocation {
        let arguments = command.arguments.iter().chain(&self.row.settings);
        let words = arguments.chain(self.at_scale()).map(|word| {
            let filled = self.options.filled(self.table, word);
            filled.replace("{run}", &shown(self.folder))
        });
        Invocation {
            evaluation: Some(command.name.clone()),
            words: words.collect(),
        }
    }

    /// Returns the commands that train, one for each stage of the scale.
    pub fn trainings(&self) -> impl Iterator<Item = Invocation> {
        let settings = self.table.settings.iter().chain(&self.row.settings);
        let settings = settings.chain(&self.scale.settings).chain(self.at_scale());
        let settings: Vec<&String> = settings.collect();
        let rate = self.rate.map(|it| format!("{LEARNING_RATE}={it}"));
        self.scale.stages.iter().map(move |stage| {
            let mut words = ["train", "--continue", "--out"].map(str::to_owned).to_vec();
            words.push(shown(self.folder));
            if let Some(preset) = self.row.preset.as_ref().or(self.table.preset.as_ref()) {
                words.extend(["--preset".to_owned(), preset.clone()]);
            }
            words.extend(self.options.device.clone());
            let settings = settings.iter().copied().chain(stage).chain(&rate);
            let settings: Vec<&String> = settings.collect();
            let settings = last_of_each(&settings);
            words.extend(settings.map(|setting| self.options.filled(self.table, setting)));
            words.push(format!("seed={}", self.seed));
            Invocation {
                evaluation: None,
                words,
            }
        })
    }

    /// Replaces the placeholders of folders and of the row in an argument.
    fn filled(&self, word: &str) -> String {
        let filled = self.options.filled(self.table, word);
        let placeholders = self.row.placeholders.iter();
        placeholders.fold(filled, |filled, (name, text)| {
            filled.replace(&format!("{{{name}}}"), text)
        })
    }

    /// Returns the commands that measure the trained model.
    pub fn evaluations(&self) -> impl Iterator<Item = Invocation> {
        self.table.evaluations.iter().map(|evaluation| {
            let mut words = ["eval", "--json", "--model"].map(str::to_owned).to_vec();
            words.push(shown(self.folder));
            words.extend(self.options.device.clone());
            let arguments = evaluation.arguments.iter().chain(&self.scale.evaluation);
            words.extend(arguments.map(|word| self.filled(word)));
            for case in &evaluation.cases {
                words.extend(["--case".to_owned(), case.clone()]);
            }
            if evaluation.output {
                words.push("--output".to_owned());
                words.push(shown(&translations(self.folder, &evaluation.name)));
            }
            Invocation {
                evaluation: Some(evaluation.name.clone()),
                words,
            }
        })
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Removes settings that a later one replaces.
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
