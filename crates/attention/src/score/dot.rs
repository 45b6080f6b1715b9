//! Dot product, plain (Luong et al. 2015) and scaled (Vaswani et al. 2017, 3.2.1).

use burn::module::Module;
use burn::tensor::Tensor;

use crate::product::product;

/// Dot product hᵀg, divided by √D if `scaled`.
#[derive(Module, Debug)]
pub struct DotScore {
    #[module(skip)]
    pub(super) scaled: bool,
}

impl DotScore {
    /// Factor of the dot product: 1/√`width` if scaled, otherwise 1.
    pub(crate) fn scale(&self, width: usize) -> f64 {
        if self.scaled {
            1.0 / (width as f64).sqrt()
        } else {
            1.0
        }
    }

    /// Computes the score of every query and key.
    ///
    /// # Shapes
    /// - query `[B, H, T, D]`, keys `[B, H, S, D]` → `[B, H, T, S]`
    pub(crate) fn forward(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        let query = if self.scaled {
            // Scaling the query costs T·D, scaling the scores T·S.
            let scale = self.scale(query.dims()[3]);
            query.mul_scalar(scale)
        } else {
            query
        };
        product(query, keys.swap_dims(2, 3)) // [B, H, T, S]
    }
}
