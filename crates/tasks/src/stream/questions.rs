//! Preparation of a file of questions larger than memory: read two or three times, training
//! questions stored as numbers in a file of blocks, held-out questions as text.

mod held_out;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_text::{TextForm, TokenUnit, Uploads, Vocabulary};

pub(super) use held_out::HeldOutWriter;

use self::held_out::HeldOutReader;
use super::cache::{Cache, StoredIdentities, Tail, folder};
use super::stored::{Block, Stored, read_at};
use super::writer::BlockWriter;
use crate::comprehension::assemble::{TrainingCounts, nothing, read_vectors};
use crate::comprehension::data::AnswerLengths;
use crate::comprehension::examples::{measured, numbered, trained};
use crate::comprehension::formats;
use crate::comprehension::record::{Corpus, Record};
use crate::comprehension::split::{
    self, Asked, MeasuredQuestions, Parts, QuestionIdentities, remark_on_shared,
};
use crate::fingerprint::of_bytes;
use crate::{
    Dataset, Facts, Identities, LearnedBuilder, LeftOut, ReadingConfig, ReadingData, ReadingFormat,
    ReadingSplit, ReadingTokenizer, Stream, TaskError, TokenText, Written,
};

/// Parts of a tail that only a corpus of questions has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionsTail {
    tokenizer: ReadingTokenizer,
    /// Format of the file from which the held-out questions come.
    format: ReadingFormat,
    usual_answer: usize,
    /// Number of tested questions, the last ones of the held-out questions.
    tested: usize,
    /// Blocks with the held-out questions.
    held_out: Vec<Block>,
}

/// Loads the data of a large file of questions from the cache, or prepares them.
pub(crate) fn load_questions(config: &ReadingConfig, seed: u64) -> Result<Dataset, TaskError> {
    load_questions_in(&folder(), config, seed)
}

/// Loads the data like [`load_questions`], with the given folder of prepared corpora.
pub(super) fn load_questions_in(
    folder: &Path,
    config: &ReadingConfig,
    seed: u64,
) -> Result<Dataset, TaskError> {
    // Vectors are read in every run, but their further words are part of the vocabulary and so of
    // the key.
    let vectors = config.vectors.as_ref().filter(|_| config.more_words > 0);
    let validation = config.validation_source.as_ref();
    let files = [Some(&config.source), validation, vectors];
    // The seed is part of the key only if it decides which questions are held out.
    let is_drawn =
        validation.is_none() && config.split == ReadingSplit::Question && config.split_number == 0;
    let settings = ReadingConfig {
        source: PathBuf::new(),
        validation_source: None,
        vectors: None,
        stream: Stream::Auto,
        ..config.clone()
    };
    let settings = (is_drawn.then_some(seed), settings);
    let levels = [TokenUnit::Word; 2];
    let cache = Cache::of(folder, files, &settings, levels, TextForm::from(false))?;
    let mut dataset = cache.find_or_make(None, |key, file| prepare(config, seed, (key, file)))?;
    if let Some(reading) = &mut dataset.reading {
        let read = read_vectors(config, &Uploads::default(), &mut reading.tokenizer, 0)?;
        let (remark, vectors) = read.unzip();
        reading.vectors = vectors;
        dataset.facts.remarks.extend(remark);
    }
    Ok(dataset)
}

fn prepare(config: &ReadingConfig, seed: u64, (key, file): (&str, File)) -> Result<(), TaskError> {
    let parts = match config.validation_source {
        Some(_) => Parts::default(),
        None => {
            let mut asked = Vec::new();
            let corpus = each_part(config, "Reading the questions", |paragraphs, records| {
                asked.extend(records.iter().map(|it| Asked::of(it, &paragraphs)));
            })?;
            split::parts(config, asked, seed, &corpus.name)?
        }
    };
    let read = |path: &PathBuf| formats::read(path, config, &Uploads::default());
    let mut other = config.validation_source.as_ref().map(read).transpose()?;
    let mut measured_too = other
        .as_ref()
        .map(MeasuredQuestions::of)
        .unwrap_or_default();
    let count = |measured_too: &MeasuredQuestions| {
        let mut counts = TrainingCounts::new(config);
        let (mut shared, mut all) = (0, 0);
        let corpus = each_part(config, "Counting the tokens", |paragraphs, records| {
            all += records.len();
            let is_trained = |it: &&Record| {
                let is_shared = measured_too.contains(it, &paragraphs);
                shared += usize::from(is_shared);
                !is_shared && parts.is_trained(it)
            };
            counts.add(&paragraphs, records.iter().filter(is_trained));
        })?;
        Ok::<_, TaskError>((counts, corpus, (shared, all)))
    };
    let (mut counts, corpus, shared) = count(&measured_too)?;
    if shared.0 > 0 && shared.0 == shared.1 {
        measured_too = MeasuredQuestions::default();
        (counts, ..) = count(&measured_too)?;
    }
    let mut remarks = corpus.counts.sentences(&corpus.name, true);
    if let Some(other) = &other {
        remarks.extend(other.counts.sentences(&other.name, false));
        remarks.extend(remark_on_shared(shared, &corpus.name, &other.name));
    }
    let mut tokenizer = counts.tokenizer(config, &corpus);
    if config.more_words > 0 {
        let (uploads, more) = (Uploads::default(), config.more_words);
        read_vectors(config, &uploads, &mut tokenizer, more)?;
    }

    let mut writer = BlockWriter::new(file);
    let written = |reason| TaskError::NoCache {
        path: config.source.clone(),
        reason,
    };
    writer.begin().map_err(written)?;
    let mut lengths = AnswerLengths::default();
    let mut validation = Vec::new();
    let mut learned = LearnedBuilder::default();
    let mut held_out_identities = Vec::new();
    // Tested questions are collected apart, because they come last.
    let (mut tested, mut tested_identities) = (Vec::new(), Vec::new());
    let mut outcome = Ok(());
    each_part(
        config,
        "Encoding the questions",
        |paragraphs, mut records| {
            records.retain(|it| !measured_too.contains(it, &paragraphs));
            for record in &records {
                let identities = QuestionIdentities::of(record, &paragraphs);
                if !parts.is_trained(record) {
                    match parts.tested.contains(&record.id) {
                        true => &mut tested_identities,
                        false => &mut held_out_identities,
                    }
                    .push(identities.held_out(config, corpus.format));
                } else if record.trained.target.is_some() {
                    learned.extend(identities.all());
                }
            }
            let paragraphs = numbered(paragraphs, &tokenizer);
            for record in records {
                if !parts.is_trained(&record) {
                    match parts.tested.contains(&record.id) {
                        true => &mut tested,
                        false => &mut validation,
                    }
                    .push(measured(record, &paragraphs, &tokenizer));
                } else if outcome.is_ok()
                    && let Some(question) = trained(record, &paragraphs, &tokenizer)
                {
                    lengths.add(&question);
                    outcome = writer.add_question(&question);
                }
            }
        },
    )?;
    outcome.map_err(written)?;
    if writer.summary.examples == 0 {
        return Err(nothing(&corpus, "train on"));
    }
    if let Some(other) = &mut other {
        let (paragraphs, records) = other.take_part();
        held_out_identities.extend(
            records
                .iter()
                .map(|it| QuestionIdentities::of(it, &paragraphs).held_out(config, other.format)),
        );
        let paragraphs = numbered(paragraphs, &tokenizer);
        let records = records.into_iter();
        validation.extend(records.map(|it| measured(it, &paragraphs, &tokenizer)));
    }
    let count_of_tested = tested.len();
    validation.append(&mut tested);
    held_out_identities.append(&mut tested_identities);
    let measured_on = other.as_ref().unwrap_or(&corpus);
    if validation.is_empty() {
        return Err(nothing(measured_on, "measure on"));
    }
    let questions = QuestionsTail {
        format: measured_on.format,
        usual_answer: lengths.usual(),
        tested: count_of_tested,
        held_out: writer.hold_out(&validation).map_err(written)?,
        tokenizer,
    };
    let facts = Facts {
        remarks,
        ..Facts::default()
    };
    // Both vocabularies are empty, because the tokenizer contains its own.
    let none = || Vocabulary::of_distinct([""; 0]);
    let tail = |writer: &BlockWriter, held_out| Tail {
        key: key.to_owned(),
        blocks: writer.blocks.clone(),
        held_out,
        summary: writer.summary,
        written: Written::AsTokens,
        dropped: LeftOut::default(),
        facts,
        vocabularies: [none(), none()],
        subwords: [None, None],
        questions: Some(questions),
        identities: StoredIdentities::of(&learned.finish(), held_out_identities),
    };
    writer.finish(&[], tail).map_err(written)
}

/// Reads the file once, part by part, and passes the questions with an answer, and their
/// paragraphs, to `take`.
fn each_part(
    config: &ReadingConfig,
    what: &'static str,
    mut take: impl FnMut(Vec<TokenText>, Vec<Record>),
) -> Result<Corpus, TaskError> {
    let uploads = Uploads::default();
    formats::read_by_parts(&config.source, config, &uploads, what, &mut |corpus| {
        let (paragraphs, records) = corpus.take_part();
        take(paragraphs, records);
    })
}

/// Opens the data of a prepared file; `None` if the held-out questions are damaged.
pub(super) fn open(
    stored: Stored,
    tail: QuestionsTail,
    facts: Facts,
    identities: Identities,
) -> Option<Dataset> {
    let mut reader = HeldOutReader::new(&tail.tokenizer);
    let mut validation = Vec::new();
    let mut bytes = Vec::new();
    for block in tail.held_out {
        bytes.clear();
        read_at(&stored.path, block, &mut bytes).ok()?;
        if of_bytes(&bytes) != block.check {
            return None;
        }
        validation.extend(reader.read(&bytes)?);
    }
    let reading = ReadingData {
        training: Vec::new(),
        tested: tail.tested.min(validation.len()),
        validation,
        format: tail.format,
        tokenizer: tail.tokenizer,
        vectors: None,
        usual_answer: tail.usual_answer,
    };
    let dataset = Dataset::of_questions(reading, facts);
    Some(Dataset {
        stored: Some(Arc::new(stored)),
        identities: Some(identities),
        ..dataset
    })
}
