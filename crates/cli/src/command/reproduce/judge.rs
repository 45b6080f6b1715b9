//! Verdicts on the differences in a table, which follow from its figures.

use super::provenance::of_experiment;
use super::reproduction::{Better, Measure, Table};
use super::results::{RowResults, TableResults, Verdict};
use crate::base::program::Program;
use crate::display::spread::{Spread, holm};

/// p-value below which a difference is not put down to chance.
const SIGNIFICANT: f64 = 0.05;
/// Least number of seeds for a verdict.
const SEEDS: usize = 3;

/// A measure, and the direction in which the measure improves.
#[derive(Clone, Copy)]
struct Judged<'a> {
    measure: &'a Measure,
    better: Better,
}

/// Difference of a row from its baseline in one measure.
struct Compared<'a> {
    row: usize,
    measure: &'a Measure,
    spread: Spread,
    verdict: Option<Verdict>,
}

/// Updates results from the present description of their table, and judges them. So titles, reasons
/// and verdicts are those of this program even if the figures are older.
pub fn judge(results: &mut TableResults, table: &Table, scale: &str) {
    results.title.clone_from(&table.title);
    results.published.clone_from(&table.published);
    results.text = table.text_at(scale).to_owned();
    results.notes.clone_from(&table.notes);
    for measure in &mut results.measures {
        if let Some(described) = table.measures.iter().find(|it| it.name == measure.name) {
            measure.title.clone_from(&described.title);
            measure.range = described.range();
            measure.margin = described.margin();
        }
    }
    for results in &mut results.rows {
        let Some(row) = table.rows.iter().find(|it| it.name == results.name) else {
            results.stale = true;
            continue;
        };
        results.floor = row.floor;
        results.reads_source = row.reads_source;
        results.title.clone_from(&row.title);
        for (name, cell) in &mut results.cells {
            let reasons = table.incomparable(row, name, table.scales.get(scale));
            cell.incomparable = reasons.filter(|_| cell.published.is_some());
        }
        let digest = of_experiment(table, row, scale);
        let repeated = results.repeated.as_ref();
        let is_measured_now = repeated.is_some_and(|it| it.program.computes_as_now())
            || results
                .runs
                .iter()
                .filter(|it| it.failure.is_none())
                .all(|it| is_of_this_program(&it.programs));
        results.stale = results.experiment_digest.as_ref() != Some(&digest) || !is_measured_now;
    }
    let compared = verdicts(results, table);
    for Compared {
        row,
        measure,
        spread,
        verdict,
    } in compared
    {
        let cell = results.rows[row].cells.get_mut(&measure.name);
        if let Some(difference) = cell.and_then(|it| it.difference.as_mut()) {
            difference.verdict = verdict.unwrap_or(Verdict::Undecided);
            difference.equivalence = spread.interval_of(0.9);
        }
    }
    let behind = behind_counts(results, table);
    results.notes.extend(behind);
}

/// True if a figure was measured by programs that compute the same as this one.
fn is_of_this_program(programs: &[Program]) -> bool {
    !programs.is_empty() && programs.iter().all(Program::computes_as_now)
}

fn verdicts<'a>(results: &mut TableResults, table: &'a Table) -> Vec<Compared<'a>> {
    let mut compared = Vec::new();
    for (row, found) in results.rows.iter().enumerate() {
        let described = table.rows.iter().find(|it| it.name == found.name);
        let baseline = described.and_then(|it| table.baseline(it));
        let baseline = results
            .rows
            .iter()
            .find(|it| Some(it.name.as_str()) == baseline);
        let (false, Some(baseline)) = (found.floor, baseline) else {
            continue;
        };
        for measure in &table.measures {
            let Some(better) = measure.better else {
                continue;
            };
            if let Some(spread) = differences(measure, baseline, found) {
                let judged = Judged { measure, better };
                let rows = [baseline, found];
                let verdict = withheld(results, table, judged, rows, &spread);
                compared.push(Compared {
                    row,
                    measure,
                    spread,
                    verdict,
                });
            }
        }
    }
    test(results, table, &mut compared);
    copy_verdicts(table, &mut compared);
    compared
}

/// True if a measure is the loss in another unit, where the table has the loss.
fn is_loss_again(table: &Table, measure: &Measure) -> bool {
    table.measures.iter().any(|other| other.key == "loss")
        && matches!(measure.key.as_str(), "perplexity" | "bits_per_character")
}

/// Gives verdicts by p-values that are corrected for the number of comparisons. Perplexity and bits
/// are the loss in other units, so they do not count as further comparisons.
fn test(results: &mut TableResults, table: &Table, compared: &mut [Compared<'_>]) {
    let family: Vec<usize> = (0..compared.len())
        .filter(|&at| compared[at].verdict.is_none() && !is_loss_again(table, compared[at].measure))
        .filter(|&at| compared[at].spread.p_value().is_some())
        .collect();
    let p_values: Vec<f64> = family
        .iter()
        .filter_map(|&at| compared[at].spread.p_value())
        .collect();
    for (&at, p_value) in family.iter().zip(holm(&p_values)) {
        let Compared { row, measure, .. } = compared[at];
        compared[at].verdict = Some(verdict(measure, &compared[at].spread, p_value));
        let cell = results.rows[row].cells.get_mut(&measure.name);
        if let Some(difference) = cell.and_then(|it| it.difference.as_mut()) {
            difference.p_value = Some(p_value);
        }
    }
}

/// Gives figures that are the loss in another unit the verdict of the loss.
fn copy_verdicts(table: &Table, compared: &mut [Compared<'_>]) {
    for at in 0..compared.len() {
        if compared[at].verdict.is_none() && is_loss_again(table, compared[at].measure) {
            let (row, from) = (compared[at].row, &compared[at].measure.from);
            let loss = compared
                .iter()
                .find(|it| it.row == row && it.measure.key == "loss" && it.measure.from == *from);
            compared[at].verdict = loss.and_then(|it| it.verdict);
        }
    }
}

/// Returns the differences of two rows over the seeds that both have; `None` if there are none.
fn differences(measure: &Measure, base: &RowResults, row: &RowResults) -> Option<Spread> {
    let figure = |run: &super::results::RunResults| {
        let figure = run.figures.get(&measure.name)?;
        Some(measure.judged(*figure)).filter(|it| it.is_finite())
    };
    let of_seed = |run| {
        let seed = |it: &super::results::RunResults| it.seed;
        let base = base.runs.iter().find(|it| seed(it) == seed(run))?;
        Some(figure(run)? - figure(base)?)
    };
    Spread::of(row.runs.iter().filter_map(of_seed).collect())
}

/// Returns the reason to give no verdict; `None` if a verdict may be given.
fn withheld(
    results: &TableResults,
    table: &Table,
    judged: Judged<'_>,
    rows: [&RowResults; 2],
    spread: &Spread,
) -> Option<Verdict> {
    if spread.values.len() < SEEDS {
        return Some(Verdict::TooFewSeeds);
    }
    // Times tell nothing of what a model knows.
    if judged.measure.from == "run" && !judged.measure.is_of_training() {
        return None;
    }
    let name = table.binding(judged.measure);
    let binding = table.measures.iter().find(|measure| measure.name == name);
    let binding = binding.and_then(|measure| {
        let better = measure.better?;
        Some(Judged { measure, better })
    });
    let of_floors = [Some(judged), binding].map(|judged| {
        let Judged { measure, better } = judged?;
        let floor = floor(results, &measure.name, better)?;
        let is_no_better = |row: &RowResults| {
            let mean = row.cells.get(&measure.name).and_then(|it| it.mean);
            mean.is_some_and(|it| !is_better(it, floor, better))
        };
        Some(rows.into_iter().any(is_no_better))
    });
    match of_floors {
        [None, None] if table.rows.iter().any(|it| it.floor) => Some(Verdict::WithoutFloor),
        [one, other] if one == Some(true) || other == Some(true) => Some(Verdict::BelowFloor),
        _ => None,
    }
}

fn is_better(value: f64, other: f64, better: Better) -> bool {
    match better {
        Better::Lower => value < other,
        Better::Higher => value > other,
    }
}

/// Returns a sentence for each count model that reads the source and is better than trained rows:
/// those rows, by measure.
fn behind_counts(results: &TableResults, table: &Table) -> Vec<String> {
    let mean = |row: &RowResults, measure: &Measure| row.cells.get(&measure.name)?.mean;
    let sentence = |counts: &RowResults| {
        let of_measure = |measure: &Measure| {
            let (better, counted) = (measure.better?, mean(counts, measure)?);
            let is_behind = |row: &&RowResults| {
                let mean = mean(row, measure).filter(|_| !row.floor);
                mean.is_some_and(|mean| is_better(counted, mean, better))
            };
            let behind: Vec<&str> = results
                .rows
                .iter()
                .filter(is_behind)
                .map(|row| row.title.as_str())
                .collect();
            (!behind.is_empty()).then(|| format!("{} than {}", measure.title, behind.join("; ")))
        };
        let told: Vec<String> = table.measures.iter().filter_map(of_measure).collect();
        (!told.is_empty()).then(|| {
            format!(
                "The row “{}”, which knows what words were beside which, has a better {}.",
                counts.title,
                told.join(", and a better ")
            )
        })
    };
    let counts = results.rows.iter().filter(|it| it.reads_source);
    counts.filter_map(sentence).collect()
}

/// Returns the best figure among the rows of count models that do not read the source.
pub fn floor(results: &TableResults, measure: &str, better: Better) -> Option<f64> {
    let floors = results
        .rows
        .iter()
        .filter(|it| it.floor && !it.reads_source);
    let means = floors.filter_map(|it| it.cells.get(measure)?.mean);
    means.reduce(|one, other| {
        if is_better(other, one, better) {
            other
        } else {
            one
        }
    })
}

fn verdict(measure: &Measure, spread: &Spread, p_value: f64) -> Verdict {
    if p_value < SIGNIFICANT {
        return match (measure.better, spread.mean > 0.0) {
            (Some(Better::Higher), true) | (Some(Better::Lower), false) => Verdict::Better,
            _ => Verdict::Worse,
        };
    }
    match (measure.margin(), spread.interval_of(0.9)) {
        (Some(margin), Some([low, high])) if low > -margin && high < margin => Verdict::Equal,
        _ => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::gather::published;
    use super::super::reproduction::named;
    use super::super::results::{Difference, RunResults};
    use super::*;

    /// Returns results of the table of copied sequences, with losses and exact shares by row.
    fn results(losses: &[(&str, &[f64])], exact: &[(&str, &[f64])]) -> (Table, TableResults) {
        let table = named("e2").unwrap().tables[1].clone();
        let mut results = published(&table);
        results.rows = table.rows.iter().map(|it| row(&it.name, &table)).collect();
        for (measure, all) in [("loss", losses), ("exact", exact)] {
            for (name, values) in all {
                let row = results.rows.iter_mut().find(|it| it.name == *name).unwrap();
                let cell = row.cells.get_mut(measure).unwrap();
                cell.mean = Some(values.iter().sum::<f64>() / values.len() as f64);
                cell.difference = Some(Difference {
                    mean: 0.0,
                    interval: None,
                    p_value: None,
                    equivalence: None,
                    p_values: Vec::new(),
                    verdict: Verdict::Undecided,
                    commands: Vec::new(),
                });
                for (run, value) in row.runs.iter_mut().zip(*values) {
                    run.figures.insert(measure.to_owned(), *value);
                }
            }
        }
        judge(&mut results, &table, "smoke");
        (table, results)
    }

    fn row(name: &str, table: &Table) -> RowResults {
        let found = published(table);
        let mut row = found.rows.into_iter().find(|it| it.name == name).unwrap();
        row.runs = (1..=4)
            .map(|seed| RunResults {
                seed,
                ..RunResults::default()
            })
            .collect();
        row
    }

    fn of(results: &TableResults, row: &str, measure: &str) -> Verdict {
        let row = results.rows.iter().find(|it| it.name == row).unwrap();
        row.cells[measure].difference.as_ref().unwrap().verdict
    }

    const FLOOR: (&str, &[f64]) = ("bigram", &[3.0]);

    #[test]
    fn two_seeds_have_no_verdict() {
        let losses: &[(&str, &[f64])] = &[("bahdanau", &[2.0, 2.01]), ("cnn", &[1.0, 1.01]), FLOOR];
        assert_eq!(
            of(&results(losses, &[]).1, "cnn", "loss"),
            Verdict::TooFewSeeds
        );
    }

    #[test]
    fn models_that_are_no_better_than_counting_have_none() {
        let losses: &[(&str, &[f64])] = &[
            ("bahdanau", &[3.2, 3.21, 3.2]),
            ("cnn", &[1.0, 1.01, 1.0]),
            ("rnn", &[3.3, 3.31, 3.3]),
            FLOOR,
        ];
        let (_, found) = results(losses, &[]);
        assert_eq!(of(&found, "cnn", "loss"), Verdict::BelowFloor);
        assert_eq!(of(&found, "rnn", "loss"), Verdict::BelowFloor);
        // If the loss is no better than counting, other measures have no verdict, either.
        let exact: &[(&str, &[f64])] = &[("bahdanau", &[0.0, 0.1, 0.0]), ("rnn", &[9.0, 9.1, 9.0])];
        assert_eq!(
            of(&results(losses, exact).1, "rnn", "exact"),
            Verdict::BelowFloor
        );
    }

    #[test]
    fn a_count_model_that_reads_withholds_no_verdict_and_its_lead_is_told() {
        let losses: &[(&str, &[f64])] = &[
            ("bahdanau", &[2.0, 2.01, 2.0]),
            ("cnn", &[1.0, 1.02, 1.01]),
            ("rnn", &[2.5, 2.51, 2.5]),
            ("ibm1", &[1.5; 3]),
            FLOOR,
        ];
        let exact: &[(&str, &[f64])] = &[("bahdanau", &[99.0; 3]), ("ibm1", &[40.0; 3])];
        let (table, found) = results(losses, exact);
        assert_eq!(of(&found, "cnn", "loss"), Verdict::Better);
        let told = || {
            found
                .notes
                .iter()
                .filter(|note| note.contains("IBM model 1"))
        };
        assert_eq!(told().count(), 1);
        let told = told().next().unwrap();
        assert!(
            told.ends_with("has a better loss than Bahdanau; RNN, k = 5, 3 levels."),
            "{told}"
        );
        let mut again = found.clone();
        judge(&mut again, &table, "smoke");
        assert_eq!(again.notes, found.notes);
    }

    #[test]
    fn without_floors_there_is_no_verdict() {
        let losses: &[(&str, &[f64])] =
            &[("bahdanau", &[2.0, 2.01, 2.0]), ("cnn", &[1.0, 1.02, 1.0])];
        assert_eq!(
            of(&results(losses, &[]).1, "cnn", "loss"),
            Verdict::WithoutFloor
        );
    }

    /// p = 0.033 alone, but twice that beside a second difference.
    #[test]
    fn several_differences_are_judged_together() {
        let base: (&str, &[f64]) = ("bahdanau", &[2.0, 2.0, 2.0]);
        let one: (&str, &[f64]) = ("cnn", &[1.90, 1.84, 1.91]);
        let (_, alone) = results(&[base, one, FLOOR], &[]);
        assert_eq!(of(&alone, "cnn", "loss"), Verdict::Better);
        let other: (&str, &[f64]) = ("rnn", &[2.004, 1.996, 2.001]);
        let (_, together) = results(&[base, one, other, FLOOR], &[]);
        assert_eq!(of(&together, "cnn", "loss"), Verdict::Undecided);
        let p_value = together.rows[1].cells["loss"]
            .difference
            .as_ref()
            .unwrap()
            .p_value;
        assert!((p_value.unwrap() - 0.0668).abs() < 1e-3, "{p_value:?}");
        // A small interval around zero is called equal.
        assert_eq!(of(&together, "rnn", "loss"), Verdict::Equal);
    }

    #[test]
    fn equal_figures_of_all_seeds_are_no_certainty() {
        let losses: &[(&str, &[f64])] = &[("bahdanau", &[2.0; 3]), ("cnn", &[1.5; 3]), FLOOR];
        assert_eq!(
            of(&results(losses, &[]).1, "cnn", "loss"),
            Verdict::Undecided
        );
    }

    #[test]
    fn figures_without_a_program_are_stale() {
        let (table, found) = results(&[("bahdanau", &[2.0])], &[]);
        assert!(found.rows.iter().all(|it| it.stale));
        let mut fresh = found;
        for row in &mut fresh.rows {
            let described = table.rows.iter().find(|it| it.name == row.name).unwrap();
            row.experiment_digest = Some(of_experiment(&table, described, "smoke"));
            row.runs
                .iter_mut()
                .for_each(|it| it.programs = vec![Program::present()]);
        }
        judge(&mut fresh, &table, "smoke");
        assert!(!fresh.rows.iter().any(|it| it.stale));
        judge(&mut fresh, &table, "paper");
        assert!(fresh.rows.iter().all(|it| it.stale));
        fresh.rows[0].runs[0].programs[0].sources = "of before".to_owned();
        judge(&mut fresh, &table, "smoke");
        assert!(fresh.rows[0].stale && !fresh.rows[1].stale);
    }
}
