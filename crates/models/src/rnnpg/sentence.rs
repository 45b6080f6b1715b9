//! Convolutional sentence model: T⁰ are the embeddings of the line's characters, T^{l+1}_j = σ(Σ_a
//! T^l_{j+a} ∘ C^l_a), until one column is left.

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::module::embedding;
use burn::tensor::{Int, Tensor};
use strata_attention::ParamInit;

/// Number of columns that each layer joins: lines of 5 characters need three layers, of 7 four.
const KERNELS: [usize; 4] = [2, 2, 3, 3];

/// Convolutional sentence model, which maps a line to a vector.
#[derive(Module, Debug)]
pub struct SentenceModel {
    /// Embedding of characters, `[V_source, q]`.
    pub table: Param<Tensor<2>>,
    /// Weights C of each layer, `[n, q]`, shared by lines of both lengths.
    pub convolutions: Vec<Param<Tensor<2>>>,
}

impl SentenceModel {
    pub(super) fn init(vocabulary: usize, width: usize, bound: f64, init: &mut ParamInit) -> Self {
        Self {
            table: init.uniform([vocabulary, width], super::EMBEDDING_BOUND),
            convolutions: KERNELS
                .map(|columns| init.uniform([columns, width], bound))
                .into(),
        }
    }

    /// Computes the vector v of each line.
    ///
    /// # Shapes
    /// - lines `[B, m]` → `[B, q]`
    pub fn forward(&self, lines: Tensor<2, Int>) -> Tensor<2> {
        let mut columns = embedding(self.table.val(), lines); // [B, m, q]
        for layer in &self.convolutions {
            let weights = layer.val(); // [n, q]
            let left = columns.dims()[1] + 1 - weights.dims()[0];
            let met = |at: usize| {
                let weight = weights.clone().narrow(0, at, 1).unsqueeze_dim(0); // [1, 1, q]
                columns.clone().narrow(1, at, left) * weight // [B, left, q]
            };
            let first = met(0);
            columns = sigmoid((1..weights.dims()[0]).fold(first, |sum, at| sum + met(at)));
            if left == 1 {
                break;
            }
        }
        columns.narrow(1, 0, 1).squeeze_dim(1) // [B, q]
    }
}
