//! Language models, which predict the next token of a text, read from left to right.
//!
//! A text is one long row of tokens, in which each line ends with EOS. It is read in segments; the
//! targets of a segment are its tokens shifted by one. The recurrent model carries its state from
//! one segment into the next; the Transformer sees each segment alone.

mod recurrent;
mod transformer;

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::{BOS, EOS};

pub(crate) use recurrent::Decoding as RecurrentDecoding;
pub use recurrent::RecurrentLm;
pub(crate) use transformer::Decoding as TransformerDecoding;
pub use transformer::{LanguageLayer, TransformerLm};

/// Converts input tokens `ids`, row by row, to a tensor `[B, T]`. BOS, with which decoding begins,
/// becomes EOS: texts contain no BOS, and a text begins like a line, after the end of the previous
/// one.
fn read(ids: &[u32], rows: usize, device: &Device) -> Tensor<2, Int> {
    let read = |&id: &u32| if id == BOS { EOS as i32 } else { id as i32 };
    let values: Vec<i32> = ids.iter().map(read).collect();
    Tensor::from_data(TensorData::new(values, [rows, ids.len() / rows]), device)
}

#[cfg(test)]
mod tests;
