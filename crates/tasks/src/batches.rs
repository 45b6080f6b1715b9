//! The order in which training sees the examples.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::{Example, TaskError};

/// Examples are sorted by length within pools of this many batches: enough that a batch holds
/// sequences of nearly one length, few enough that the order stays random.
const BATCHES_PER_POOL: usize = 32;

/// Where training stands in its data: all that is needed to go on from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchPosition {
    /// Passes over the data that are complete.
    pub epoch: u64,
    /// Batches already taken from this pass.
    pub batch: u64,
}

/// An endless sequence of batches, each a list of indices into the examples.
///
/// Every epoch takes each example once: a shuffle of all, then in pools of 32 batches a sort by
/// length (so that batches carry little padding), then the batches of a pool in random order.
/// The order of an epoch depends on seed and epoch alone, so a position says everything.
#[derive(Clone, Debug)]
pub struct Batches {
    lengths: Vec<u32>,
    batch_size: usize,
    seed: u64,
    position: BatchPosition,
    /// The examples in this epoch's order, batch after batch.
    order: Vec<u32>,
    /// Where each batch begins and ends in `order`.
    spans: Vec<(u32, u32)>,
    /// Whether every epoch takes the examples as they come.
    in_order: bool,
}

impl Batches {
    /// Batches of `batch_size` examples (the last of an epoch's shuffle may be smaller), from the
    /// beginning of the first epoch.
    ///
    /// # Errors
    /// If there are no examples, or `batch_size` is 0.
    pub fn new(examples: &[Example], batch_size: usize, seed: u64) -> Result<Self, TaskError> {
        if examples.is_empty() || batch_size == 0 {
            return Err(TaskError::NoBatches {
                examples: examples.len(),
                batch_size,
            });
        }
        let length = |example: &Example| example.source.len().max(example.target.len()) as u32;
        let mut batches = Self {
            lengths: examples.iter().map(length).collect(),
            batch_size,
            seed,
            position: BatchPosition::default(),
            order: Vec::new(),
            spans: Vec::new(),
            in_order: false,
        };
        batches.arrange_epoch();
        Ok(batches)
    }

    /// The same batches of the examples as they come, epoch by epoch.
    pub fn in_order(mut self) -> Self {
        self.in_order = true;
        self.arrange_epoch();
        self
    }

    /// The same batches, going on from `position`.
    ///
    /// # Errors
    /// If an epoch has fewer batches than `position` says: it belongs to other data or another
    /// batch size.
    pub fn at(mut self, position: BatchPosition) -> Result<Self, TaskError> {
        if position.batch >= self.batches_per_epoch() {
            return Err(TaskError::NoSuchBatch {
                batch: position.batch,
                batches: self.batches_per_epoch(),
            });
        }
        self.position = position;
        self.arrange_epoch();
        Ok(self)
    }

    /// The indices of the next batch; the position moves on.
    pub fn next_batch(&mut self) -> Vec<usize> {
        let (start, end) = self.spans[self.position.batch as usize];
        let batch = &self.order[start as usize..end as usize];
        let batch = batch.iter().map(|&index| index as usize).collect();
        self.position.batch += 1;
        if self.position.batch == self.batches_per_epoch() {
            self.position = BatchPosition {
                epoch: self.position.epoch.wrapping_add(1),
                batch: 0,
            };
            self.arrange_epoch();
        }
        batch
    }

    /// The position of the batch that comes next.
    pub fn position(&self) -> BatchPosition {
        self.position
    }

    /// How many batches make one pass over the examples.
    pub fn batches_per_epoch(&self) -> u64 {
        self.lengths.len().div_ceil(self.batch_size) as u64
    }

    fn arrange_epoch(&mut self) {
        let mut random = Random::new(self.seed, "batches", self.position.epoch);
        self.order = (0..self.lengths.len() as u32).collect();
        if self.in_order {
            let spans = self.order.chunks(self.batch_size);
            let spans = spans.map(|batch| (batch[0], batch[0] + batch.len() as u32));
            self.spans = spans.collect();
            return;
        }
        random.shuffle(&mut self.order);
        self.spans.clear();
        let mut start = 0;
        for pool in self
            .order
            .chunks_mut(self.batch_size.saturating_mul(BATCHES_PER_POOL))
        {
            pool.sort_by_key(|&index| self.lengths[index as usize]);
            let first = self.spans.len();
            for batch in pool.chunks(self.batch_size) {
                let end = start + batch.len() as u32;
                self.spans.push((start, end));
                start = end;
            }
            random.shuffle(&mut self.spans[first..]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn examples(count: u32) -> Vec<Example> {
        let sequence = |length| vec![4; length as usize];
        (0..count)
            .map(|i| Example {
                source: sequence(1 + i * 7 % 40),
                target: sequence(1),
            })
            .collect()
    }

    fn take(batches: &mut Batches, count: u64) -> Vec<Vec<usize>> {
        (0..count).map(|_| batches.next_batch()).collect()
    }

    #[test]
    fn an_epoch_takes_each_example_once() {
        let mut batches = Batches::new(&examples(1003), 8, 1).unwrap();
        assert_eq!(batches.batches_per_epoch(), 126);
        for epoch in 0..2 {
            assert_eq!(batches.position(), BatchPosition { epoch, batch: 0 });
            let mut seen = take(&mut batches, 126).concat();
            seen.sort_unstable();
            assert_eq!(seen, (0..1003).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_position_goes_on_exactly() {
        let examples = examples(500);
        let start = || Batches::new(&examples, 8, 9).unwrap();
        let mut whole = start();
        take(&mut whole, 100);
        let mut resumed = start().at(whole.position()).unwrap();
        assert_eq!(take(&mut whole, 70), take(&mut resumed, 70));
        assert_eq!(whole.position(), resumed.position());
    }

    #[test]
    fn epochs_and_seeds_differ() {
        let examples = examples(500);
        let mut batches = Batches::new(&examples, 8, 9).unwrap();
        let first = take(&mut batches, 63);
        assert_ne!(first, take(&mut batches, 63));
        assert_ne!(
            first,
            take(&mut Batches::new(&examples, 8, 10).unwrap(), 63)
        );
    }

    #[test]
    fn batches_hold_sequences_of_nearly_one_length() {
        let examples = examples(2000);
        let mut batches = Batches::new(&examples, 16, 0).unwrap();
        let (mut padded, mut real) = (0, 0);
        for batch in take(&mut batches, 125) {
            let lengths: Vec<usize> = batch.iter().map(|&i| examples[i].source.len()).collect();
            padded += lengths.iter().max().unwrap() * lengths.len();
            real += lengths.iter().sum::<usize>();
        }
        assert!(
            padded * 100 < real * 110,
            "{padded} positions for {real} tokens"
        );
    }

    #[test]
    fn examples_can_be_taken_as_they_come() {
        let mut batches = Batches::new(&examples(10), 4, 5).unwrap().in_order();
        let epoch = [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]];
        assert_eq!(take(&mut batches, 3), epoch);
        assert_eq!(take(&mut batches, 3), epoch);
        assert_eq!(batches.position(), BatchPosition { epoch: 2, batch: 0 });
    }

    /// Written down once: the order must not change with the platform or a dependency.
    #[test]
    fn the_order_is_pinned() {
        let mut batches = Batches::new(&examples(100), 4, 5).unwrap();
        assert_eq!(batches.next_batch(), [34, 97, 57, 17]);
        assert_eq!(batches.next_batch(), [5, 85, 28, 68]);
    }

    #[test]
    fn impossible_batches_are_refused() {
        assert!(Batches::new(&[], 8, 0).is_err());
        assert!(Batches::new(&examples(3), 0, 0).is_err());
        let batches = Batches::new(&examples(3), usize::MAX, 0).unwrap();
        assert_eq!(batches.batches_per_epoch(), 1);
        assert!(batches.at(BatchPosition { epoch: 0, batch: 1 }).is_err());
    }
}
