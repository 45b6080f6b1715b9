//! Text: reading files of any encoding, cutting text into tokens, and vocabularies. The crate has no
//! tensors and knows no task.
//!
//! - `reading`: text from files, pipes and uploaded bytes, unpacked and decoded; `uploads`: texts
//!   that a user gives instead of files
//! - `parallel_text`: sentence pairs; `columns`: columns of source and target in a line; `shape`:
//!   files that are not lines of text
//! - `invisible`, `letters`: characters that are not visible, spelling of accents, and scripts
//!   without spaces
//! - `token_counts`: occurrences of tokens, from which a vocabulary or a model of subwords is learned
//! - `segment`: from text to tokens and back; `vocabulary`: tokens and their identifiers;
//!   [`special`]: the tokens that every vocabulary has
//! - [`progress`]: reports of long work
//! - [`serde_as_json`]: configurations as parts of messages
//! - `error`: the reasons why a text cannot be read or cut
//!
//! ```
//! use strata_text::{Segmenter, Vocabulary};
//!
//! let words = Segmenter::of_words();
//! let sentence = words.split("er sieht den mann .");
//! let vocabulary = Vocabulary::build([sentence.iter().map(String::as_str)], 1, 100);
//! assert_eq!(vocabulary.len(), 9); // `<pad>`, `<s>`, `</s>`, `<unk>` and five words
//! let ids = vocabulary.encode(&words.split("er sieht ihn ."));
//! assert_eq!(words.join(&vocabulary.decode(&ids)), "er sieht <unk> .");
//! ```
//!
//! # Invariants
//!
//! - This crate has no tensors and does not depend on burn. Not tested.
//! - Every text is read in one way (`reading`), wherever it comes from: unpacked, decoded, freed of
//!   its byte order mark, or refused with a sentence that names its format. Tests:
//!   `every_command_reads_or_names_a_file`, `standard_input_is_read_as_files_are`.
//! - No text is changed, except by a normal form that the user chose. Tests:
//!   `every_level_gives_written_text_back`, `a_normal_form_is_looked_up_and_never_written`.
//! - The four special tokens are the first of every vocabulary, and no text contains one of them:
//!   `<s>` in a text is the unknown token. Test: `text_cannot_spell_a_special_token`.

mod columns;
mod error;
mod invisible;
mod letters;
mod parallel_text;
pub mod progress;
mod reading;
mod segment;
pub mod serde_as_json;
mod shape;
pub mod special;
mod token_counts;
mod uploads;
mod vocabulary;

pub use columns::Columns;
pub use error::{TextError, path_advice};
pub use invisible::{hides_in_words, is_blank, is_invisible};
pub use letters::{Spelling, Unspaced};
pub use parallel_text::ParallelText;
pub use progress::{Preparation, watch_preparation};
#[cfg(not(target_family = "wasm"))]
pub use reading::{OpenedFile, file_bytes, open_file};
pub use reading::{
    TextReader, ends_in_returns, expanded, looks_encoded_as, not_utf8, read_text, unpacked_text,
};
pub use segment::{
    LONGEST_WORD, Learner, Normalize, Segmenter, SentencePieceModel, SubwordModel, TargetLevel,
    TextForm, TokenUnit, is_chinese, words_and_marks,
};
pub use shape::{EXAMINED_LINES, Shape, remark_on_shape};
pub use token_counts::TokenCounts;
pub use uploads::{UploadedText, Uploads, file_name};
pub use vocabulary::Vocabulary;
