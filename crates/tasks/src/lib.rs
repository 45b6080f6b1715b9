//! Tasks, vocabularies and corpora: the data on which models are trained. The crate has no tensors.
//!
//! A [`TaskConfig`] names a task and its settings; [`TaskConfig::load`] returns a [`Dataset`] of
//! token sequences for a seed, and [`Batches`] gives the order in which training reads them. The
//! same configuration and seed give the same data on every platform, 32 bit or 64 bit.
//!
//! - common to all tasks: `config` (the closed list of tasks), `dataset`, `written` (text of
//!   held-out examples), `error`
//! - one file or folder per task: `copy`, `reverse`, `sort` (made of `symbols`), `dates`,
//!   `german_english`, `chinese_english`, `sentences` (of `toy` languages), `files`, `text`,
//!   `comprehension`, `poems`
//! - parts of text: `special`, `vocabulary`, `segment` (from text to tokens and back),
//!   `parallel_text`, `vectors` (pretrained vectors of tokens)
//! - reading of texts: `reading`, `columns`, `shape`, `invisible`, `letters`; `facts` that are
//!   reported before a run
//! - held-out and learned sentences: `split`, `identity` (of a sentence), `learned` (a set of
//!   identities)
//! - the order of training: `batches`, `random`; `fingerprint` distinguishes data, `digest` files
//! - a corpus larger than memory: `stream`
//! - [`serde_as_json`]: configurations as parts of messages
//! - texts that a user gives instead of files: `uploads`, `examination`, `held_out`
//! - [`corpora`]: public corpora by name
//!
//! A new task is a new file here, its line below, and a variant of [`TaskConfig`].
//!
//! # Invariants
//!
//! - This crate has no tensors and does not depend on burn. Not tested.
//! - A task gives examples of one [`Pipeline`]: pairs, one text, questions about passages, or poems. The type
//!   system holds this.
//! - The sentences themselves and the number of the split (`task.split`, for questions
//!   `task.split_number`) decide what is held out of files. The seed, the order of the lines and
//!   the way of reading (in memory or streamed) do not. Tests:
//!   `all_seeds_hold_out_the_same_and_each_split_others`,
//!   `a_corpus_that_grows_holds_out_nothing_that_was_learned_before`,
//!   `what_is_held_out_is_the_same_in_memory_and_streamed_and_for_all_seeds`.
//! - Split 0 holds out what older programs held out, and a saved task without a number of the split
//!   means 0 (`TaskConfig::complete_saved`). Test:
//!   `a_task_that_was_saved_before_there_was_a_split_is_drawn_as_it_was`.
//! - Every text is read in one way (`reading`), wherever it comes from: unpacked, decoded, freed of
//!   its byte order mark, or refused with a sentence that names its format. Tests:
//!   `every_command_reads_or_names_a_file`, `standard_input_is_read_as_files_are`.
//! - No text is changed: `facts` tells what is odd about it. Tests:
//!   `every_level_gives_written_text_back`, `a_normal_form_is_looked_up_and_never_written`.
//! - An answer is a stretch of its passage as the file has it ([`TokenText`]). Test:
//!   `looked_up_is_the_lower_case_and_shown_the_text_as_written`.

mod batches;
mod chinese_english;
mod columns;
mod comprehension;
mod config;
mod copy;
pub mod corpora;
mod dataset;
mod dates;
#[cfg(not(target_family = "wasm"))]
mod digest;
mod error;
mod examination;
mod facts;
mod files;
mod fingerprint;
mod german_english;
mod held_out;
mod identity;
mod invisible;
mod learned;
mod letters;
mod parallel_text;
mod pipeline;
mod poems;
mod progress;
mod random;
mod reading;
mod reverse;
mod segment;
mod sentences;
pub mod serde_as_json;
mod shape;
mod sort;
pub mod special;
mod split;
mod stream;
mod symbols;
mod text;
mod toy;
mod uploads;
mod vectors;
mod vocabulary;
mod written;

pub use batches::{BatchPosition, BatchSize, Batches};
pub use chinese_english::ChineseEnglishConfig;
pub use columns::Columns;
pub use comprehension::{
    AnswerSpan, GoldAnswers, Passage, Question, ReadingConfig, ReadingCounts, ReadingData,
    ReadingError, ReadingFormat, ReadingLevel, ReadingLimits, ReadingSplit, ReadingTokenizer,
    TokenText, ToyReadingConfig, gold_answers, predictions,
};
pub use config::{LearnedVocabularies, TaskConfig};
pub use copy::CopyConfig;
pub use dataset::{Dataset, Dropped, Example, Identities, LeftOut};
pub use dates::DatesConfig;
#[cfg(not(target_family = "wasm"))]
pub use digest::{digest_of_file, digest_of_text};
pub use error::{TaskError, path_advice};
pub use examination::{CorpusReport, TextSize};
pub use facts::{Facts, Known, Lost, SideFacts, Writing};
pub use files::FilesConfig;
pub use fingerprint::Fingerprint;
pub use german_english::GermanEnglishConfig;
pub use identity::{identity, identity_of_line};
pub use invisible::{hides_in_words, is_blank, is_invisible};
pub use learned::{Learned, LearnedBuilder};
pub use parallel_text::ParallelText;
pub use strata_poems::Script;

pub use pipeline::Pipeline;
pub use poems::{InitialRows, InitialVectors, LineLength, PoemData, PoemsConfig};
pub use progress::{Preparation, watch_preparation};
#[cfg(not(target_family = "wasm"))]
pub use reading::{OpenedFile, file_bytes, open_file};
pub use reading::{TextReader, ends_in_returns, expanded, looks_encoded_as, unpacked_text};
pub use reverse::ReverseConfig;
pub use segment::words_and_marks;
pub use segment::{Normalize, Segmenter, SubwordModel, TargetLevel, TextForm, TokenUnit};
pub use sentences::SentencesConfig;
pub use shape::Shape;
pub use sort::SortConfig;
pub use stream::{Stored, StoredBatches, StoredStreams, Stream};
pub use text::{TextConfig, in_streams};
pub use uploads::{UploadedText, Uploads, file_name};
pub use vectors::WordVectors;
pub use vocabulary::Vocabulary;
pub use written::{Written, WrittenText};
