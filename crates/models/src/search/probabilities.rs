//! Log-probabilities of the next token, read from the device at each step.

use burn::tensor::activation::log_softmax;
use burn::tensor::{DType, ExecutionError, Tensor, TensorData, Transaction};

use super::Candidate;
use crate::EOS;

/// Log-probabilities of the next token of every row, on the host.
pub(super) enum Probabilities {
    /// Most probable token of each row alone.
    Best(Vec<Candidate>),
    /// Log-probabilities of all tokens, `[rows, V]`.
    All {
        /// Log-probabilities, row by row.
        values: Vec<f32>,
        /// Size of the vocabulary, V.
        vocabulary: usize,
    },
}

impl Probabilities {
    /// Reads the most probable token of each row of logits `[rows, V]`. PAD and BOS, whose ids are
    /// below EOS, are never written.
    ///
    /// GPU–CPU sync point.
    pub async fn read_best(logits: Tensor<2>) -> Result<Self, ExecutionError> {
        let [_, vocabulary] = logits.dims();
        let special = EOS as usize;
        let written = log_softmax(logits, 1).narrow(1, special, vocabulary - special); // [rows, V − EOS]
        let best = written.clone().argmax(1); // [rows, 1]
        let of_best = written.gather(1, best.clone()); // [rows, 1]
        let read = Transaction::default().register(best).register(of_best);
        let mut read = read.execute_async().await?.into_iter();
        let ids = read.next().expect("two were registered");
        let of_ids = floats(read.next().expect("two were registered"));
        let best = ids.iter::<i64>().zip(of_ids);
        let best = best.map(|(id, log_probability)| Candidate {
            id: id as u32 + EOS,
            log_probability,
        });
        Ok(Self::Best(best.collect()))
    }

    /// Reads the log-probabilities of all tokens from logits `[rows, V]`.
    ///
    /// GPU–CPU sync point.
    pub async fn read_all(logits: Tensor<2>) -> Result<Self, ExecutionError> {
        let [_, vocabulary] = logits.dims();
        let data = log_softmax(logits, 1).into_data_async().await?;
        Ok(Self::All {
            values: floats(data),
            vocabulary,
        })
    }

    /// Returns the `count` most probable tokens of a row that can be written, best first (ties: the
    /// lower id).
    pub fn best(&self, row: usize, count: usize) -> Vec<Candidate> {
        match self {
            Self::Best(best) => best[row..].iter().take(1).copied().collect(),
            Self::All { .. } => largest(self.row(row), count),
        }
    }

    /// Log-probability of one token.
    pub fn of(&self, row: usize, id: u32) -> f32 {
        match self {
            Self::Best(best) => best[row].log_probability,
            Self::All { .. } => self.row(row)[id as usize],
        }
    }

    /// Sets the probability of a token in a row to 0. Ids outside the vocabulary are ignored.
    pub fn forbid(&mut self, row: usize, id: u32) {
        if let Self::All { values, vocabulary } = self
            && (id as usize) < *vocabulary
        {
            values[row * *vocabulary + id as usize] = f32::NEG_INFINITY;
        }
    }

    /// Log-probabilities of all tokens of a row, by id.
    pub fn row(&self, row: usize) -> &[f32] {
        match self {
            Self::Best(_) => &[],
            Self::All { values, vocabulary } => &values[row * vocabulary..][..*vocabulary],
        }
    }
}

fn floats(data: TensorData) -> Vec<f32> {
    let data = match data.dtype() {
        DType::F32 => data,
        _ => data.convert::<f32>(),
    };
    data.try_to_vec().unwrap_or_default()
}

/// Returns the log-probability, or −∞ for NaN.
pub(super) fn or_none(log_probability: f32) -> f32 {
    if log_probability.is_nan() {
        f32::NEG_INFINITY
    } else {
        log_probability
    }
}

/// Finds the `count` largest numbers from EOS on, largest first; of equal ones the lower id comes
/// first.
fn largest(row: &[f32], count: usize) -> Vec<Candidate> {
    let mut best: Vec<Candidate> = Vec::with_capacity(count + 1);
    // Number that a token must exceed once there are `count` candidates.
    let mut threshold = None;
    for (id, &log_probability) in row.iter().enumerate().skip(EOS as usize) {
        if threshold.is_some_and(|threshold| log_probability <= threshold) {
            continue;
        }
        let log_probability = or_none(log_probability);
        let at = best.partition_point(|other| other.log_probability >= log_probability);
        let id = id as u32;
        best.insert(
            at,
            Candidate {
                id,
                log_probability,
            },
        );
        best.truncate(count);
        if best.len() == count {
            threshold = best.last().map(|last| last.log_probability);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(row: &[f32], count: usize) -> Vec<u32> {
        largest(row, count).iter().map(|it| it.id).collect()
    }

    #[test]
    fn the_largest_come_first_and_ties_by_their_ids() {
        let row = [9.0, 9.0, -1.0, -3.0, -1.0, -2.0, -0.5];
        assert_eq!(ids(&row, 1), [6]);
        assert_eq!(ids(&row, 3), [6, 2, 4]);
        assert_eq!(ids(&row, 9), [6, 2, 4, 5, 3]);
        assert!(ids(&row, 0).is_empty());
    }

    #[test]
    fn what_is_no_number_comes_last() {
        let row = [0.0, 0.0, f32::NAN, -3.0, f32::NAN, -2.0];
        assert_eq!(ids(&row, 3), [5, 3, 2]);
        assert_eq!(ids(&[f32::NAN; 5], 2), [2, 3]);
    }
}
