//! A stored text that is read at several places in parallel.

use std::sync::Arc;

use super::Stored;
use super::stored::Window;
use crate::{BatchPosition, BatchSize, Example, TaskError};

/// Endless sequence of batches of a stored text, which is split into several texts read in
/// parallel, like a text in memory by [`in_streams`](crate::in_streams), but by whole segments.
/// Each batch continues the batch before.
///
/// All streams have the same length. If the segments cannot be divided evenly, a stream ends with
/// the first segment of the next one.
#[derive(Clone, Debug)]
pub struct StoredStreams {
    stored: Arc<Stored>,
    /// Index of the first example of each block, followed by the number of all examples.
    begins: Vec<u64>,
    streams: Vec<TextStream>,
    /// Number of segments in each stream.
    length: u64,
    position: BatchPosition,
}

/// One of the texts that are read in parallel.
#[derive(Clone, Debug)]
struct TextStream {
    /// Index of the example with which the stream begins.
    first: u64,
    /// Block in memory from which the stream reads.
    present: Option<(usize, Arc<Window>)>,
}

impl StoredStreams {
    /// Creates `streams` streams (at most one for each segment), at their beginnings.
    ///
    /// # Errors
    /// If there are no examples, or no streams.
    pub fn new(stored: Arc<Stored>, streams: usize) -> Result<Self, TaskError> {
        BatchSize::Examples(streams).check(stored.examples())?;
        let examples = stored.examples() as u64;
        let streams = (streams as u64).min(examples);
        let mut begins = vec![0];
        for block in &stored.blocks {
            begins.push(begins[begins.len() - 1] + u64::from(block.examples));
        }
        let stream = |number: u64| TextStream {
            first: number * examples / streams,
            present: None,
        };
        Ok(Self {
            begins,
            streams: (0..streams).map(stream).collect(),
            length: examples.div_ceil(streams),
            position: BatchPosition::default(),
            stored,
        })
    }

    /// Moves the streams to `position`.
    ///
    /// # Errors
    /// If the streams have fewer segments than `position` says.
    pub fn at(mut self, position: BatchPosition) -> Result<Self, TaskError> {
        if position.batch >= self.length {
            return Err(TaskError::NoSuchBatch {
                batch: position.batch,
                batches: self.length,
            });
        }
        self.position = position;
        Ok(self)
    }

    /// Returns the next segment of every stream, and moves the position on.
    ///
    /// # Errors
    /// If the file can no longer be read; then the position stays.
    pub fn next_batch(&mut self) -> Result<Vec<Example>, TaskError> {
        let mut batch = Vec::with_capacity(self.streams.len());
        for stream in &mut self.streams {
            let example = stream.first + self.position.batch;
            let block = self.begins.partition_point(|&it| it <= example) - 1;
            let window = match &stream.present {
                Some((present, window)) if *present == block => Arc::clone(window),
                _ => {
                    let window = Arc::new(self.stored.window(&[block as u32])?);
                    stream.present = Some((block, Arc::clone(&window)));
                    window
                }
            };
            batch.push(window.example((example - self.begins[block]) as usize));
        }
        self.position.batch += 1;
        if self.position.batch == self.length {
            self.position = BatchPosition {
                epoch: self.position.epoch.wrapping_add(1),
                batch: 0,
            };
        }
        Ok(batch)
    }

    /// Returns the position of the next batch.
    pub fn position(&self) -> BatchPosition {
        self.position
    }

    /// Returns the number of batches in one pass over the text.
    pub fn batches_per_epoch(&self) -> u64 {
        self.length
    }
}
