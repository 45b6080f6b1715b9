//! Communication among the processes of one run, as far as training knows of it: no tensors, no
//! transport.
//!
//! Process r of W computes batches r, r + W, … of a step. The gradients of all batches are
//! summed ([`Exchange::sum`]), and every process takes the same step of the optimiser. Losses equal
//! those of one process: bit for bit if there are as many processes as batches per step, otherwise
//! up to the order of summation.

/// Connection of a process to the other processes that train the same run.
///
/// Every process makes the same calls in the same order.
pub trait Exchange: Send + Sync {
    /// Number of this process, from 0. Process 0 writes files and prints.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn size(&self) -> usize;

    /// Replaces a row by the sum of the rows of all processes, added in the order of their ranks:
    /// ((x₀ + x₁) + x₂) + …, the same bits in every process. (GPUs add in an order of their own,
    /// which makes no difference for two rows.)
    fn sum(&self, row: &mut [f32]);

    /// Replaces these bytes by those of process 0. The other processes may wait long for them.
    fn spread(&self, bytes: &mut [u8]);
}

/// Exchange of a single process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alone;

impl Exchange for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn sum(&self, _row: &mut [f32]) {}

    fn spread(&self, _bytes: &mut [u8]) {}
}

/// Number of F32 numbers that carry a 64-bit number: four, since F32 holds every 16-bit number
/// exactly.
pub(crate) const WIDTH: usize = 4;

impl dyn Exchange {
    /// Collects one number from each process, in the order of ranks.
    pub fn gather(&self, own: u64) -> Vec<u64> {
        let mut row = vec![0.0; WIDTH * self.size()];
        self.put(own, &mut row);
        self.sum(&mut row);
        gathered(&row)
    }

    /// Finds the first process whose number differs from that of process 0.
    pub fn odd_one(&self, own: u64) -> Option<usize> {
        odd_one(&self.gather(own))
    }

    /// Writes a number to this process's place in a row of zeros, which is to be summed.
    pub(crate) fn put(&self, own: u64, row: &mut [f32]) {
        let place = &mut row[WIDTH * self.rank()..][..WIDTH];
        for (at, part) in place.iter_mut().enumerate() {
            *part = f32::from((own >> (16 * at)) as u16);
        }
    }
}

/// Decodes the numbers of a row that `put` wrote, after the sum.
pub(crate) fn gathered(row: &[f32]) -> Vec<u64> {
    let number = |parts: &[f32]| {
        let parts = parts.iter().enumerate();
        parts.fold(0, |sum, (at, &part)| sum | (part as u64) << (16 * at))
    };
    row.chunks_exact(WIDTH).map(number).collect()
}

/// Index of the first number that differs from the first one.
pub(crate) fn odd_one(numbers: &[u64]) -> Option<usize> {
    numbers.iter().position(|number| *number != numbers[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_goes_through_a_row() {
        for number in [0, 1, 0xffff, 0x1_0000, 0x0123_4567_89ab_cdef, u64::MAX] {
            let alone: &dyn Exchange = &Alone;
            assert_eq!(alone.gather(number), [number]);
        }
    }

    #[test]
    fn the_odd_one_is_the_first_that_differs_from_process_0() {
        assert_eq!(odd_one(&[3, 3, 3]), None);
        assert_eq!(odd_one(&[3, 4, 3, 5]), Some(1));
    }
}
