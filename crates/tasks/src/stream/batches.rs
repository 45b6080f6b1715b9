//! Batches of stored examples: the order in which training reads them.

use std::sync::Arc;

use super::Stored;
use super::stored::Window;
use crate::dataset::batches::arrange;
use crate::random::Random;
use crate::{BatchPosition, BatchSize, Example, Question, TaskError};

/// Size of the blocks that are in memory at once, in bytes.
const WINDOW_BYTES: u64 = 8 << 20;

/// Endless sequence of batches of stored examples.
///
/// Every epoch takes each example once: the blocks come in random order, as many at a time as fit
/// into a window of 8 MiB, and within a window examples are arranged as in
/// [`Batches`](crate::Batches). A position is enough to resume.
#[derive(Clone, Debug)]
pub struct StoredBatches {
    stored: Arc<Stored>,
    size: BatchSize,
    seed: u64,
    position: BatchPosition,
    /// Indices of the blocks of each window in this epoch.
    windows: Vec<Vec<u32>>,
    /// Index of the window in memory.
    present: usize,
    window: Arc<Window>,
    /// Examples of the window in order, batch after batch.
    order: Vec<u32>,
    /// Start and end of each batch in `order`.
    spans: Vec<(u32, u32)>,
    /// Number of batches in the earlier windows of this epoch.
    before: u64,
}

impl StoredBatches {
    /// Creates batches, starting with the first epoch.
    ///
    /// # Errors
    /// If there are no examples, `size` is 0, or the file cannot be read.
    pub fn new(stored: Arc<Stored>, size: BatchSize, seed: u64) -> Result<Self, TaskError> {
        size.check(stored.examples())?;
        let mut batches = Self {
            stored,
            size,
            seed,
            position: BatchPosition::default(),
            windows: Vec::new(),
            present: 0,
            window: Arc::default(),
            order: Vec::new(),
            spans: Vec::new(),
            before: 0,
        };
        batches.begin_epoch(0)?;
        Ok(batches)
    }

    /// Moves the batches to `position`.
    ///
    /// # Errors
    /// If an epoch has fewer batches than `position` says, or the file cannot be read.
    pub fn at(mut self, position: BatchPosition) -> Result<Self, TaskError> {
        self.begin_epoch(position.epoch)?;
        while position.batch >= self.before + self.spans.len() as u64 {
            if self.present + 1 == self.windows.len() {
                return Err(TaskError::NoSuchBatch {
                    batch: position.batch,
                    batches: self.before + self.spans.len() as u64,
                });
            }
            self.open(self.present + 1)?;
        }
        self.position = position;
        Ok(self)
    }

    /// Returns the next batch, and moves the position on.
    ///
    /// # Errors
    /// If the file can no longer be read; then the position stays.
    pub fn next_batch(&mut self) -> Result<Vec<Example>, TaskError> {
        self.next_of(Window::example)
    }

    /// Returns the next batch of questions, without their texts, and moves the position on.
    ///
    /// # Errors
    /// If the file can no longer be read; then the position stays.
    pub fn next_questions(&mut self) -> Result<Vec<Question>, TaskError> {
        self.next_of(Window::question)
    }

    fn next_of<T>(&mut self, read: fn(&Window, usize) -> T) -> Result<Vec<T>, TaskError> {
        let (start, end) = self.spans[(self.position.batch - self.before) as usize];
        let batch = &self.order[start as usize..end as usize];
        let examples = batch.iter().map(|&it| read(&self.window, it as usize));
        let examples = examples.collect();
        let next = self.position.batch + 1;
        if next < self.before + self.spans.len() as u64 {
            self.position.batch = next;
        } else if self.present + 1 < self.windows.len() {
            self.open(self.present + 1)?;
            self.position.batch = next;
        } else {
            self.begin_epoch(self.position.epoch.wrapping_add(1))?;
        }
        Ok(examples)
    }

    /// Returns the position of the next batch.
    pub fn position(&self) -> BatchPosition {
        self.position
    }

    /// Returns the approximate number of batches in an epoch: each window may end with a smaller
    /// batch, and the padding of a batch is known only when it is formed.
    pub fn batches_per_epoch(&self) -> u64 {
        let stored = &self.stored;
        match self.size {
            BatchSize::Examples(size) => stored.examples().div_ceil(size) as u64,
            BatchSize::Tokens(budget) => stored.tokens().div_ceil(budget as u64),
        }
    }

    /// Returns the size of the blocks in memory, in bytes.
    #[cfg(test)]
    pub(super) fn bytes_in_memory(&self) -> usize {
        self.window.bytes()
    }

    /// Returns the number of windows in this epoch.
    #[cfg(test)]
    pub(super) fn windows_of_epoch(&self) -> usize {
        self.windows.len()
    }

    fn begin_epoch(&mut self, epoch: u64) -> Result<(), TaskError> {
        let blocks = &self.stored.blocks;
        let mut shuffled: Vec<u32> = (0..blocks.len() as u32).collect();
        Random::new(self.seed, "blocks", epoch).shuffle(&mut shuffled);
        let mut windows = vec![Vec::new()];
        let mut bytes = 0;
        for block in shuffled {
            let more = u64::from(blocks[block as usize].bytes);
            if bytes > 0 && bytes + more > WINDOW_BYTES {
                windows.push(Vec::new());
                bytes = 0;
            }
            bytes += more;
            windows.last_mut().expect("there is one").push(block);
        }
        self.windows = windows;
        self.position = BatchPosition { epoch, batch: 0 };
        self.open(0)
    }

    /// Loads a window of this epoch: the first one, or the one after the present.
    fn open(&mut self, number: usize) -> Result<(), TaskError> {
        let window = self.stored.window(&self.windows[number])?;
        self.before = match number {
            0 => 0,
            _ => self.before + self.spans.len() as u64,
        };
        let use_number = (self.position.epoch << 32) | number as u64;
        let mut random = Random::new(self.seed, "window", use_number);
        (self.order, self.spans) = arrange(&window.lengths(), self.size, &mut random);
        self.window = Arc::new(window);
        self.present = number;
        Ok(())
    }
}
