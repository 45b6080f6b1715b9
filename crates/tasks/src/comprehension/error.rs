//! Faults in files of questions and of vectors.

use super::ReadingCounts;

/// Reason why a file of questions or of word vectors cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadingError {
    /// The task `reading` names no file.
    #[error(
        "task `reading`: no file is named; set `task.source` to the path of a file of questions \
         in JSON"
    )]
    NoSource,
    /// The task asks for more words, but names no vectors.
    #[error(
        "`task.more_words` is set without `task.vectors`, whose words they are; name both or none"
    )]
    NoVectors,
    /// The level is `segmented`, but the file has no tokens of its own.
    #[error(
        "{name}: `task.level` is segmented, but question {id} has no tokens of its own \
         (`segmented_question` and `segmented_paragraphs`); choose `task.level=jieba` or `fine`"
    )]
    NotSegmented {
        /// Name of the file.
        name: String,
        /// Identifier of the question.
        id: String,
    },
    /// The file is not JSON.
    #[error(
        "{name}, line {line}, column {column}: this is not JSON ({reason}); copy the file again, \
         or convert it"
    )]
    NotJson {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
        /// Message of the parser.
        reason: String,
    },
    /// A field of the JSON is missing, or has another type.
    #[error(
        "{name}, line {line}, column {column}: {reason}, so that this is not in the format \
         {format}; correct the file, or name another format"
    )]
    Field {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
        /// Message of the parser.
        reason: String,
        /// Format in which the file is read.
        format: &'static str,
    },
    /// The JSON has no known format.
    #[error(
        "{name}: this JSON is of no known format: it has neither `data` (SQuAD), nor `documents` \
         (DuReader), nor `passages` (MS MARCO); convert it to one of them"
    )]
    UnknownFormat {
        /// Name of the file.
        name: String,
    },
    /// The JSON has a known form that cannot be read.
    #[error("{name}: this is {form}; {advice}")]
    OtherForm {
        /// Name of the file.
        name: String,
        /// Name of the form.
        form: &'static str,
        /// Advice on how to convert the file.
        advice: &'static str,
    },
    /// The file is MS MARCO v2, which stores whole columns one after another.
    #[error(
        "{name}: this is MS MARCO v2 by columns; convert it to one object per question, with \
         `query_id`, `query`, `passages` and `answers`"
    )]
    ByColumns {
        /// Name of the file.
        name: String,
    },
    /// A question has a fault.
    #[error("{name}, question {id}: {fault}")]
    Question {
        /// Name of the file.
        name: String,
        /// Identifier of the question, or its beginning if it has none.
        id: String,
        /// Description of the fault, and advice.
        fault: String,
    },
    /// No question is left for a purpose.
    #[error("{name}: no question is left to {purpose}: {}; choose other data", counts.summary())]
    Nothing {
        /// Name of the file.
        name: String,
        /// `train on` or `measure on`.
        purpose: &'static str,
        /// Counts of the file.
        counts: Box<ReadingCounts>,
    },
    /// The settings ask for a tested part of a file although the held-out part is a file of its
    /// own.
    #[error(
        "`task.tested` is a part of the source beside the held-out one, but `task.validation_source` names a \
         file for that; leave one of them out, and measure other files by `strata eval --source`"
    )]
    TestedBesideFile,
    /// Nothing can be held out, because all questions are about one article.
    #[error(
        "{name}: all questions are about one article, so that nothing can be held out; name a \
         file in `task.validation_source`, or set `task.split=question`"
    )]
    OneArticle {
        /// Name of the file.
        name: String,
    },
    /// The file does not hold predictions.
    #[error(
        "{name}: predictions are one object of id and text, `{{\"id\": \"text\"}}`, or lines of \
         `{{\"query_id\": id, \"answers\": [text]}}`, but {found} was found"
    )]
    Predictions {
        /// Name of the file.
        name: String,
        /// JSON that was found instead.
        found: String,
    },
    /// A line of a file of vectors has another width than the lines before.
    #[error(
        "{name}, line {line}: {found} numbers follow the word, but {width} on the lines before; \
         take the line out, or copy the file again"
    )]
    VectorWidth {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of components on the line.
        found: usize,
        /// Number of components on the lines before.
        width: usize,
    },
    /// A component of a vector is no finite number.
    #[error(
        "{name}, line {line}: `{found}` is not a finite number; vectors are lines of a word and \
         its numbers, as GloVe and word2vec write them as text"
    )]
    VectorNumber {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Text that was found instead.
        found: String,
    },
    /// The file has no vectors.
    #[error(
        "{name}: there is no vector in it; vectors are lines of a word and its numbers, as GloVe \
         and word2vec write them as text"
    )]
    NoVector {
        /// Name of the file.
        name: String,
    },
}
