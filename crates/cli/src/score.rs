//! `strata score`: translations or answers against references.

mod arguments;
mod measure;
mod questions;

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

pub use arguments::{ScoreArguments, tokenizers};
use measure::{Measure, Sentence};
use strata_metrics::{is_white_space, looks_tokenized};
use strata_tasks::unpacked_text;

use crate::error::Error;
use crate::output::warn;
use crate::text_file;

/// Number of hypotheses ending in a separate full stop from which they count as tokenised.
const SUSPICIOUS_POINTS: usize = 100;

/// Scores the hypotheses, and prints the results.
pub fn run(arguments: &ScoreArguments) -> Result<ExitCode, Error> {
    if let Some(answers) = &arguments.answers {
        return questions::run(arguments, answers);
    }
    let mut measures = Vec::new();
    for &name in &arguments.metric {
        measures.push(Measure::new(name, arguments)?);
    }
    let references = arguments.reference.iter().map(|path| text_file::read(path));
    let references: Vec<String> = references.collect::<Result<_, _>>()?;
    let (name, hypotheses) = hypotheses(arguments)?;
    let hypotheses = lines(&name, &hypotheses)?;
    if hypotheses.is_empty() {
        return Err(Error::NothingToScore { name });
    }
    let references: Vec<Vec<&str>> = arguments
        .reference
        .iter()
        .zip(&references)
        .map(|(path, text)| lines(&path.display().to_string(), text))
        .collect::<Result<_, _>>()?;
    for (path, references) in arguments.reference.iter().zip(&references) {
        if references.len() != hypotheses.len() {
            return Err(Error::UnequalLines {
                reference: path.clone(),
                reference_lines: references.len(),
                hypotheses: name,
                lines: hypotheses.len(),
            });
        }
    }
    let sentences: Vec<Sentence> = hypotheses
        .iter()
        .enumerate()
        .map(|(line, &hypothesis)| (hypothesis, references.iter().map(|it| it[line]).collect()))
        .collect();
    warn_of_tokens(arguments, &measures, &hypotheses);
    printed(print(arguments, &measures, &sentences))
}

fn printed(result: io::Result<()>) -> Result<ExitCode, Error> {
    match result {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // The reader has closed its pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(reason) => Err(Error::Write {
            path: "standard output".into(),
            what: "score",
            reason,
            advice: "make room where it goes".to_owned(),
        }),
    }
}

/// Name and text of what is scored.
fn hypotheses(arguments: &ScoreArguments) -> Result<(String, String), Error> {
    Ok(match arguments.hypotheses.as_deref() {
        Some(path) if path != Path::new("-") => {
            (path.display().to_string(), text_file::read(path)?)
        }
        _ => (STANDARD_INPUT.to_owned(), standard_input()?),
    })
}

/// Longest line in MiB: no sentence is longer, and n-grams of more would fill the memory.
const LONGEST_LINE_MEBIBYTES: usize = 1;
const STANDARD_INPUT: &str = "standard input";

fn standard_input() -> Result<String, Error> {
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(Error::reading(Path::new(STANDARD_INPUT)))?;
    Ok(unpacked_text(STANDARD_INPUT, &bytes)?)
}

/// Lines of a text without trailing white space, as sacreBLEU reads them: only a line feed ends a
/// line.
fn lines<'a>(name: &str, text: &'a str) -> Result<Vec<&'a str>, Error> {
    let lines = (1..).zip(text.split_terminator('\n'));
    let lines = lines.map(|(number, line)| {
        if line.len() > LONGEST_LINE_MEBIBYTES << 20 {
            return Err(Error::LongLine {
                name: name.to_owned(),
                line: number,
                mebibytes: LONGEST_LINE_MEBIBYTES,
            });
        }
        Ok(line.trim_end_matches(is_white_space))
    });
    lines.collect()
}

fn print(
    arguments: &ScoreArguments,
    measures: &[Measure],
    sentences: &[Sentence],
) -> io::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    let width = arguments.width;
    for measure in measures {
        let signature = measure.signature(arguments.reference.len());
        // Score the corpus as one part, or each sentence by itself.
        let size = if arguments.sentence {
            1
        } else {
            sentences.len()
        };
        for part in sentences.chunks(size) {
            let report = measure.measure(part);
            if arguments.json {
                serde_json::to_writer(&mut output, &report.json(width, &signature))?;
                writeln!(output)?;
            } else if arguments.sentence {
                writeln!(output, "{}", report.signed_text(width, &signature))?;
            } else {
                writeln!(output, "{}\n{signature}", report.text(width))?;
            }
        }
    }
    output.flush()
}

fn warn_of_tokens(arguments: &ScoreArguments, measures: &[Measure], hypotheses: &[&str]) {
    let points = hypotheses.iter().filter(|it| looks_tokenized(it)).count();
    let bleu = measures.iter().any(|it| matches!(it, Measure::Bleu(_)));
    if bleu && points >= SUSPICIOUS_POINTS && !arguments.force {
        warn(&format!(
            "warning: {points} hypotheses end in a point that stands alone; scores compare only \
             with those of text put together again after tokenisation. `--force` takes it as it is."
        ));
    }
}
