//! Builds the examples of the task `reading` from files of questions.

use std::collections::HashSet;
use std::path::Path;

use strata_text::{TokenCounts, Uploads, Vocabulary};
use unicode_segmentation::UnicodeSegmentation;

use super::data::AnswerLengths;
use super::examples::{measured, numbered, trained};
use super::record::{Corpus, DifferentTokens, Record};
use super::split::{
    self, MeasuredQuestions, QuestionIdentities, QuestionKey, identity_of_record, remark_on_shared,
};
use super::{
    Question, ReadingConfig, ReadingCounts, ReadingData, ReadingError, ReadingFormat, ReadingLevel,
    ReadingLimits, ReadingTokenizer, TokenText, formats,
};
#[cfg(not(target_family = "wasm"))]
use crate::stream;
use crate::{
    Dataset, Facts, Identities, Learned, LearnedBuilder, TaskError, WordVectors, dataset::vectors,
};

/// Least number of occurrences of a character in the vocabulary, and most characters in it.
const CHARACTERS: (usize, usize) = (1, 5000);

/// Builds the examples of a task.
pub(super) fn load(
    config: &ReadingConfig,
    seed: u64,
    uploads: &Uploads,
) -> Result<Dataset, TaskError> {
    #[cfg(not(target_family = "wasm"))]
    if stream::is_large(config.stream, [Some(&config.source), None]) {
        return stream::load_questions(config, seed);
    }
    let corpus = formats::read(&config.source, config, uploads)?;
    let validation = config.validation_source.as_ref();
    let validation = validation.map(|path| formats::read(path, config, uploads));
    assemble(config, corpus, validation.transpose()?, seed, uploads)
}

/// Questions of a file that have an answer, by their part.
struct SplitRecords {
    training: Vec<Record>,
    /// Questions on which a run is measured; the tested ones come last.
    held_out: Vec<Record>,
    /// Number of tested questions.
    tested: usize,
}

impl SplitRecords {
    /// Takes the questions out of a corpus and splits them, unless `validation` has the held-out
    /// ones.
    fn of(
        config: &ReadingConfig,
        corpus: &mut Corpus,
        validation: Option<&mut Corpus>,
        seed: u64,
    ) -> Result<Self, TaskError> {
        let answered = |corpus: &mut Corpus| {
            let mut records = std::mem::take(&mut corpus.records);
            records.retain(|record| !record.answers.is_empty());
            records
        };
        let training = answered(corpus);
        if let Some(other) = validation {
            return Ok(Self {
                training,
                held_out: answered(other),
                tested: 0,
            });
        }
        let asked = training
            .iter()
            .map(|record| QuestionKey::of(record, &corpus.paragraphs));
        let parts = split::parts(config, asked.collect(), seed, &corpus.name)?;
        let (training, mut held_out): (Vec<Record>, Vec<Record>) = training
            .into_iter()
            .partition(|record| parts.is_trained(record));
        held_out.sort_by_key(|record| parts.tested.contains(&record.id));
        Ok(Self {
            training,
            held_out,
            tested: parts.tested.len(),
        })
    }
}

/// Returns the identities of the questions that are learned.
fn learned_identities(training: &[Record], corpus: &Corpus) -> Learned {
    let mut learned = LearnedBuilder::default();
    let with_target = |record: &&Record| record.trained.target.is_some();
    for record in training.iter().filter(with_target) {
        learned.extend(QuestionIdentities::of(record, &corpus.paragraphs).all());
    }
    learned.finish()
}

/// Returns the identities of each held-out question; `corpus` is the file that has the questions.
fn held_out_identities(
    config: &ReadingConfig,
    held_out: &[Record],
    corpus: &Corpus,
) -> Vec<Vec<u64>> {
    let identities = held_out.iter().map(|record| {
        let identities = QuestionIdentities::of(record, &corpus.paragraphs);
        identities.held_out(config, corpus.format)
    });
    identities.collect()
}

fn assemble(
    config: &ReadingConfig,
    mut corpus: Corpus,
    mut validation: Option<Corpus>,
    seed: u64,
    uploads: &Uploads,
) -> Result<Dataset, TaskError> {
    let mut remarks = corpus.counts.sentences(&corpus.name, true);
    if let Some(other) = &validation {
        remarks.extend(other.counts.sentences(&other.name, false));
    }
    let measured_questions = validation.as_ref().map(MeasuredQuestions::of);
    let SplitRecords {
        mut training,
        held_out,
        tested,
    } = SplitRecords::of(config, &mut corpus, validation.as_mut(), seed)?;
    if let (Some(measured), Some(other)) = (measured_questions, &validation) {
        let is_shared = |it: &Record| measured.contains(it, &corpus.paragraphs);
        let all = training.len();
        let shared = training.iter().filter(|it| is_shared(it)).count();
        remarks.extend(remark_on_shared((shared, all), &corpus.name, &other.name));
        training.retain(|it| shared == all || !is_shared(it));
    }
    let identities = Identities {
        training: learned_identities(&training, &corpus),
        held_out: {
            let measured_on = validation.as_ref().unwrap_or(&corpus);
            held_out_identities(config, &held_out, measured_on)
        },
    };
    let mut counts = TrainingCounts::new(config);
    counts.add(&corpus.paragraphs, &training);
    let mut tokenizer = counts.tokenizer(config, &corpus);
    let read = read_vectors(config, uploads, &mut tokenizer, config.more_words)?;
    let (remark, vectors) = read.unzip();
    remarks.extend(remark);
    let paragraphs = numbered(std::mem::take(&mut corpus.paragraphs), &tokenizer);
    let training: Vec<Question> = training
        .into_iter()
        .filter_map(|record| trained(record, &paragraphs, &tokenizer))
        .collect();
    if training.is_empty() {
        return Err(nothing(&corpus, "train on"));
    }
    let of_validation = validation.as_mut();
    let of_validation =
        of_validation.map(|it| numbered(std::mem::take(&mut it.paragraphs), &tokenizer));
    let paragraphs = of_validation.as_ref().unwrap_or(&paragraphs);
    let held_out: Vec<Question> = held_out
        .into_iter()
        .map(|it| measured(it, paragraphs, &tokenizer))
        .collect();
    if held_out.is_empty() {
        return Err(nothing(
            validation.as_ref().unwrap_or(&corpus),
            "measure on",
        ));
    }
    let facts = Facts {
        remarks,
        ..Facts::default()
    };
    let mut lengths = AnswerLengths::default();
    training.iter().for_each(|it| lengths.add(it));
    let data = ReadingData {
        usual_answer: lengths.usual(),
        training,
        validation: held_out,
        tested,
        format: validation.as_ref().unwrap_or(&corpus).format,
        tokenizer,
        vectors,
    };
    Ok(Dataset {
        identities: Some(identities),
        ..Dataset::of_questions(data, facts)
    })
}

impl ReadingConfig {
    /// Reads the questions of another file with `tokenizer`, including questions without an answer;
    /// also returns the file's format.
    ///
    /// # Errors
    /// If the file cannot be read, or is not in its format.
    pub fn questions(
        &self,
        path: &Path,
        tokenizer: &ReadingTokenizer,
        uploads: &Uploads,
    ) -> Result<(Vec<Question>, ReadingFormat), TaskError> {
        let config = Self {
            level: tokenizer.level,
            maximum_passage: tokenizer.limits.passage,
            maximum_question: tokenizer.limits.question,
            maximum_passages: tokenizer.limits.passages,
            ..self.clone()
        };
        let corpus = formats::read_leniently(path, &config, uploads)?;
        let paragraphs = numbered(corpus.paragraphs, tokenizer);
        let questions = corpus.records.into_iter();
        let questions = questions.map(|it| measured(it, &paragraphs, tokenizer));
        Ok((questions.collect(), corpus.format))
    }

    /// Returns format, level and counts of a file, and the identities of all its questions
    /// ([`Question::identity`]).
    ///
    /// # Errors
    /// If the file cannot be read, or is not in its format.
    pub fn counts(
        &self,
        path: &Path,
        uploads: &Uploads,
    ) -> Result<(ReadingFormat, ReadingLevel, ReadingCounts, Vec<u64>), TaskError> {
        let mut tokens = DifferentTokens::default();
        let mut identities = Vec::new();
        let mut corpus = formats::read_by_parts(
            path,
            self,
            uploads,
            "Counting the tokens",
            &mut |part: &mut Corpus| {
                let of = |record| identity_of_record(record, &part.paragraphs);
                identities.extend(part.records.iter().map(of));
                tokens.take_of(part);
            },
        )?;
        tokens.count(&mut corpus.counts);
        Ok((corpus.format, corpus.level, corpus.counts, identities))
    }
}

/// Builds the error for a corpus of which no question is left for a purpose.
pub(crate) fn nothing(corpus: &Corpus, purpose: &'static str) -> TaskError {
    let error = ReadingError::Nothing {
        name: corpus.name.clone(),
        purpose,
        counts: Box::new(corpus.counts.clone()),
    };
    error.into()
}

/// Number of occurrences of each token in the training part.
pub(crate) struct TrainingCounts {
    counts: TokenCounts,
    lowercase: bool,
}

impl TrainingCounts {
    pub(crate) fn new(config: &ReadingConfig) -> Self {
        Self {
            counts: TokenCounts::default(),
            lowercase: config.lowercase,
        }
    }

    /// Counts the tokens of questions and of the passages that are trained with them; each
    /// paragraph counts once.
    pub(crate) fn add<'a>(
        &mut self,
        paragraphs: &[TokenText],
        training: impl IntoIterator<Item = &'a Record>,
    ) {
        let mut seen = HashSet::new();
        for record in training {
            self.count(&record.question);
            for &(_, number) in &record.trained.passages {
                if seen.insert(number) {
                    self.count(&paragraphs[number as usize]);
                }
            }
        }
    }

    fn count(&mut self, text: &TokenText) {
        for token in text.tokens() {
            if self.lowercase {
                self.counts.add(&token.to_lowercase())
            } else {
                self.counts.add(token)
            }
        }
    }

    /// Builds the tokenizer whose vocabulary has the counted tokens.
    pub(crate) fn tokenizer(&self, config: &ReadingConfig, corpus: &Corpus) -> ReadingTokenizer {
        let [passage, question] = corpus.longest;
        let [least, most] = [config.minimum_count, config.maximum_vocabulary];
        let vocabulary = Vocabulary::of_counts(&self.counts, least, most);
        ReadingTokenizer {
            level: corpus.level,
            lowercase: config.lowercase,
            limits: ReadingLimits {
                passage,
                question,
                passages: corpus.most,
            },
            characters: characters(&vocabulary),
            vocabulary,
        }
    }
}

/// Builds the vocabulary of the characters of all known tokens.
fn characters(vocabulary: &Vocabulary) -> Vocabulary {
    let (minimum, most) = CHARACTERS;
    let known = vocabulary.tokens()[strata_text::special::TEXTS.len()..].iter();
    Vocabulary::build(known.map(|it| it.graphemes(true)), minimum, most)
}

/// Reads the pretrained vectors that a task names, and a note on them for the user. The first
/// `more` words of the file that are not in the vocabulary join it.
///
/// # Errors
/// If the file has no valid vectors.
pub(crate) fn read_vectors(
    config: &ReadingConfig,
    uploads: &Uploads,
    tokenizer: &mut ReadingTokenizer,
    more: usize,
) -> Result<Option<(String, WordVectors)>, TaskError> {
    let Some(path) = &config.vectors else {
        return Ok(None);
    };
    let (vocabulary, read) = vectors::read(path, uploads, &tokenizer.vocabulary, more)?;
    tokenizer.vocabulary = vocabulary;
    let remark = format!(
        "{}: vectors of {} numbers for {} of {} tokens; the others begin as 0.",
        path.display(),
        read.width,
        read.found,
        tokenizer.vocabulary.len()
    );
    let remark = match &read.missing {
        Some(missing) => format!("{remark} {missing}"),
        None => remark,
    };
    Ok(Some((remark, read)))
}
