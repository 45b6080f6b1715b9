//! Reasons why an attention file is refused.

use super::MOST_BYTES;

/// Reason why an attention file is refused.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum AttentionFileError {
    /// The file is larger than any that is read.
    #[error("the attention file has more than {} MiB, the most that is read: write fewer sentences or sites", MOST_BYTES >> 20)]
    TooLarge,
    /// The file is neither JSON nor safetensors.
    #[error(
        "the file is no attention file: it is neither a JSON list or object nor safetensors (docs/attention-files.md)"
    )]
    Unknown,
    /// The file, or the header of the tensors, has another form.
    #[error("the attention file cannot be read: {reason} (docs/attention-files.md)")]
    Form {
        /// Place and reason.
        reason: String,
    },
    /// Sizes contradict each other, or a site is missing or there twice.
    #[error("site `{site}` of sentence {sentence}: {reason} (docs/attention-files.md)")]
    Sizes {
        /// Number of the sentence, from 1.
        sentence: usize,
        /// Name of the site.
        site: String,
        /// Both sizes, or the fault.
        reason: String,
    },
    /// A weight is negative, infinite or not a number.
    #[error(
        "site `{site}` of sentence {sentence} has the weight {weight}; weights are finite numbers \
         from 0 on"
    )]
    Weight {
        /// Number of the sentence, from 1.
        sentence: usize,
        /// Name of the site.
        site: String,
        /// The weight.
        weight: f32,
    },
    /// The sources of a token cannot be traced through the layers.
    #[error("attention rollout: {reason}")]
    Rollout {
        /// Missing or contradicting sites, and advice.
        reason: String,
    },
}

impl AttentionFileError {
    /// Refuses a text that is no JSON or has another form. The reason may quote the text.
    pub(super) fn json(reason: &serde_json::Error) -> Self {
        Self::Form {
            reason: super::bounded::shortened(&reason.to_string()),
        }
    }
}
