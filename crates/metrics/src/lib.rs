//! Metrics of sequences and translations, without tensors.
//!
//! - [`Bleu`], [`Chrf`], [`Ter`]: translations, to the digits of sacreBLEU, with its signatures
//! - [`PairedBootstrap`]: significance of a difference, tested like sacreBLEU's `--paired-bs`
//! - [`BleuStatistics::cumulative`]: BLEU-1 to BLEU-4, as papers on reading comprehension and poems
//!   report them
//! - [`rouge_l`], [`rouge_l_f1`], [`rouge_n_f1`]: common subsequences and n-grams;
//!   [`copied_n_grams`]: shares of a summary that stand in the text
//! - [`answer_exact_match`], [`answer_f1`]: scores of answers, by SQuAD's rules
//! - [`AnswerMeasure`]: scores of the answers of a whole data set, by the rules of SQuAD, CMRC,
//!   DuReader and MS MARCO; [`BleuStatistics::of_captions`], the BLEU of the last two
//! - [`token_accuracy`], [`exact_match`]: predictions against references
//! - [`GoldLinks::compare`], [`strongest_links`]: attention against hand-made alignments, which
//!   [`WordAlignments`] reads
//! - [`perplexity`], [`bits`], [`bits_per_character`]: a mean loss in other units
//! - [`CountModel`]: unigrams, bigrams and longer n-grams, a baseline for language models;
//!   [`Ibm1`], [`WordTranslator`]: counted translations of words, a baseline for translators
//! - [`Running`]: a mean over tokens or sentences, accumulated batch by batch
//!
//! ```
//! use strata_metrics::Bleu;
//!
//! let pairs = [("The cat sat on the mat.", ["The cat sat on a mat."])];
//! let score = Bleu::default().corpus(pairs);
//! assert_eq!(
//!     score.to_string(),
//!     "BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)"
//! );
//! ```
//!
//! # Invariants
//!
//! - Scores equal those of the official programs: sacreBLEU for translations, the program of each
//!   data set for answers. Tests: `bleu_is_sacrebleus_with_every_option`,
//!   `chrf_is_sacrebleus_with_every_option`, `ter_is_sacrebleus`,
//!   `scores_are_those_of_the_official_programs`.
//! - This crate has no tensors and depends on no other crate of the workspace. Not tested.

mod accuracy;
mod alignment;
mod answers;
mod bleu;
mod chrf;
mod cmrc;
mod comprehension;
mod count_model;
mod error;
mod ibm1;
mod likelihood;
mod ngrams;
mod rouge;
mod running;
mod signature;
mod significance;
mod ter;
mod tokenizers;
mod white_space;
mod word_alignments;
mod word_translator;

pub use accuracy::{exact_match, token_accuracy};
pub use alignment::{AlignmentCounts, GoldLinks, Link, strongest_links};
pub use answers::{answer_exact_match, answer_f1, normalize_answer};
pub use bleu::{BLEU_ORDERS, Bleu, BleuScore, BleuStatistics, Smoothing, looks_tokenized};
pub use chrf::{Chrf, ChrfScore, ChrfStatistics, OrderCounts};
pub use cmrc::{Tokenizer, cmrc_exact_match, cmrc_f1};
pub use comprehension::{AnswerMeasure, AnswerRules, AnswerScores};
pub use count_model::CountModel;
pub use error::MetricError;
pub use ibm1::{Ibm1, SentencePair};
pub use likelihood::{bits, bits_per_character, perplexity};
pub use rouge::{copied_n_grams, rouge_l, rouge_l_f1, rouge_n_f1, rouge_words};
pub use running::Running;
pub use signature::SACREBLEU_VERSION;
pub use significance::{PairedBootstrap, Resampled};
pub use ter::{Ter, TerScore, TerStatistics};
pub use tokenizers::BleuTokenizer;
pub use white_space::{is_white_space, words};
pub use word_alignments::{AlignedPair, WordAlignments};
pub use word_translator::WordTranslator;
