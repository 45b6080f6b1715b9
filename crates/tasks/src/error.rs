//! Errors in a task's settings or data.

use std::path::PathBuf;

use strata_describe::OutOfRange;
use strata_poems::PoemError;

use crate::{Dropped, ReadingError, TokenUnit};

/// Reason why a task cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A setting is outside its range.
    #[error(
        "`task.{}` is {}, but must be {} for the task `{task}`",
        found.setting.words.name, found.value, found.setting.domain
    )]
    OutOfRange {
        /// Name of the task.
        task: &'static str,
        /// Setting, and the value given.
        found: OutOfRange,
    },
    /// The minimum length is above the maximum.
    #[error(
        "`task.minimum_length` is {minimum}, which is above the {maximum} of `task.maximum_length`; \
         lower the one or raise the other"
    )]
    LengthsCrossed {
        /// Name of the task.
        task: &'static str,
        /// Shortest length that was requested.
        minimum: usize,
        /// Longest length that was requested.
        maximum: usize,
    },
    /// Too few different sequences exist to keep some of them out of training.
    #[error(
        "task `{task}`: at most {available} sequences of these lengths can be held out (half of \
         those that exist), not {held_out}; raise `task.symbols` or `task.maximum_length`, or lower \
         `task.held_out`"
    )]
    TooFewSequences {
        /// Name of the task.
        task: &'static str,
        /// Number of sequences that can be held out.
        available: usize,
        /// Number of sequences to hold out.
        held_out: usize,
    },
    /// The task `files` names no file.
    #[error(
        "task `files`: no source file is named; set `task.source` to the path of a .txt or .tsv file"
    )]
    NoSource,
    /// The task `poems` names no file.
    #[error("task `poems`: no file is named; set `task.source` to the path of a file of quatrains")]
    NoPoems,
    /// A collection of poems cannot be learned from.
    #[error("task `poems`: {0}")]
    Poems(#[from] PoemError),
    /// The task `text` names no file.
    #[error("task `text`: no file is named; set `task.source` to the path of a text")]
    NoText,
    /// The file is empty, or contains only white space.
    #[error("{name}: there is no text in it; name a file that has some")]
    Blank {
        /// Name of the file.
        name: String,
    },
    /// The text is too short to train on one part and measure on another.
    #[error(
        "{name}: the text is too short to learn from one part of it and to measure on another; \
         choose a longer one"
    )]
    ShortText {
        /// Name of the file.
        name: String,
    },
    /// A target for validation is named without its source.
    #[error("`task.validation_target` is set without `task.validation_source`; name both or none")]
    NoValidationSource,
    /// A vocabulary file is named for a level that has subwords of its own.
    #[error(
        "a vocabulary file lists whole tokens, and the level `{}` has pieces of its own; leave the \
         file out, or choose another level",
        level.name()
    )]
    VocabularyOfSubwords {
        /// Level of segmentation.
        level: TokenUnit,
    },
    /// The level is `sentencepiece`, but no model is named.
    #[error(
        "the level `sentencepiece` cuts by a model of your own, which the command line reads: name its \
         file in `task.{setting}`, or choose another level"
    )]
    NoPieces {
        /// Setting that names the file.
        setting: &'static str,
    },
    /// A SentencePiece model is named, but no level uses it.
    #[error(
        "`task.{setting}` is set, but the level of that side is not `sentencepiece`; set \
         `task.{level}=sentencepiece`, or leave the file out"
    )]
    UnusedPieces {
        /// Setting that names the file.
        setting: &'static str,
        /// Setting of the level.
        level: &'static str,
    },
    /// The file is no SentencePiece model, or one that cannot be used.
    #[error("{name}: {reason}")]
    SentencePieceFile {
        /// Name of the file.
        name: String,
        /// Description of the fault, and advice.
        reason: String,
    },
    /// The file of vectors has none of the tokens.
    #[error(
        "{}: none of the {tokens} tokens has a vector in it; name vectors of the text's language, of \
         tokens as `task.level` cuts them",
        path.display()
    )]
    NoTokenWithVector {
        /// Path of the file.
        path: PathBuf,
        /// Number of tokens in the vocabulary.
        tokens: usize,
    },
    /// The vectors of source and target have different widths.
    #[error(
        "the vectors of `task.source_vectors` have {source_width} numbers and those of \
         `task.target_vectors` {target_width}, but embeddings of a model have one width; name vectors \
         of one width, or leave one of the files out"
    )]
    VectorWidths {
        /// Number of components of a source vector.
        source_width: usize,
        /// Number of components of a target vector.
        target_width: usize,
    },
    /// The vocabulary file cannot be used.
    #[error("{name}, line {line}: {reason}")]
    VocabularyFile {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the fault, and advice.
        reason: String,
    },
    /// A browser cannot open files by path.
    #[error("a browser cannot open {path} by its path; drop or choose the file, or paste the text")]
    NoFileSystem {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file does not exist.
    #[error("{path}: there is no such file; {}", path_advice(path))]
    Missing {
        /// Path of the file.
        path: PathBuf,
    },
    /// The path is that of a folder.
    #[error("{path}: this is a folder; name a file in it")]
    Folder {
        /// Path of the file.
        path: PathBuf,
    },
    /// The system refuses to read the file.
    #[error("{path}: the file cannot be read ({reason}); check its permissions and its disk")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        reason: std::io::Error,
    },
    /// The compressed data cannot be unpacked.
    #[error("{name}: the gzip data is broken ({reason}); copy or pack the file again")]
    BrokenGzip {
        /// Name of the file.
        name: String,
        /// Message of the decoder.
        reason: String,
    },
    /// The text is larger than the limit for texts in memory.
    #[error("{name}: the text is larger than {mebibytes} MiB; split it or take a part of it")]
    TooLarge {
        /// Name of the file.
        name: String,
        /// Largest size, in MiB.
        mebibytes: u64,
    },
    /// The text has bytes that are not UTF-8.
    #[error("{name}, line {line}: byte {byte} of the line is not UTF-8; {advice}")]
    NotUtf8 {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the byte within the line, from 1.
        byte: usize,
        /// Likely encoding, and advice.
        advice: String,
    },
    /// The file is no text, but packed or a document.
    #[error("{name}: this file is {what}; {advice}")]
    Foreign {
        /// Name of the file.
        name: String,
        /// Kind of the file.
        what: String,
        /// Advice on how to convert the file.
        advice: String,
    },
    /// The text is in UTF-16 or UTF-32, but has no byte order mark.
    #[error(
        "{name}: this text looks like {encoding} without a byte order mark; convert it, for \
         example with `iconv -f {encoding} -t UTF-8`"
    )]
    Encoded {
        /// Name of the file.
        name: String,
        /// Name of the encoding as in iconv.
        encoding: String,
    },
    /// The text is not in the encoding that its byte order mark announces.
    #[error(
        "{name}, line {line}: this is not {encoding}, though the byte order mark of the file says \
         so; save the text as UTF-8"
    )]
    BrokenWide {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Name of the encoding.
        encoding: &'static str,
    },
    /// The lines of the text end in carriage returns only.
    #[error(
        "{name}: its lines end in carriage returns (`\\r`) alone, as on a Mac before 2001, so all of \
         it is one line; convert them, for example with `tr '\\r' '\\n'`"
    )]
    Returns {
        /// Name of the file.
        name: String,
    },
    /// A line is longer than any sentence.
    #[error(
        "{name}, line {line}: the line is longer than {mebibytes} MiB; end each sentence with a line end"
    )]
    LongLine {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Largest size, in MiB.
        mebibytes: u64,
    },
    /// A large corpus cannot be prepared on disk.
    #[error(
        "{path}: the corpus is read from the disk as it is trained on, and its prepared form cannot be \
         written ({reason}); make room, name another folder in the environment variable STRATA_CACHE, or \
         set `task.stream=never`"
    )]
    NoCache {
        /// Path of the folder or file.
        path: PathBuf,
        /// Error of the operating system.
        reason: std::io::Error,
    },
    /// A prepared corpus was damaged while in use.
    #[error(
        "{path}: the prepared corpus was damaged while it was used; go on from the last \
         checkpoint, and it is prepared anew"
    )]
    DamagedCache {
        /// Path of the file.
        path: PathBuf,
    },
    /// Two files cannot be parallel, because they differ in their number of lines.
    #[error(
        "{source_name} has {source_lines} line{} and {target_name} has {target_lines}; line n of \
         the one must be the translation of line n of the other",
        plural(*source_lines)
    )]
    UnequalLines {
        /// Name of the file with source sentences.
        source_name: String,
        /// Number of lines in the file with source sentences.
        source_lines: usize,
        /// Name of the file with target sentences.
        target_name: String,
        /// Number of lines in the file with target sentences.
        target_lines: usize,
    },
    /// A line of a two-column file has only one column.
    #[error(
        "{name}, line {line}: no TAB between source and target{looks}; write both on each line \
         with a TAB between them, or name a second file as target"
    )]
    NoTab {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Likely format of the file, in parentheses; empty for plain text.
        looks: String,
    },
    /// The file for validation has only source sentences.
    #[error(
        "{name} (`task.validation_source`) has no TAB between source and target, and \
         `task.validation_target` is missing; name the file with its translations there, or write \
         both on each line with a TAB between them"
    )]
    NoValidationTarget {
        /// Name of the file.
        name: String,
    },
    /// A line has fewer columns than the lines before.
    #[error(
        "{name}, line {line}: there is no column {column}, which holds the target in the first \
         lines; write source TAB target on each line"
    )]
    NoColumn {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
    },
    /// No pair is left in the corpus.
    #[error("{name}: {}", without_pairs(dropped))]
    EmptyCorpus {
        /// Name of the file.
        name: String,
        /// Numbers of pairs left out, by reason.
        dropped: Dropped,
    },
    /// No pair can be held out, because all have the same source sentence.
    #[error(
        "{name}: all pairs have the same source sentence, so none can be held out; add more \
         pairs, or name a validation file"
    )]
    OneSentence {
        /// Name of the file.
        name: String,
    },
    /// All tokens are rarer than the minimum.
    #[error(
        "{name}: no {side} token is frequent enough for minimum_count = {minimum_count}; {advice}"
    )]
    EmptyVocabulary {
        /// Name of the file.
        name: String,
        /// `source`, `target` or `text`.
        side: &'static str,
        /// Value of the setting `minimum_count`.
        minimum_count: usize,
        /// Advice on settings to change.
        advice: String,
    },
    /// The level `jieba` needs a dictionary that this build lacks.
    #[error(
        "the level `jieba` needs a dictionary that this program was built without; use the \
         program in the terminal, or another level"
    )]
    NoJieba,
    /// No subwords can be learned from the text.
    #[error(
        "no subwords can be learned from this text ({reason}); choose another level, or raise \
         maximum_vocabulary"
    )]
    Subwords {
        /// Message of the library that learns subwords.
        reason: String,
    },
    /// A saved model of subwords is damaged.
    #[error("the subwords are damaged: {reason}")]
    DamagedSubwords {
        /// Description of the fault.
        reason: &'static str,
    },
    /// A saved vocabulary was not written by Strata.
    #[error(
        "the vocabulary does not begin with <pad> <s> </s> <unk>; it was not written by Strata"
    )]
    VocabularyWithoutSpecials,
    /// A saved vocabulary contains a token twice.
    #[error("the vocabulary holds the token `{token}` twice; it is damaged")]
    VocabularyDuplicate {
        /// Token that occurs twice.
        token: String,
    },
    /// A file of questions or of word vectors has a fault.
    #[error(transparent)]
    Reading(#[from] ReadingError),
    /// There are no examples, or the batch size is 0.
    #[error(
        "no batches can be made of {examples} examples with a batch size of {batch_size}; both \
         must be at least 1"
    )]
    NoBatches {
        /// Number of examples.
        examples: usize,
        /// Batch size that was requested.
        batch_size: usize,
    },
    /// A position lies outside the epoch.
    #[error(
        "batch {batch} was asked for, but an epoch has {batches}; the position belongs to other \
         data or another batch size"
    )]
    NoSuchBatch {
        /// Index of the batch in the position.
        batch: u64,
        /// Number of batches in an epoch.
        batches: u64,
    },
}

impl TaskError {
    /// Builds the error for a number of `task` outside its range.
    pub(crate) fn out_of_range(task: &'static str, found: OutOfRange) -> Self {
        Self::OutOfRange { task, found }
    }

    /// Returns the reason why a text could not be read: an error of unpacking or decoding as it is,
    /// any other as unreadable.
    pub fn of_reading(name: &str, reason: std::io::Error) -> Self {
        match reason.downcast::<Self>() {
            Ok(told) => told,
            Err(reason) => Self::Unreadable {
                path: name.into(),
                reason,
            },
        }
    }

    /// Returns the reason why a file could not be read: the file is missing, or unreadable.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn unread(path: &std::path::Path, reason: std::io::Error) -> Self {
        let path = path.to_owned();
        match reason.kind() {
            std::io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Unreadable { path, reason },
        }
    }

    /// Builds an error from a message of the library that learns subwords.
    pub(crate) fn subwords(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Subwords {
            reason: error.to_string(),
        }
    }
}

/// Returns advice for a path at which there is no file.
pub fn path_advice(path: &std::path::Path) -> &'static str {
    match path.as_os_str().as_encoded_bytes() {
        [b'~', ..] => "no shell replaces the `~` here, so write the whole path",
        _ => "check the path, which counts from the current folder",
    }
}

/// Returns the message for a corpus of which no pair is left.
fn without_pairs(dropped: &Dropped) -> String {
    let Dropped {
        empty,
        too_long,
        overlapping,
        learned: _,
    } = *dropped;
    if (empty, too_long, overlapping) == (0, 0, 0) {
        return "there is no text in it; name a file that has some".to_owned();
    }
    let advice = if overlapping > empty.max(too_long) {
        "the validation text is the training text: name another one, or leave validation_source out, \
         so that a part of the training text is held out"
    } else if too_long > empty {
        "raise maximum_length, or end each sentence with a line end"
    } else {
        "choose other data"
    };
    format!(
        "no sentence pair is left ({empty} dropped as empty, {too_long} as too long, {overlapping} as \
         also in validation); {advice}"
    )
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
