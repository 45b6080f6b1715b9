//! Pooling of a question to one vector (Wang et al. 2017, 3.4): r = Σ_j softmax_j(v·tanh(W u_j +
//! b)) u_j.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;
use strata_attention::{Mask, ParamInit};
use strata_kernels::{apply, linear};

/// Attention pooling, which has no query.
#[derive(Module, Debug)]
pub struct Pooling {
    /// Projection of the keys: weight W `[D, A]` and bias b.
    pub key: Linear,
    /// Energy vector v, `[A]`.
    pub energy: Param<Tensor<1>>,
}

impl Pooling {
    pub(super) fn init(width: usize, hidden: usize, init: &mut ParamInit) -> Self {
        Self {
            key: init.linear(width, hidden),
            energy: init.uniform([hidden], (6.0 / (hidden + 1) as f64).sqrt()),
        }
    }

    pub(super) fn parameters(width: usize, hidden: usize) -> u64 {
        hidden as u64 * (width as u64 + 2)
    }

    /// Computes the pooled question r `[B, D]`, and its weights `[B, 1, 1, Q]`.
    ///
    /// # Shapes
    /// - question `[B, Q, D]`
    pub fn forward(&self, question: Tensor<3>, mask: &Mask) -> (Tensor<2>, Tensor<4>) {
        let hidden = apply(&self.key, question.clone()).tanh(); // [B, Q, A]
        let [a] = self.energy.dims();
        let scores = linear(hidden, self.energy.val().reshape([a, 1]), None); // [B, Q, 1]
        let scores: Tensor<4> = scores.swap_dims(1, 2).unsqueeze_dim(1); // [B, 1, 1, Q]
        let weights = mask.softmax(scores); // [B, 1, 1, Q]
        let found = weights.clone().matmul(question.unsqueeze_dim(1)); // [B, 1, 1, D]
        (found.squeeze_dims(&[1, 2]), weights)
    }
}
