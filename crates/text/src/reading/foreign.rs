//! Files that are no text: recognised by their first bytes, and refused with advice.

use super::GZIP_MAGIC;
use crate::TextError;

/// A kind of file that is no text.
struct Foreign {
    /// First bytes of such a file.
    magic: &'static [u8],
    /// Description for the error message.
    what: &'static str,
    advice: &'static str,
}

const fn packed(magic: &'static [u8], what: &'static str, advice: &'static str) -> Foreign {
    Foreign {
        magic,
        what,
        advice,
    }
}

const SAVE_AS_TEXT: &str = "save it as plain text in UTF-8";
const WRITE_AS_TEXT: &str = "write its sentences as lines of text in UTF-8";
const ZIP: &str = "packed by zip";
const UNZIP: &str = "unpack it first, for example with `unzip`";

/// Kinds of files that are sometimes given instead of text. Of two with a common prefix, the longer
/// one comes first.
const KINDS: &[Foreign] = &[
    packed(
        b"\xfd7zXZ\0",
        "packed by xz",
        "unpack it first, for example with `xz -d`",
    ),
    packed(
        b"\x5d\0\0",
        "packed by lzma",
        "unpack it first, for example with `xz -d`",
    ),
    packed(
        b"BZh",
        "packed by bzip2",
        "unpack it first, for example with `bzip2 -d`",
    ),
    packed(
        b"\x28\xb5\x2f\xfd",
        "packed by zstd",
        "unpack it first, for example with `zstd -d`",
    ),
    packed(
        b"\x04\x22\x4d\x18",
        "packed by lz4",
        "unpack it first, for example with `lz4 -d`",
    ),
    packed(
        b"\x02\x21\x4c\x18",
        "packed by lz4",
        "unpack it first, for example with `lz4 -d`",
    ),
    packed(b"PK\x03\x04", ZIP, UNZIP),
    packed(b"PK\x05\x06", ZIP, UNZIP),
    packed(b"PK\x07\x08", ZIP, UNZIP),
    packed(
        b"7z\xbc\xaf\x27\x1c",
        "packed by 7z",
        "unpack it first, for example with `7z x`",
    ),
    packed(
        b"Rar!\x1a\x07",
        "packed by rar",
        "unpack it first, for example with `unrar x`",
    ),
    packed(
        b"\x1f\x9d",
        "packed by compress",
        "unpack it first, for example with `gzip -d`",
    ),
    packed(
        b"\x1f\xa0",
        "packed by compress",
        "unpack it first, for example with `gzip -d`",
    ),
    packed(
        b"\x1f\x1e",
        "packed by pack",
        "unpack it first, for example with `gzip -d`",
    ),
    packed(
        b"LZIP\x01",
        "packed by lzip",
        "unpack it first, for example with `lzip -d`",
    ),
    packed(
        b"\x89LZO\0",
        "packed by lzop",
        "unpack it first, for example with `lzop -d`",
    ),
    packed(
        b"\xff\x06\0\0sNaPpY",
        "packed by snappy",
        "unpack it first, for example with `snzip -d`",
    ),
    packed(b"MSCF\0", "a cabinet of Windows", "unpack it first"),
    packed(b"%PDF-", "a PDF document", SAVE_AS_TEXT),
    packed(b"{\\rtf", "a document in rich text", SAVE_AS_TEXT),
    packed(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a document of an office program",
        SAVE_AS_TEXT,
    ),
    packed(b"PAR1", "a Parquet table", WRITE_AS_TEXT),
    packed(b"ARROW1\0", "an Arrow table", WRITE_AS_TEXT),
    packed(b"SQLite format 3\0", "an SQLite database", WRITE_AS_TEXT),
    packed(b"\x89HDF", "an HDF5 file", WRITE_AS_TEXT),
    packed(b"\x93NUMPY", "an array of NumPy", WRITE_AS_TEXT),
];

/// Offset and bytes of the magic number of a tar archive.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");
/// Offset of the name of the first file in a zip archive.
const ZIP_NAME: usize = 30;
const DOCUMENTS: [&[u8]; 4] = [b"[Content_Types].xml", b"mimetype", b"_rels/", b"docProps/"];
/// Least number of bytes in which zeros are counted: text has none, or a few by mistake.
const MIN_BYTES: usize = 16;
/// Largest share of zeros in a text.
const MAX_ZEROS: f64 = 1.0 / 3.0;

/// Refuses a file whose first bytes (for a gzip file, the first unpacked bytes) are not text.
pub(super) fn refuse(name: &str, start: &[u8], was_packed: bool) -> Result<(), TextError> {
    let refused = |what: &str, advice: &str| {
        Err(TextError::Foreign {
            name: name.to_owned(),
            what: what.to_owned(),
            advice: advice.to_owned(),
        })
    };
    let (place, magic) = TAR_MAGIC;
    let tar = start.get(place..).is_some_and(|it| it.starts_with(magic));
    match (tar, was_packed) {
        (true, true) => {
            return refused(
                "a tar archive, packed by gzip",
                "unpack it first, for example with `tar xzf`, and name the text in it",
            );
        }
        (true, false) => {
            return refused(
                "a tar archive",
                "unpack it first, for example with `tar xf`, and name the text in it",
            );
        }
        _ => {}
    }
    if was_packed && start.starts_with(&GZIP_MAGIC) {
        return refused(
            "packed by gzip twice",
            "unpack it once, for example with `gzip -d`",
        );
    }
    if let Some(kind) = of(start) {
        if kind.what == ZIP && is_document(start) {
            return refused("a document of an office program", SAVE_AS_TEXT);
        }
        return refused(kind.what, kind.advice);
    }
    if super::wide::WideEncoding::of(start).is_some() {
        return Ok(());
    }
    if let Some(encoding) = super::encoding::unmarked_wide(start) {
        return Err(TextError::Encoded {
            name: name.to_owned(),
            encoding: encoding.to_owned(),
        });
    }
    let zeros = start.iter().filter(|&&byte| byte == 0).count();
    if start.len() >= MIN_BYTES && zeros as f64 > start.len() as f64 * MAX_ZEROS {
        return refused("no text, but full of zeros", "name a file of text in UTF-8");
    }
    Ok(())
}

fn of(start: &[u8]) -> Option<&'static Foreign> {
    // A word may begin with the three letters of this prefix.
    let is_bzip2 = |rest: &[u8]| {
        matches!(rest, [b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..])
            || matches!(rest, [b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..])
    };
    // Skippable frames, without data, may come first in files of zstd or lz4.
    let is_skippable = matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    KINDS.iter().find(|kind| match kind.magic {
        magic @ b"BZh" => start.strip_prefix(magic).is_some_and(is_bzip2),
        magic @ b"\x28\xb5\x2f\xfd" => is_skippable || start.starts_with(magic),
        magic => start.starts_with(magic),
    })
}

/// True for a zip archive that is a document: a `.docx`, `.xlsx` or `.odt`.
fn is_document(start: &[u8]) -> bool {
    let name = start.get(ZIP_NAME..).unwrap_or_default();
    DOCUMENTS.iter().any(|begin| name.starts_with(begin))
}
