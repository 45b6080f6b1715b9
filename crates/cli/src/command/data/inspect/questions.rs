//! Statistics of files with questions about passages, the faults of questions, and the questions
//! that two files share.

use std::collections::HashSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_tasks::corpora::{self, CorpusKind};
use strata_tasks::{ReadingConfig, ReadingCounts, ReadingError, TaskConfig, TaskError};
use strata_text::{TextReader, Uploads, open_file};

use super::overlap::Shared;
use super::{InspectArguments, is_name, is_setting, part_files, task};
use crate::base::error::Error;
use crate::base::output::print;
use crate::command::data::catalogue::named;
use crate::display::format::grouped;

/// Token units that only files of questions have.
pub const LEVELS: [&str; 2] = ["fine", "segmented"];

/// A file of questions.
pub struct Part {
    name: String,
    path: PathBuf,
    config: ReadingConfig,
    /// True if the file may just as well be a text.
    may_be_text: bool,
}

/// Statistics of a file.
#[derive(Serialize)]
struct Report {
    part: String,
    file: String,
    format: &'static str,
    level: &'static str,
    counts: ReadingCounts,
    /// Overlap with the training part, which is the first file; `None` for that part.
    overlap: Option<Shared>,
}

/// Returns the files as parts; `None` if the files contain no questions.
pub fn parts(arguments: &InspectArguments) -> Result<Vec<Part>, Error> {
    let what = &arguments.what;
    let part = |name: &str, path: &Path, config: &ReadingConfig| Part {
        name: name.to_owned(),
        path: path.to_owned(),
        config: config.clone(),
        may_be_text: false,
    };
    let mut parts = Vec::new();
    let mut config = ReadingConfig::default();
    if arguments.config.is_some() || what.iter().any(is_setting) {
        let TaskConfig::Reading(task) = task(arguments)? else {
            return Ok(parts);
        };
        config = task;
        parts.push(part("train", &config.source, &config));
        let validation = config.validation_source.iter();
        parts.extend(validation.map(|path| part("validation", path, &config)));
    } else if let [name] = what.as_slice() {
        if is_name(name) {
            let corpus = named(name)?;
            if corpus.kind == CorpusKind::Reading {
                for (name, path) in part_files(corpus, arguments.folder.as_deref())? {
                    parts.push(part(name, &path, &config));
                }
            }
        } else if begins_json(Path::new(name)) && corpora::find(name).is_none() {
            let plain = name.strip_suffix(".gz").unwrap_or(name);
            parts.push(Part {
                may_be_text: !plain.ends_with(".json") && !plain.ends_with(".jsonl"),
                ..part("train", Path::new(name), &config)
            });
        }
    }
    if !parts.is_empty() {
        for (name, files) in [
            ("validation", &arguments.validation),
            ("test", &arguments.test),
        ] {
            parts.extend(files.iter().map(|path| part(name, path, &config)));
        }
    }
    if let Some(level) = &arguments.level {
        for part in &mut parts {
            let level = serde_json::from_value(level.as_str().into());
            part.config.level = level.expect("levels of texts are levels of questions, too");
        }
    }
    Ok(parts)
}

/// Counts the files and prints the results; `false` if the first turns out to be a text.
pub fn run(parts: &[Part], as_json: bool) -> Result<bool, Error> {
    let mut reports: Vec<Report> = Vec::new();
    let mut training: Option<Vec<u64>> = None;
    for part in parts {
        let (format, level, counts, questions) =
            match part.config.counts(&part.path, &Uploads::default()) {
                Ok(counted) => counted,
                Err(TaskError::Reading(
                    ReadingError::NotJson { .. } | ReadingError::UnknownFormat { .. },
                )) if part.may_be_text => return Ok(false),
                Err(error) => return Err(error.into()),
            };
        reports.push(Report {
            part: part.name.clone(),
            file: part.path.display().to_string(),
            format: format.name(),
            level: level.name(),
            counts,
            overlap: training.as_ref().map(|it| shared(it, &questions)),
        });
        training.get_or_insert(questions);
    }
    if as_json {
        print(&serde_json::to_string_pretty(&reports).expect("a report is plain data"));
    } else {
        let all = reports.first().map_or(0, |it| it.counts.questions);
        let texts: Vec<String> = reports.iter().map(|it| text(it, all)).collect();
        print(&texts.join("\n\n"));
    }
    Ok(true)
}

/// Compares a part with the training part, by the identities of their questions.
fn shared(training: &[u64], part: &[u64]) -> Shared {
    let count = |of: &[u64], others: &[u64]| {
        let others: HashSet<u64> = others.iter().copied().collect();
        of.iter().filter(|&it| others.contains(it)).count() as u64
    };
    Shared {
        here: count(part, training),
        in_training: count(training, part),
    }
}

/// Writes the report on a part; the training part has `all` questions.
fn text(report: &Report, all: usize) -> String {
    let Report {
        part,
        file,
        format,
        level,
        counts,
        overlap,
    } = report;
    let mut lines = vec![format!("{part}: {file}, format {format}, level {level}")];
    for (what, count) in counts.rows() {
        let first = counts.first.get(what).map(|first| {
            let more = if count > first.len() { ", …" } else { "" };
            format!(" (questions {}{more})", first.join(", "))
        });
        let first = first.unwrap_or_default();
        lines.push(format!("  {:>12}  {what}{first}", grouped(count as u64)));
    }
    if let Some(Shared { here, in_training }) = *overlap {
        lines.push(format!(
            "  also in the training part: {} of {} ({} of the training part) questions",
            grouped(here),
            grouped(counts.questions as u64),
            grouped(in_training),
        ));
        if here > 0 {
            let advice = if in_training == all as u64 {
                "these are all questions of the training part: name another file".to_owned()
            } else {
                format!(
                    "`strata train` with `task.validation_source={file}` leaves them out of the \
                     training part"
                )
            };
            lines.push(format!(
                "  WARNING: a model that is measured on these is measured on what it has learned; \
                 {advice}."
            ));
        }
    }
    lines.join("\n")
}

/// True if a file has questions, with or without faults.
pub fn are_questions(path: &Path) -> bool {
    if !begins_json(path) {
        return false;
    }
    match ReadingConfig::default().counts(path, &Uploads::default()) {
        Ok(_) => true,
        Err(TaskError::Reading(
            ReadingError::NotJson { .. } | ReadingError::UnknownFormat { .. },
        )) => false,
        Err(error) => matches!(error, TaskError::Reading(_)),
    }
}

/// True if the text of a file begins as JSON does.
fn begins_json(path: &Path) -> bool {
    let Ok(file) = open_file(path) else {
        return false;
    };
    let Ok(reader) = TextReader::new(&path.display().to_string(), BufReader::new(file)) else {
        return false;
    };
    let first = std::io::Read::bytes(reader)
        .map_while(Result::ok)
        .find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}
