//! `strata score`: compares translations or answers with references.

mod arguments;
mod measure;
mod paired;
mod questions;

use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use arguments::ScoreArguments;
use measure::{Measure, Sentence};
use strata_metrics::{is_white_space, looks_tokenized};
use strata_text::unpacked_text;

use crate::base::error::Error;
use crate::base::output::warn;
use crate::base::text_file;

/// Number of hypotheses that end in a separate full stop from which a file counts as tokenised.
const SUSPICIOUS_POINTS: usize = 100;

/// Scores the hypotheses, and prints the results.
pub fn run(arguments: &ScoreArguments) -> Result<ExitCode, Error> {
    if let Some(answers) = &arguments.answers {
        return questions::run(arguments, answers);
    }
    arguments.check_used()?;
    let mut measures = Vec::new();
    for &name in &arguments.metric {
        measures.push(Measure::new(name, arguments)?);
    }
    let references = References::read(arguments)?;
    if arguments.paired_bs {
        return paired::run(arguments, &references);
    }
    let hypotheses = Hypotheses::of(arguments)?;
    let references = references.of(&hypotheses)?;
    let hypotheses = hypotheses.lines()?;
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

/// A file of hypotheses, or standard input.
struct Hypotheses {
    name: String,
    text: String,
}

impl Hypotheses {
    /// Returns the only file of hypotheses; refuses several.
    fn of(arguments: &ScoreArguments) -> Result<Self, Error> {
        match &arguments.hypotheses[..] {
            [] => Self::read(Path::new("-")),
            [path] => Self::read(path),
            [..] => Err(Error::Session(
                "several files of hypotheses are compared by `--paired-bs`; name one, or add it"
                    .to_owned(),
            )),
        }
    }

    fn read(path: &Path) -> Result<Self, Error> {
        Ok(if path == Path::new("-") {
            Self {
                name: STANDARD_INPUT.to_owned(),
                text: standard_input()?,
            }
        } else {
            Self {
                name: path.display().to_string(),
                text: text_file::read(path)?,
            }
        })
    }

    fn lines(&self) -> Result<Vec<&str>, Error> {
        let lines = lines(&self.name, &self.text)?;
        if lines.is_empty() {
            Err(Error::NothingToScore {
                name: self.name.clone(),
            })
        } else {
            Ok(lines)
        }
    }
}

/// Files of references, each with its text.
struct References(Vec<(PathBuf, String)>);

impl References {
    fn read(arguments: &ScoreArguments) -> Result<Self, Error> {
        let read = |path: &PathBuf| Ok((path.clone(), text_file::read(path)?));
        arguments
            .reference
            .iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the lines of each file, which must be as many as the hypotheses.
    fn of<'a>(&'a self, hypotheses: &Hypotheses) -> Result<Vec<Vec<&'a str>>, Error> {
        let count = hypotheses.lines()?.len();
        let of_file = |(path, text): &'a (PathBuf, String)| {
            let lines = lines(&path.display().to_string(), text)?;
            if lines.len() == count {
                Ok(lines)
            } else {
                Err(Error::UnequalLines {
                    reference: path.clone(),
                    reference_lines: lines.len(),
                    hypotheses: hypotheses.name.clone(),
                    lines: count,
                })
            }
        };
        self.0.iter().map(of_file).collect()
    }
}

/// Length of the longest line in MiB: no sentence is longer, and n-grams of more would fill the
/// memory.
const LONGEST_LINE_MEBIBYTES: usize = 1;
const STANDARD_INPUT: &str = "standard input";

fn standard_input() -> Result<String, Error> {
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(Error::reading(Path::new(STANDARD_INPUT)))?;
    Ok(unpacked_text(STANDARD_INPUT, &bytes)?)
}

/// Splits a text into lines without trailing white space, as sacreBLEU does: only a line feed ends
/// a line.
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
        // Scores the corpus as one part, or each sentence by itself.
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
