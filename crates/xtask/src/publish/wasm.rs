//! Removes custom sections from programs: the names of functions are a fifth of the download, and
//! nothing reads them in a browser.

use anyhow::{Context, Result, ensure};

/// The magic number and the version.
const HEAD: usize = 8;

/// A program without its custom sections.
pub fn without_custom_sections(program: &[u8]) -> Result<Vec<u8>> {
    ensure!(program.starts_with(b"\0asm"), "its first bytes are others");
    let (head, mut rest) = program.split_at_checked(HEAD).context("it is cut off")?;
    let mut kept = head.to_vec();
    while let Some((&kind, after)) = rest.split_first() {
        let (length, digits) = number(after).context("a length in it is cut off")?;
        let end = 1 + digits + length;
        let section = rest.get(..end).context("a section of it is cut off")?;
        if kind != 0 {
            kept.extend_from_slice(section);
        }
        rest = &rest[end..];
    }
    Ok(kept)
}

/// A number in LEB128 and how many bytes it takes.
fn number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut number = 0;
    for (index, byte) in bytes.iter().take(5).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((number, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn custom_sections_go_and_all_else_stays() {
        let long = vec![7; 300];
        let program = [
            b"\0asm\x01\0\0\0".as_slice(),
            &[0, 2, 1, 2, 1, 0xac, 2],
            &long,
            &[0, 0],
        ];
        let kept = without_custom_sections(&program.concat()).unwrap();
        let expected = [b"\0asm\x01\0\0\0".as_slice(), &[1, 0xac, 2], &long];
        assert_eq!(kept, expected.concat());
    }

    #[test]
    fn what_is_no_program_is_refused() {
        for broken in [&b"<html>"[..], b"\0asm\x01\0", b"\0asm\x01\0\0\0\x01\x05\0"] {
            assert!(without_custom_sections(broken).is_err(), "{broken:?}");
        }
    }
}
