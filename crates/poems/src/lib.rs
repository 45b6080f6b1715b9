//! Chinese quatrains, without tensors (HAM, 5.2; Wang et al. 2016): from files to parts, from a text
//! to four keywords, from characters to vectors.
//!
//! - reading: `poem`, `reader`, `script`, `part`; [`Collection`], parts of which no held-out poem
//!   shares a line with training
//! - characters: `reading` (in pinyin); [`CharacterTable`], readings and change of script of a
//!   model's characters
//! - words: `word`, `lexicon` (learned from lines, which it splits), [`text_rank()`], `keywords`
//! - planning: [`Planner`], with all that planning needs; `expansion` to four keywords
//! - copying: [`KnownNgrams`], the 4-grams of training poems, for a model without its poems
//! - `examples`, from which a model learns to write a line
//! - baselines: `ngram`, a language model; `translation` of a line to the next
//! - [`measures`]: metrics of written lines
//! - vectors: `word2vec`, `character_vectors`; `random`, random numbers that are the same
//!   everywhere
//!
//! ```
//! use strata_poems::{Poem, Reason};
//!
//! let poem = Poem::read("白日依山盡，黃河入海流。欲窮千里目，更上一層樓。").expect("a quatrain");
//! assert_eq!(poem.length(), 5);
//! assert_eq!(poem.line(1), ['黃', '河', '入', '海', '流']);
//! assert_eq!(Poem::read("白日依山盡").err(), Some(Reason::Lines));
//! ```
//!
//! # Invariants
//!
//! - No line that is held out of a [`Collection`] is trained on. Test:
//!   `no_held_out_line_is_trained_on`.
//! - This crate has no tensors and reads no files: it is given their contents. Not tested.

mod character_table;
mod character_vectors;
mod collection;
mod error;
pub mod examples;
mod expansion;
mod keywords;
mod known_ngrams;
pub mod lexicon;
pub mod measures;
pub mod ngram;
mod part;
mod planner;
mod poem;
mod random;
mod reader;
mod reading;
mod script;
mod text_rank;
pub mod translation;
mod word;
pub mod word2vec;

pub use character_table::CharacterTable;
pub use character_vectors::character_vectors;
pub use collection::{Collection, CollectionCounts, Selection};
pub use error::PoemError;
pub use expansion::{REACH, WordVectors, near_in_text};
pub use keywords::{KeywordFinder, PoemScores};
pub use known_ngrams::KnownNgrams;
pub use lexicon::Lexicon;
pub use part::{Part, hash};
pub use planner::{Keyword, Origin, Planner, PlannerSettings, StoredPlanner};
pub use poem::{LENGTHS, LINES, Poem, Reason, is_ideograph};
pub use reader::{PoemReader, Unread};
pub use reading::Reading;
pub use script::{Script, ScriptChange};
pub use text_rank::{DAMPING, text_rank};
pub use word::Word;
pub use word2vec::{Embedding, Word2Vec};
