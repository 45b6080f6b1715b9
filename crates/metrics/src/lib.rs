//! Measures of sequences and translations. No tensors.
//!
//! - [`Bleu`], [`Chrf`]: translations, to the digits of sacreBLEU, with its signatures
//! - [`BleuStatistics::cumulative`]: BLEU-1 to BLEU-4 of papers on reading and poems
//! - [`Running`]: a mean over tokens or sentences, gathered batch by batch
//! - [`perplexity`], [`bits`]: a mean loss in other units
//! - [`token_accuracy`], [`exact_match`]: predictions against references

mod accuracy;
mod bleu;
mod chrf;
mod error;
mod likelihood;
mod ngrams;
mod running;
mod signature;
mod tokenizers;
mod white_space;

pub use accuracy::{exact_match, token_accuracy};
pub use bleu::{BLEU_ORDERS, Bleu, BleuScore, BleuStatistics, Smoothing, looks_tokenized};
pub use chrf::{Chrf, ChrfScore, ChrfStatistics, OrderCounts};
pub use error::MetricError;
pub use likelihood::{bits, perplexity};
pub use running::Running;
pub use signature::SACREBLEU_VERSION;
pub use tokenizers::BleuTokenizer;
pub use white_space::words;
