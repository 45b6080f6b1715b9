//! Contents of a checkpoint: its format, its best validation, and the norms of its tensors.

use burn::tensor::{bf16, f16};
use safetensors::Dtype;
use serde::Serialize;
use strata_models::Vocabularies;

use crate::{Checkpoint, Validation};

/// Description of a tensor of a checkpoint.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Stored {
    /// Name of the tensor in the file.
    pub name: String,
    /// Shape of the tensor.
    pub shape: Vec<usize>,
    /// Element type, such as `F32`.
    pub kind: String,
    /// Norm √Σx² over the finite elements.
    pub norm: f64,
    /// Number of elements that are NaN or infinite.
    pub not_finite: usize,
}

impl Stored {
    /// Number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

impl Checkpoint<'_> {
    /// Version of the file's format.
    pub fn format(&self) -> u64 {
        self.contents.format
    }

    /// Best validation so far.
    pub fn best(&self) -> Option<Validation> {
        self.contents.standing.best
    }

    /// Sizes of the source and target vocabularies.
    pub fn vocabularies(&self) -> Vocabularies {
        Vocabularies {
            source: self.contents.source_vocabulary.len(),
            target: self.contents.target_vocabulary.len(),
        }
    }

    /// Describes all tensors, sorted by name.
    pub fn stored(&self) -> Vec<Stored> {
        let mut stored: Vec<Stored> = self
            .tensors
            .iter()
            .map(|(name, tensor)| {
                let (norm, not_finite) = measure(tensor.dtype(), tensor.data());
                Stored {
                    name: name.to_owned(),
                    shape: tensor.shape().to_vec(),
                    kind: format!("{:?}", tensor.dtype()),
                    norm,
                    not_finite,
                }
            })
            .collect();
        stored.sort_by(|left, right| left.name.cmp(&right.name));
        stored
    }
}

/// Norm of the finite elements, and number of all others; zeros for types other than F16, BF16, F32
/// and F64.
pub(crate) fn measure(kind: Dtype, bytes: &[u8]) -> (f64, usize) {
    match kind {
        Dtype::F32 => sum(bytes.as_chunks().0, |it| f32::from_le_bytes(it).into()),
        Dtype::F64 => sum(bytes.as_chunks().0, f64::from_le_bytes),
        Dtype::F16 => sum(bytes.as_chunks().0, |it| f16::from_le_bytes(it).into()),
        Dtype::BF16 => sum(bytes.as_chunks().0, |it| bf16::from_le_bytes(it).into()),
        _ => (0.0, 0),
    }
}

fn sum<const N: usize>(chunks: &[[u8; N]], number: impl Fn([u8; N]) -> f64) -> (f64, usize) {
    let mut squares = 0.0;
    let mut not_finite = 0;
    for &chunk in chunks {
        let number = number(chunk);
        if number.is_finite() {
            squares += number * number;
        } else {
            not_finite += 1;
        }
    }
    (squares.sqrt(), not_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_measured_by_their_type() {
        let f32s: Vec<u8> = [3.0_f32, -4.0, f32::NAN]
            .into_iter()
            .flat_map(f32::to_le_bytes)
            .collect();
        assert_eq!(measure(Dtype::F32, &f32s), (5.0, 1));
        let f64s: Vec<u8> = [3.0_f64, 4.0]
            .into_iter()
            .flat_map(f64::to_le_bytes)
            .collect();
        assert_eq!(measure(Dtype::F64, &f64s), (5.0, 0));
        let halves = [0x00, 0x42, 0x00, 0x44, 0x00, 0x7c];
        assert_eq!(measure(Dtype::F16, &halves), (5.0, 1));
        assert_eq!(measure(Dtype::BF16, &[0x40, 0x40, 0x80, 0x40]), (5.0, 0));
        assert_eq!(measure(Dtype::I64, &[1; 8]), (0.0, 0));
    }
}
