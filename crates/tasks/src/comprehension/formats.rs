//! Readers of files of questions; each format has a module.

mod dureader;
mod msmarco;
mod squad;

use std::collections::HashSet;
use std::path::Path;

use strata_text::{Uploads, read_text};

use super::json::{File, begins_list};
use super::record::Corpus;
use super::{ReadingConfig, ReadingError, ReadingFormat, ReadingLevel};
use crate::TaskError;
#[cfg(not(target_family = "wasm"))]
use crate::stream::TextLines;

/// Name of the work that is shown while a file is read.
const READING: &str = "Reading the questions";
/// Size of the largest file, unpacked, in MiB.
const MAXIMUM_MEBIBYTES: u64 = 1024;
/// Length of the longest paragraph, in bytes: attention over more tokens would never end.
const LONGEST_PARAGRAPH: usize = 1 << 20;
/// Most documents of one question.
const MOST_DOCUMENTS: usize = 10_000;
/// Text in MS MARCO that stands for a missing answer, with or without a full stop.
const NO_ANSWER: &str = "No Answer Present";

/// Function that receives each part of a file as it is read: some questions, and all paragraphs to
/// which they refer. The function may take them out of the corpus.
pub(crate) type Look<'a> = &'a mut dyn FnMut(&mut Corpus);

/// Reads a file of questions.
///
/// # Errors
/// If the file cannot be read, or is not in its format.
pub(crate) fn read(
    path: &Path,
    config: &ReadingConfig,
    uploads: &Uploads,
) -> Result<Corpus, TaskError> {
    read_by_parts(path, config, uploads, READING, &mut |_| ())
}

/// Reads a file of questions part by part; `what` names the work while it is shown.
///
/// # Errors
/// If the file cannot be read, or is not in its format.
pub(crate) fn read_by_parts(
    path: &Path,
    config: &ReadingConfig,
    uploads: &Uploads,
    what: &'static str,
    look: Look<'_>,
) -> Result<Corpus, TaskError> {
    let corpus = read_parts_leniently(path, config, uploads, what, look)?;
    match &corpus.unsegmented {
        Some(id) if config.level == ReadingLevel::Segmented => Err(ReadingError::NotSegmented {
            name: corpus.name.clone(),
            id: id.clone(),
        }
        .into()),
        _ => Ok(corpus),
    }
}

/// Reads a file of questions. Texts without tokens of their own are cut by another segmenter,
/// whatever the level.
///
/// # Errors
/// If the file cannot be read, or is not in its format.
pub(super) fn read_leniently(
    path: &Path,
    config: &ReadingConfig,
    uploads: &Uploads,
) -> Result<Corpus, TaskError> {
    read_parts_leniently(path, config, uploads, READING, &mut |_| ())
}

fn read_parts_leniently(
    path: &Path,
    config: &ReadingConfig,
    uploads: &Uploads,
    what: &'static str,
    look: Look<'_>,
) -> Result<Corpus, TaskError> {
    #[cfg(not(target_family = "wasm"))]
    if uploads.text(path).is_none()
        && let Some(corpus) = of_lines(path, config, what, look)?
    {
        return Ok(corpus);
    }
    #[cfg(target_family = "wasm")]
    let _ = what;
    let name = path.display().to_string();
    let text = text(path, uploads)?;
    Ok(of_text(&name, &text, config, look)?)
}

/// Reads the text of a file, unpacked.
pub(super) fn text(path: &Path, uploads: &Uploads) -> Result<String, TaskError> {
    let name = path.display().to_string();
    Ok(read_text(&name, &uploads.read(path)?, MAXIMUM_MEBIBYTES)?)
}

/// Reads the questions of a text.
pub(super) fn of_text(
    name: &str,
    text: &str,
    config: &ReadingConfig,
    look: Look<'_>,
) -> Result<Corpus, ReadingError> {
    let asked = config.format;
    let format = match asked {
        ReadingFormat::Auto => File {
            name,
            format: asked,
        }
        .told_by(text)?,
        format => format,
    };
    let file = File { name, format };
    let mut corpus = Corpus::new(name, format, config);
    match format {
        ReadingFormat::Auto | ReadingFormat::Squad => squad::read(file, text, &mut corpus, look)?,
        ReadingFormat::Msmarco if begins_list(text) => {
            let mut reader = msmarco::Reader::new(file);
            file.each_of_list(text, |entry| {
                reader.take(entry, &mut corpus)?;
                look(&mut corpus);
                Ok(())
            })?;
        }
        ReadingFormat::Dureader | ReadingFormat::Msmarco => {
            let mut lines = Lines::of(file);
            for (number, line) in (1..).zip(text.lines()) {
                lines.take(line, number, &mut corpus)?;
                look(&mut corpus);
            }
        }
    }
    Ok(corpus)
}

/// Reads the questions of a file with one question per line, without having the whole file in
/// memory; `None` for a file of another form.
#[cfg(not(target_family = "wasm"))]
fn of_lines(
    path: &Path,
    config: &ReadingConfig,
    what: &'static str,
    look: Look<'_>,
) -> Result<Option<Corpus>, TaskError> {
    let name = path.display().to_string();
    let Some(format) = first_format(path, &name) else {
        return Ok(None);
    };
    if ![ReadingFormat::Auto, format].contains(&config.format) {
        return Ok(None);
    }
    let file = File {
        name: &name,
        format,
    };
    let mut corpus = Corpus::new(&name, format, config);
    let mut questions = Lines::of(file);
    let mut lines = TextLines::open(path, what)?;
    let mut number = 0;
    while let Some(line) = lines.next_line()? {
        number += 1;
        questions.take(line, number, &mut corpus)?;
        look(&mut corpus);
    }
    Ok(Some(corpus))
}

/// Determines the format of a file from its first line, if that line is a question by itself.
#[cfg(not(target_family = "wasm"))]
fn first_format(path: &Path, name: &str) -> Option<ReadingFormat> {
    let mut lines = TextLines::open(path, "").ok()?;
    let file = File {
        name,
        format: ReadingFormat::Auto,
    };
    while let Some(line) = lines.next_line().ok()? {
        if !line.trim().is_empty() {
            let format = file.told_by(line).ok()?;
            return (format != ReadingFormat::Squad && !begins_list(line)).then_some(format);
        }
    }
    None
}

/// Reader of files with one question per line.
enum Lines<'a> {
    Dureader(File<'a>, dureader::Reader<'a>),
    Msmarco(File<'a>, msmarco::Reader<'a>),
}

impl<'a> Lines<'a> {
    fn of(file: File<'a>) -> Self {
        match file.format {
            ReadingFormat::Dureader => Self::Dureader(file, dureader::Reader::new(file)),
            _ => Self::Msmarco(file, msmarco::Reader::new(file)),
        }
    }

    fn take(&mut self, line: &str, number: usize, corpus: &mut Corpus) -> Result<(), ReadingError> {
        match self {
            Self::Dureader(file, reader) => {
                let question = file.line(line, number)?;
                question.map_or(Ok(()), |it| reader.take(it, corpus))
            }
            Self::Msmarco(file, reader) => {
                let question = file.line(line, number)?;
                question.map_or(Ok(()), |it| reader.take(it, corpus))
            }
        }
    }
}

/// Identifiers seen so far; each may occur only once.
#[derive(Default)]
struct Identifiers(HashSet<String>);

impl Identifiers {
    fn add(&mut self, file: File<'_>, id: &str) -> Result<(), ReadingError> {
        if self.0.insert(id.to_owned()) {
            Ok(())
        } else {
            Err(file.repeated(id))
        }
    }
}

/// Keeps the answers that are neither blank nor the text for a missing answer.
fn given(answers: impl IntoIterator<Item = String>) -> Vec<String> {
    let is_some = |it: &String| {
        let text = it.trim();
        !text.is_empty() && text.trim_end_matches('.') != NO_ANSWER
    };
    answers.into_iter().filter(is_some).collect()
}

fn check_paragraph(file: File<'_>, id: &str, paragraph: &str) -> Result<(), ReadingError> {
    if paragraph.len() <= LONGEST_PARAGRAPH {
        Ok(())
    } else {
        Err(file.fault(
            id,
            format!(
                "a paragraph of it has {} bytes, but at most {LONGEST_PARAGRAPH} (1 MiB) are \
                 read; cut it into several",
                paragraph.len()
            ),
        ))
    }
}

fn check_documents(file: File<'_>, id: &str, documents: usize) -> Result<(), ReadingError> {
    if documents <= MOST_DOCUMENTS {
        Ok(())
    } else {
        Err(file.fault(
            id,
            format!(
                "it has {documents} documents, but at most {MOST_DOCUMENTS} are read; leave \
             some out"
            ),
        ))
    }
}
