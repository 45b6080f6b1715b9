//! Reasons why an attention file is refused.

use super::MOST_BYTES;

/// Reason why an attention file is refused.
#[derive(thiserror::Error, Clone, Debug, PartialEq)]
pub enum AttentionFileError {
    /// The file is larger than any that is read.
    #[error("the attention file has {} MiB, and at most {} MiB are read: write fewer sentences or sites", bytes >> 20, MOST_BYTES >> 20)]
    TooLarge {
        /// Size of the file.
        bytes: usize,
    },
    /// The file is neither JSON nor safetensors.
    #[error(
        "the file is no attention file: it is neither a JSON list or object nor safetensors (docs/attention-files.md)"
    )]
    Unknown,
    /// The file, or the header of its tensors, has another form.
    #[error("the attention file cannot be read: {reason} (docs/attention-files.md)")]
    Form {
        /// Place and reason.
        reason: String,
    },
    /// Sizes contradict each other.
    #[error("site `{site}` of the attention file: {reason}")]
    Sizes {
        /// Name of the site.
        site: String,
        /// Both sizes.
        reason: String,
    },
    /// A weight is negative, infinite or not a number.
    #[error(
        "site `{site}` of the attention file has the weight {weight}; weights are numbers from 0 on"
    )]
    Weight {
        /// Name of the site.
        site: String,
        /// The weight.
        weight: f32,
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
