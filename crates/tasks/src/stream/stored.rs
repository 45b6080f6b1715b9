//! Stored examples: a file of blocks.
//!
//! An example is two sequences; a sequence is its length and its token ids, each in LEB128 (7 bits
//! per byte, the lowest first). An example of a reader is a question in the form of `spans`. A
//! block is a number of consecutive examples.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_text::TextError;

use crate::dataset::batches::Length;
use crate::split::fingerprint::of_bytes;
use crate::{Example, Question, TaskError};

/// Place of a block in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block {
    /// Offset of the block in the file, in bytes.
    pub offset: u64,
    /// Length of the block in bytes.
    pub bytes: u32,
    pub examples: u32,
    /// Fingerprint of the block's bytes.
    pub check: u64,
}

/// Training examples in a file of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub(super) path: PathBuf,
    pub(super) blocks: Vec<Block>,
    pub(super) summary: Summary,
    /// True if the examples are questions.
    pub(super) has_questions: bool,
}

/// Properties of stored examples that are known without reading them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Summary {
    pub examples: usize,
    /// Number of tokens of both sides, including the EOS of each target; for questions, number of
    /// cells.
    pub tokens: u64,
    /// Number of tokens of the longest source and of the longest target. For questions: of the
    /// longest question, and the largest number of passages times tokens of the longest passage.
    pub longest: (usize, usize),
    /// Fingerprint of the training examples followed by the held-out ones.
    pub fingerprint: u64,
}

impl Stored {
    /// Returns the number of examples.
    pub fn examples(&self) -> usize {
        self.summary.examples
    }

    /// Returns the number of tokens of both sides; for questions, of cells (see
    /// [`BatchSize::Tokens`](crate::BatchSize::Tokens)).
    pub fn tokens(&self) -> u64 {
        self.summary.tokens
    }

    /// Returns the number of tokens of the longest source and of the longest target. For questions:
    /// of the longest question, and the largest number of passages times tokens of the longest
    /// passage.
    pub fn maximum_lengths(&self) -> (usize, usize) {
        self.summary.longest
    }

    /// Returns a fingerprint, which differs if any token of any training or held-out example
    /// differs.
    pub fn fingerprint(&self) -> u64 {
        self.summary.fingerprint
    }

    /// Reads some of the blocks into memory.
    pub(super) fn window(&self, blocks: &[u32]) -> Result<Window, TaskError> {
        let mut window = Window::default();
        for &block in blocks {
            let block = self.blocks[block as usize];
            let start = window.bytes.len();
            read_at(&self.path, block, &mut window.bytes)?;
            let bytes = &window.bytes[start..];
            let mut reader = Reader { bytes, at: 0 };
            let mut places = Vec::with_capacity(block.examples as usize);
            let whole = of_bytes(bytes) == block.check
                && (0..block.examples).all(|_| {
                    let offset = start + reader.at;
                    let length = if self.has_questions {
                        reader.skip_question()
                    } else {
                        reader.skip_pair()
                    };
                    places.extend(length.map(|length| (offset, length)));
                    length.is_some()
                });
            if !whole {
                return Err(self.damaged());
            }
            window.places.extend(places);
        }
        Ok(window)
    }

    /// Numbers of tokens of source and target of a pair in which the two differ; `None` if there is
    /// no such pair. Reads one block at a time.
    pub(crate) fn first_unequal(&self) -> Result<Option<[usize; 2]>, TaskError> {
        for block in 0..self.blocks.len() as u32 {
            let lengths = self.window(&[block])?.lengths();
            let unequal = lengths.iter().find(|it| it.source != it.target);
            if let Some(length) = unequal {
                return Ok(Some([length.source as usize, length.target as usize]));
            }
        }
        Ok(None)
    }

    fn damaged(&self) -> TaskError {
        TaskError::DamagedCache {
            path: self.path.clone(),
        }
    }
}

/// Blocks in memory, in the form in which they are stored.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    /// Offset of each example in `bytes`, and the lengths of its sequences.
    places: Vec<(usize, Length)>,
}

impl Window {
    pub(super) fn lengths(&self) -> Vec<Length> {
        self.places.iter().map(|&(_, length)| length).collect()
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn example(&self, index: usize) -> Example {
        let example = self.reader(index).example();
        example.expect("its block was read through before")
    }

    pub(super) fn question(&self, index: usize) -> Question {
        let question = self.reader(index).question();
        question.expect("its block was read through before")
    }

    fn reader(&self, index: usize) -> Reader<'_> {
        Reader {
            bytes: &self.bytes,
            at: self.places[index].0,
        }
    }
}

/// Reader of numbers in LEB128.
pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).ok();
            }
        }
        None
    }

    pub(super) fn sequence(&mut self) -> Option<Vec<u32>> {
        let length = self.number()?;
        (0..length).map(|_| self.number()).collect()
    }

    pub(super) fn example(&mut self) -> Option<Example> {
        let (source, target) = self.sequence().zip(self.sequence())?;
        Some(Example { source, target })
    }

    fn skip_pair(&mut self) -> Option<Length> {
        let (source, target) = self.skip().zip(self.skip())?;
        Some(Length {
            source,
            target,
            passages: 0,
        })
    }

    /// Skips a sequence and returns its length.
    pub(super) fn skip(&mut self) -> Option<u32> {
        let length = self.number()?;
        for _ in 0..length {
            self.number()?;
        }
        Some(length)
    }
}

/// Reads a block and appends its bytes to `into`.
#[cfg(not(target_family = "wasm"))]
pub(super) fn read_at(path: &Path, block: Block, into: &mut Vec<u8>) -> Result<(), TaskError> {
    use std::io::{Read, Seek, SeekFrom};
    let start = into.len();
    let read = std::fs::File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(block.offset))?;
        file.take(block.bytes.into()).read_to_end(into)
    });
    match read {
        Ok(_) if into.len() - start == block.bytes as usize => Ok(()),
        Ok(_) => Err(TaskError::DamagedCache {
            path: path.to_owned(),
        }),
        Err(reason) => Err(TextError::Unreadable {
            path: path.to_owned(),
            reason,
        }
        .into()),
    }
}

/// Returns an error: a page has no files.
#[cfg(target_family = "wasm")]
fn read_at(path: &Path, _block: Block, _into: &mut Vec<u8>) -> Result<(), TaskError> {
    Err(TextError::NoFileSystem {
        path: path.to_owned(),
    }
    .into())
}
