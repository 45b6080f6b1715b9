//! Preparation of a file of questions larger than memory: read two or three times, training
//! questions stored as numbers in a file of blocks, held-out questions as text.

mod encoder;
mod held_out;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_text::{TextForm, TokenUnit, Uploads, Vocabulary};

pub(super) use held_out::HeldOutWriter;

use self::encoder::{Encoder, HeldOutQuestions};
use self::held_out::HeldOutReader;
use super::cache::{Cache, StoredIdentities, Tail, folder};
use super::stored::{Block, Stored, read_at};
use super::writer::BlockWriter;
use crate::comprehension::assemble::{TrainingCounts, nothing, read_vectors};
use crate::comprehension::data::AnswerLengths;
use crate::comprehension::formats;
use crate::comprehension::record::{Corpus, Record};
use crate::comprehension::split::{self, MeasuredQuestions, Parts, QuestionKey, remark_on_shared};
use crate::split::fingerprint::of_bytes;
use crate::task::Task;
use crate::{
    Dataset, Examples, Facts, Identities, LearnedBuilder, LeftOut, ReadingConfig, ReadingData,
    ReadingFormat, ReadingSplit, ReadingTokenizer, Stream, TaskError, TokenText, Written,
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
    let cache = Cache::of(
        folder,
        files,
        &settings,
        config.pipeline(),
        levels,
        TextForm::from(false),
    )?;
    let mut dataset = cache.find_or_make(None, |key, file| prepare(config, seed, (key, file)))?;
    if let Examples::QuestionAnswering(reading) = &mut dataset.examples {
        let read = read_vectors(config, &Uploads::default(), &mut reading.tokenizer, 0)?;
        let (remark, vectors) = read.unzip();
        reading.vectors = vectors;
        dataset.facts.remarks.extend(remark);
    }
    Ok(dataset)
}

fn prepare(config: &ReadingConfig, seed: u64, (key, file): (&str, File)) -> Result<(), TaskError> {
    let parts = parts(config, seed)?;
    let read = |path: &PathBuf| formats::read(path, config, &Uploads::default());
    let mut other = config.validation_source.as_ref().map(read).transpose()?;
    let Counted {
        counts,
        corpus,
        measured_too,
        shared,
    } = Counted::of(config, &parts, other.as_ref())?;
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

    let written = |reason| TaskError::NoCache {
        path: config.source.clone(),
        reason,
    };
    let mut writer = BlockWriter::new(file);
    writer.begin().map_err(written)?;
    let mut encoder = Encoder {
        config,
        format: corpus.format,
        parts: &parts,
        measured_too: &measured_too,
        tokenizer: &tokenizer,
        writer,
        lengths: AnswerLengths::default(),
        learned: LearnedBuilder::default(),
        validation: HeldOutQuestions::default(),
        tested: HeldOutQuestions::default(),
    };
    encoder.add_all()?.map_err(written)?;
    if encoder.writer.summary.examples == 0 {
        return Err(nothing(&corpus, "train on"));
    }
    if let Some(other) = &mut other {
        encoder.measure_on(other);
    }
    let measured_on = other.as_ref().unwrap_or(&corpus);
    let Encoder {
        mut writer,
        lengths,
        learned,
        validation,
        tested,
        ..
    } = encoder;
    let count_of_tested = tested.questions.len();
    let held_out = validation.followed_by(tested);
    if held_out.questions.is_empty() {
        return Err(nothing(measured_on, "measure on"));
    }
    let questions = QuestionsTail {
        format: measured_on.format,
        usual_answer: lengths.usual(),
        tested: count_of_tested,
        held_out: writer.hold_out(&held_out.questions).map_err(written)?,
        tokenizer,
    };
    let identities = StoredIdentities::of(&learned.finish(), held_out.identities);
    let tail =
        |writer: &BlockWriter, block| tail(key, writer, block, remarks, questions, identities);
    writer.finish(&[], tail).map_err(written)
}

/// Returns the tail of a file of questions, whose block of held-out pairs is empty.
fn tail(
    key: &str,
    writer: &BlockWriter,
    held_out: Block,
    remarks: Vec<String>,
    questions: QuestionsTail,
    identities: StoredIdentities,
) -> Tail {
    // Both vocabularies are empty, because the tokenizer contains its own.
    let none = || Vocabulary::of_distinct([""; 0]);
    Tail {
        key: key.to_owned(),
        blocks: writer.blocks.clone(),
        held_out,
        summary: writer.summary,
        written: Written::AsTokens,
        dropped: LeftOut::default(),
        facts: Facts {
            remarks,
            ..Facts::default()
        },
        vocabularies: [none(), none()],
        subwords: [None, None],
        questions: Some(questions),
        identities,
    }
}

/// Splits the questions of the training file, unless another file is named for validation.
fn parts(config: &ReadingConfig, seed: u64) -> Result<Parts, TaskError> {
    if config.validation_source.is_some() {
        return Ok(Parts::default());
    }
    let mut asked = Vec::new();
    let corpus = each_part(config, "Reading the questions", |paragraphs, records| {
        asked.extend(
            records
                .iter()
                .map(|record| QuestionKey::of(record, &paragraphs)),
        );
    })?;
    Ok(split::parts(config, asked, seed, &corpus.name)?)
}

/// Result of the pass over the training file that counts tokens.
struct Counted {
    counts: TrainingCounts,
    corpus: Corpus,
    /// Questions of the validation file that training leaves out.
    measured_too: MeasuredQuestions,
    /// Number of questions that are also in the validation file, and of all.
    shared: (usize, usize),
}

impl Counted {
    /// Counts the tokens of the questions that are trained: all but those that are also in `other`,
    /// the file for validation. If that file has all questions, none is left out.
    fn of(
        config: &ReadingConfig,
        parts: &Parts,
        other: Option<&Corpus>,
    ) -> Result<Self, TaskError> {
        let measured_too = other.map(MeasuredQuestions::of).unwrap_or_default();
        let counted = Self::without(measured_too, config, parts)?;
        let (shared, all) = counted.shared;
        if shared == 0 || shared != all {
            return Ok(counted);
        }
        Ok(Self {
            shared: counted.shared,
            ..Self::without(MeasuredQuestions::default(), config, parts)?
        })
    }

    fn without(
        measured_too: MeasuredQuestions,
        config: &ReadingConfig,
        parts: &Parts,
    ) -> Result<Self, TaskError> {
        let mut counts = TrainingCounts::new(config);
        let (mut shared, mut all) = (0, 0);
        let corpus = each_part(config, "Counting the tokens", |paragraphs, records| {
            all += records.len();
            let is_trained = |record: &&Record| {
                let is_shared = measured_too.contains(record, &paragraphs);
                shared += usize::from(is_shared);
                !is_shared && parts.is_trained(record)
            };
            counts.add(&paragraphs, records.iter().filter(is_trained));
        })?;
        Ok(Self {
            counts,
            corpus,
            measured_too,
            shared: (shared, all),
        })
    }
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
