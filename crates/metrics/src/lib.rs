//! Measures of sequences and translations. No tensors.
//!
//! - [`Running`]: a mean over tokens or sentences, gathered batch by batch
//! - [`perplexity`], [`bits`]: a mean loss in other units
//! - [`token_accuracy`], [`exact_match`]: predictions against references

mod accuracy;
mod likelihood;
mod running;

pub use accuracy::{exact_match, token_accuracy};
pub use likelihood::{bits, perplexity};
pub use running::Running;
