//! Summary of a block by a convolution of kernel and stride k, without activation.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::linear;

use crate::ParamInit;
use crate::pyramid_level::{Children, Nodes};

/// Summary of blocks by a convolution of kernel and stride k.
#[derive(Module, Debug)]
pub struct Cnn {
    /// Weight of the convolution, `[k, D, D]`; the first index is the place in the block.
    pub weight: Param<Tensor<3>>,
    /// Bias of the convolution, `[D]`.
    pub bias: Param<Tensor<1>>,
}

impl Cnn {
    pub(super) fn init(width: usize, block: usize, init: &mut ParamInit) -> Self {
        let bound = (6.0 / ((block + 1) * width) as f64).sqrt();
        Self {
            weight: init.uniform([block, width, width], bound),
            bias: init.zeros([width]),
        }
    }

    /// Summarises blocks of `block` nodes. `below` has a multiple of `block` nodes, 0 where absent.
    pub(super) fn summarise(&self, below: &Nodes, block: usize) -> Nodes {
        let [b, h, n, d] = below.states.dims();
        let blocks = below.states.clone().reshape([b, h, n / block, block * d]); // [B, H, n / k, k·D]
        let weight = self.weight.val().reshape([block * d, d]);
        let states = linear(blocks, weight, Some(self.bias.val())); // [B, H, n / k, D]
        Nodes::above(states, below.mask.blocks(block), Children::blocks(n, block))
    }
}
