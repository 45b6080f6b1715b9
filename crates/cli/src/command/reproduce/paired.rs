//! Compares a row with its baseline: seed by seed, and by paired bootstrap resampling of the
//! sentences.

use std::fs;
use std::path::{Path, PathBuf};

use strata_metrics::{Bleu, BleuStatistics, PairedBootstrap};
use strata_training::write_atomically;

use super::invocation::RunCommand;
use super::planned::{PlanOptions, Run, translations};
use super::reproduction::{Measure, Row, Table};
use super::results::{Difference, RunResults, Verdict};
use crate::base::text_file;
use crate::command::eval::EvalArguments;
use crate::display::format::recorded;
use crate::display::spread::Spread;

/// BLEU below which a difference means nothing.
const LEAST: f64 = 1.0;

/// p-values of two rows, and the commands that compute them.
#[derive(Default)]
pub struct Paired {
    p_values: Vec<f64>,
    commands: Vec<String>,
}

/// Runs of a row, with their results.
pub struct RowRuns<'a> {
    pub row: &'a Row,
    pub runs: Vec<&'a Run<'a>>,
    pub results: Vec<RunResults>,
}

/// Sentences on which the rows of a table are compared.
pub struct Sentences<'a> {
    table: &'a Table,
    /// Folder for files of references.
    folder: PathBuf,
}

impl<'a> Sentences<'a> {
    /// Returns the sentences of a table.
    pub fn of(table: &'a Table, options: &PlanOptions) -> Self {
        Self {
            table,
            folder: options.out.join("references"),
        }
    }

    /// Returns p-values of the difference in BLEU, for each seed that both rows have. Empty if the
    /// measure is not BLEU, if its evaluation keeps no translations, if both rows have the same, or
    /// if BLEU is below 1.
    pub fn pairs(&self, measure: &Measure, baseline: &RowRuns<'_>, row: &RowRuns<'_>) -> Paired {
        let mut paired = Paired::default();
        let evaluation = self.table.evaluation(&measure.from);
        let has_translations = evaluation.is_some_and(|evaluation| evaluation.output);
        if !has_translations || measure.key != "bleu.score" {
            return paired;
        }
        let has_figure = |results: &RunResults| results.figures.contains_key(&measure.name);
        for (run, results) in row.runs.iter().zip(&row.results) {
            let base = baseline.runs.iter().zip(&baseline.results);
            let mut base = base.filter(|(other, _)| other.seed == run.seed);
            let Some((base_run, base)) = base.next() else {
                continue;
            };
            if !has_figure(base) || !has_figure(results) {
                continue;
            }
            if let Some((p_value, command)) = self.test(measure, base_run, run) {
                paired.p_values.push(p_value);
                paired.commands.push(command);
            }
        }
        paired
    }

    fn test(&self, measure: &Measure, base: &Run<'_>, run: &Run<'_>) -> Option<(f64, String)> {
        let evaluated = run
            .invocations
            .iter()
            .find(|it| it.evaluation.as_deref() == Some(measure.from.as_str()))?;
        let Ok(RunCommand::Eval(arguments)) = evaluated.parsed() else {
            return None;
        };
        let files = [base, run].map(|it| translations(&it.folder, &measure.from));
        let [before, after] = files.each_ref().map(|file| lines(file));
        // Only files have references that can be read: held-out sentences of a corpus are in no
        // file.
        let target = text_file::read(arguments.target.as_deref()?).ok()?;
        let references: Vec<&str> = target.split_terminator('\n').take(after.len()).collect();
        if before.len() != after.len() || references.len() != after.len() || after.is_empty() {
            return None;
        }
        let bleu = Bleu {
            tokenizer: arguments.tokenize.unwrap_or_default(),
            lowercase: arguments.lowercase,
            ..Bleu::default()
        };
        let counts = |lines: &[String]| -> Vec<BleuStatistics> {
            let pairs = lines.iter().zip(&references);
            pairs
                .map(|(line, reference)| bleu.statistics(line, &[reference]))
                .collect()
        };
        let systems = [counts(&before), counts(&after)];
        let tested = PairedBootstrap::default().test(&systems, |it| bleu.score(it).score);
        // If hardly a sentence is right, or all are the same, there is nothing to test.
        if before == after || tested.iter().any(|it| it.score < LEAST) {
            return None;
        }
        let references: String = references.iter().map(|line| format!("{line}\n")).collect();
        let command = self.command(measure, &arguments, &references, &files);
        Some((tested[1].p_value?, command))
    }

    /// Writes the references to a file; returns the command that tests the difference between the
    /// translations in `files`.
    fn command(
        &self,
        measure: &Measure,
        arguments: &EvalArguments,
        references: &str,
        files: &[PathBuf; 2],
    ) -> String {
        let path = self
            .folder
            .join(format!("{}-{}.txt", self.table.name, measure.from));
        // Without the file of references, only the command below cannot be repeated.
        drop(
            fs::create_dir_all(&self.folder)
                .and_then(|()| write_atomically(&path, references.as_bytes())),
        );
        let shown = |path: &PathBuf| path.display().to_string();
        let mut words = vec!["score".to_owned(), "--paired-bs".to_owned()];
        words.extend(arguments.lowercase.then(|| "--lowercase".to_owned()));
        if let Some(tokenizer) = arguments.tokenize {
            words.extend(["--tokenize".to_owned(), tokenizer.to_string()]);
        }
        words.extend(["--reference".to_owned(), shown(&path)]);
        words.extend(files.each_ref().map(shown));
        recorded(&words)
    }
}

/// Returns the difference of a row from its baseline, over the seeds that both have; `None` if
/// there are none.
pub fn difference(
    measure: &Measure,
    base: &[RunResults],
    row: &[RunResults],
    paired: Paired,
) -> Option<Difference> {
    let figure = |run: &RunResults| run.figures.get(&measure.name).copied();
    let of_seed = |run: &RunResults| {
        let base = base.iter().find(|it| it.seed == run.seed)?;
        Some(figure(run)? - figure(base)?)
    };
    let spread = Spread::of(row.iter().filter_map(of_seed).collect())?;
    Some(Difference {
        mean: spread.mean,
        interval: spread.interval(),
        p_value: None,
        equivalence: None,
        // The verdict is given once all differences of the table are known.
        verdict: Verdict::Undecided,
        p_values: paired.p_values,
        commands: paired.commands,
    })
}

/// Returns the lines of a file; no lines if the file cannot be read.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_terminator('\n').map(str::to_owned).collect()
}
