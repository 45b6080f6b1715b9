//! Table of a model measured with several values of the settings that `--set` changes.

use std::process::ExitCode;

use serde_json::{Value as Json, json};

use super::{EvalArguments, measure_with};
use crate::base::error::Error;
use crate::base::output::print;
use crate::display::columns;
use crate::display::format::percent;
use crate::model::changed::Setting;

/// Figures of a measurement that a column of the table shows, by name in JSON.
const FIGURES: [Figure; 13] = [
    Figure::new("loss", "loss", false),
    Figure::new("token_accuracy", "accuracy", true),
    Figure::new("exact_match", "exact", true),
    Figure::new("f1", "F1", true),
    Figure::new("perplexity", "perplexity", false),
    Figure::new("bits_per_character", "bits/char", false),
    Figure::new("bleu/score", "BLEU", false),
    Figure::new("rouge/rouge_1", "ROUGE-1", false),
    Figure::new("rouge/rouge_2", "ROUGE-2", false),
    Figure::new("rouge/rouge_l", "ROUGE-L", false),
    Figure::new("nbest/entropy", "entropy", false),
    Figure::new("nbest/different_pairs", "pairs", true),
    Figure::new("nbest/repeated_tokens", "repeated", true),
];

/// Column of figures.
struct Figure {
    /// Path of the figure in JSON, with slashes.
    name: &'static str,
    title: &'static str,
    is_share: bool,
}

impl Figure {
    const fn new(name: &'static str, title: &'static str, is_share: bool) -> Self {
        Self {
            name,
            title,
            is_share,
        }
    }

    /// Returns the figure of a measurement; `None` if the measurement lacks the figure.
    fn of(&self, measured: &Json) -> Option<f64> {
        measured.pointer(&format!("/{}", self.name))?.as_f64()
    }

    /// Writes the figure of a measurement; empty if the measurement lacks the figure.
    fn cell(&self, measured: &Json) -> String {
        match self.of(measured) {
            None => String::new(),
            Some(share) if self.is_share => percent(share),
            Some(number) => format!("{number:.4}"),
        }
    }
}

/// Measures the model with each row of settings, and prints a line for each.
pub fn run(arguments: &EvalArguments, rows: &[Vec<Setting>]) -> Result<ExitCode, Error> {
    let mut all: Vec<(&[Setting], Json)> = Vec::with_capacity(rows.len());
    for settings in rows {
        for measured in measure_with(arguments, settings)? {
            let mut json = measured.json;
            json["set"] = settings
                .iter()
                .map(|setting| (setting.key.clone(), json!(setting.value)))
                .collect();
            if arguments.json {
                print(&json.to_string());
            } else if all.is_empty() {
                // The notes and the sentence on what is measured are those of every row.
                print(measured.lines.first().map_or("", String::as_str));
            }
            all.push((settings, json));
        }
    }
    if !arguments.json {
        tell(&all);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of sentences that were decoded in each row; `None` if all sentences were, or
/// the number differs.
fn decoded_of(all: &[(&[Setting], Json)]) -> Option<u64> {
    let (_, first) = all.first()?;
    let decoded = first["decoded"].as_u64()?;
    let is_part = |json: &Json| json["decoded"] == decoded && json["sentences"] != decoded;
    all.iter().all(|(_, json)| is_part(json)).then_some(decoded)
}

fn tell(all: &[(&[Setting], Json)]) {
    let has = |figure: &&Figure| all.iter().any(|(_, json)| figure.of(json).is_some());
    let figures: Vec<&Figure> = FIGURES.iter().filter(has).collect();
    let Some((first, _)) = all.first() else {
        return;
    };
    let keys = first.iter().map(|setting| setting.key.clone());
    let titles = figures
        .iter()
        .map(|figure| match (figure.name, decoded_of(all)) {
            ("exact_match", Some(decoded)) => format!("{} of {decoded}", figure.title),
            _ => figure.title.to_owned(),
        });
    let mut table = vec![keys.chain(titles).collect::<Vec<_>>()];
    for (settings, json) in all {
        let values = settings.iter().map(|setting| setting.value.clone());
        let cells = figures.iter().map(|figure| figure.cell(json));
        table.push(values.chain(cells).collect());
    }
    for line in columns::aligned(&table, 0) {
        print(&line);
    }
}
