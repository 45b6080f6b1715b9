//! Report on texts that a user gave, before anything is trained on them.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_text::{ParallelText, Shape, TextError, UploadedText, Uploads, is_blank, read_text};

use crate::{Dropped, FilesConfig, Question, ReadingData, TaskConfig, TaskError, files};

mod kind;
#[cfg(test)]
mod tests;

/// Largest unpacked text of one file, in MiB.
const MAXIMUM_MEBIBYTES: u64 = 64;
/// Number of pairs or lines shown.
const SHOWN: usize = 6;
/// Most characters shown of each pair or line.
const SHOWN_CHARACTERS: usize = 200;
/// Most line numbers that are named.
const NAMED: usize = 5;

/// Report on texts that a user gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusReport {
    /// Task that reads the texts.
    #[serde(with = "strata_text::serde_as_json")]
    pub task: TaskConfig,
    /// Size of each text.
    pub texts: Vec<TextSize>,
    /// First pairs, or questions with their answers; for a single text, its first lines, each with
    /// an empty second element.
    pub preview: Vec<[String; 2]>,
    /// Number of training examples.
    pub training: usize,
    /// Number of held-out examples.
    pub held_out: usize,
    /// Sentence on the reason for the number of held-out examples.
    pub why_held_out: Option<String>,
    /// Sizes of the source and target vocabularies, special tokens included.
    pub vocabularies: [usize; 2],
    /// Sentences on the pairs that were left out, one for each reason, with the first line numbers.
    pub dropped: Vec<String>,
    /// Further notes before training, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Size of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSize {
    /// Name that the user gave the text.
    pub name: String,
    /// Number of unpacked bytes, in UTF-8.
    pub bytes: usize,
    /// Number of lines.
    pub lines: usize,
}

impl CorpusReport {
    /// Reports the result of loading `texts` as data of `task` in a run of this seed, and adds the
    /// texts to `uploads`, from which the task can then be loaded. Without texts, the earlier ones
    /// are examined again. Texts of another kind than the task reads (questions instead of pairs,
    /// or pairs instead of questions) are read as that kind; then [`task`](Self::task) is another
    /// task.
    ///
    /// # Errors
    /// A sentence on the fault and its place; `uploads` are not changed then.
    pub fn of(
        task: TaskConfig,
        seed: u64,
        texts: Vec<UploadedText>,
        uploads: &mut Uploads,
    ) -> Result<Self, TaskError> {
        task.validate()?;
        let mut decoded = Vec::new();
        for UploadedText { name, bytes } in texts {
            let text = read_text(&name, &bytes, MAXIMUM_MEBIBYTES)?;
            decoded.push((name, text));
        }
        let (task, note) = match kind::by_contents(&task, &decoded) {
            Some((other, note)) => (other, Some(note)),
            None => (task, None),
        };
        let mut missing = Vec::new();
        let mut given: Vec<(String, Arc<str>)> = Vec::new();
        for (name, mut text) in decoded {
            if has_columns(&task, Path::new(&name)) {
                (text, missing) = without_lines_of_one_column(&name, text)?;
            }
            given.push((name, text.into()));
        }
        let taken = uploads.with(given);
        let mut examined = Self::look(task, seed, &missing, &taken)?;
        examined.notes.splice(0..0, note);
        *uploads = taken;
        Ok(examined)
    }

    fn look(
        task: TaskConfig,
        seed: u64,
        missing: &[usize],
        uploads: &Uploads,
    ) -> Result<Self, TaskError> {
        let data = task.load(seed, uploads)?;
        let mut dropped = Vec::new();
        if !missing.is_empty() {
            let which = "without a TAB between source and target";
            dropped.push(left_out(
                missing.len(),
                which,
                &missing[..missing.len().min(NAMED)],
            ));
        }
        let preview = match &task {
            TaskConfig::Files(config) => {
                let corpus = files::open(&config.source, config.target.as_deref(), uploads)?;
                let of_corpus = data.dropped.training;
                dropped.extend(sentences(config, &corpus, of_corpus, missing)?);
                dropped.extend(data.dropped.validation_sentences());
                first_pairs(&corpus)
            }
            _ => match data.examples.questions() {
                Some(reading) => first_questions(reading),
                None => first_lines(&task, uploads),
            },
        };
        let [training, held_out, tested] = match data.examples.questions() {
            Some(reading) => [
                reading.training.len(),
                reading.measured().0.len(),
                reading.tested,
            ],
            None => [data.training().len(), data.validation().len(), 0],
        };
        let texts = task.paths().into_iter().filter_map(|path| {
            let text = uploads.text(path)?;
            Some(TextSize {
                name: path.display().to_string(),
                bytes: text.len(),
                lines: text.lines().count(),
            })
        });
        Ok(Self {
            texts: texts.collect(),
            preview,
            training,
            held_out,
            why_held_out: task.why_held_out(training, [held_out, tested], data.dropped),
            vocabularies: [data.source_vocabulary.len(), data.target_vocabulary.len()],
            dropped,
            notes: data.facts.sentences(&task),
            task,
        })
    }
}

/// True if the text of this name holds source and target in two columns.
fn has_columns(task: &TaskConfig, name: &Path) -> bool {
    matches!(task, TaskConfig::Files(config) if config.target.is_none() && config.source == name)
}

/// Makes lines without a TAB blank, so that other lines keep their numbers; returns the text, and
/// the numbers of those lines.
fn without_lines_of_one_column(
    name: &str,
    text: String,
) -> Result<(String, Vec<usize>), TaskError> {
    let faulty = |line: &str| !line.contains('\t') && !line.trim().is_empty();
    let numbers: Vec<usize> = (1..)
        .zip(text.lines())
        .filter_map(|(number, line)| faulty(line).then_some(number))
        .collect();
    let Some(&first) = numbers.first() else {
        return Ok((text, numbers));
    };
    if !text.contains('\t') {
        return Err(TextError::no_tab(name, first, Shape::of(text.lines())).into());
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        if !faulty(line) {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    Ok((kept, numbers))
}

/// Returns sentences on the pairs that were left out.
fn sentences(
    config: &FilesConfig,
    corpus: &ParallelText,
    dropped: Dropped,
    missing: &[usize],
) -> Result<Vec<String>, TaskError> {
    let mut told = Vec::new();
    let empty = dropped.empty.saturating_sub(missing.len());
    if empty > 0 {
        let lines = numbered(corpus)
            .filter(|(number, [source, target])| {
                (is_blank(source) || is_blank(target)) && missing.binary_search(number).is_err()
            })
            .map(|(number, _)| number);
        let lines: Vec<usize> = lines.take(NAMED).collect();
        told.push(left_out(empty, "with nothing on one side", &lines));
    }
    if dropped.too_long > 0 {
        let pieces = config.sentencepiece_models(&Uploads::default(), [None, None])?;
        let [source_side, target_side] = config.learners(&pieces)?;
        let length = |side: &strata_text::Learner, text: &str| {
            let mut length = 0;
            side.each_unit(text, &mut |_| length += 1);
            length
        };
        let most = config.maximum_length;
        let lines = numbered(corpus)
            .filter(|(_, [source, target])| {
                length(&source_side, source).max(length(&target_side, target)) > most
            })
            .map(|(number, _)| number);
        let lines: Vec<usize> = lines.take(NAMED).collect();
        let which = format!("with more than {most} tokens on a side");
        told.push(left_out(dropped.too_long, &which, &lines));
    }
    Ok(told)
}

fn numbered(corpus: &ParallelText) -> impl Iterator<Item = (usize, [&str; 2])> {
    let pairs = corpus.pairs.iter();
    (1..).zip(pairs.map(|(source, target)| [source.as_str(), target.as_str()]))
}

/// Returns a sentence: `Left out: 12 lines without a TAB …: lines 3, 7, 8, 20, 31 and 7 more.`
fn left_out(count: usize, which: &str, lines: &[usize]) -> String {
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    let (pairs, word) = match count {
        1 => ("pair", "line"),
        _ => ("pairs", "lines"),
    };
    let mut sentence = format!("Left out: {count} {pairs} {which}");
    if !numbers.is_empty() {
        sentence += &format!(", {word} {}", numbers.join(", "));
        let more = count.saturating_sub(numbers.len());
        if more > 0 {
            sentence += &format!(" and {more} more");
        }
    }
    sentence + "."
}

fn first_pairs(corpus: &ParallelText) -> Vec<[String; 2]> {
    let filled = |(source, target): &&(String, String)| {
        !source.trim().is_empty() && !target.trim().is_empty()
    };
    let pairs = corpus.pairs.iter().filter(filled).take(SHOWN);
    pairs
        .map(|(source, target)| [shortened(source), shortened(target)])
        .collect()
}

fn first_questions(reading: &ReadingData) -> Vec<[String; 2]> {
    let first = reading.training.iter().take(SHOWN);
    let answer = |question: &Question| {
        question
            .answers
            .first()
            .map_or("", String::as_str)
            .to_owned()
    };
    first
        .map(|it| [shortened(it.question.text()), shortened(&answer(it))])
        .collect()
}

fn first_lines(task: &TaskConfig, uploads: &Uploads) -> Vec<[String; 2]> {
    let text = task.paths().first().and_then(|path| uploads.text(path));
    let lines = text.unwrap_or_default().lines();
    lines
        .filter(|line| !line.trim().is_empty())
        .take(SHOWN)
        .map(|line| [shortened(line), String::new()])
        .collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
