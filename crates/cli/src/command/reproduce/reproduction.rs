//! Published experiments as data: one TOML file of `experiments` for each.

use std::collections::BTreeMap;

use serde::Deserialize;
use strata_settings::suggestion::nearest;

use super::claims::Claim;
use crate::base::error::Error;

/// A file of `experiments` that is built into the program, with its name.
struct Bundled {
    name: &'static str,
    text: &'static str,
    record: &'static str,
}

macro_rules! experiments {
    ($($name:literal),* $(,)?) => {
        &[$(Bundled {
            name: $name,
            text: include_str!(concat!("../../../experiments/", $name, ".toml")),
            record: include_str!(concat!("../../../experiments/", $name, ".md")),
        }),*]
    };
}

const ALL: &[Bundled] = experiments!["e1", "e2", "e3", "e4", "e5", "e6"];

/// A published experiment.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Reproduction {
    /// Name on the command line.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    pub paper: String,
    /// Earlier measurements, in Markdown.
    #[serde(skip)]
    pub record: String,
    /// Question that the experiment answers.
    pub question: String,
    /// Claims of the paper that the tables can tell something about.
    pub claims: Vec<Claim>,
    pub tables: Vec<Table>,
}

/// A table of the experiment: rows are models, columns are measures.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub name: String,
    pub title: String,
    /// Place of the table in the paper.
    pub published: String,
    /// Protocol, in words; a scale may have other ones.
    pub text: String,
    /// Corpus of the catalogue; `None` if the task generates its data.
    pub corpus: Option<String>,
    /// Files of the corpus to clean.
    #[serde(default)]
    pub prepared: Vec<Prepared>,
    pub preset: Option<String>,
    /// Settings of every run. `{data}` stands for the folder of the corpus, `{prepared}` for that
    /// of cleaned files.
    #[serde(default)]
    pub settings: Vec<String>,
    pub scales: BTreeMap<String, Scale>,
    #[serde(default)]
    pub evaluations: Vec<Evaluation>,
    pub measures: Vec<Measure>,
    /// Reasons why published figures cannot be compared, by measure.
    #[serde(default)]
    pub incomparable: BTreeMap<String, String>,
    #[serde(default)]
    pub notes: Vec<String>,
    /// Address of a small experiment in the page, to which the settings of a row are added.
    pub here: Option<String>,
    pub rows: Vec<Row>,
}

/// A file to clean.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// Name of the file in the corpus's folder, and of the cleaned file.
    pub file: String,
    /// Regular expression for text to delete.
    pub delete: String,
}

/// Names of all scales, the smallest first. Tables may lack `evening`.
pub const SCALES: [&str; 4] = ["trial", "smoke", "evening", "paper"];

/// A scale: the size of the runs.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Protocol in words, where that of the table does not hold at this scale.
    pub text: Option<String>,
    /// Number of seeds, unless the user asks for another.
    pub seeds: u64,
    /// Names of the rows that are run; `None` for all.
    pub rows: Option<Vec<String>>,
    #[serde(default)]
    pub settings: Vec<String>,
    /// Settings of the parts of a run, which are trained one after the other.
    #[serde(default = "one_stage")]
    pub stages: Vec<Vec<String>>,
    /// Learning rates of which each row gets the one with the least held-out loss, for a seed that the
    /// table does not report; empty if the settings name the rate.
    #[serde(default)]
    pub rates: Vec<f64>,
    /// Further arguments of every `strata eval`.
    #[serde(default)]
    pub evaluation: Vec<String>,
    /// Reason why no published figure can be compared with runs at this scale.
    pub incomparable: Option<String>,
}

fn one_stage() -> Vec<Vec<String>> {
    vec![Vec::new()]
}

/// A `strata eval` of every run; or the only command of a row without training.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    pub name: String,
    pub arguments: Vec<String>,
    /// True if the translations are kept, to compare systems sentence by sentence.
    #[serde(default)]
    pub output: bool,
    /// Sentences whose translations the report shows, row by row.
    #[serde(default)]
    pub cases: Vec<String>,
}

/// A measure: a column of the table.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    pub name: String,
    pub title: String,
    /// Name of the evaluation that gives the figures, or `run` for the run's own time.
    pub from: String,
    /// Dotted key of the figure in the evaluation's JSON.
    pub key: String,
    /// Factor from the figure in JSON to that in the table.
    #[serde(default = "one")]
    pub factor: f64,
    /// Number of decimals in the table.
    pub digits: usize,
    /// Direction in which the measure improves; `None` if it is not judged.
    pub better: Option<Better>,
    /// True if the table's chart shows the measure.
    #[serde(default)]
    pub chart: bool,
    /// Measure whose floor also binds this one, if not the table's loss.
    pub floor: Option<String>,
}

impl Measure {
    /// True if the figure is the loss or accuracy of training.
    pub fn is_of_training(&self) -> bool {
        self.key.starts_with("training_")
    }

    /// True if a finished run may lack the figure.
    pub fn is_optional(&self) -> bool {
        // The step of a score that a run may never reach.
        self.key == "step_of_99"
    }

    /// Returns the least and greatest value that the measure can have.
    pub fn range(&self) -> [Option<f64>; 2] {
        match self.key.as_str() {
            "bleu.score" => [Some(0.0), Some(100.0)],
            key if key.ends_with("perplexity") => [Some(1.0), None],
            "loss" | "bits_per_character" | "nbest.entropy" => [Some(0.0), None],
            "reached_99" => [Some(0.0), Some(self.factor)],
            "training_accuracy" => [Some(0.0), Some(self.factor)],
            _ if self.from == "run" => [Some(0.0), None],
            "levels.mean" => [Some(1.0), None],
            // All other measures are shares.
            _ => [Some(0.0), Some(self.factor)],
        }
    }

    /// Returns the difference up to which two rows are called equal: half a point of BLEU, a point
    /// of a share, 0.02 nats or bits.
    pub fn margin(&self) -> Option<f64> {
        match self.key.as_str() {
            "bleu.score" => Some(0.5),
            "loss" | "bits_per_character" | "nbest.entropy" => Some(0.02),
            key if key.ends_with("perplexity") => None,
            "training_loss" => Some(0.02),
            "training_accuracy" => Some(0.01 * self.factor),
            _ if self.from == "run" => None,
            _ => Some(0.01 * self.factor),
        }
    }

    /// Returns a figure on the scale on which differences are judged: of a perplexity the
    /// logarithm, so that it has the same verdict as the loss.
    pub fn judged(&self, figure: f64) -> f64 {
        if self.key.ends_with("perplexity") {
            figure.ln()
        } else {
            figure
        }
    }
}

fn one() -> f64 {
    1.0
}

/// Direction in which a figure improves.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    Lower,
    Higher,
}

/// A row: a model.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    pub title: String,
    /// Claim of the paper in words.
    #[serde(default)]
    pub note: String,
    /// Preset, if not that of the table.
    pub preset: Option<String>,
    /// Command instead of training and of the table's evaluations, for a row that measures without
    /// training.
    pub command: Option<Evaluation>,
    /// Row whose run gives the figures of this one.
    pub of: Option<String>,
    /// True for a count model, a floor that a model must beat.
    #[serde(default)]
    pub floor: bool,
    /// True for a count model that reads the source as models do: a row behind it has a verdict all
    /// the same.
    #[serde(default)]
    pub reads_source: bool,
    /// Keys of the row's figures in JSON, if not those of the measures.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// Texts that stand for `{name}` in the arguments of the table's evaluations, by name.
    #[serde(default)]
    pub placeholders: BTreeMap<String, String>,
    /// Settings of the row's runs; for a row with a command, further arguments of the command.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Address of the row's small experiment in the page, if not the table's with the row's
    /// settings.
    pub here: Option<String>,
    /// Further settings for some scales, by name.
    #[serde(default)]
    pub scales: BTreeMap<String, Vec<String>>,
    /// Row to compare with, if not the first one.
    pub baseline: Option<String>,
    /// Published figures, by measure.
    #[serde(default)]
    pub published: BTreeMap<String, f64>,
    /// Reasons why published figures of this row cannot be compared, by measure.
    #[serde(default)]
    pub incomparable: BTreeMap<String, String>,
}

/// Returns all experiments.
pub fn all() -> impl Iterator<Item = Reproduction> {
    ALL.iter().map(|it| {
        let read = toml::from_str::<Reproduction>(it.text);
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", it.name));
        Reproduction {
            name: it.name.to_owned(),
            record: it.record.to_owned(),
            ..read
        }
    })
}

/// Returns the experiment of this name.
///
/// # Errors
/// If there is none.
pub fn named(name: &str) -> Result<Reproduction, Error> {
    all().find(|it| it.name == name).ok_or_else(|| {
        let names = || ALL.iter().map(|it| it.name);
        // Names differ only in their numbers, so a wrong number is no misspelling.
        let slip = nearest(name, names())
            .filter(|it| it.len() != name.len() || it.eq_ignore_ascii_case(name));
        let meant = match slip {
            Some(meant) => format!("did you mean `{meant}`? "),
            None => String::new(),
        };
        Error::Session(format!(
            "there is no experiment `{name}`; {meant}there are {} (`strata reproduce` tells what \
             each is)",
            names().collect::<Vec<_>>().join(", ")
        ))
    })
}

impl Row {
    /// Returns the key of a measure in the JSON of this row's evaluation.
    pub fn key<'a>(&'a self, measure: &'a Measure) -> &'a str {
        self.keys.get(&measure.name).unwrap_or(&measure.key)
    }
}

impl Table {
    /// Returns the names of the table's scales that users are shown, the smallest first.
    pub fn shown_scales(&self) -> Vec<&'static str> {
        let has = |scale: &&str| *scale != "trial" && self.scales.contains_key(*scale);
        SCALES.into_iter().filter(has).collect()
    }

    /// Returns the protocol in words, as it is at a scale.
    pub fn text_at(&self, scale: &str) -> &str {
        let of_scale = self.scales.get(scale).and_then(|it| it.text.as_deref());
        of_scale.unwrap_or(&self.text)
    }

    /// Returns the reasons why a published figure of a row cannot be compared with runs at a scale;
    /// `None` if it can.
    pub fn incomparable(&self, row: &Row, measure: &str, scale: Option<&Scale>) -> Option<String> {
        let of_table = self.incomparable.get(measure);
        let of_scale = scale.and_then(|it| it.incomparable.as_ref());
        let reasons = row.incomparable.get(measure).into_iter();
        let reasons: Vec<&str> = reasons
            .chain(of_table)
            .chain(of_scale)
            .map(String::as_str)
            .collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Returns the measure whose floor also binds this one.
    pub fn binding<'a>(&'a self, measure: &'a Measure) -> &'a str {
        measure.floor.as_deref().unwrap_or("loss")
    }

    /// Returns the row whose run gives a row's figures: itself, or another one.
    pub fn run_of<'a>(&'a self, row: &'a Row) -> &'a Row {
        let named = row.of.as_deref();
        let other = self.rows.iter().find(|it| Some(it.name.as_str()) == named);
        other.unwrap_or(row)
    }

    /// Returns the name of the row with which a row is compared; `None` for that row itself.
    pub fn baseline<'a>(&'a self, row: &'a Row) -> Option<&'a str> {
        let first = self.rows.first().map(|it| it.name.as_str());
        let named = row.baseline.as_deref().or(first);
        named.filter(|&it| it != row.name)
    }

    /// Returns the query of a row's small experiment in the page, from `?` on.
    pub fn here(&self, row: &Row) -> Option<String> {
        if row.floor {
            return None;
        }
        let asked = match &row.here {
            Some(own) => own.clone(),
            None => [self.here.clone()?]
                .into_iter()
                .chain(row.settings.iter().cloned())
                .collect::<Vec<_>>()
                .join("&"),
        };
        Some(format!("?v=1&{asked}"))
    }

    /// Returns the evaluation of this name.
    pub fn evaluation(&self, name: &str) -> Option<&Evaluation> {
        self.evaluations.iter().find(|it| it.name == name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_settings::address::Address;

    #[test]
    fn every_name_in_a_file_is_that_of_something() {
        for experiment in all() {
            for table in &experiment.tables {
                let place = format!("{} {}", experiment.name, table.name);
                let scales: Vec<&str> = table.scales.keys().map(String::as_str).collect();
                assert!(
                    SCALES
                        .iter()
                        .all(|it| *it == "evening" || scales.contains(it)),
                    "{place}"
                );
                assert!(scales.iter().all(|it| SCALES.contains(it)), "{place}");
                let has_row = |name: &String| table.rows.iter().any(|row| row.name == *name);
                let has_measure = |name: &String| table.measures.iter().any(|it| it.name == *name);
                for scale in table.scales.values() {
                    assert!(scale.rows.iter().flatten().all(has_row), "{place}");
                    assert!(scale.seeds > 0 && !scale.stages.is_empty(), "{place}");
                }
                assert!(table.incomparable.keys().all(has_measure), "{place}");
                for row in &table.rows {
                    assert!(row.baseline.iter().all(has_row), "{place} {}", row.name);
                    assert!(
                        row.published.keys().all(has_measure),
                        "{place} {}",
                        row.name
                    );
                    assert!(
                        row.incomparable.keys().all(has_measure),
                        "{place} {}",
                        row.name
                    );
                    assert!(row.keys.keys().all(has_measure), "{place} {}", row.name);
                    let run = table.run_of(row);
                    assert!(row.of.as_ref().is_none_or(|it| *it == run.name), "{place}");
                    assert!(run.of.is_none(), "{place} {}", row.name);
                    assert!(row.scales.keys().all(|it| scales.contains(&it.as_str())));
                }
                for measure in &table.measures {
                    let known = measure.from == "run" || table.evaluation(&measure.from).is_some();
                    assert!(known, "{place} {}", measure.name);
                    assert!(measure.floor.iter().all(has_measure), "{place}");
                }
                for prepared in &table.prepared {
                    regex::Regex::new(&prepared.delete).unwrap();
                }
            }
        }
    }

    #[test]
    fn the_protocol_is_that_of_the_scale() {
        let table = named("e2").unwrap().tables.remove(2);
        assert_eq!(table.name, "complexity");
        assert_eq!(table.text_at("smoke"), table.text);
        for (scale, size) in [("smoke", "batches of 8."), ("paper", "batches of 64.")] {
            let text = table.text_at(scale);
            assert!(text.contains(size), "{scale}: {text}");
        }
        // The hidden scale has smaller models and shorter sequences than the titles of its rows.
        for experiment in all() {
            for table in &experiment.tables {
                let text = table.text_at("trial");
                assert_ne!(text, table.text, "{} {}", experiment.name, table.name);
            }
        }
    }

    #[test]
    fn the_page_can_run_each_row_small() {
        let mut rows = 0;
        for experiment in all() {
            for table in &experiment.tables {
                for row in &table.rows {
                    let place = format!("{} {} {}", experiment.name, table.name, row.name);
                    let Some(here) = table.here(row) else {
                        // Only times in words, and poems, whose data the page cannot fetch, have
                        // published figures without an address.
                        let is_of_poems = table.corpus.as_deref() == Some("chinese-quatrains");
                        assert!(row.published.is_empty() || is_of_poems, "{place}");
                        continue;
                    };
                    let read = Address::read(&here);
                    assert_eq!(read.complaints, Vec::<String>::new(), "{place}: {here}");
                    read.experiment.check().unwrap();
                    let written = Address::write(&read.experiment, read.device, &[]);
                    assert_eq!(
                        Address::read(&written).experiment,
                        read.experiment,
                        "{place}"
                    );
                    rows += 1;
                }
            }
        }
        assert!(rows > 30, "{rows}");
    }

    #[test]
    fn a_name_that_is_nearly_right_is_suggested() {
        let told = named("e33").unwrap_err().to_string();
        assert!(
            told.contains("no experiment `e33`") && told.contains("did you mean `e3`"),
            "{told}"
        );
        let told = named("e7").unwrap_err().to_string();
        assert!(
            told.contains("no experiment `e7`") && !told.contains("did you mean"),
            "{told}"
        );
    }
}
