//! Summary of a block by a GRU (Cho et al. 2014) over its members, from a zero state.
//!
//! All blocks of a level run in parallel: k sequential steps instead of S.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::{gru, gru_bias, gru_by_steps, gru_keep, linear};

use crate::ParamInit;
use crate::pyramid_level::{Children, Nodes};

/// Summary of blocks by the last state of a GRU. The columns of the gates r, z, n are concatenated.
#[derive(Module, Debug)]
pub struct Rnn {
    /// Weight of the input, `[D, 3·D]`.
    pub input: Param<Tensor<2>>,
    /// Weight of the hidden state, `[D, 3·D]`.
    pub hidden: Param<Tensor<2>>,
    /// Bias of the input's gates, `[3·D]`.
    pub input_bias: Param<Tensor<1>>,
    /// Bias of the hidden state's gates, `[3·D]`.
    pub hidden_bias: Param<Tensor<1>>,
}

impl Rnn {
    pub(super) fn init(width: usize, init: &mut ParamInit) -> Self {
        let bound = 1.0 / (width as f64).sqrt();
        Self {
            input: init.uniform([width, 3 * width], bound),
            hidden: init.uniform([width, 3 * width], bound),
            input_bias: init.uniform([3 * width], bound),
            hidden_bias: init.uniform([3 * width], bound),
        }
    }

    /// Summarises blocks of `block` nodes. `below` has a multiple of `block` nodes.
    pub(super) fn summarise(&self, below: &Nodes, block: usize) -> Nodes {
        let [b, h, n, d] = below.states.dims();
        let blocks = b * h * (n / block);
        // Members at the same place of all blocks form one step of the GRU.
        let members = below.states.clone().reshape([blocks, block, d]); // [B·H·n / k, k, D]
        let gates = linear(
            members.swap_dims(0, 1),
            self.input.val(),
            Some(gru_bias(self.input_bias.val(), self.hidden_bias.val())),
        ); // [k, B·H·n / k, 3·D]
        let gates = match below.mask.visible() {
            None => gates,
            Some(visible) => {
                // At absent members an offset holds the update gate at z = 1, so that h' = h: the
                // block's last state is that of its last real member.
                let visible = visible.expand([b, h, 1, n]);
                let absent = visible.reshape([blocks, block, 1]).neg().add_scalar(1.0); // [B·H·n / k, k, 1]
                let keep = gru_keep(&self.input_bias.val()).reshape([1, 1, 3 * d]);
                gates + absent.swap_dims(0, 1) * keep
            }
        };
        let gates = gates.unsqueeze_dim(1); // [k, 1, B·H·n / k, 3·D]
        let weights = self.hidden.val().unsqueeze(); // [1, D, 3·D]
        let candidate = self.hidden_bias.val().narrow(0, 2 * d, d).unsqueeze(); // [1, 1, D]
        let zeros = Tensor::zeros([1, blocks, d], &below.states.device());
        let states = gru(&gates, &weights, &candidate, &zeros)
            .unwrap_or_else(|| gru_by_steps(&gates, &weights, &candidate, &zeros));
        Nodes::above(
            states.narrow(0, block - 1, 1).reshape([b, h, n / block, d]),
            below.mask.blocks(block),
            Children::blocks(n, block),
        )
    }
}
