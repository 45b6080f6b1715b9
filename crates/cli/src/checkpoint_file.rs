//! Reads checkpoint files. A file that was named by mistake may be endless, like `/dev/zero`, or
//! larger than memory; its first bytes show that it is no checkpoint.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;

/// Length of the longest header of a `.safetensors` file in bytes; the first eight bytes hold it.
const LONGEST_HEADER: u64 = 100_000_000;
/// Most bytes of a checkpoint: the largest model with its moments is smaller.
const LARGEST: u64 = 32 << 30;

/// Bytes of a checkpoint; of a file that cannot be one, only the first eight.
///
/// # Errors
/// If the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    begun(path).map_err(Error::reading(path))
}

fn begun(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(8).read_to_end(&mut bytes)?;
    let header = bytes
        .first_chunk()
        .map(|&length| u64::from_le_bytes(length));
    if matches!(header, Some(2..=LONGEST_HEADER)) {
        // Reserves all memory at once, so that a lack of it is an error here.
        let size = file.metadata().map_or(0, |it| it.len().min(LARGEST));
        bytes.try_reserve_exact(size as usize)?;
        file.take(LARGEST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
