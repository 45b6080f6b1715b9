//! Layer normalisation (Ba et al. 2016) with its parameters.

use burn::module::{Module, Param};
use burn::nn::Initializer;
use burn::tensor::{Device, Tensor};
use strata_kernels::layer_norm;

/// LayerNorm, (x − μ) / √(σ² + ε) · γ + β over the last axis.
#[derive(Module, Debug)]
pub struct LayerNorm {
    /// Gain γ, `[D]`.
    pub gamma: Param<Tensor<1>>,
    /// Shift β, `[D]`.
    pub beta: Param<Tensor<1>>,
    #[module(skip)]
    epsilon: f64,
}

impl LayerNorm {
    /// Creates a norm with γ = 1 and β = 0.
    pub fn new(width: usize, epsilon: f64, device: &Device) -> Self {
        Self {
            gamma: Initializer::Ones.init([width], device),
            beta: Initializer::Zeros.init([width], device),
            epsilon,
        }
    }

    /// Normalises the last axis.
    ///
    /// # Shapes
    /// - x `[B, T, D]` → `[B, T, D]`
    pub(crate) fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        layer_norm(x, self.gamma.val(), self.beta.val(), self.epsilon)
    }
}
