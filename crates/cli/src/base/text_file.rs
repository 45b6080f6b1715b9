//! Reads text files, all in the same way.

use std::path::Path;

use strata_text::{file_bytes, unpacked_text};

use crate::base::error::Error;

/// Returns the bytes of a file.
///
/// # Errors
/// If the file cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    file_bytes(path).map_err(Error::reading(path))
}

/// Text of a file, unpacked, decoded, and without a byte order mark.
///
/// # Errors
/// If the file cannot be read, or is no text.
pub fn read(path: &Path) -> Result<String, Error> {
    Ok(unpacked_text(&path.display().to_string(), &bytes(path)?)?)
}
