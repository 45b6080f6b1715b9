//! Makes examples of files of questions.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::record::{Chosen, Corpus, Record};
use super::{
    AnswerSpan, Passage, Question, ReadingConfig, ReadingCounts, ReadingData, ReadingError,
    ReadingFormat, ReadingLevel, ReadingLimits, ReadingSplit, ReadingTokenizer, TokenText, formats,
};
use crate::dataset::split_by_sentence;
use crate::segment::Counts;
use crate::{Dataset, Facts, TaskError, Uploads, Vocabulary, vectors};
use unicode_segmentation::UnicodeSegmentation;

/// Least number of times that a character occurs, and most characters.
const CHARACTERS: (usize, usize) = (1, 5000);

/// Makes the examples of a task.
pub(super) fn load(
    config: &ReadingConfig,
    seed: u64,
    uploads: &Uploads,
) -> Result<Dataset, TaskError> {
    let corpus = formats::read(&config.source, config, uploads)?;
    let validation = config.validation_source.as_ref();
    let validation = validation.map(|path| formats::read(path, config, uploads));
    assemble(config, corpus, validation.transpose()?, seed, uploads)
}

fn assemble(
    config: &ReadingConfig,
    mut corpus: Corpus,
    mut validation: Option<Corpus>,
    seed: u64,
    uploads: &Uploads,
) -> Result<Dataset, TaskError> {
    let mut remarks = corpus.counts.sentences(&corpus.name, true);
    let mut answered = std::mem::take(&mut corpus.records);
    answered.retain(|it| !it.answers.is_empty());
    let (training, held_out) = match &mut validation {
        Some(other) => {
            remarks.extend(other.counts.sentences(&other.name, false));
            (answered, std::mem::take(&mut other.records))
        }
        None => {
            let is_split = answered.len() > 1;
            let parts = split(config, answered, seed);
            if is_split && (parts.0.is_empty() || parts.1.is_empty()) {
                let name = corpus.name;
                return Err(ReadingError::OneArticle { name }.into());
            }
            parts
        }
    };
    let vocabulary = vocabulary(config, &corpus.paragraphs, &training);
    let mut tokenizer = ReadingTokenizer {
        level: corpus.level,
        lowercase: config.lowercase,
        limits: limits(&corpus),
        characters: characters(&vocabulary),
        vocabulary,
    };
    let mut vectors = None;
    if let Some(path) = &config.vectors {
        let (vocabulary, read) =
            vectors::read(path, uploads, &tokenizer.vocabulary, config.more_words)?;
        remarks.push(format!(
            "{}: vectors of {} numbers for {} of {} tokens; the others begin as 0.",
            path.display(),
            read.width,
            read.found,
            vocabulary.len()
        ));
        (tokenizer.vocabulary, vectors) = (vocabulary, Some(read));
    }
    let paragraphs = numbered(std::mem::take(&mut corpus.paragraphs), &tokenizer);
    let training: Vec<Question> = training
        .into_iter()
        .filter_map(|record| trained(record, &paragraphs, &tokenizer))
        .collect();
    let nothing = |corpus: &Corpus, purpose| ReadingError::Nothing {
        name: corpus.name.clone(),
        purpose,
        counts: Box::new(corpus.counts.clone()),
    };
    if training.is_empty() {
        return Err(nothing(&corpus, "train on").into());
    }
    let of_validation = validation.as_mut();
    let of_validation =
        of_validation.map(|it| numbered(std::mem::take(&mut it.paragraphs), &tokenizer));
    let paragraphs = of_validation.as_ref().unwrap_or(&paragraphs);
    let held_out = held_out.into_iter().filter(|it| !it.answers.is_empty());
    let held_out: Vec<Question> = held_out
        .map(|it| measured(it, paragraphs, &tokenizer))
        .collect();
    if held_out.is_empty() {
        return Err(nothing(validation.as_ref().unwrap_or(&corpus), "measure on").into());
    }
    let facts = Facts {
        remarks,
        ..Facts::default()
    };
    let data = ReadingData {
        training,
        validation: held_out,
        format: validation.as_ref().unwrap_or(&corpus).format,
        tokenizer,
        vectors,
    };
    Ok(Dataset::of_questions(data, facts))
}

impl ReadingConfig {
    /// Questions of another file, read as `tokenizer` reads, also those without an answer; its
    /// counts and its format.
    ///
    /// # Errors
    /// If it cannot be read, or is not what its format says.
    pub fn questions(
        &self,
        path: &Path,
        tokenizer: &ReadingTokenizer,
        uploads: &Uploads,
    ) -> Result<(Vec<Question>, ReadingCounts, ReadingFormat), TaskError> {
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
        Ok((questions.collect(), corpus.counts, corpus.format))
    }

    /// Format, level and numbers of a file.
    ///
    /// # Errors
    /// If it cannot be read, or is not what its format says.
    pub fn counts(
        &self,
        path: &Path,
        uploads: &Uploads,
    ) -> Result<(ReadingFormat, ReadingLevel, ReadingCounts), TaskError> {
        let corpus = formats::read(path, self, uploads)?;
        Ok((corpus.format, corpus.level, corpus.counts))
    }
}

/// Questions to train on, and to measure on.
fn split(config: &ReadingConfig, records: Vec<Record>, seed: u64) -> (Vec<Record>, Vec<Record>) {
    match config.split {
        ReadingSplit::Question => {
            let wanted = match config.held_out {
                0 => records.len().div_ceil(10),
                wanted => wanted,
            };
            split_by_sentence(records, wanted, seed, |it| &it.id)
        }
        ReadingSplit::Article => {
            let mut articles: Vec<u32> = records.iter().map(|it| it.article).collect();
            articles.dedup();
            let most = articles.len() / 2;
            let (mut chosen, mut questions) = (HashSet::new(), 0);
            for &article in articles.iter().rev().take(most) {
                let is_enough = match config.held_out {
                    0 => chosen.len() >= (articles.len() / 10).max(1),
                    wanted => questions >= wanted,
                };
                if is_enough {
                    break;
                }
                questions += records.iter().filter(|it| it.article == article).count();
                chosen.insert(article);
            }
            records
                .into_iter()
                .partition(|it| !chosen.contains(&it.article))
        }
    }
}

fn limits(corpus: &Corpus) -> ReadingLimits {
    let [passage, question] = corpus.longest;
    ReadingLimits {
        passage,
        question,
        passages: corpus.most,
    }
}

/// The tokens of what is trained, each paragraph once.
fn vocabulary(config: &ReadingConfig, paragraphs: &[TokenText], training: &[Record]) -> Vocabulary {
    let mut counts = Counts::default();
    let mut add = |text: &TokenText| {
        for token in text.tokens() {
            match config.lowercase {
                true => counts.add(&token.to_lowercase()),
                false => counts.add(token),
            }
        }
    };
    let mut seen = HashSet::new();
    for record in training {
        add(&record.question);
        for &(_, number) in &record.trained.passages {
            if seen.insert(number) {
                add(&paragraphs[number as usize]);
            }
        }
    }
    Vocabulary::of_counts(&counts, config.minimum_count, config.maximum_vocabulary)
}

/// The characters of the tokens that are known.
fn characters(vocabulary: &Vocabulary) -> Vocabulary {
    let (minimum, most) = CHARACTERS;
    let known = vocabulary.tokens()[crate::special::TEXTS.len()..].iter();
    Vocabulary::build(known.map(|it| it.graphemes(true)), minimum, most)
}

fn numbered(paragraphs: Vec<TokenText>, tokenizer: &ReadingTokenizer) -> Vec<Arc<TokenText>> {
    let number = |mut paragraph: TokenText| {
        tokenizer.number(&mut paragraph);
        Arc::new(paragraph)
    };
    paragraphs.into_iter().map(number).collect()
}

/// Question as training reads it: of a long passage the first window, of the answer's the first
/// that holds it whole. `None` without one.
fn trained(
    record: Record,
    paragraphs: &[Arc<TokenText>],
    tokenizer: &ReadingTokenizer,
) -> Option<Question> {
    let target = record.trained.target?;
    let mut found = None;
    let mut passages = Vec::new();
    for (number, passage) in whole(&record.trained, paragraphs).enumerate() {
        let mut windows = tokenizer.windows(&passage);
        if number == target.passage {
            let (at, here) = within(&windows, target)?;
            found = Some(AnswerSpan {
                passage: number,
                ..here
            });
            passages.push(windows.swap_remove(at));
        } else {
            passages.push(windows.swap_remove(0));
        }
    }
    Some(question(
        record.id,
        record.question,
        record.answers,
        passages,
        found,
        tokenizer,
    ))
}

/// Question as it is measured: all windows of all passages.
fn measured(
    record: Record,
    paragraphs: &[Arc<TokenText>],
    tokenizer: &ReadingTokenizer,
) -> Question {
    let mut found = None;
    let mut passages = Vec::new();
    for (number, passage) in whole(&record.measured, paragraphs).enumerate() {
        let windows = tokenizer.windows(&passage);
        if let Some(target) = record.measured.target.filter(|it| it.passage == number) {
            found = within(&windows, target).map(|(at, here)| AnswerSpan {
                passage: passages.len() + at,
                ..here
            });
        }
        passages.extend(windows);
    }
    question(
        record.id,
        record.question,
        record.answers,
        passages,
        found,
        tokenizer,
    )
}

fn whole<'a>(
    chosen: &'a Chosen,
    paragraphs: &'a [Arc<TokenText>],
) -> impl Iterator<Item = Passage> + 'a {
    let passages = chosen.passages.iter();
    passages.map(|&(document, number)| {
        Passage::whole(Arc::clone(&paragraphs[number as usize]), document as usize)
    })
}

/// The first window that holds an answer whole, and the answer in it.
fn within(windows: &[Passage], target: AnswerSpan) -> Option<(usize, AnswerSpan)> {
    let holds = |it: &Passage| it.window.start <= target.start && target.end < it.window.end;
    let at = windows.iter().position(holds)?;
    let start = windows[at].window.start;
    let here = AnswerSpan {
        passage: target.passage,
        start: target.start - start,
        end: target.end - start,
    };
    Some((at, here))
}

fn question(
    id: String,
    mut question: TokenText,
    answers: Vec<String>,
    passages: Vec<Passage>,
    target: Option<AnswerSpan>,
    tokenizer: &ReadingTokenizer,
) -> Question {
    question.truncate(tokenizer.limits.question);
    tokenizer.number(&mut question);
    Question {
        id,
        question,
        passages,
        target,
        answers,
    }
}
