//! `report.json`: what the runs measured, beside what was published.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Results of an experiment.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Results {
    pub experiment: String,
    pub title: String,
    pub paper: String,
    pub question: String,
    pub scale: String,
    /// Version of Strata.
    pub strata: String,
    pub device: String,
    pub tables: Vec<TableResults>,
}

/// Results of a table.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TableResults {
    pub name: String,
    pub title: String,
    pub published: String,
    pub text: String,
    pub notes: Vec<String>,
    pub measures: Vec<MeasureResults>,
    pub rows: Vec<RowResults>,
    /// Signatures of BLEU.
    pub signatures: Vec<String>,
}

/// A column.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct MeasureResults {
    pub name: String,
    pub title: String,
    pub digits: usize,
    /// True if the table's chart shows it.
    pub chart: bool,
}

/// Results of a row.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RowResults {
    pub name: String,
    pub title: String,
    pub note: String,
    /// Title of the row that it is compared with.
    pub baseline: Option<String>,
    /// Cells by measure.
    pub cells: BTreeMap<String, Cell>,
    pub runs: Vec<RunResults>,
}

/// A figure over the seeds.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Value of each seed that was measured.
    pub values: Vec<f64>,
    pub mean: Option<f64>,
    /// Sample standard deviation over the seeds.
    pub deviation: Option<f64>,
    /// 95 % interval of the mean, by Student's t.
    pub interval: Option<[f64; 2]>,
    pub published: Option<f64>,
    /// Reason why the published figure cannot be compared.
    pub incomparable: Option<String>,
    /// Comparison with the baseline.
    pub difference: Option<Difference>,
}

/// Difference of a row from its baseline.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Difference {
    /// Mean over the seeds that both have.
    pub mean: f64,
    /// 95 % interval of the mean, by Student's t on the differences seed by seed.
    pub interval: Option<[f64; 2]>,
    /// p-values of paired bootstrap resampling, seed by seed.
    pub p_values: Vec<f64>,
    pub verdict: Verdict,
    /// Commands that give the p-values.
    pub commands: Vec<String>,
}

/// Verdict on a difference.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The interval excludes 0, in the good direction.
    Better,
    /// The interval excludes 0, in the bad direction.
    Worse,
    /// Chance may explain it.
    NoDifference,
    /// One seed, and sentences on which chance does not explain it.
    OnTheseSentences,
    /// One seed: nothing can be said.
    OneSeed,
}

/// Results of a run.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RunResults {
    pub seed: u64,
    pub folder: String,
    pub steps: u64,
    pub commands: Vec<String>,
    /// Figures by measure.
    pub figures: BTreeMap<String, f64>,
    /// Step and held-out loss of each validation.
    pub curve: Vec<(u64, f64)>,
    /// Reason why it has no results.
    pub failure: Option<String>,
}

impl RowResults {
    /// Title with its note.
    pub fn words(&self) -> String {
        match self.note.as_str() {
            "" => self.title.clone(),
            note => format!("{}, {note}", self.title),
        }
    }

    /// Figure of a measure; an empty one if it has none.
    pub fn cell(&self, measure: &MeasureResults) -> Cell {
        self.cells.get(&measure.name).cloned().unwrap_or_default()
    }
}

impl TableResults {
    /// True if the paper has figures of a measure.
    pub fn has_published(&self, measure: &MeasureResults) -> bool {
        let mut cells = self
            .rows
            .iter()
            .filter_map(|row| row.cells.get(&measure.name));
        cells.any(|cell| cell.published.is_some())
    }

    /// Measures that rows have figures of; all of them, if nothing is measured.
    pub fn columns(&self) -> Vec<&MeasureResults> {
        let has = |row: &RowResults, name: &str| {
            let cell = row.cells.get(name);
            cell.is_some_and(|it| it.mean.is_some())
        };
        let measured = |it: &&MeasureResults| self.rows.iter().any(|row| has(row, &it.name));
        let found: Vec<&MeasureResults> = self.measures.iter().filter(measured).collect();
        match found.is_empty() {
            true => self.measures.iter().collect(),
            false => found,
        }
    }
}

impl Verdict {
    /// A sign to stand behind a figure.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Better => "\u{a0}▲",
            Self::Worse => "\u{a0}▼",
            Self::NoDifference => "\u{a0}=",
            Self::OnTheseSentences => "\u{a0}*",
            Self::OneSeed => "",
        }
    }
}

/// Meaning of the signs.
pub const SIGNS: &str = "Mean ± deviation over seeds, with the 95 % interval of the mean (Student's \
    t) in brackets. ▲ better and ▼ worse than the baseline: the 95 % interval of the difference, \
    seed by seed, excludes 0; = no difference that chance does not explain; * one seed, whose \
    sentences differ by paired bootstrap resampling (p < 0.05), which says nothing of another seed. \
    Intervals are not corrected for the number of comparisons.";

impl Cell {
    /// Figure with deviation, interval and sign; a dash if nothing was measured.
    pub fn shown(&self, digits: usize) -> String {
        let Some(mean) = self.mean else {
            return "–".to_owned();
        };
        let mut text = number(mean, digits);
        if let (Some(deviation), Some([low, high])) = (self.deviation, self.interval) {
            text += &format!(
                " ± {} [{},\u{a0}{}]",
                number(deviation, digits),
                number(low, digits),
                number(high, digits)
            );
        }
        let verdict = self.difference.as_ref().map(|it| it.verdict);
        text + verdict.map_or("", Verdict::sign)
    }

    /// Published figure, with a mark where it cannot be compared.
    pub fn shown_published(&self, digits: usize) -> String {
        match (self.published, &self.incomparable) {
            (None, _) => String::new(),
            (Some(figure), None) => printed(figure, digits),
            (Some(figure), Some(_)) => format!("({})", printed(figure, digits)),
        }
    }

    /// Comparison with the published figure in words; `None` where there is nothing to say.
    pub fn beside_published(&self, digits: usize) -> Option<String> {
        let published = self.published?;
        if let Some(reason) = &self.incomparable {
            return Some(format!("not comparable: {reason}"));
        }
        let [low, high] = self.interval?;
        Some(match (low..=high).contains(&published) {
            true => "the published figure is within the interval".to_owned(),
            false => format!(
                "{} from the published figure, which is outside of the interval",
                signed(self.mean? - published, digits)
            ),
        })
    }
}

/// A number with these decimals, `−0.00` without its sign.
pub fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|it| matches!(it, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// A published figure with all digits that the paper printed.
fn printed(value: f64, digits: usize) -> String {
    let own = value.to_string();
    let own = own
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    number(value, digits.max(own))
}

fn signed(value: f64, digits: usize) -> String {
    let text = number(value, digits);
    match text.starts_with('−') {
        true => text,
        false => format!("+{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_within_the_interval_is_not_called_different() {
        let cell = Cell {
            mean: Some(2.0),
            deviation: Some(0.5),
            interval: Some([1.5, 2.5]),
            published: Some(2.4),
            ..Cell::default()
        };
        assert_eq!(cell.shown(2), "2.00 ± 0.50 [1.50,\u{a0}2.50]");
        let within = cell.beside_published(2).unwrap_or_default();
        assert!(within.contains("within"), "{within}");
        let outside = Cell {
            published: Some(2.6),
            ..cell.clone()
        };
        let outside = outside.beside_published(1).unwrap_or_default();
        assert!(outside.starts_with("−0.6 from"), "{outside}");
        let one_seed = Cell {
            interval: None,
            ..cell
        };
        assert_eq!(one_seed.beside_published(1), None);
        assert_eq!(Cell::default().shown(1), "–");
    }

    #[test]
    fn a_published_figure_keeps_its_digits() {
        assert_eq!(printed(0.4, 3), "0.400");
        assert_eq!(printed(91.495, 2), "91.495");
        assert_eq!(printed(1855.0, 0), "1855");
    }

    #[test]
    fn minus_nothing_is_nothing() {
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(signed(-0.51, 1), "−0.5");
        assert_eq!(signed(0.5, 1), "+0.5");
    }
}
