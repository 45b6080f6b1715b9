//! Padded token ids on the host.

use burn::tensor::{Device, Int, Tensor, TensorData};

/// Id of padding.
pub const PAD: u32 = 0;
/// Id that begins a target.
pub const BOS: u32 = 1;
/// Id that ends a target.
pub const EOS: u32 = 2;

/// Token ids `[rows, columns]`, padded at the end with [`PAD`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    ids: Vec<u32>,
    rows: usize,
    columns: usize,
}

impl Tokens {
    /// Pads sequences to the longest of them (at least one column).
    pub fn pad<T: AsRef<[u32]>>(sequences: &[T]) -> Self {
        let columns = sequences
            .iter()
            .map(|s| s.as_ref().len())
            .max()
            .unwrap_or(0)
            .max(1);
        let mut ids = Vec::with_capacity(sequences.len() * columns);
        for sequence in sequences {
            ids.extend_from_slice(sequence.as_ref());
            ids.resize(ids.len() + columns - sequence.as_ref().len(), PAD);
        }
        Self {
            ids,
            rows: sequences.len(),
            columns,
        }
    }

    /// Number of items, B.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of positions, S or T.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All token ids, row by row.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Token ids of one row, with its padding.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.ids[row * self.columns..(row + 1) * self.columns]
    }

    /// Returns true for padding, row by row.
    pub fn padding(&self) -> Vec<bool> {
        self.ids.iter().map(|&id| id == PAD).collect()
    }

    /// Number of tokens of each row without padding, at least 1.
    pub fn lengths(&self) -> Vec<usize> {
        (0..self.rows)
            .map(|row| self.row(row).iter().filter(|&&id| id != PAD).count().max(1))
            .collect()
    }

    /// Number of tokens of all rows without padding.
    pub fn count(&self) -> usize {
        self.ids.iter().filter(|&&id| id != PAD).count()
    }

    /// Returns the indices of the tokens without padding among all ids, and these tokens as one row;
    /// `None` unless at least half of all ids are padding.
    pub fn counted(&self) -> Option<(Vec<usize>, Self)> {
        let places: Vec<usize> = (0..self.ids.len())
            .filter(|&at| self.ids[at] != PAD)
            .collect();
        if places.is_empty() || places.len() * 2 > self.ids.len() {
            return None;
        }
        let row: Vec<u32> = places.iter().map(|&at| self.ids[at]).collect();
        Some((places, Self::pad(&[row])))
    }

    /// Copies the token ids to a device, `[B, S]`.
    pub fn tensor(&self, device: &Device) -> Tensor<2, Int> {
        let ids: Vec<i32> = self.ids.iter().map(|&id| id as i32).collect();
        Tensor::from_data(TensorData::new(ids, [self.rows, self.columns]), device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_padded_at_the_end() {
        let tokens = Tokens::pad(&[vec![5, 6, 7], vec![8]]);
        assert_eq!((tokens.rows(), tokens.columns()), (2, 3));
        assert_eq!(tokens.row(1), [8, PAD, PAD]);
        assert_eq!(tokens.lengths(), [3, 1]);
        assert_eq!(tokens.count(), 4);
    }

    #[test]
    fn tokens_are_counted_apart_where_half_of_all_or_more_is_padding() {
        let tokens = Tokens::pad(&[vec![PAD, 6, PAD], vec![PAD, PAD, 8]]);
        assert_eq!(
            tokens.counted(),
            Some((vec![1, 5], Tokens::pad(&[vec![6, 8]])))
        );
        assert_eq!(Tokens::pad(&[vec![5, 6, 7], vec![8]]).counted(), None);
        assert_eq!(Tokens::pad(&[vec![PAD, PAD]]).counted(), None);
    }

    #[test]
    fn an_empty_sequence_still_has_a_column() {
        assert_eq!(Tokens::pad(&[Vec::new()]).columns(), 1);
    }
}
