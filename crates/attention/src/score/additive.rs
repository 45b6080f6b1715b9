//! Additive score (Bahdanau et al. 2015, A.1.2): f(h, g) = vᵀ tanh(W_h h + W_g g + b).
//!
//! Queries and keys are doubled: tanh(x) = 2 σ(2x) − 1, and the sigmoid of T·S·A numbers is several
//! times faster than their hyperbolic tangent.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::{additive_scores, linear};

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
    /// Draws the parameters of a score of hidden width A.
    pub fn init(widths: Widths, hidden: usize, init: &mut ParamInit) -> Self {
        Self {
            query: init.xavier(widths.query, hidden),
            key: init.xavier(widths.keys, hidden),
            bias: init.zeros([hidden]),
            energy: init.uniform([hidden], (6.0 / (hidden + 1) as f64).sqrt()),
        }
    }

    /// 2 (W_g g + b). `[B, H, S, D_g]` → `[B, H, S, A]`
    pub(super) fn prepare(&self, keys: Tensor<4>) -> Tensor<4> {
        linear(keys, twice(&self.key), Some(twice(&self.bias)))
    }

    /// 2 W_h h. `[B, H, T, D_h]` → `[B, H, T, A]`
    pub(super) fn prepare_query(&self, query: Tensor<4>) -> Tensor<4> {
        linear(query, twice(&self.query), None)
    }

    /// W_h h and W_g g + b, whose sum the hyperbolic tangent takes.
    pub(super) fn hidden(&self, query: Tensor<4>, keys: Tensor<4>) -> [Tensor<4>; 2] {
        [
            linear(query, self.query.val(), None),
            linear(keys, self.key.val(), Some(self.bias.val())),
        ]
    }

    /// v ∘ tanh(query + keys), for what [`hidden`](Self::hidden) gives.
    pub(super) fn terms(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        (query + keys).tanh() * self.energy.val().unsqueeze()
    }

    /// W_h, W_g, b and v, `[D_h, A]`, `[D_g, A]`, `[1, A]` and `[1, A]`: for a kernel that prepares queries
    /// and keys itself.
    pub(crate) fn parameters(&self) -> [Tensor<2>; 4] {
        let row = |parameter: &Param<Tensor<1>>| parameter.val().unsqueeze();
        let [bias, energy] = [&self.bias, &self.energy].map(row);
        [self.query.val(), self.key.val(), bias, energy]
    }

    /// # Shapes
    /// - query `[B, H, T, D_h]`, prepared keys `[B, H, S, A]` → `[B, H, T, S]`
    pub(super) fn forward(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        additive_scores(self.prepare_query(query), keys, self.energy.val())
    }
}

/// Doubled parameter: cheaper than doubling the projections of queries and keys.
fn twice<const R: usize>(parameter: &Param<Tensor<R>>) -> Tensor<R> {
    parameter.val().mul_scalar(2.0)
}
