//! Errors in a task's settings or data.

use std::path::PathBuf;

use strata_describe::OutOfRange;
use strata_poems::PoemError;
use strata_text::{TextError, TokenUnit};

use crate::{Dropped, ReadingError, WholeRange};

/// Reason why a task cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A text cannot be read or cut into tokens.
    #[error(transparent)]
    Text(#[from] TextError),
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
    /// More hops are asked for than there are places.
    #[error(
        "`task.hops` is {hops}, which is more than the {places} of `task.places`; lower the one or raise \
         the other"
    )]
    TooManyHops {
        /// Number of hops, or range of such numbers.
        hops: WholeRange,
        /// Number of places.
        places: usize,
    },
    /// Too few different permutations exist to keep some out of training.
    #[error(
        "task `hops`: at most {available} permutations of so few places can be held out (about half of \
         those that exist), not {held_out}; raise `task.places` or lower `task.held_out`"
    )]
    TooFewPermutations {
        /// Number of permutations that can be held out.
        available: usize,
        /// Number of permutations to hold out.
        held_out: usize,
    },
    /// Too few different examples exist to keep some out of training.
    #[error(
        "task `{task}`: at most {available} examples can be held out (half of those that exist at the \
         least), not {held_out}; raise `task.{raise}` or lower `task.held_out`"
    )]
    TooFewToHoldOut {
        /// Name of the task.
        task: &'static str,
        /// Number of examples that can be held out.
        available: usize,
        /// Number of examples to hold out.
        held_out: usize,
        /// Setting that makes more different examples.
        raise: &'static str,
    },
    /// The examples of a generated task do not fit into memory.
    #[error(
        "task `{task}`: {examples} examples of {length} tokens (`task.examples` and `task.held_out`) do \
         not fit into memory; at most {most} of this length do: lower their number or `task.length`"
    )]
    TooManyTokens {
        /// Name of the task.
        task: &'static str,
        /// Number of tokens of an example.
        length: usize,
        /// Number of examples, held-out ones included.
        examples: usize,
        /// Largest number of examples of this length.
        most: usize,
    },
    /// A sequence is too short for all pairs and queries.
    #[error(
        "`task.pairs` is {pairs}, but a sequence of {length} tokens (`task.length`) has room for {}: each \
         takes four tokens; lower the one or raise the other",
        length / 4
    )]
    ShortForPairs {
        /// Number of tokens of a sequence.
        length: usize,
        /// Number of pairs.
        pairs: usize,
    },
    /// A vocabulary is too small for the pairs of a sequence.
    #[error(
        "`task.vocabulary` is {vocabulary}, but must be at least {least}: more than `task.length`, with \
         keys and values enough for `task.pairs`"
    )]
    SmallVocabulary {
        /// Number of tokens.
        vocabulary: usize,
        /// Smallest number of tokens for these lengths.
        least: usize,
    },
    /// The answer of the task `needle` is longer than a block.
    #[error(
        "`task.answer` is {answer}, but a block of {block} tokens (`task.block`) has room for at most {} \
         behind its mark; lower the one or raise the other",
        block.saturating_sub(2)
    )]
    LongAnswer {
        /// Number of tokens of the answer.
        answer: usize,
        /// Number of tokens of a block.
        block: usize,
    },
    /// A segment of the task `variables` cannot hold the longest line.
    #[error(
        "`task.segment_length` is {segment_length}, but a line may have {longest} tokens; raise it, or \
         lower `task.links` or `task.distractors`"
    )]
    ShortSegments {
        /// Number of tokens of a segment.
        segment_length: usize,
        /// Number of tokens of the longest line.
        longest: usize,
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
    /// A file of questions or of word vectors has a fault.
    #[error(transparent)]
    Reading(#[from] ReadingError),
    /// Source and target of a pair have other numbers of tokens, which a model that answers in place
    /// cannot learn.
    #[error(
        "{place} has {source_tokens} source and {target_tokens} target tokens, but a model that \
         answers in place needs as many of the one as of the other; make them equal, or choose \
         a model that writes its answer: `model.architecture=transformer` or `seq2seq`"
    )]
    UnequalPair {
        /// Place of the pair: `line 3 of pairs.tsv`.
        place: String,
        /// Number of tokens of the source.
        source_tokens: usize,
        /// Number of tokens of the target.
        target_tokens: usize,
    },
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
