//! Errors for bytes that are not a complete `.safetensors` file.

use std::collections::HashMap;

use safetensors::SafeTensorError;
use serde_json::Value;

use crate::CheckpointError;

/// Finds out why the bytes are not a complete `.safetensors` file.
pub(crate) fn malformed(bytes: &[u8], error: SafeTensorError) -> CheckpointError {
    let found = bytes.len() as u64;
    let header = bytes
        .first_chunk()
        .map(|&length| u64::from_le_bytes(length));
    let truncated = |expected: u64| CheckpointError::Truncated { expected, found };
    match (&error, header) {
        (SafeTensorError::HeaderTooSmall, _) | (_, None) => truncated(8),
        (SafeTensorError::InvalidHeaderLength, Some(header)) => truncated(header.saturating_add(8)),
        (SafeTensorError::MetadataIncompleteBuffer, Some(header)) => {
            match announced(bytes, header) {
                Some(expected) if expected > found => truncated(expected),
                _ => CheckpointError::Damaged {
                    reason: "bytes follow after its last tensor".to_owned(),
                },
            }
        }
        _ => CheckpointError::NotSafetensors {
            reason: briefly(&error),
        },
    }
}

/// Cuts the message of an error to 300 characters, since it may quote the file at any length.
pub(crate) fn briefly(error: &impl ToString) -> String {
    const MOST: usize = 300;
    let text = error.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Length of the file in bytes that its header announces.
fn announced(bytes: &[u8], header: u64) -> Option<u64> {
    let start = usize::try_from(header).ok()?.checked_add(8)?;
    let entries: HashMap<String, Value> = serde_json::from_slice(bytes.get(8..start)?).ok()?;
    let ends = entries
        .values()
        .filter_map(|entry| entry.get("data_offsets")?.get(1)?.as_u64());
    Some(ends.max()?.saturating_add(start as u64))
}
