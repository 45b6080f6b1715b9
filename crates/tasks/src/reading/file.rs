//! Files on disk, and devices and pipes that look like files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::MAXIMUM_MEBIBYTES;
use crate::expanded;

/// Number of first bytes by which a file of zeros is recognised.
const BEGINNING: u64 = 1 << 16;

/// Reads a file. If the beginning is all zeros, only the beginning is read, because the file is
/// then no text and may be endless.
///
/// # Errors
/// If the file cannot be read, or is a device or pipe with no end within 512 MiB.
pub fn file_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(expanded(path))?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == BEGINNING && bytes.iter().all(|&byte| byte == 0) {
        return Ok(bytes);
    }
    if metadata.is_file() {
        bytes.reserve(usize::try_from(metadata.len()).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let most = MAXIMUM_MEBIBYTES << 20;
    file.take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("it has no end within {MAXIMUM_MEBIBYTES} MiB; name a file");
        return Err(io::Error::other(reason));
    }
    Ok(bytes)
}
