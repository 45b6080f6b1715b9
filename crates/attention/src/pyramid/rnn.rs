//! A block becomes a node by a GRU (Cho et al. 2014) over its members, from a zero state.
//!
//! All blocks of a level run at once: k steps one after the other, not S.

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use burn::tensor::module::linear;

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
        let blocks = n / block;
        let gates = linear(
            below.states.clone(),
            self.input.val(),
            Some(self.input_bias.val()),
        );
        let gates = gates.reshape([b * h, blocks, block, 3 * d]);
        let present = below.mask.visible().map(|visible| {
            let [items, heads, _, _] = visible.dims();
            let visible = visible.expand([items, heads, 1, n]);
            visible
                .expand([b, h, 1, n])
                .reshape([b * h, blocks, block, 1])
        });
        let mut state: Option<Tensor<3>> = None;
        for member in 0..block {
            let input = gates.clone().narrow(2, member, 1).squeeze_dim(2);
            let next = self.step(input, state.clone());
            // An absent member leaves the state as it is: the last real one's stands.
            state = Some(match (&present, state) {
                (Some(present), Some(state)) => {
                    let here = present.clone().narrow(2, member, 1).squeeze_dim(2);
                    state.clone() + here * (next - state)
                }
                _ => next,
            });
        }
        let state = state.expect("a block has members");
        Nodes::above(
            state.reshape([b, h, blocks, d]),
            below.mask.blocks(block),
            Children::blocks(n, block),
        )
    }

    /// r, z = σ(x + U h); n = tanh(x + r ∘ (U h + b)); h' = n + z ∘ (h − n), x with its bias.
    ///
    /// # Shapes
    /// - input `[B, n, 3·D]`, state `[B, n, D]` (0 if absent) → `[B, n, D]`
    fn step(&self, input: Tensor<3>, state: Option<Tensor<3>>) -> Tensor<3> {
        let d = input.dims()[2] / 3;
        let bias = self.hidden_bias.val();
        let past = match &state {
            Some(state) => linear(state.clone(), self.hidden.val(), Some(bias)),
            None => bias.reshape([1, 1, 3 * d]),
        };
        let gates = input.clone().narrow(2, 0, 2 * d) + past.clone().narrow(2, 0, 2 * d);
        let gates = sigmoid(gates);
        let (reset, update) = (gates.clone().narrow(2, 0, d), gates.narrow(2, d, d));
        let candidate = (input.narrow(2, 2 * d, d) + reset * past.narrow(2, 2 * d, d)).tanh();
        match state {
            Some(state) => candidate.clone() + update * (state - candidate),
            None => candidate.clone() - update * candidate,
        }
    }
}
