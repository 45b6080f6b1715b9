//! Recurrent context model: h_i = σ([v_i; h_{i−1}] M), and u_i^j = σ(h_i U_j) for place j of the
//! next line.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use strata_attention::ParamInit;

use super::LENGTHS;

/// Recurrent context model over all lines so far.
#[derive(Module, Debug)]
pub struct ContextModel {
    /// Weight M, `[2q, q]`; the rows of v come first.
    pub merge: Param<Tensor<2>>,
    /// Weights U for lines of 5 and for lines of 7 characters, `[m, q, q]`.
    pub places: Vec<Param<Tensor<3>>>,
}

impl ContextModel {
    pub(super) fn init(width: usize, init: &mut ParamInit) -> Self {
        let glorot = (6.0 / (2 * width) as f64).sqrt();
        Self {
            merge: init.xavier(2 * width, width),
            places: LENGTHS
                .map(|length| init.uniform([length, width, width], glorot))
                .into(),
        }
    }

    /// Adds one more line to the context.
    ///
    /// # Shapes
    /// - sentence v, context h `[B, q]` → `[B, q]`
    pub fn forward(&self, sentence: Tensor<2>, context: Tensor<2>) -> Tensor<2> {
        sigmoid(Tensor::cat(vec![sentence, context], 1).matmul(self.merge.val())) // [B, 2q] → [B, q]
    }

    /// Computes the vectors that the places of a line of `length` characters read.
    ///
    /// # Shapes
    /// - context h `[B, q]` → u `[B, m, q]`
    pub fn conditions(&self, context: Tensor<2>, length: usize) -> Tensor<3> {
        let of_length = usize::from(length == LENGTHS[1]);
        let places = self.places[of_length].val(); // [m, q, q]
        let conditions = context.unsqueeze_dim::<3>(0).matmul(places); // [m, B, q]
        sigmoid(conditions.swap_dims(0, 1)) // [B, m, q]
    }
}
