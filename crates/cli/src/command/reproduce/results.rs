//! `report.json`: measured figures beside published ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::program::Program;
use crate::display::format::grouped;
use crate::run::outcome::TrainingPoint;

/// Repetition of a row's first seed by a later program, with the same figures to the last digit.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    pub seed: u64,
    /// Number of steps that were repeated, and whose training losses are the same; none for the
    /// whole run with its evaluations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    pub program: Program,
    pub date: String,
}

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
    /// Commits of the programs that measured the figures, and the day of the last one; empty if the
    /// programs did not record them.
    #[serde(default)]
    pub commit: String,
    #[serde(default)]
    pub date: String,
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
    /// Signatures of BLEU in the table's figures.
    pub signatures: Vec<String>,
    /// Digest of the files that the runs read.
    #[serde(default)]
    pub data_digest: Option<String>,
}

/// A column of the table.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct MeasureResults {
    pub name: String,
    pub title: String,
    pub digits: usize,
    /// True if the table's chart shows the measure.
    pub chart: bool,
    /// Least and greatest value that the measure can have.
    #[serde(default)]
    pub range: [Option<f64>; 2],
    /// Difference up to which two rows are called equal.
    #[serde(default)]
    pub margin: Option<f64>,
    /// True if a finished run may lack the figure, such as the step of a score that it never reached.
    #[serde(default)]
    pub optional: bool,
}

impl MeasureResults {
    /// True if the figures are of decoded sentences alone, as BLEU, exact matches and the n best
    /// translations are.
    pub fn is_of_decoded(&self) -> bool {
        let names = ["bleu", "exact", "nbest"];
        names.iter().any(|it| self.name.starts_with(it))
    }
}

/// Results of a row.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RowResults {
    pub name: String,
    pub title: String,
    pub note: String,
    /// Title of the row with which this row is compared.
    pub baseline: Option<String>,
    /// True for a count model, a floor that a model must beat.
    #[serde(default)]
    pub floor: bool,
    /// True for a count model that reads the source as models do: a row behind it has a verdict all
    /// the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads_source: bool,
    /// Digest of the experiment that was run.
    #[serde(default)]
    pub experiment_digest: Option<String>,
    /// True if the figures were measured by another program or experiment than the present ones.
    #[serde(skip)]
    pub stale: bool,
    /// Repetition of a run of the row by a later program, with the same figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repetition>,
    /// Choice of the row's learning rate, if its scale has a grid of rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<RateChoice>,
    /// Cells of the row, by measure.
    pub cells: BTreeMap<String, Cell>,
    pub runs: Vec<RunResults>,
}

/// Choice of a row's learning rate from a grid.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RateChoice {
    /// Seed of the runs that choose, which no table reports.
    pub seed: u64,
    /// The rate with the least loss.
    pub chosen: f64,
    /// Each rate of the grid with the held-out loss at the end of its run; none if the run failed.
    pub losses: Vec<(f64, Option<f64>)>,
}

impl RateChoice {
    /// Returns the rates of the grid.
    pub fn grid(&self) -> impl Iterator<Item = f64> {
        self.losses.iter().map(|&(rate, _)| rate)
    }
}

/// A figure over the seeds.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Values, one for each seed that was measured.
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
    /// Mean difference over the seeds that both rows have.
    pub mean: f64,
    /// 95 % interval of the mean, by Student's t on the differences seed by seed.
    pub interval: Option<[f64; 2]>,
    /// p-value of the differences seed by seed, by Student's t, corrected by Holm within the table;
    /// none without a verdict.
    #[serde(default)]
    pub p_value: Option<f64>,
    /// 90 % interval of the mean: two rows are equal if it lies within the measure's margin.
    #[serde(default)]
    pub equivalence: Option<[f64; 2]>,
    /// p-values of paired bootstrap resampling, seed by seed.
    pub p_values: Vec<f64>,
    pub verdict: Verdict,
    /// Commands that compute the p-values.
    pub commands: Vec<String>,
}

/// Verdict on a difference.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The row is better, and chance does not explain the difference.
    Better,
    /// The row is worse, and chance does not explain the difference.
    Worse,
    /// The difference is within the margin, and chance does not explain that.
    Equal,
    /// Neither a difference nor equality is shown.
    #[serde(alias = "no_difference")]
    Undecided,
    /// There are fewer than three seeds.
    #[serde(alias = "one_seed", alias = "on_these_sentences")]
    TooFewSeeds,
    /// One of the two rows is no better than a count model.
    BelowFloor,
    /// The score of a count model was not measured.
    WithoutFloor,
}

/// Results of a run.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct RunResults {
    pub seed: u64,
    pub folder: String,
    pub steps: u64,
    pub commands: Vec<String>,
    /// Figures of the run, by measure.
    pub figures: BTreeMap<String, f64>,
    /// Training losses of the first steps, by which `--first-steps` knows the run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_losses: Vec<f64>,
    /// Step and held-out loss of each validation.
    pub curve: Vec<(u64, f64)>,
    /// Loss and accuracy in training.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub training: Vec<TrainingPoint>,
    /// Translations of the table's cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CaseResults>,
    /// Reason why the run has no results.
    pub failure: Option<String>,
    /// Numbers of examples on which the run was evaluated, by evaluation.
    #[serde(default)]
    pub measured: BTreeMap<String, Extent>,
    /// Programs that executed the run's commands, and the day of the last command.
    #[serde(default)]
    pub programs: Vec<Program>,
    #[serde(default)]
    pub date: Option<String>,
}

/// What a model writes for a sentence that the experiment names.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct CaseResults {
    /// Name of the evaluation that translated the sentence.
    pub evaluation: String,
    pub source: String,
    /// Translations that the search returned, the best first.
    pub translations: Vec<String>,
}

/// Number of examples that an evaluation measured.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Kind of the examples: sentences, questions, tokens or poems.
    pub what: String,
    pub all: u64,
    /// Number of sentences that were decoded, if any were.
    pub decoded: Option<u64>,
}

impl Extent {
    /// Writes the numbers: `1,000 sentences, of which the first 300 were decoded for BLEU`, where
    /// `of_decoded` are the titles of the columns that need decoding.
    pub fn words(&self, of_decoded: &[String]) -> String {
        let all = format!("{} {}", grouped(self.all), self.what);
        match self.decoded {
            Some(decoded) if !of_decoded.is_empty() => {
                if decoded >= self.all {
                    return format!("{all}, all decoded");
                }
                let first = grouped(decoded);
                let columns = of_decoded.join(", ");
                format!("{all}, of which the first {first} were decoded for {columns}")
            }
            _ => all,
        }
    }
}

impl RowResults {
    /// Returns the row's title with its note, and with marks if its figures are of an earlier
    /// program or it is a count model.
    pub fn words(&self) -> String {
        let mut words = self.title.clone();
        if !self.note.is_empty() {
            words += &format!(", {}", self.note);
        }
        if self.floor && !self.reads_source && !words.contains("floor") {
            words += " (floor)";
        }
        if self.stale && !self.runs.is_empty() {
            words += "\u{a0}†";
        }
        words
    }

    /// Returns the number of runs that have all results: one that was trained and not measured has
    /// its time alone.
    pub fn seeds(&self, measures: &[MeasureResults]) -> usize {
        let optional = |name: &String| measures.iter().any(|it| it.optional && it.name == *name);
        let figures = |it: &RunResults| it.figures.keys().filter(|it| !optional(it)).count();
        let most = self.runs.iter().map(figures).max().unwrap_or(0);
        let whole = |it: &&RunResults| most > 0 && figures(it) == most;
        self.runs.iter().filter(whole).count()
    }

    /// Writes the figure of a measure, and its interval, as [`Cell::parts`] does; with the number of
    /// seeds that have the figure if others of the row do not.
    pub fn parts(&self, measure: &MeasureResults, seeds: usize) -> (String, String) {
        let cell = self.cell(measure);
        let (figure, mut interval) = cell.parts(measure);
        let measured = cell.values.len();
        if measured > 0 && measured < seeds {
            interval = format!("{interval} ({measured} of {seeds} seeds)");
        }
        (figure, interval.trim_start().to_owned())
    }

    /// Writes figure and interval in one.
    pub fn shown(&self, measure: &MeasureResults, seeds: usize) -> String {
        let (figure, interval) = self.parts(measure, seeds);
        format!("{figure} {interval}").trim_end().to_owned()
    }

    /// Returns the cell of a measure; an empty one if there is none.
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

    /// Returns the measures of which rows have figures; all measures if nothing is measured.
    pub fn columns(&self) -> Vec<&MeasureResults> {
        let has = |row: &RowResults, name: &str| {
            let cell = row.cells.get(name);
            cell.is_some_and(|it| it.mean.is_some())
        };
        let measured = |it: &&MeasureResults| self.rows.iter().any(|row| has(row, &it.name));
        let found: Vec<&MeasureResults> = self.measures.iter().filter(measured).collect();
        if found.is_empty() {
            self.measures.iter().collect()
        } else {
            found
        }
    }
}

impl Verdict {
    /// Returns the sign that follows a figure.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Better => "\u{a0}▲",
            Self::Worse => "\u{a0}▼",
            Self::Equal => "\u{a0}=",
            Self::Undecided => "\u{a0}~",
            Self::BelowFloor => "\u{a0}⊥",
            Self::TooFewSeeds | Self::WithoutFloor => "",
        }
    }
}

/// Meaning of the signs.
pub const SIGNS: &str = "Mean ± deviation over seeds, with the 95 % interval of the mean (Student's \
    t) in brackets, cut off where the measure ends; without both where all seeds have one value, \
    which is no certainty. From three seeds on a row has a verdict beside its baseline, by the \
    differences seed by seed: ▲ better, ▼ worse (p < 0.05 by Student's t, corrected by Holm within \
    the table); = equal (the 90 % interval of the difference lies within the margin told below); ~ \
    undecided. ⊥: no verdict, for one of the two is no better than a floor, a row that counts \
    without reading what a model reads.";

impl MeasureResults {
    /// Cuts an interval off where the measure's range ends.
    pub fn clipped(&self, interval: [f64; 2]) -> [f64; 2] {
        clipped(interval, self.range)
    }

    /// Cuts an interval of a difference off at the largest difference that the measure allows.
    pub fn clipped_difference(&self, interval: [f64; 2]) -> [f64; 2] {
        let [least, most] = self.range;
        let widest = least.zip(most).map(|(least, most)| most - least);
        clipped(interval, [widest.map(|it| -it), widest])
    }
}

/// An interval as far as it lies between the least and the greatest value of a measure.
pub fn clipped(interval: [f64; 2], [least, most]: [Option<f64>; 2]) -> [f64; 2] {
    interval.map(|it| {
        it.max(least.unwrap_or(f64::NEG_INFINITY))
            .min(most.unwrap_or(f64::INFINITY))
    })
}

impl Cell {
    /// Writes a figure with its deviation, and its interval with the sign; a dash if nothing was
    /// measured.
    pub fn parts(&self, measure: &MeasureResults) -> (String, String) {
        let digits = measure.digits;
        let Some(mean) = self.mean else {
            return ("–".to_owned(), String::new());
        };
        let verdict = self.difference.as_ref().map(|it| it.verdict);
        let sign = verdict.map_or("", Verdict::sign);
        match (self.deviation.filter(|&it| it > 0.0), self.interval) {
            (Some(deviation), Some(interval)) => {
                let [low, high] = measure.clipped(interval).map(|it| number(it, digits));
                (
                    format!("{} ± {}", number(mean, digits), number(deviation, digits)),
                    format!("[{low},\u{a0}{high}]{sign}"),
                )
            }
            _ => (number(mean, digits) + sign, String::new()),
        }
    }

    /// Writes the published figure, with a mark if it cannot be compared.
    pub fn shown_published(&self, digits: usize) -> String {
        match (self.published, &self.incomparable) {
            (None, _) => String::new(),
            (Some(figure), None) => printed(figure, digits),
            (Some(figure), Some(_)) => format!("({})", printed(figure, digits)),
        }
    }

    /// Compares the figure with the published one in words; `None` if there is nothing to say.
    pub fn beside_published(&self, digits: usize) -> Option<String> {
        let published = self.published?;
        if let Some(reason) = &self.incomparable {
            return Some(format!("not comparable: {reason}"));
        }
        self.deviation.filter(|&it| it > 0.0)?;
        let [low, high] = self.interval?;
        Some(if (low..=high).contains(&published) {
            "the published figure is within the interval".to_owned()
        } else {
            format!(
                "{} from the published figure, which is outside of the interval",
                signed(self.mean? - published, digits)
            )
        })
    }
}

/// Writes a number with this many decimals, and `−0.00` without its sign.
pub fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|it| matches!(it, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// Writes a published figure with all digits that the paper printed.
fn printed(value: f64, digits: usize) -> String {
    let own = value.to_string();
    let own = own
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    number(value, digits.max(own))
}

fn signed(value: f64, digits: usize) -> String {
    let text = number(value, digits);
    if text.starts_with('−') {
        text
    } else {
        format!("+{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bleu(digits: usize) -> MeasureResults {
        MeasureResults {
            name: "bleu".to_owned(),
            title: "BLEU".to_owned(),
            digits,
            chart: true,
            range: [Some(0.0), Some(100.0)],
            margin: Some(0.5),
            optional: false,
        }
    }

    fn shown(cell: &Cell, measure: &MeasureResults) -> String {
        let (figure, interval) = cell.parts(measure);
        format!("{figure} {interval}").trim_end().to_owned()
    }

    #[test]
    fn a_run_that_never_reached_a_score_is_a_seed_of_its_row() {
        let step = MeasureResults {
            name: "step".to_owned(),
            digits: 0,
            optional: true,
            ..bleu(0)
        };
        let run = |figures: &[(&str, f64)]| RunResults {
            figures: figures.iter().map(|&(it, x)| (it.to_owned(), x)).collect(),
            ..RunResults::default()
        };
        let row = RowResults {
            cells: [(
                "step".to_owned(),
                Cell {
                    values: vec![650.0],
                    mean: Some(650.0),
                    ..Cell::default()
                },
            )]
            .into(),
            runs: vec![
                run(&[("bleu", 1.0), ("time", 1.0), ("step", 650.0)]),
                run(&[("bleu", 1.0), ("time", 1.0)]),
                // Trained, and not measured.
                run(&[("time", 1.0)]),
            ],
            ..RowResults::default()
        };
        let measures = [bleu(0), step];
        let seeds = row.seeds(&measures);
        assert_eq!(seeds, 2);
        assert_eq!(row.shown(&measures[1], seeds), "650 (1 of 2 seeds)");
        assert_eq!(row.shown(&measures[0], seeds), "–");
    }

    #[test]
    fn a_figure_within_the_interval_is_not_called_different() {
        let cell = Cell {
            mean: Some(2.0),
            deviation: Some(0.5),
            interval: Some([1.5, 2.5]),
            published: Some(2.4),
            ..Cell::default()
        };
        assert_eq!(shown(&cell, &bleu(2)), "2.00 ± 0.50 [1.50,\u{a0}2.50]");
        let within = cell.beside_published(2).unwrap_or_default();
        assert!(within.contains("within"), "{within}");
        let outside = Cell {
            published: Some(2.6),
            ..cell.clone()
        };
        let outside = outside.beside_published(1).unwrap_or_default();
        assert!(outside.starts_with("−0.6 from"), "{outside}");
        let one_seed = Cell {
            deviation: None,
            interval: None,
            ..cell
        };
        assert_eq!(one_seed.beside_published(1), None);
        assert_eq!(shown(&Cell::default(), &bleu(1)), "–");
    }

    #[test]
    fn a_difference_ends_where_the_measure_ends() {
        let interval = [21.2, 124.9];
        assert_eq!(bleu(1).clipped_difference(interval), [21.2, 100.0]);
        let loss = MeasureResults {
            range: [Some(0.0), None],
            ..bleu(1)
        };
        assert_eq!(loss.clipped_difference(interval), interval);
    }

    #[test]
    fn an_interval_ends_where_the_measure_ends() {
        let cell = |interval, deviation| Cell {
            mean: Some(2.0),
            deviation: Some(deviation),
            interval: Some(interval),
            ..Cell::default()
        };
        assert_eq!(
            shown(&cell([-12.0, 34.0], 1.0), &bleu(1)),
            "2.0 ± 1.0 [0.0,\u{a0}34.0]"
        );
        assert_eq!(
            shown(&cell([90.0, 104.0], 1.0), &bleu(1)),
            "2.0 ± 1.0 [90.0,\u{a0}100.0]"
        );
        // Seeds with the same value do not make the figure certain.
        assert_eq!(shown(&cell([2.0, 2.0], 0.0), &bleu(1)), "2.0");
        assert_eq!(cell([2.0, 2.0], 0.0).beside_published(1), None);
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
