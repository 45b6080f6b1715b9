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
pub use config::{Form, LearnedVocabularies, TaskConfig};
pub use copy::CopyConfig;
pub use dataset::{Dataset, Dropped, Example, Identities, LeftOut};
pub use dates::DatesConfig;
#[cfg(not(target_family = "wasm"))]
pub use digest::digest_of_file;
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

pub use poems::{InitialRows, InitialVectors, LineLength, PoemData, PoemsConfig};
pub use progress::{Preparation, watch_preparation};
#[cfg(not(target_family = "wasm"))]
pub use reading::file_bytes;
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
