//! Question answering: a reader finds spans of passages.

mod answers;
mod batches;
mod pass;
mod scoring;
mod stored;

use burn::tensor::Device;
use strata_models::{Model, SpanBatch};
use strata_tasks::{Question, ReadingData, ReadingFormat, ReadingTokenizer, TaskConfig, TaskError};
use strata_text::special;

use super::retain;
use super::tokens::LargestExample;
use crate::check::{refuse_bleu, require};
use crate::data::batch_source::BatchSource;
use crate::{Experiment, Measure, Tokenizer, TrainingError};
pub use answers::{Answer, Answered, Probabilities};
pub(crate) use batches::pad;
pub(crate) use pass::pass;
pub(crate) use scoring::evaluate;
pub use scoring::{ScoredAnswer, SpanRules, free_answers};
pub(crate) use stored::StoredReading;

/// Converter from text to token ids for a reader.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReaderTokenizer {
    pub tokenizer: ReadingTokenizer,
    /// Largest number of tokens of an answer.
    pub longest_answer: usize,
    /// True if the model reads the characters of words.
    pub reads_characters: bool,
}

/// Checks that the training suits a reader.
pub(crate) fn check(experiment: &Experiment) -> Result<(), TrainingError> {
    refuse_bleu(&experiment.training)
}

/// Checks that the measure suits the questions, which only the data tell.
pub(crate) fn check_questions(
    experiment: &Experiment,
    questions: &ReadingData,
) -> Result<(), TrainingError> {
    require(
        experiment.training.measure != Measure::RougeL || free_answers(questions.format).is_some(),
        "measure",
        "\"rouge_l\"",
        "\"loss\" or \"f1\" for questions whose answers are spans: free answers are those of \
         DuReader and MS MARCO",
    )
}

/// Lets the word embeddings of a fresh reader begin with the pretrained vectors of the data.
pub(crate) fn with_vectors(
    model: Model,
    experiment: &Experiment,
    questions: &ReadingData,
    device: &Device,
) -> Result<Model, TrainingError> {
    let (mut reader, vectors) = match (model, &questions.vectors) {
        (Model::Reader(reader), Some(vectors)) => (reader, vectors),
        (model, _) => return Ok(model),
    };
    let [words, width] = reader.encoder_mut().words.table.dims();
    if vectors.width != width {
        return Err(TrainingError::Vectors {
            vectors: "vectors",
            setting: experiment.model.embedding_setting(),
            read: vectors.width,
            width,
        });
    }
    reader.read_words(vectors.rows.values.clone(), words, device);
    Ok(Model::Reader(reader))
}

/// Number of tokens of the longest question, and largest number of tokens of a question's passages,
/// padded to equal length.
pub(crate) fn longest(questions: &ReadingData) -> (usize, usize) {
    let asked = questions.training.iter().map(|it| it.question.len()).max();
    let read = questions.training.iter();
    let read = read.map(|question| question.passages.len() * question.longest_passage());
    (asked.unwrap_or(0), read.max().unwrap_or(0))
}

/// Longest question, with the longest passages.
pub(crate) fn largest_example(tokenizer: &Tokenizer) -> LargestExample {
    let (source, target) = tokenizer.longest;
    LargestExample {
        source,
        target,
        cells: source * target,
        words: match source {
            0 => format!("{target} tokens"),
            source => format!("up to {source} tokens about {target} of passages"),
        },
    }
}

/// Data of a reader that is opened without questions.
pub(crate) fn no_questions(task: &TaskConfig, reader: &ReaderTokenizer) -> ReadingData {
    ReadingData {
        training: Vec::new(),
        validation: Vec::new(),
        tested: 0,
        format: match task {
            TaskConfig::Reading(task) => task.format,
            _ => ReadingFormat::Auto,
        },
        tokenizer: reader.tokenizer.clone(),
        vectors: None,
        usual_answer: reader.longest_answer,
    }
}

/// Leaves out the questions of validation and test for which `is_left_out` is true.
pub(crate) fn leave_out(data: &mut ReadingData, is_left_out: &[bool]) {
    let tested = is_left_out.len() - data.tested;
    data.tested -= is_left_out[tested..].iter().filter(|&&it| it).count();
    retain(&mut data.validation, is_left_out);
}

/// Takes the next batch of questions, padded, with the characters of their words if `spelt`.
pub(crate) fn next_batch(
    source: &mut BatchSource,
    data: &ReadingData,
    spelt: bool,
) -> Result<SpanBatch, TaskError> {
    let read;
    let questions: Vec<&Question> = match source {
        BatchSource::Memory(batches) => {
            let batch = batches.next_batch().into_iter();
            batch.map(|at| &data.training[at]).collect()
        }
        BatchSource::Stored(batches) => {
            read = batches.next_questions()?;
            read.iter().collect()
        }
        BatchSource::Streams(_) => unreachable!("a reader carries no state from batch to batch"),
    };
    Ok(pad(&questions, spelt).0)
}

/// Tokens of a held-out question, for a user to try the model with.
pub(crate) fn prompt(question: &Question) -> (Vec<String>, Vec<u32>) {
    let tokens = question.question.tokens().map(str::to_owned).collect();
    (tokens, question.question.ids().to_vec())
}

impl Tokenizer {
    /// Words of a question and its passages that the vocabulary lacks, each once.
    pub fn unknown_words(&self, question: &Question) -> Vec<String> {
        let asked = question.question.tokens().zip(question.question.ids());
        let read = question.passages.iter().flat_map(|passage| {
            let token = |(at, id): (usize, _)| (passage.token(at), id);
            passage.ids().iter().enumerate().map(token)
        });
        let words = asked.chain(read).filter(|&(_, &id)| id == special::UNK);
        let mut unknown: Vec<String> = Vec::new();
        for (word, _) in words {
            if !unknown.iter().any(|it| it == word) {
                unknown.push(word.to_owned());
            }
        }
        unknown
    }
}
