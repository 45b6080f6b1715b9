//! Trilinear score (Seo et al. 2017, 2.4): f(h, g) = w · [h; g; h ∘ g].

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::linear;

use crate::product::product;
use crate::{ParamInit, Widths};

/// Trilinear score w_h·h + w_g·g + w_m·(h ∘ g).
#[derive(Module, Debug)]
pub struct TrilinearScore {
    /// Weight of the query, w_h, `[D]`.
    pub query: Param<Tensor<1>>,
    /// Weight of the key, w_g, `[D]`.
    pub key: Param<Tensor<1>>,
    /// Weight of the product, w_m, `[D]`.
    pub product: Param<Tensor<1>>,
}

impl TrilinearScore {
    pub(super) fn init(widths: Widths, init: &mut ParamInit) -> Self {
        // Bound of Glorot and Bengio for the paper's w, one matrix of 3·D rows and one column.
        let bound = (6.0 / (3 * widths.query + 1) as f64).sqrt();
        let mut weight = |width| init.uniform([width], bound);
        Self {
            query: weight(widths.query),
            key: weight(widths.keys),
            product: weight(widths.query),
        }
    }

    /// Computes h ∘ w_m + w_g, whose product with a key is the score without w_h·h. The term w_h·h
    /// is the same for all keys of a query and cancels in the softmax over them.
    pub(super) fn prepare_query(&self, query: Tensor<4>) -> Tensor<4> {
        query * self.product.val().unsqueeze() + self.key.val().unsqueeze()
    }

    /// Computes the scores without the term w_h·h.
    ///
    /// # Shapes
    /// - as in [`forward`](Self::forward)
    pub(super) fn relative(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        product(self.prepare_query(query), keys.swap_dims(2, 3)) // [B, H, T, S]
    }

    /// Computes the score of every query and key.
    ///
    /// # Shapes
    /// - query `[B, H, T, D]`, keys `[B, H, S, D]` → `[B, H, T, S]`
    pub(super) fn forward(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        let width = query.dims()[3];
        let of_query = self.query.val().reshape([width, 1]);
        let own = linear(query.clone(), of_query, None); // [B, H, T, 1]
        self.relative(query, keys) + own
    }
}
