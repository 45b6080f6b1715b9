//! Faults in files of questions and of vectors.

use super::ReadingCounts;

/// Why a file of questions, or of word vectors, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadingError {
    /// The task `reading` without a file.
    #[error(
        "task `reading`: no file is named; set `task.source` to the path of a file of questions \
         in JSON"
    )]
    NoSource,
    /// More words, but of nothing.
    #[error(
        "`task.more_words` is set without `task.vectors`, whose words they are; name both or none"
    )]
    NoVectors,
    /// The level `segmented` for a file without tokens of its own.
    #[error(
        "{name}: `task.level` is segmented, but question {id} has no tokens of its own \
         (`segmented_question` and `segmented_paragraphs`); choose `task.level=jieba` or `fine`"
    )]
    NotSegmented {
        /// The file.
        name: String,
        /// The question.
        id: String,
    },
    /// No JSON.
    #[error(
        "{name}, line {line}, column {column}: this is not JSON ({reason}); copy the file again, \
         or convert it"
    )]
    NotJson {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// Message of the parser.
        reason: String,
    },
    /// JSON with a field that is missing, or of another type.
    #[error(
        "{name}, line {line}, column {column}: {reason}, so that this is not in the format \
         {format}; correct the file, or name another format"
    )]
    Field {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// Message of the parser.
        reason: String,
        /// Format that is read.
        format: &'static str,
    },
    /// JSON of no known format.
    #[error(
        "{name}: this JSON is of no known format: it has neither `data` (SQuAD), nor `documents` \
         (DuReader), nor `passages` (MS MARCO); convert it to one of them"
    )]
    UnknownFormat {
        /// The file.
        name: String,
    },
    /// JSON of a form that is known by name, but not read.
    #[error("{name}: this is {form}; {advice}")]
    OtherForm {
        /// The file.
        name: String,
        /// Name of the form.
        form: &'static str,
        /// Advice on how to convert the file.
        advice: &'static str,
    },
    /// MS MARCO v2, whose columns stand one after another.
    #[error(
        "{name}: this is MS MARCO v2 by columns; convert it to one object per question, with \
         `query_id`, `query`, `passages` and `answers`"
    )]
    ByColumns {
        /// The file.
        name: String,
    },
    /// A fault of one question.
    #[error("{name}, question {id}: {fault}")]
    Question {
        /// The file.
        name: String,
        /// Its identifier, or its beginning where it has none.
        id: String,
        /// Description, and advice.
        fault: String,
    },
    /// Nothing is left.
    #[error("{name}: no question is left to {purpose}: {}; choose other data", counts.summary())]
    Nothing {
        /// The file.
        name: String,
        /// `train on` or `measure on`.
        purpose: &'static str,
        /// Numbers of the file.
        counts: Box<ReadingCounts>,
    },
    /// A third part of a file, where the second one is a file of its own.
    #[error(
        "`task.tested` is a part of the source beside the held-out one, but `task.validation_source` names a \
         file for that; leave one of them out, and measure other files by `strata eval --source`"
    )]
    TestedBesideFile,
    /// One article, or one question, of which nothing can be held out.
    #[error(
        "{name}: all questions are about one article, so that nothing can be held out; name a \
         file in `task.validation_source`, or set `task.split=question`"
    )]
    OneArticle {
        /// The file.
        name: String,
    },
    /// A file of predictions that is none.
    #[error(
        "{name}: predictions are one object of id and text, `{{\"id\": \"text\"}}`, or lines of \
         `{{\"query_id\": id, \"answers\": [text]}}`, but {found} was found"
    )]
    Predictions {
        /// The file.
        name: String,
        /// JSON in its place.
        found: String,
    },
    /// A line of vectors of another width.
    #[error(
        "{name}, line {line}: {found} numbers follow the word, but {width} on the lines before; \
         take the line out, or copy the file again"
    )]
    VectorWidth {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// Number of numbers.
        found: usize,
        /// Number of numbers before.
        width: usize,
    },
    /// A number of a vector that is none.
    #[error(
        "{name}, line {line}: `{found}` is not a finite number; vectors are lines of a word and \
         its numbers, as GloVe and word2vec write them as text"
    )]
    VectorNumber {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// Text in its place.
        found: String,
    },
    /// A file without vectors.
    #[error(
        "{name}: there is no vector in it; vectors are lines of a word and its numbers, as GloVe \
         and word2vec write them as text"
    )]
    NoVector {
        /// The file.
        name: String,
    },
}
