//! Reads checkpoint files. A file that was named by mistake may be endless, like `/dev/zero`, or
//! larger than memory; its first bytes show that it is no checkpoint.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;

use crate::base::error::Error;

/// Most bytes of a `.safetensors` header, whose length the first eight bytes of the file contain.
const LONGEST_HEADER: u64 = 100_000_000;
/// Most bytes of a checkpoint: the largest model with its optimiser's moments is smaller.
const LARGEST: u64 = 32 << 30;
/// First bytes of a gzip file.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
/// Number of unpacked bytes by which a model of `strata smt` is recognised.
const LOOKED_AT: u64 = 64;

/// Reads a checkpoint file; if the file cannot be a checkpoint, only its first eight bytes.
///
/// # Errors
/// If the file cannot be read, or is compressed.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = begun(path).map_err(Error::reading(path))?;
    // The length of a header may look like gzip's first bytes, but a header begins with a brace.
    if bytes.starts_with(&GZIP) && bytes.get(8) != Some(&b'{') {
        return Err(Error::Session(format!(
            "{}: {}",
            path.display(),
            packed(path)
        )));
    }
    Ok(bytes)
}

/// Returns advice on a compressed file, from its first unpacked bytes.
fn packed(path: &Path) -> &'static str {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| {
        let beginning = &mut beginning;
        GzDecoder::new(file).take(LOOKED_AT).read_to_end(beginning)
    });
    let text = String::from_utf8_lossy(&beginning);
    if read.is_ok() && text.contains("\"strata-smt ") {
        "this is a model of `strata smt`, which measures it when it learns it; it writes no poems: name \
             a checkpoint of the task `poems`"
    } else {
        "this is a packed file (gzip), and no checkpoint; unpack it, or name another file"
    }
}

fn begun(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(8).read_to_end(&mut bytes)?;
    let header = bytes
        .first_chunk()
        .map(|&length| u64::from_le_bytes(length));
    if matches!(header, Some(2..=LONGEST_HEADER)) {
        // Reserves all memory at once, so that too little memory is an error here, not an abort.
        let size = file.metadata().map_or(0, |it| it.len().min(LARGEST));
        bytes.try_reserve_exact(size as usize)?;
        file.take(LARGEST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn packed_files_are_named() {
        let path = std::env::temp_dir().join(format!("strata-packed-{}", std::process::id()));
        for (text, told) in [
            (
                "{\"format\":\"strata-smt 1\",\"weights\":{}}",
                "model of `strata smt`",
            ),
            ("anything", "packed file (gzip)"),
        ] {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            std::fs::write(&path, encoder.finish().unwrap()).unwrap();
            let refused = read(&path).unwrap_err().to_string();
            assert!(refused.contains(told), "{refused}");
        }
        std::fs::write(&path, b"\x1f\x8b\x08\0\0\0\0\0{}").unwrap();
        assert!(read(&path).is_ok());
        std::fs::remove_file(&path).unwrap();
    }
}
