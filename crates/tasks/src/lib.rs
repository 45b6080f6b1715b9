//! Tasks and corpora: the data on which models are trained. The crate has no tensors.
//!
//! Texts are read and cut into tokens by the crate `strata-text`, whose types appear here.
//!
//! A [`TaskConfig`] names a task and its settings; [`TaskConfig::load`] returns a [`Dataset`] of
//! token sequences for a seed, and [`Batches`] gives the order in which training reads them. The
//! same configuration and seed give the same data on every platform, 32 bit or 64 bit.
//!
//! - common to all tasks: `config` (the closed list of tasks), `task` (operations of every task),
//!   `pipeline` (kinds of work), `examples` (of each kind of work), `error`
//! - `dataset`: what a task loads: an `example`, texts of held-out examples (`written`), what was
//!   `left_out`, pretrained `vectors` of tokens, the order of training (`batches`), whether sources and
//!   targets have the same `lengths`
//! - one file or folder per task: `generated` (`copy`, `reverse` and `sort`, made of `symbols`;
//!   `dates`; `german_english`, `chinese_english` and `sentences`, of `toy` languages; `hops`; `recall`, `needle`
//!   and `variables`, with `drawn`), `files`,
//!   `text`, `comprehension`, `poems`
//! - `facts`: findings that are reported before a run, by `notes` as sentences; `cutter`: segments
//!   of a text
//! - `split`: what is held out (`held_out` explains how many), what was `learned` (a set of
//!   identities), `digest` of files and `fingerprint` of data; `identity` of a sentence; `random`:
//!   the generators of seeds
//! - a corpus larger than memory: `stream`
//! - settings that are a number or several in a row: `whole_range`
//! - texts that a user gives instead of files: `uploads`, `examination`
//! - [`corpora`]: public corpora by name
//!
//! A new task is a new file here, its line below, and a variant of [`TaskConfig`].
//!
//! ```
//! use strata_tasks::TaskConfig;
//! use strata_text::Uploads;
//!
//! let task = TaskConfig::of_kind("reverse").expect("a task of this name");
//! let data = task.load(0, &Uploads::default())?;
//! let example = &data.training()[0];
//! let tokens = |ids: &[u32]| data.source_vocabulary.decode(ids).join(" ");
//! let reversed: Vec<u32> = example.source.iter().rev().copied().collect();
//! assert_eq!(tokens(&example.target), tokens(&reversed));
//! # Ok::<(), strata_tasks::TaskError>(())
//! ```
//!
//! # Invariants
//!
//! - This crate has no tensors and does not depend on burn. Not tested.
//! - A task gives examples of one [`Pipeline`]: pairs, one text, questions about passages, or poems.
//!   The type system holds this.
//! - The sentences themselves and the number of the split (`task.split`, for questions
//!   `task.split_number`) decide what is held out of files. The seed, the order of the lines and
//!   the way of reading (in memory or streamed) do not. Tests:
//!   `all_seeds_hold_out_the_same_and_each_split_others`,
//!   `a_corpus_that_grows_holds_out_nothing_that_was_learned_before`,
//!   `what_is_held_out_is_the_same_in_memory_and_streamed_and_for_all_seeds`.
//! - Split 0 holds out what older programs held out, and a saved task without a number of the split
//!   means 0 (`TaskConfig::complete_saved`). Test:
//!   `a_task_that_was_saved_before_there_was_a_split_is_drawn_as_it_was`.
//! - No text is changed: `facts` reports what is odd about a text. Test:
//!   `a_normal_form_is_looked_up_and_never_written`.
//! - An answer is a stretch of its passage as the file has it ([`TokenText`]). Test:
//!   `looked_up_is_the_lower_case_and_shown_the_text_as_written`.

mod comprehension;
mod config;
pub mod corpora;
mod cutter;
mod dataset;
mod error;
mod examination;
mod examples;
mod facts;
mod files;
mod generated;
mod identity;
mod notes;
mod pipeline;
mod poems;
mod random;
mod split;
mod stream;
mod task;
mod text;
mod uploads;
mod whole_range;

pub use comprehension::{
    AnswerSpan, GoldAnswers, Passage, Question, ReadingConfig, ReadingCounts, ReadingData,
    ReadingError, ReadingFormat, ReadingLevel, ReadingLimits, ReadingSplit, ReadingTokenizer,
    TokenText, ToyReadingConfig, gold_answers, predictions,
};
pub use config::TaskConfig;
pub use dataset::batches::{BatchPosition, BatchSize, Batches};
pub use dataset::example::Example;
pub use dataset::left_out::{Dropped, LeftOut};
pub use dataset::vectors::{InitialRows, WordVectors};
pub use dataset::written::{Written, WrittenText};
pub use dataset::{Dataset, Identities};
pub use error::TaskError;
pub use examination::{CorpusReport, TextSize};
pub use examples::{Examples, SequenceExamples};
pub use facts::{Facts, Known, Lost, SideFacts, Writing};
pub use files::FilesConfig;
pub use generated::chinese_english::ChineseEnglishConfig;
pub use generated::copy::CopyConfig;
pub use generated::dates::DatesConfig;
pub use generated::german_english::GermanEnglishConfig;
pub use generated::hops::{Cycles, HopsConfig};
pub use generated::needle::NeedleConfig;
pub use generated::recall::RecallConfig;
pub use generated::reverse::ReverseConfig;
pub use generated::sentences::SentencesConfig;
pub use generated::sort::SortConfig;
pub use generated::variables::VariablesConfig;
pub use identity::{identity, identity_of_line};
pub use pipeline::Pipeline;
pub use poems::{InitialVectors, LineLength, PoemData, PoemsConfig};
#[cfg(not(target_family = "wasm"))]
pub use split::digest::{digest_of_file, digest_of_text};
pub use split::fingerprint::Fingerprint;
pub use split::learned::{Learned, LearnedBuilder};
pub use strata_poems::Script;
pub use strata_text::{
    Normalize, ParallelText, Segmenter, SubwordModel, TargetLevel, TextForm, TokenUnit,
    UploadedText, Uploads, Vocabulary,
};
pub use stream::{Stored, StoredBatches, StoredStreams, Stream};
pub use task::LearnedVocabularies;
pub use text::{TextConfig, in_streams};
pub use whole_range::WholeRange;
