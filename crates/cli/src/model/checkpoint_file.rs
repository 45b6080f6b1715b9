//! Reads checkpoint files. A file that was named by mistake may be endless, like `/dev/zero`, or
//! larger than memory; its first bytes show that it is no checkpoint.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Map, Value};

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

/// Reads a checkpoint file without the optimiser's moments, two thirds of most files, for a command
/// that only computes with the model. Any file that is not laid out as Strata writes checkpoints is
/// read whole, so that its faults are told as ever.
///
/// # Errors
/// Those of [`read`].
pub fn read_weights(path: &Path) -> Result<Vec<u8>, Error> {
    match weights(path) {
        Some(bytes) => Ok(bytes),
        None => read(path),
    }
}

/// Returns the checkpoint as if it had been written without the optimiser; `None` if the file cannot
/// be read so.
fn weights(path: &Path) -> Option<Vec<u8>> {
    /// Prefix of the names of the optimiser's tensors.
    const OPTIMIZER: &str = "optimizer.";
    let mut file = File::open(path).ok()?;
    let mut length = [0; 8];
    file.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let size = file.metadata().ok()?.len();
    if !(2..=LONGEST_HEADER.min(size)).contains(&length) {
        return None;
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).ok()?;
    let mut header: Map<String, Value> = serde_json::from_slice(&header).ok()?;
    let mut spans = Vec::new();
    for (name, tensor) in header.iter().filter(|(name, _)| *name != "__metadata__") {
        let [begin, end]: [u64; 2] =
            serde_json::from_value(tensor.get("data_offsets")?.clone()).ok()?;
        spans.push((begin, end, name.clone()));
    }
    spans.sort_unstable();
    // The reading of the whole file tells of gaps, overlaps, and of a file that is cut short.
    let mut covered = 0;
    for &(begin, end, _) in &spans {
        if begin != covered || end < begin {
            return None;
        }
        covered = end;
    }
    if size != 8 + length + covered || size > LARGEST {
        return None;
    }
    header.retain(|name, _| !name.starts_with(OPTIMIZER));
    spans.retain(|(_, _, name)| !name.starts_with(OPTIMIZER));
    let mut kept = 0;
    for (begin, end, name) in &spans {
        header[name]["data_offsets"] = [kept, kept + end - begin].into();
        kept += end - begin;
    }
    let mut text = serde_json::to_vec(&header).ok()?;
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut bytes = Vec::new();
    let room = 8 + text.len() + kept as usize;
    bytes.try_reserve_exact(room).ok()?;
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.append(&mut text);
    for (begin, end, _) in spans {
        file.seek(SeekFrom::Start(8 + length + begin)).ok()?;
        (&mut file).take(end - begin).read_to_end(&mut bytes).ok()?;
    }
    (bytes.len() == room).then_some(bytes)
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
    fn only_whole_files_are_read_without_the_optimizer() {
        let path = std::env::temp_dir().join(format!("strata-weights-{}", std::process::id()));
        let read = |header: &str, data: &[u8]| {
            let mut file = (header.len() as u64).to_le_bytes().to_vec();
            file.extend(header.as_bytes());
            file.extend(data);
            std::fs::write(&path, &file).unwrap();
            let bytes = read_weights(&path).unwrap();
            (bytes == file, bytes)
        };
        let tensor =
            |begin, end| format!(r#"{{"dtype":"U8","shape":[2],"data_offsets":[{begin},{end}]}}"#);
        let [first, second, third] = [tensor(0, 2), tensor(2, 4), tensor(4, 6)];
        let usual = format!(
            r#"{{"__metadata__":{{"strata":"é"}},"learned":{third},"model.w":{first},"optimizer.w":{second}}}"#
        );
        let (is_whole, bytes) = read(&usual, b"abcdef");
        assert!(!is_whole);
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(file.len(), 2);
        assert_eq!(file.tensor("model.w").unwrap().data(), b"ab");
        assert_eq!(file.tensor("learned").unwrap().data(), b"ef");
        let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
        assert_eq!(metadata.metadata().as_ref().unwrap()["strata"], "é");

        assert!(read(&usual, b"abcde").0, "cut short");
        assert!(read(&usual, b"abcdefg").0, "with more behind");
        for strange in ["[2]", "[1,4]", "[4,2]", "[2,5]", "null"] {
            let header = usual.replace("[2,4]", strange);
            assert!(read(&header, b"abcdef").0, "{strange}");
        }
        assert!(read("{not json", b"abcd").0, "no header");
        std::fs::remove_file(&path).unwrap();
    }

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
