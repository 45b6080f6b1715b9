//! Scores predictions against the answers in a file of questions, by the rules of its data set.

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use strata_metrics::{AnswerMeasure, AnswerRules, AnswerScores, MetricError};
use strata_tasks::{ReadingFormat, gold_answers, predictions};
use strata_text::words_and_marks;

use super::arguments::ScoreArguments;
use super::measure::Report;
use super::{Hypotheses, printed};
use crate::base::error::{DataError, Error};
use crate::base::output::warn;
use crate::display::format::counted;

/// Scores the predictions, and prints the results.
pub fn run(arguments: &ScoreArguments, answers: &Path) -> Result<ExitCode, Error> {
    let mut measures = Vec::new();
    for name in &arguments.metric {
        measures.push(name.rules().ok_or(MetricError::NoAnswers)?);
    }
    let Hypotheses { name, text } = Hypotheses::of(arguments)?;
    let predictions = predictions(&name, &text)?;
    let mut reports = Vec::new();
    for (number, &rules) in measures.iter().enumerate() {
        let format = match rules {
            AnswerRules::Squad | AnswerRules::Cmrc => ReadingFormat::Squad,
            AnswerRules::Dureader => ReadingFormat::Dureader,
            AnswerRules::Msmarco => ReadingFormat::Msmarco,
        };
        let questions = gold_answers(answers, format)?;
        let mut measure = AnswerMeasure::new(rules, words_and_marks);
        let mut missing = 0;
        for question in &questions {
            let prediction = predictions.get(&question.id);
            missing += usize::from(prediction.is_none());
            measure.add(prediction.map_or("", String::as_str), &question.answers);
        }
        let scores = measure.scores().ok_or_else(|| DataError::NoAnswers {
            path: answers.to_owned(),
        })?;
        if number == 0 {
            let asked: HashSet<&str> = questions.iter().map(|it| &*it.id).collect();
            let others = predictions.keys().filter(|id| !asked.contains(&***id));
            tell(&name, missing, &others.collect::<Vec<_>>());
        }
        if measure.left_out() > 0 {
            let left_out = counted(measure.left_out() as u64, "question");
            warn(&format!(
                "note: {left_out} without an answer left out, as the rules say"
            ));
        }
        if rules == AnswerRules::Msmarco {
            warn(
                "note: words are those of the level `punctuation`; the official program has spaCy's, \
                 by which its own sample scores up to .0006 otherwise",
            );
        }
        let scored = questions.len() - measure.left_out();
        let signature = format!(
            "questions:{scored}|{}|strata:{}",
            rules.signature(),
            env!("CARGO_PKG_VERSION")
        );
        reports.push((report(scores), signature));
    }
    printed(print(arguments, &reports))
}

/// Warns of missing predictions, and of predictions for unknown questions.
fn tell(name: &str, missing: usize, others: &[&String]) {
    if missing > 0 {
        let missing = counted(missing as u64, "question");
        warn(&format!(
            "warning: {name}: {missing} without a prediction, which scores 0"
        ));
    }
    if let Some(first) = others.first() {
        let count = counted(others.len() as u64, "prediction");
        warn(&format!(
            "warning: {name}: {count} for no question of the answers, first for `{first}`; left out"
        ));
    }
}

fn report(scores: AnswerScores) -> Report {
    match scores {
        AnswerScores::Spans { exact_match, f1 } => Report::of(
            vec![
                ("exact match".to_owned(), exact_match),
                ("F1".to_owned(), f1),
            ],
            false,
        ),
        AnswerScores::Free { bleu, rouge_l } => {
            let bleu = (1..).zip(bleu);
            let bleu = bleu.map(|(order, score)| (format!("BLEU-{order}"), score));
            let rouge = ("ROUGE-L".to_owned(), rouge_l);
            Report::of(std::iter::once(rouge).chain(bleu).collect(), true)
        }
    }
}

fn print(arguments: &ScoreArguments, reports: &[(Report, String)]) -> io::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    let width = arguments.width;
    for (report, signature) in reports {
        if arguments.json {
            serde_json::to_writer(&mut output, &report.json(width, signature))?;
            writeln!(output)?;
        } else {
            writeln!(output, "{}\n{signature}", report.text(width))?
        }
    }
    output.flush()
}
