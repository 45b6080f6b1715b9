//! Checkpoints as files. What is taken for one may be a file without an end, as `/dev/zero`, or larger
//! than the memory: its first bytes say that it is none.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;

/// Bytes of the longest header of a `.safetensors` file, of which its first eight bytes tell.
const LONGEST_HEADER: u64 = 100_000_000;
/// No checkpoint of the largest model is larger, with its moments.
const LARGEST: u64 = 32 << 30;

/// A checkpoint's bytes; of a file that begins as none does, its beginning.
///
/// # Errors
/// If it cannot be read.
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
        // Asked for at once, and refused where there is not so much.
        let size = file.metadata().map_or(0, |it| it.len().min(LARGEST));
        bytes.try_reserve_exact(size as usize)?;
        file.take(LARGEST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
