//! Batches: the order in which training reads the examples.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::{Example, Question, TaskError};

/// Number of batches in a pool, within which examples are sorted by length: enough that the
/// sequences of a batch have nearly the same length, few enough that the order stays random.
const BATCHES_PER_POOL: usize = 32;

/// Position of training in its data, from which training can resume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchPosition {
    /// Number of complete passes over the data.
    pub epoch: u64,
    /// Number of batches already taken in the present pass.
    pub batch: u64,
}

/// Size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// Number of examples per batch.
    Examples(usize),
    /// Largest number of tokens per batch, source and target (with EOS) together, each padded to
    /// the longest of the batch. For questions, the largest number of cells: passages × passage
    /// tokens × question tokens, each padded likewise. A longer example makes a batch by itself.
    Tokens(usize),
}

impl BatchSize {
    /// Refuses data without examples, and batches of size 0.
    pub(crate) fn check(self, examples: usize) -> Result<(), TaskError> {
        let (Self::Examples(size) | Self::Tokens(size)) = self;
        if examples == 0 || size == 0 {
            return Err(TaskError::NoBatches {
                examples,
                batch_size: size,
            });
        }
        Ok(())
    }

    /// Returns the number of examples of `shuffled` that make the next pool.
    fn pool(self, shuffled: &[u32], lengths: &[Length]) -> usize {
        let count = match self {
            Self::Examples(size) => size.saturating_mul(BATCHES_PER_POOL),
            Self::Tokens(budget) => {
                let mut left = budget.saturating_mul(BATCHES_PER_POOL);
                let fits = |&&index: &&u32| {
                    let goes_on = left > 0;
                    left = left.saturating_sub(lengths[index as usize].tokens());
                    goes_on
                };
                shuffled.iter().take_while(fits).count()
            }
        };
        count.min(shuffled.len())
    }

    /// Returns the number of examples of `pool`, sorted by length, that make the first batch.
    fn batch(self, pool: &[u32], lengths: &[Length]) -> usize {
        let count = match self {
            Self::Examples(size) => size,
            Self::Tokens(budget) => {
                let mut padded = Length::default();
                let fits = |&(count, &index): &(usize, &u32)| {
                    padded = padded.padded(lengths[index as usize]);
                    padded.tokens().saturating_mul(count + 1) <= budget
                };
                pool.iter().enumerate().take_while(fits).count().max(1)
            }
        };
        count.min(pool.len())
    }
}

/// Length of the sequences of an example, without BOS and EOS.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Length {
    /// Tokens of the source, or of the longest passage.
    pub source: u32,
    /// Tokens of the target, or of the question.
    pub target: u32,
    /// Number of passages; 0 for a pair.
    pub passages: u32,
}

impl Length {
    fn of(example: &Example) -> Self {
        Self {
            source: example.source.len() as u32,
            target: example.target.len() as u32,
            passages: 0,
        }
    }

    pub(crate) fn of_question(question: &Question) -> Self {
        Self {
            source: question.longest_passage() as u32,
            target: question.question.len() as u32,
            passages: question.passages.len() as u32,
        }
    }

    /// Length by which examples are sorted: of the longer side, or of all passages together.
    fn to_sort(self) -> u32 {
        match self.passages {
            0 => self.source.max(self.target),
            passages => self.source.saturating_mul(passages),
        }
    }

    /// Number of tokens that a model processes: source, target and EOS. For a question, the number
    /// of cells, which cause most of the cost of its attention.
    pub(crate) fn tokens(self) -> usize {
        let [source, target] = [self.source as usize, self.target as usize];
        match self.passages as usize {
            0 => source + target + 1,
            passages => passages.saturating_mul(source).saturating_mul(target),
        }
    }

    fn padded(self, other: Self) -> Self {
        Self {
            source: self.source.max(other.source),
            target: self.target.max(other.target),
            passages: self.passages.max(other.passages),
        }
    }
}

/// Arranges examples in random order and cuts them into batches. Within pools of 32 batches,
/// examples are sorted by length, so that batches need little padding; then the batches of the pool
/// are shuffled.
///
/// Returns the examples batch after batch, and the first and last index of each batch among them.
pub(crate) fn arrange(
    lengths: &[Length],
    size: BatchSize,
    random: &mut Random,
) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut order: Vec<u32> = (0..lengths.len() as u32).collect();
    random.shuffle(&mut order);
    let spans = cut(&mut order, lengths, size, random);
    (order, spans)
}

/// Arranges examples like [`arrange`], but no batch has examples of two groups; the batches of all
/// groups are shuffled.
fn arrange_groups(
    lengths: &[Length],
    groups: &[u32],
    size: BatchSize,
    random: &mut Random,
) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut order: Vec<u32> = (0..lengths.len() as u32).collect();
    random.shuffle(&mut order);
    let group = |index: &u32| groups.get(*index as usize).copied();
    order.sort_by_key(group);
    let mut spans = Vec::new();
    let mut start = 0;
    for members in order.chunk_by_mut(|a, b| group(a) == group(b)) {
        let of_group = cut(members, lengths, size, random).into_iter();
        spans.extend(of_group.map(|(from, to)| (start + from, start + to)));
        start += members.len() as u32;
    }
    random.shuffle(&mut spans);
    (order, spans)
}

/// Cuts shuffled examples into batches: sorts them by length within pools, and shuffles the batches
/// of each pool. Returns the first and last index of each batch.
fn cut(
    order: &mut [u32],
    lengths: &[Length],
    size: BatchSize,
    random: &mut Random,
) -> Vec<(u32, u32)> {
    let mut spans = Vec::new();
    let mut start = 0;
    let mut rest = order;
    while !rest.is_empty() {
        let (pool, others) = rest.split_at_mut(size.pool(rest, lengths));
        rest = others;
        match size {
            BatchSize::Examples(_) => {
                pool.sort_by_key(|&index| lengths[index as usize].to_sort());
            }
            BatchSize::Tokens(_) => pool.sort_by_key(|&index| {
                let length = lengths[index as usize];
                (length.to_sort(), length.tokens())
            }),
        }
        let first = spans.len();
        let mut left = &pool[..];
        while !left.is_empty() {
            let count = size.batch(left, lengths);
            spans.push((start, start + count as u32));
            start += count as u32;
            left = &left[count..];
        }
        random.shuffle(&mut spans[first..]);
    }
    spans
}

/// Endless sequence of batches, each a list of indices of examples.
///
/// Every epoch takes each example once: all are shuffled, sorted by length within pools of 32
/// batches (so that batches need little padding), and the batches of a pool are shuffled. The order
/// of an epoch depends only on seed and epoch, so a position is enough to resume.
#[derive(Clone, Debug)]
pub struct Batches {
    lengths: Vec<Length>,
    /// Group of each example, if a batch may have examples of one group alone; else empty.
    groups: Vec<u32>,
    size: BatchSize,
    seed: u64,
    position: BatchPosition,
    /// Indices of the examples in the order of this epoch, batch after batch.
    order: Vec<u32>,
    /// Start and end of each batch in `order`.
    spans: Vec<(u32, u32)>,
    /// True if every epoch takes the examples in their given order.
    in_order: bool,
}

impl Batches {
    /// Creates batches of this size, starting with the first epoch. The last batch of an epoch may
    /// be smaller.
    ///
    /// # Errors
    /// If there are no examples, or the size is 0.
    pub fn new(examples: &[Example], size: BatchSize, seed: u64) -> Result<Self, TaskError> {
        Self::of_lengths(examples.iter().map(Length::of).collect(), size, seed)
    }

    /// Creates batches of questions, sorted by the length of their passages.
    ///
    /// # Errors
    /// If there are no questions, or the size is 0.
    pub fn of_questions(
        questions: &[Question],
        size: BatchSize,
        seed: u64,
    ) -> Result<Self, TaskError> {
        let lengths = questions.iter().map(Length::of_question).collect();
        Self::of_lengths(lengths, size, seed)
    }

    fn of_lengths(lengths: Vec<Length>, size: BatchSize, seed: u64) -> Result<Self, TaskError> {
        size.check(lengths.len())?;
        let mut batches = Self {
            lengths,
            groups: Vec::new(),
            size,
            seed,
            position: BatchPosition::default(),
            order: Vec::new(),
            spans: Vec::new(),
            in_order: false,
        };
        batches.arrange_epoch();
        Ok(batches)
    }

    /// Changes the batches so that the examples of a batch are all of one group. `groups` has the
    /// group of each example; if `groups` is empty, nothing changes.
    pub fn of_groups(mut self, groups: Vec<u32>) -> Self {
        if !groups.is_empty() {
            self.groups = groups;
            self.arrange_epoch();
        }
        self
    }

    /// Changes the batches to take the examples in their given order in every epoch.
    pub fn in_order(mut self) -> Self {
        self.in_order = true;
        self.arrange_epoch();
        self
    }

    /// Moves the batches to `position`.
    ///
    /// # Errors
    /// If an epoch has fewer batches than `position` says, so that the position belongs to other
    /// data or another batch size.
    pub fn at(mut self, position: BatchPosition) -> Result<Self, TaskError> {
        self.position = position;
        self.arrange_epoch();
        if position.batch >= self.batches_per_epoch() {
            return Err(TaskError::NoSuchBatch {
                batch: position.batch,
                batches: self.batches_per_epoch(),
            });
        }
        Ok(self)
    }

    /// Returns the indices of the next batch, and moves the position on.
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

    /// Returns the position of the next batch.
    pub fn position(&self) -> BatchPosition {
        self.position
    }

    /// Number of batches in this epoch. With a size in tokens, epochs differ in their number of
    /// batches.
    pub fn batches_per_epoch(&self) -> u64 {
        self.spans.len() as u64
    }

    fn arrange_epoch(&mut self) {
        let mut random = Random::new(self.seed, "batches", self.position.epoch);
        if self.in_order {
            let (BatchSize::Examples(size) | BatchSize::Tokens(size)) = self.size;
            self.order = (0..self.lengths.len() as u32).collect();
            let spans = self.order.chunks(size);
            let spans = spans.map(|batch| (batch[0], batch[0] + batch.len() as u32));
            self.spans = spans.collect();
            return;
        }
        (self.order, self.spans) = if self.groups.is_empty() {
            arrange(&self.lengths, self.size, &mut random)
        } else {
            arrange_groups(&self.lengths, &self.groups, self.size, &mut random)
        };
    }
}

#[cfg(test)]
mod tests;
