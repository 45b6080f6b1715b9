//! Bilinear score (Luong et al. 2015, "general"): f(h, g) = hᵀ W g.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::linear;

use crate::product::product;
use crate::{ParamInit, Widths};

/// Bilinear score hᵀ W g.
#[derive(Module, Debug)]
pub struct BilinearScore {
    /// Weight W, `[D_h, D_g]`.
    pub weight: Param<Tensor<2>>,
}

impl BilinearScore {
    pub(super) fn init(widths: Widths, init: &mut ParamInit) -> Self {
        Self {
            weight: init.xavier(widths.query, widths.keys),
        }
    }

    /// Computes hᵀ W: queries `[B, H, T, D_h]` → `[B, H, T, D_g]`
    pub(super) fn prepare_query(&self, query: Tensor<4>) -> Tensor<4> {
        linear(query, self.weight.val(), None)
    }

    /// Computes the score of every query and key.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]`, keys `[B, H, S, D_g]` → `[B, H, T, S]`
    pub(super) fn forward(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        product(self.prepare_query(query), keys.swap_dims(2, 3)) // [B, H, T, S]
    }
}
