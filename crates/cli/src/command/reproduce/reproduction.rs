//! Published experiments as data: a TOML file of `experiments` for each.

use std::collections::BTreeMap;

use serde::Deserialize;
use strata_settings::suggestion::nearest;

use crate::base::error::Error;

/// Files of `experiments` and their name.
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

const ALL: &[Bundled] = experiments!["e1", "e2", "e3", "e4", "e5"];

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
    /// Question that it answers.
    pub question: String,
    pub tables: Vec<Table>,
}

/// A table of the experiment: rows are models, columns are measures.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub name: String,
    pub title: String,
    /// Place in the paper.
    pub published: String,
    /// Protocol, in words.
    pub text: String,
    /// Corpus of the catalogue; none if the task makes its data.
    pub corpus: Option<String>,
    /// Files of the corpus to clean.
    #[serde(default)]
    pub prepared: Vec<Prepared>,
    pub preset: Option<String>,
    /// Settings of every run. `{data}` is the folder of the corpus, `{prepared}` that of cleaned
    /// files.
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
    /// Address of the page's small experiment that the settings of a row are laid over.
    pub here: Option<String>,
    pub rows: Vec<Row>,
}

/// A file to clean.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Prepared {
    /// Name in the folder of the corpus, and of the cleaned file.
    pub file: String,
    /// Regular expression of what is deleted.
    pub delete: String,
}

/// Size of the runs.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Number of seeds, unless the user says another one.
    pub seeds: u64,
    /// Names of the rows that are run; all if absent.
    pub rows: Option<Vec<String>>,
    #[serde(default)]
    pub settings: Vec<String>,
    /// Settings of the parts of a run that are trained one after the other.
    #[serde(default = "one_stage")]
    pub stages: Vec<Vec<String>>,
    /// Further arguments of every `strata eval`.
    #[serde(default)]
    pub evaluation: Vec<String>,
    /// Reason why no published figure can be compared with these runs.
    pub incomparable: Option<String>,
}

fn one_stage() -> Vec<Vec<String>> {
    vec![Vec::new()]
}

/// A `strata eval` of every run; of a row without training, its one command.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    pub name: String,
    pub arguments: Vec<String>,
    /// True if its translations are kept, to compare systems sentence by sentence.
    #[serde(default)]
    pub output: bool,
}

/// A column.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    pub name: String,
    pub title: String,
    /// Name of the evaluation, or `run`: the run's own time.
    pub from: String,
    /// Key in its JSON, with dots.
    pub key: String,
    /// Factor between the JSON and the table.
    #[serde(default = "one")]
    pub factor: f64,
    /// Number of decimals.
    pub digits: usize,
    /// Direction in which it improves; none if it is not judged.
    pub better: Option<Better>,
    /// True if the table's chart shows it.
    #[serde(default)]
    pub chart: bool,
    /// Measure whose floor binds this one as well, if not the table's loss.
    pub floor: Option<String>,
}

impl Measure {
    /// Least and greatest value that the measure can have.
    pub fn range(&self) -> [Option<f64>; 2] {
        match self.key.as_str() {
            "bleu.score" => [Some(0.0), Some(100.0)],
            key if key.ends_with("perplexity") => [Some(1.0), None],
            "loss" | "bits_per_character" => [Some(0.0), None],
            _ if self.from == "run" => [Some(0.0), None],
            "levels.mean" => [Some(1.0), None],
            // All others are shares.
            _ => [Some(0.0), Some(self.factor)],
        }
    }

    /// Difference up to which two rows are called equal: half a point of BLEU, a point of a share,
    /// 0.02 nats or bits.
    pub fn margin(&self) -> Option<f64> {
        match self.key.as_str() {
            "bleu.score" => Some(0.5),
            "loss" | "bits_per_character" => Some(0.02),
            key if key.ends_with("perplexity") => None,
            _ if self.from == "run" => None,
            _ => Some(0.01 * self.factor),
        }
    }

    /// Figure on the scale on which differences are judged: of a perplexity its logarithm, so that
    /// it and the loss have one verdict.
    pub fn judged(&self, figure: f64) -> f64 {
        match self.key.ends_with("perplexity") {
            true => figure.ln(),
            false => figure,
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
    /// Preset in place of the table's.
    pub preset: Option<String>,
    /// Command in place of training and of the table's evaluations: it measures what nothing is
    /// trained for.
    pub command: Option<Evaluation>,
    /// Row whose run this one's figures are of.
    pub of: Option<String>,
    /// True of a count model, which reads no source: a floor that a model must beat.
    #[serde(default)]
    pub floor: bool,
    /// Keys of its figures, where they are not the measure's own.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// Settings of its runs; further arguments of its command.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Address of its small experiment in the page, if it is not the table's with its settings.
    pub here: Option<String>,
    /// Further settings by scale.
    #[serde(default)]
    pub scales: BTreeMap<String, Vec<String>>,
    /// Row to compare with, if not the first one.
    pub baseline: Option<String>,
    /// Published figures, by measure.
    #[serde(default)]
    pub published: BTreeMap<String, f64>,
    /// Reasons why those of this row cannot be compared, by measure.
    #[serde(default)]
    pub incomparable: BTreeMap<String, String>,
}

/// All experiments.
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

/// The experiment of this name.
///
/// # Errors
/// If there is none.
pub fn named(name: &str) -> Result<Reproduction, Error> {
    all().find(|it| it.name == name).ok_or_else(|| {
        let names = || ALL.iter().map(|it| it.name);
        // Names differ in their number alone: another number is no slip of the hand.
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
    /// Key of a measure in the JSON that this row's figures are of.
    pub fn key<'a>(&'a self, measure: &'a Measure) -> &'a str {
        self.keys.get(&measure.name).unwrap_or(&measure.key)
    }
}

impl Table {
    /// Reasons why a published figure of a row cannot be compared with runs of a scale; none if it
    /// can.
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

    /// The measure whose floor binds another one besides its own.
    pub fn binding<'a>(&'a self, measure: &'a Measure) -> &'a str {
        measure.floor.as_deref().unwrap_or("loss")
    }

    /// The row whose run has the figures of a row: itself, or another one.
    pub fn run_of<'a>(&'a self, row: &'a Row) -> &'a Row {
        let named = row.of.as_deref();
        let other = self.rows.iter().find(|it| Some(it.name.as_str()) == named);
        other.unwrap_or(row)
    }

    /// Name of the row that a row is compared with; `None` for that row itself.
    pub fn baseline<'a>(&'a self, row: &'a Row) -> Option<&'a str> {
        let first = self.rows.first().map(|it| it.name.as_str());
        let named = row.baseline.as_deref().or(first);
        named.filter(|&it| it != row.name)
    }

    /// Address of a row's small experiment in the page, from `?` on.
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

    /// The evaluation of this name.
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
                assert_eq!(scales, ["paper", "smoke", "trial"], "{place}");
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
    fn the_page_can_run_each_row_small() {
        let mut rows = 0;
        for experiment in all() {
            for table in &experiment.tables {
                for row in &table.rows {
                    let place = format!("{} {} {}", experiment.name, table.name, row.name);
                    let Some(here) = table.here(row) else {
                        // Nothing published stands without one, but a time in words, and poems, which
                        // the page cannot fetch.
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
        let told = named("e6").unwrap_err().to_string();
        assert!(
            told.contains("no experiment `e6`") && !told.contains("did you mean"),
            "{told}"
        );
    }
}
