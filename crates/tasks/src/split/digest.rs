//! Digest of a file's bytes, by which equal contents are recognised wherever they were written.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use strata_text::TextReader;

/// Number of bytes that are read at once.
const PIECE: usize = 1 << 16;
/// Odd factors of the four lanes, prime numbers of xxHash.
const FACTORS: [u64; 4] = [
    0x9e37_79b1_85eb_ca87,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x85eb_ca77_c2b2_ae63,
];

/// Returns the digest of a regular file, 16 hexadecimal digits and its length; `None` for a pipe or
/// device, which reading would empty.
///
/// # Errors
/// If the file cannot be read.
pub fn digest_of_file(path: &Path) -> io::Result<Option<String>> {
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    digest_of(&mut File::open(path)?).map(Some)
}

/// Returns the digest of the text in a regular file, unpacked and decoded; it equals that of a file
/// of the same text that is plain UTF-8. `None` for a pipe or device.
///
/// # Errors
/// If the file cannot be read or unpacked.
pub fn digest_of_text(path: &Path) -> io::Result<Option<String>> {
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let name = path.display().to_string();
    let file = BufReader::new(File::open(path)?);
    let mut text = TextReader::new(&name, file).map_err(|it| io::Error::other(it.to_string()))?;
    digest_of(&mut text).map(Some)
}

fn digest_of(file: &mut impl Read) -> io::Result<String> {
    let mut lanes = FACTORS;
    let mut length = 0_u64;
    let mut piece = vec![0; PIECE];
    loop {
        let read = fill(file, &mut piece)?;
        // The length distinguishes trailing zeros from padding.
        piece[read..].fill(0);
        length += read as u64;
        let (blocks, _) = piece[..read.next_multiple_of(32)].as_chunks::<32>();
        blocks.iter().for_each(|block| add(&mut lanes, block));
        if read < PIECE {
            break;
        }
    }
    let mixed = lanes.into_iter().fold(length, |mixed, lane| {
        (mixed ^ lane)
            .wrapping_mul(FACTORS[0])
            .rotate_left(29)
            .wrapping_add(FACTORS[3])
    });
    Ok(format!("{:016x}-{length}", mixed ^ (mixed >> 32)))
}

/// Adds a block of 32 bytes to the lanes, eight to each.
fn add(lanes: &mut [u64; 4], block: &[u8; 32]) {
    let (words, _) = block.as_chunks::<8>();
    for ((lane, &word), factor) in lanes.iter_mut().zip(words).zip(FACTORS) {
        *lane = (*lane ^ u64::from_le_bytes(word))
            .wrapping_mul(factor)
            .rotate_left(31);
    }
}

/// Reads until the piece is full or the file ends; returns the number of bytes.
fn fill(file: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < piece.len() {
        match file.read(&mut piece[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn files_have_one_digest_if_and_only_if_their_bytes_are_equal() {
        let folder = std::env::temp_dir().join(format!("strata-digest-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let digest = |bytes: &[u8]| {
            let path = folder.join("file");
            fs::write(&path, bytes).unwrap();
            digest_of_file(&path).unwrap().unwrap()
        };
        let mut seen = HashSet::new();
        let long = vec![7; PIECE + 40];
        for length in [0, 1, 31, 32, 33, PIECE - 1, PIECE, PIECE + 1, PIECE + 40] {
            assert!(seen.insert(digest(&long[..length])), "{length}");
            assert!(!seen.insert(digest(&long[..length])), "{length}");
            for at in [0, length / 2, length.saturating_sub(1)] {
                let mut other = long[..length].to_vec();
                if let Some(byte) = other.get_mut(at) {
                    *byte ^= 1 << (at % 8);
                    seen.insert(digest(&other));
                }
            }
        }
        // Every change gives another digest; a text of one byte has one place to change, an empty
        // one none.
        assert_eq!(seen.len(), 9 + 1 + 7 * 3);
        assert_eq!(digest_of_file(&folder).unwrap(), None);
        assert!(digest_of_file(&folder.join("nowhere")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
