//! A block becomes a node by a GRU (Cho et al. 2014) over its members, from a zero state.
//!
//! All blocks of a level run at once: k steps one after the other, not S.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use strata_kernels::{gru, gru_bias, gru_by_steps, gru_keep, linear};

use super::level::{Children, Nodes};
use crate::ParamInit;

/// The last state of a GRU over the block. Gates r, z, n side by side in the columns.
#[derive(Module, Debug)]
pub struct Rnn {
    /// `[D, 3·D]`
    pub input: Param<Tensor<2>>,
    /// `[D, 3·D]`
    pub hidden: Param<Tensor<2>>,
    /// `[3·D]`
    pub input_bias: Param<Tensor<1>>,
    /// `[3·D]`
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

    /// `below` has a multiple of `block` nodes.
    pub(super) fn summarise(&self, below: &Nodes, block: usize) -> Nodes {
        let [b, h, n, d] = below.states.dims();
        let blocks = b * h * (n / block);
        // What has the same place in all blocks is one step.
        let members = below.states.clone().reshape([blocks, block, d]);
        let gates = linear(
            members.swap_dims(0, 1),
            self.input.val(),
            Some(gru_bias(self.input_bias.val(), self.hidden_bias.val())),
        ); // [k, B·H·n / k, 3·D]
        let gates = match below.mask.visible() {
            None => gates,
            Some(visible) => {
                // An absent member leaves the state as it is: the last real one's stands.
                let visible = visible.expand([b, h, 1, n]);
                let absent = visible.reshape([blocks, block, 1]).neg().add_scalar(1.0);
                let keep = gru_keep(&self.input_bias.val()).reshape([1, 1, 3 * d]);
                gates + absent.swap_dims(0, 1) * keep
            }
        };
        let gates = gates.unsqueeze_dim(1);
        let weights = self.hidden.val().unsqueeze();
        let candidate = self.hidden_bias.val().narrow(0, 2 * d, d).unsqueeze();
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
