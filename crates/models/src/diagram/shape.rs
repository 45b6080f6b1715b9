//! Shapes of tensors, with words for sizes that depend on the text.

use std::fmt;

/// Shape of a tensor: `[batch, source length, 64]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<Axis>);

/// Axis of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Items of the batch, B.
    Batch,
    /// Tokens of the source, S.
    SourceLength,
    /// Tokens of the target, T; for a language model, of the text.
    TargetLength,
    /// Tokens of the question, Q.
    QuestionLength,
    /// Tokens of a passage, P.
    PassageLength,
    /// Heads, H.
    Heads(usize),
    /// Features, or tokens of a vocabulary.
    Size(usize),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, axis) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            match axis {
                Axis::Batch => f.write_str("batch")?,
                Axis::SourceLength => f.write_str("source length")?,
                Axis::TargetLength => f.write_str("target length")?,
                Axis::QuestionLength => f.write_str("question length")?,
                Axis::PassageLength => f.write_str("passage length")?,
                Axis::Heads(1) => f.write_str("1 head")?,
                Axis::Heads(heads) => write!(f, "{heads} heads")?,
                Axis::Size(size) => write!(f, "{size}")?,
            }
        }
        f.write_str("]")
    }
}
