//! Files of questions, each format in a file.

mod dureader;
mod msmarco;
mod squad;

use std::collections::HashSet;
use std::path::Path;

use super::json::{File, begins_list};
use super::record::Corpus;
use super::{ReadingConfig, ReadingError, ReadingFormat};
use crate::reading::read_text;
use crate::{TaskError, Uploads};

/// Largest file, unpacked.
const MAXIMUM_MEBIBYTES: u64 = 1024;
/// Longest paragraph in bytes: attention over more would never end.
const LONGEST_PARAGRAPH: usize = 1 << 20;
/// Most documents of a question.
const MOST_DOCUMENTS: usize = 10_000;
/// What MS MARCO has in place of an answer that was not found.
const NO_ANSWER: &str = "No Answer Present.";

/// Reads a file of questions.
///
/// # Errors
/// If it cannot be read, or is not what its format says.
pub(super) fn read(
    path: &Path,
    config: &ReadingConfig,
    uploads: &Uploads,
) -> Result<Corpus, TaskError> {
    let name = path.display().to_string();
    let text = text(path, uploads)?;
    let mut corpus = of_text(&name, &text, config)?;
    corpus.count_tokens();
    Ok(corpus)
}

/// Text of a file, unpacked.
pub(super) fn text(path: &Path, uploads: &Uploads) -> Result<String, TaskError> {
    let name = path.display().to_string();
    read_text(&name, &uploads.read(path)?, MAXIMUM_MEBIBYTES)
}

/// The questions of a text.
pub(super) fn of_text(
    name: &str,
    text: &str,
    config: &ReadingConfig,
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
        ReadingFormat::Auto | ReadingFormat::Squad => squad::read(file, text, &mut corpus)?,
        ReadingFormat::Dureader => {
            let mut reader = dureader::Reader::new(file, config);
            file.each_line(text, |line| reader.take(line, &mut corpus))?;
        }
        ReadingFormat::Msmarco => {
            let mut reader = msmarco::Reader::new(file);
            let take = |entry| reader.take(entry, &mut corpus);
            match begins_list(text) {
                true => file.each_of_list(text, take)?,
                false => file.each_line(text, take)?,
            }
        }
    }
    Ok(corpus)
}

/// Identifiers, of which each may occur once.
#[derive(Default)]
struct Identifiers(HashSet<String>);

impl Identifiers {
    fn add(&mut self, file: File<'_>, id: &str) -> Result<(), ReadingError> {
        match self.0.insert(id.to_owned()) {
            true => Ok(()),
            false => Err(file.repeated(id)),
        }
    }
}

/// The answers that are some.
fn given(answers: impl IntoIterator<Item = String>) -> Vec<String> {
    let is_some = |it: &String| !it.trim().is_empty() && it.trim() != NO_ANSWER;
    answers.into_iter().filter(is_some).collect()
}

fn check_paragraph(file: File<'_>, id: &str, paragraph: &str) -> Result<(), ReadingError> {
    match paragraph.len() <= LONGEST_PARAGRAPH {
        true => Ok(()),
        false => Err(file.fault(
            id,
            format!(
                "a paragraph of it has {} bytes, but at most {LONGEST_PARAGRAPH} (1 MiB) are read; cut it into several",
                paragraph.len()
            ),
        )),
    }
}

fn check_documents(file: File<'_>, id: &str, documents: usize) -> Result<(), ReadingError> {
    match documents <= MOST_DOCUMENTS {
        true => Ok(()),
        false => Err(file.fault(
            id,
            format!("it has {documents} documents, but at most {MOST_DOCUMENTS} are read; leave some out"),
        )),
    }
}
