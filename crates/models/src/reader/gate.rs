//! Gate before a recurrent layer of R-NET (Wang et al. 2017, 3.2): z := σ(W z) ∘ z.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use strata_attention::ParamInit;
use strata_kernels::linear;

/// Gate σ(W z) ∘ z, without a bias.
#[derive(Module, Debug)]
pub struct Gate {
    /// Weight W, `[Z, Z]`.
    pub weight: Param<Tensor<2>>,
}

impl Gate {
    pub(super) fn init(width: usize, init: &mut ParamInit) -> Self {
        Self {
            weight: init.xavier(width, width),
        }
    }

    /// Applies the gate: `[B, P, Z]` → `[B, P, Z]`.
    pub(super) fn forward(&self, z: Tensor<3>) -> Tensor<3> {
        sigmoid(linear(z.clone(), self.weight.val(), None)) * z
    }
}
