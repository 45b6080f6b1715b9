//! Additive score (Bahdanau et al. 2015, A.1.2): f(h, g) = vᵀ tanh(W_h h + W_g g + b).
//!
//! Prepared queries and keys are doubled, since tanh(x) = 2 σ(2x) − 1 and the sigmoid of T·S·A
//! numbers is several times faster than their hyperbolic tangent.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::{additive_scores, linear};

use crate::{ParamInit, Widths};

/// Additive score vᵀ tanh(W_h h + W_g g + b), with hidden width A.
#[derive(Module, Debug)]
pub struct AdditiveScore {
    /// Weight of the query, W_h, `[D_h, A]`.
    pub query: Param<Tensor<2>>,
    /// Weight of the key, W_g, `[D_g, A]`.
    pub key: Param<Tensor<2>>,
    /// Bias b, `[A]`.
    pub bias: Param<Tensor<1>>,
    /// Energy vector v, `[A]`.
    pub energy: Param<Tensor<1>>,
}

impl AdditiveScore {
    /// Draws the parameters of an additive score of hidden width A.
    pub fn init(widths: Widths, hidden: usize, init: &mut ParamInit) -> Self {
        Self {
            query: init.xavier(widths.query, hidden),
            key: init.xavier(widths.keys, hidden),
            bias: init.zeros([hidden]),
            energy: init.uniform([hidden], (6.0 / (hidden + 1) as f64).sqrt()),
        }
    }

    /// Computes 2 (W_g g + b): keys `[B, H, S, D_g]` → `[B, H, S, A]`
    pub(super) fn prepare(&self, keys: Tensor<4>) -> Tensor<4> {
        linear(keys, twice(&self.key), Some(twice(&self.bias)))
    }

    /// Computes 2 W_h h: queries `[B, H, T, D_h]` → `[B, H, T, A]`
    pub(super) fn prepare_query(&self, query: Tensor<4>) -> Tensor<4> {
        linear(query, twice(&self.query), None)
    }

    /// Computes W_h h and W_g g + b, whose sum enters the hyperbolic tangent.
    pub(super) fn hidden(&self, query: Tensor<4>, keys: Tensor<4>) -> [Tensor<4>; 2] {
        [
            linear(query, self.query.val(), None),
            linear(keys, self.key.val(), Some(self.bias.val())),
        ]
    }

    /// Computes v ∘ tanh(query + keys), for the two results of [`hidden`](Self::hidden).
    pub(super) fn terms(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        (query + keys).tanh() * self.energy.val().unsqueeze()
    }

    /// Parameters W_h, W_g, b and v as `[D_h, A]`, `[D_g, A]`, `[1, A]` and `[1, A]`, for a kernel
    /// that prepares queries and keys itself.
    pub(crate) fn parameters(&self) -> [Tensor<2>; 4] {
        let row = |parameter: &Param<Tensor<1>>| parameter.val().unsqueeze();
        let [bias, energy] = [&self.bias, &self.energy].map(row);
        [self.query.val(), self.key.val(), bias, energy]
    }

    /// Computes the score of every query and key.
    ///
    /// # Shapes
    /// - query `[B, H, T, D_h]`, prepared keys `[B, H, S, A]` → `[B, H, T, S]`
    pub(super) fn forward(&self, query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
        additive_scores(self.prepare_query(query), keys, self.energy.val())
    }
}

/// Doubles a parameter: cheaper than doubling the projected queries and keys.
fn twice<const R: usize>(parameter: &Param<Tensor<R>>) -> Tensor<R> {
    parameter.val().mul_scalar(2.0)
}
