//! Statistics of files with questions about passages, and the faults of questions.

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_tasks::corpora::{self, CorpusKind};
use strata_tasks::{
    ReadingConfig, ReadingCounts, ReadingError, TaskConfig, TaskError, TextReader, Uploads,
    file_bytes,
};

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
}

/// Returns the files as parts, if they are files of questions.
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
    let mut reports = Vec::new();
    for part in parts {
        let (format, level, counts) = match part.config.counts(&part.path, &Uploads::default()) {
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
        });
    }
    if as_json {
        print(&serde_json::to_string_pretty(&reports).expect("a report is plain data"));
    } else {
        let texts: Vec<String> = reports.iter().map(text).collect();
        print(&texts.join("\n\n"));
    }
    Ok(true)
}

fn text(report: &Report) -> String {
    let Report {
        part,
        file,
        format,
        level,
        counts,
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
    lines.join("\n")
}

/// True if the text of a file begins as JSON does.
fn begins_json(path: &Path) -> bool {
    let Ok(bytes) = file_bytes(path) else {
        return false;
    };
    let Ok(reader) = TextReader::new(&path.display().to_string(), &bytes[..]) else {
        return false;
    };
    let first = std::io::Read::bytes(reader)
        .map_while(Result::ok)
        .find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}
