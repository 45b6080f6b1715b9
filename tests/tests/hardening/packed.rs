//! Files compressed with gzip: in several parts, cut, mended, and far larger than they look.

use std::io::{Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use strata_tasks::{CorpusReport, TaskConfig, TextConfig};
use strata_text::{UploadedText, Uploads, unpacked_text};

use crate::edits::{Edit, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;

/// Most bytes that the page decompresses, and as much again while its buffer grows.
const MOST: usize = 4 * (64 << 20);

/// Compresses bytes with gzip.
pub fn packed(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    let written = encoder.write_all(bytes);
    written
        .and_then(|()| encoder.finish())
        .expect("memory can be written")
}

/// A compressed file: its parts, the bytes behind them, and changes.
#[derive(Clone, Debug)]
struct Recipe {
    parts: Vec<(Vec<u8>, u32)>,
    behind: usize,
    edits: Vec<Edit>,
    twice: bool,
}

impl Recipe {
    fn bytes(&self) -> Vec<u8> {
        let parts = self.parts.iter().map(|(text, level)| packed(text, *level));
        let mut bytes: Vec<u8> = parts.flatten().collect();
        if self.twice {
            bytes = packed(&bytes, 1);
        }
        bytes.resize(bytes.len() + self.behind, 0);
        edited(&bytes, &self.edits)
    }
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let text = prop_oneof![
        3 => odd::text(60).prop_map(String::into_bytes),
        1 => odd::bytes(100),
    ];
    let parts = prop::collection::vec((text, 0..10_u32), 0..4);
    let edits = prop_oneof![1 => Just(Vec::new()), 1 => edits()];
    let behind = prop_oneof![4 => Just(0), 1 => 1..20_usize];
    (parts, behind, edits, prop::bool::weighted(0.05)).prop_map(|(parts, behind, edits, twice)| {
        Recipe {
            parts,
            behind,
            edits,
            twice,
        }
    })
}

/// Decompresses a file; as with gzip, zeros behind the last part are ignored.
fn unpacked(file: &[u8]) -> Option<Vec<u8>> {
    let read = |file: &[u8]| {
        let mut bytes = Vec::new();
        let read = MultiGzDecoder::new(file).read_to_end(&mut bytes);
        read.map(|_| bytes)
    };
    // The last zeros may belong to the part itself.
    let end = file.iter().rposition(|&it| it != 0).map_or(0, |at| at + 1);
    let mut ends = (end..=file.len()).rev();
    ends.find_map(|end| read(&file[..end]).ok())
}

#[test]
fn a_packed_text_is_the_text_or_a_sentence() {
    let alone = alone();
    fuzz(&alone, "packed", 200, recipes(), |recipe| {
        let file = recipe.bytes();
        let unpacked = unpacked(&file);
        let size = unpacked.as_ref().map_or(0, Vec::len);
        let bound = (2 << 20) + 4 * size + 4 * file.len();
        let read = within(bound, || unpacked_text("text.gz", &file));
        match (&read, unpacked.map(String::from_utf8)) {
            (Ok(text), Some(Ok(expected))) => {
                let marked = expected.strip_prefix('\u{feff}');
                assert_eq!(text, marked.unwrap_or(&expected));
            }
            (Err(error), None | Some(Err(_))) => is_sentence(&error.to_string()),
            // Text of 16 or 32 bits with a byte order mark is read, too.
            (Ok(text), Some(Err(error))) => {
                let bytes = error.as_bytes();
                let marks: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"];
                assert!(marks.iter().any(|it| bytes.starts_with(it)), "{text:?}");
            }
            (Ok(text), None) => panic!("{text:?} out of what cannot be unpacked"),
            (Err(error), Some(Ok(expected))) => {
                panic!("{error}, but it holds {expected:?}")
            }
        }
        Outcome::of(read.is_ok())
    });
}

/// A small file that becomes large is given up in time, wherever in the file the large part begins.
#[test]
fn a_bomb_takes_no_more_memory_than_is_allowed() {
    let _alone = alone();
    let bomb = packed(&b"word \n".repeat((100 << 20) / 6), 9);
    assert!(bomb.len() < 1 << 20);
    let small = packed("a b c\n".repeat(20).as_bytes(), 6);
    let examine = |file: Vec<u8>| {
        let task = TaskConfig::Text(TextConfig {
            source: "bomb.txt".into(),
            ..TextConfig::default()
        });
        let texts = vec![UploadedText {
            name: "bomb.txt".to_owned(),
            bytes: file,
        }];
        within(MOST, || {
            CorpusReport::of(task, 0, texts, &mut Uploads::default())
        })
    };
    for parts in [0, 1, 100] {
        let error = examine([small.repeat(parts), bomb.clone()].concat());
        let error = error.expect_err("it is larger than is read");
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }
    examine(small.repeat(101)).expect("many parts are no bomb");
}
