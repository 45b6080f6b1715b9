//! Writer of the file of a prepared corpus.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::cache::{MAGIC, Tail};
use super::questions::HeldOutWriter;
use super::spans::write_question;
use super::stored::{Block, Summary};
use crate::dataset::batches::Length;
use crate::split::fingerprint::{Fingerprint, of_bytes};
use crate::{Example, Question};

/// Approximate size of a block in bytes; the least that is read at once.
const BLOCK_BYTES: usize = 256 << 10;

/// Writer of examples, block by block.
pub(super) struct BlockWriter {
    file: BufWriter<File>,
    offset: u64,
    bytes: Vec<u8>,
    examples: u32,
    pub(super) blocks: Vec<Block>,
    pub(super) summary: Summary,
    fingerprint: Fingerprint,
}

impl BlockWriter {
    pub(super) fn new(file: File) -> Self {
        Self {
            file: BufWriter::new(file),
            offset: 0,
            bytes: Vec::new(),
            examples: 0,
            blocks: Vec::new(),
            summary: Summary::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    pub(super) fn begin(&mut self) -> io::Result<()> {
        self.offset = MAGIC.len() as u64;
        self.file.write_all(&MAGIC)
    }

    /// Adds a training example.
    pub(super) fn add(&mut self, example: &Example) -> io::Result<()> {
        let summary = &mut self.summary;
        summary.examples += 1;
        summary.tokens += (example.source.len() + example.target.len() + 1) as u64;
        self.write(example);
        self.end_if(BLOCK_BYTES)
    }

    /// Adds a training question.
    pub(super) fn add_question(&mut self, question: &Question) -> io::Result<()> {
        let summary = &mut self.summary;
        summary.examples += 1;
        summary.tokens += Length::of_question(question).tokens() as u64;
        let (asked, read) = &mut summary.longest;
        *asked = question.question.len().max(*asked);
        *read = (question.passages.len() * question.longest_passage()).max(*read);
        self.fingerprint.add_question(question);
        write_question(question, &mut self.bytes);
        self.examples += 1;
        self.end_if(BLOCK_BYTES)
    }

    /// Writes the held-out questions behind all training questions, and returns their blocks.
    pub(super) fn hold_out(&mut self, questions: &[Question]) -> io::Result<Vec<Block>> {
        self.end_if(1)?;
        let mut blocks = Vec::new();
        let mut writer = HeldOutWriter::default();
        for question in questions {
            self.fingerprint.add_question(question);
            writer.write(question, &mut self.bytes)?;
            self.examples += 1;
            if self.bytes.len() >= BLOCK_BYTES {
                blocks.push(self.end_block()?);
            }
        }
        if self.examples > 0 {
            blocks.push(self.end_block()?);
        }
        Ok(blocks)
    }

    /// Ends the block if it has at least `bytes` bytes.
    fn end_if(&mut self, bytes: usize) -> io::Result<()> {
        if self.bytes.len() >= bytes {
            let block = self.end_block()?;
            self.blocks.push(block);
        }
        Ok(())
    }

    fn write(&mut self, example: &Example) {
        let (source, target) = &mut self.summary.longest;
        *source = example.source.len().max(*source);
        *target = example.target.len().max(*target);
        self.fingerprint.add(example);
        write_example(example, &mut self.bytes);
        self.examples += 1;
    }

    fn end_block(&mut self) -> io::Result<Block> {
        self.file.write_all(&self.bytes)?;
        let block = Block {
            offset: self.offset,
            bytes: self.bytes.len() as u32,
            examples: self.examples,
            check: of_bytes(&self.bytes),
        };
        self.offset += self.bytes.len() as u64;
        self.bytes.clear();
        self.examples = 0;
        Ok(block)
    }

    /// Writes the last block, the held-out examples, and the tail that `tail` returns.
    pub(super) fn finish(
        mut self,
        validation: &[Example],
        tail: impl FnOnce(&Self, Block) -> Tail,
    ) -> io::Result<()> {
        self.end_if(1)?;
        validation.iter().for_each(|example| self.write(example));
        let held_out = self.end_block()?;
        self.summary.fingerprint = self.fingerprint.value();
        let text = serde_json::to_vec(&tail(&self, held_out))?;
        self.file.write_all(&text)?;
        self.file.write_all(&(text.len() as u64).to_le_bytes())?;
        self.file.write_all(&of_bytes(&text).to_le_bytes())?;
        self.file.write_all(&MAGIC)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

/// Appends an example to `bytes`, in the format of `stored`.
fn write_example(example: &Example, bytes: &mut Vec<u8>) {
    for sequence in [&example.source, &example.target] {
        write_sequence(sequence, bytes);
    }
}

pub(super) fn write_sequence(sequence: &[u32], bytes: &mut Vec<u8>) {
    write_number(sequence.len() as u32, bytes);
    sequence.iter().for_each(|&id| write_number(id, bytes));
}

pub(super) fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
