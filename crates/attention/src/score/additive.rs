//! Additive score (Bahdanau et al. 2015, A.1.2): f(h, g) = vᵀ tanh(W_h h + W_g g + b).
//!
//! Computed as 2 vᵀ σ(2 (W_h h + W_g g + b)) − Σ v, which is the same number: the sigmoid of T·S·A
//! numbers is several times faster than their hyperbolic tangent on the CPU.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use burn::tensor::module::linear;

use crate::{ParamInit, Widths};

/// vᵀ tanh(W_h h + W_g g + b), with hidden width A.
#[derive(Module, Debug)]
pub struct AdditiveScore {
    /// W_h, `[D_h, A]`.
    pub query: Param<Tensor<2>>,
    /// W_g, `[D_g, A]`.
    pub key: Param<Tensor<2>>,
    /// b, `[A]`.
    pub bias: Param<Tensor<1>>,
    /// v, `[A]`.
    pub energy: Param<Tensor<1>>,
}

impl AdditiveScore {
    pub(super) fn init(widths: Widths, hidden: usize, init: &mut ParamInit) -> Self {
        Self {
            query: init.xavier(widths.query, hidden),
            key: init.xavier(widths.keys, hidden),
            bias: init.zeros([hidden]),
            energy: init.uniform([hidden], (6.0 / (hidden + 1) as f64).sqrt()),
        }
    }

    /// 2 (W_g g + b). `[B, H, S, D_g]` → `[B, H, S, A]`
    pub(super) fn prepare(&self, keys: Tensor<4>) -> Tensor<4> {
        linear(keys, self.key.val(), Some(self.bias.val())).mul_scalar(2.0)
    }

    /// # Shapes
    /// - query `[B, H, T, D_h]`, prepared keys `[B, H, S, A]` → `[B, H, T, S]`
    pub(super) fn forward(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        let query = linear(query, self.query.val(), None).mul_scalar(2.0);
        let [b, h, t, a] = query.dims();
        let s = keys.dims()[2];
        let hidden = query.unsqueeze_dim::<5>(3) + keys.unsqueeze_dim::<5>(2); // [B, H, T, S, A]
        let energy = self.energy.val();
        let shift = energy.clone().sum();
        let energy = energy.reshape([a, 1]).mul_scalar(2.0);
        let scores = sigmoid(hidden).reshape([b * h * t * s, a]).matmul(energy);
        scores.reshape([b, h, t, s]) - shift.reshape([1, 1, 1, 1])
    }
}
