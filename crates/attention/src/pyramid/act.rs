//! Blocks whose borders are learned, by adaptive computation time (after Graves 2016).
//!
//! Member t halts with p_t = 1/k + (1 − 1/k)·σ(u·h_t + b); c_t = Σ_{u≤t} p_u. It belongs to block j
//! with weight m_jt = max(0, min(c_t, j+1) − max(c_{t−1}, j)), and the node is the mean of the
//! members by these weights. So a block has at most k + 1 members, a member may straddle two
//! blocks, and all is differentiable in p and computed by cumulative sums, without a loop.

use burn::module::{Module, Param};
use burn::tensor::activation::{relu, sigmoid};
use burn::tensor::{IndexingUpdateOp, Int, Tensor};
use strata_kernels::attention::{MASKED_SCORE, learned_blocks};

use crate::ParamInit;
use crate::host;
use crate::product::product;
use crate::pyramid_level::{Children, Nodes, Windows, starts, windows};

/// Smallest mass of a block that counts as a node: a remainder by rounding must not become a node.
const SMALLEST_MASS: f32 = 1e-4;

/// Summary of blocks of learned size: the mean of the members.
#[derive(Module, Debug)]
pub struct Act {
    /// Weight of the halting probability, u, `[D]`.
    pub weight: Param<Tensor<1>>,
    /// Bias of the halting probability, b, `[1]`.
    pub bias: Param<Tensor<1>>,
}

impl Act {
    /// Draws u and sets b = −3, so that a block begins with nearly k members, as many as the blocks
    /// of the other summaries.
    pub(super) fn init(width: usize, init: &mut ParamInit) -> Self {
        Self {
            weight: init.uniform([width], 1.0 / (width as f64).sqrt()),
            bias: init.full([1], -3.0),
        }
    }

    pub(super) fn summarise(&self, below: &Nodes, block: usize) -> Nodes {
        let (halting, real_members) = self.halting(below, block); // p, [B, H, S, 1]
        if let Some(blocks) = learned_blocks(&below.states, &halting, block, SMALLEST_MASS) {
            return Nodes {
                states: blocks.nodes,
                mask: below.mask.of_summaries(blocks.mask),
                children: Children::Windows(Windows {
                    table: blocks.windows,
                    halting,
                    real_members,
                }),
            };
        }
        // Without a kernel: gather the members of every block, then average them with weights m.
        let [b, h, members, d] = below.states.dims();
        let device = below.states.device();
        let ends = halting.clone().swap_dims(2, 3).cumsum(3); // c_t, [B, H, 1, S]
        let begins = {
            let first = Tensor::zeros([b, h, 1, 1], &device);
            Tensor::cat(vec![first, ends.clone()], 3).narrow(3, 0, members) // c_{t−1}
        };
        let blocks = count_blocks(&ends, members);
        let first = first_members(ends.clone().detach(), blocks); // [B, H, n, 1]
        // Every member halts with p ≥ 1/k, so that k + 1 members from the first one on cover a
        // block.
        let (window, behind) = windows(first.clone(), block + 1, members); // [B, H, n, k + 1]
        // Members behind the last node repeat it (see `windows`) and must not count twice.
        let inside = behind.bool_not().float();
        let rows =
            (window + starts([b, h], members, &device)).reshape([b * h * blocks * (block + 1)]);
        // c_t or c_{t−1} of the members of each block.
        let take = |of: Tensor<4>| {
            of.reshape([b * h * members, 1])
                .select(0, rows.clone())
                .reshape([b, h, blocks, block + 1])
        };
        let number = Tensor::<1, Int>::arange(0..blocks as i64, &device)
            .float()
            .reshape([1, 1, blocks, 1]); // j
        // m = max(0, 1 − left − before), where left = max(0, j + 1 − c_t) is what is left of block
        // j's unit mass at the end of member t, and before = max(0, c_{t−1} − j) what was used up
        // before the member. (Written with rectifiers: burn 0.22's clamps make NaN of this on
        // WebGPU.)
        let left = relu((take(ends) - number.clone()).neg() + 1.0);
        let before = relu(take(begins) - number);
        let mass = relu(left.neg() + 1.0 - before) * inside; // m, [B, H, n, k + 1]

        // Node = Σ m · member / Σ m. A block of vanishing mass is masked; its divisor grows by 1,
        // so that nothing is divided by 0.
        let whole = mass.clone().sum_dim(3); // [B, H, n, 1]
        let nowhere = whole.clone().lower_equal_elem(SMALLEST_MASS).float();
        let hidden = nowhere.clone().swap_dims(2, 3).mul_scalar(MASKED_SCORE); // [B, H, 1, n]
        let mask = below.mask.of_summaries(hidden);
        let states = below.states.clone().reshape([b * h * members, d]); // [B·H·S, D]
        let states = states
            .select(0, rows)
            .reshape([b * h * blocks, 1, block + 1, d]); // [B·H·n, 1, k + 1, D]
        let rows = mass.clone().reshape([b * h * blocks, 1, 1, block + 1]); // [B·H·n, 1, 1, k + 1]
        let sums = product(rows, states); // [B·H·n, 1, 1, D]
        let states = sums.reshape([b, h, blocks, d]) / (whole + nowhere); // [B, H, n, D]

        // log m is added to the scores of members, which makes their softmax weights proportional
        // to m.
        let none = mass.clone().lower_equal_elem(0.0).float();
        let log_mass = (mass + none.clone()).log() + none.mul_scalar(MASKED_SCORE);
        let children = Children::Windows(Windows {
            table: Tensor::cat(vec![first.float(), log_mass], 3), // [B, H, n, k + 2]
            halting,
            real_members,
        });
        Nodes::above(states, mask, children)
    }

    /// Halting probabilities p of the nodes `below`, 0 where there is no node, and the number of
    /// nodes.
    fn halting(&self, below: &Nodes, block: usize) -> (Tensor<4>, Tensor<1>) {
        let [b, h, members, d] = below.states.dims();
        let weight = self.weight.val().reshape([1, 1, 1, d]);
        let energy =
            (below.states.clone() * weight).sum_dim(3) + self.bias.val().reshape([1, 1, 1, 1]);
        let least = 1.0 / block as f64;
        let halting = sigmoid(energy).mul_scalar(1.0 - least).add_scalar(least);
        match below.mask.visible() {
            Some(visible) => {
                let visible = visible.swap_dims(2, 3).expand([b, h, members, 1]); // [B, H, S, 1]
                (halting * visible.clone(), visible.sum())
            }
            None => {
                let count = Tensor::full([1], (b * h * members) as f32, &halting.device());
                (halting, count)
            }
        }
    }
}

/// Index of the first member of each block j, `[B, H, n, 1]`, from cumulated probabilities c
/// `[B, H, 1, S]`: the first member comes after all that end at or before j.
fn first_members(ends: Tensor<4>, blocks: usize) -> Tensor<4, Int> {
    let [b, h, _, members] = ends.dims();
    let device = ends.device();
    if !host::is_host(&device) {
        // On a GPU one operation of S · n comparisons is quicker than several small ones in
        // sequence.
        let number = Tensor::<1, Int>::arange(0..blocks as i64, &device).float();
        let number = number.reshape([1, 1, blocks, 1]);
        return ends.lower_equal(number).int().sum_dim(3); // [B, H, n, S] → [B, H, n, 1]
    }
    // A member comes before block j if c_t ≤ j, that is ⌈c_t⌉ ≤ j: count members by ⌈c_t⌉ and sum
    // up to j.
    let passed = ends.ceil().int().clamp_max(blocks as i64); // [B, H, 1, S]
    let none = Tensor::<4, Int>::zeros([b, h, 1, blocks + 1], &device);
    let ones = Tensor::ones([b, h, 1, members], &device);
    let ended = none.scatter(3, passed, ones, IndexingUpdateOp::Add); // [B, H, 1, n + 1]
    ended.cumsum(3).narrow(3, 0, blocks).swap_dims(2, 3) // [B, H, n, 1]
}

/// Number of blocks of the longest item, from c `[B, H, 1, S]`. Every member could be a block, but
/// most levels are far smaller: the number is read from the device where that is possible.
fn count_blocks(ends: &Tensor<4>, members: usize) -> usize {
    let longest = || ends.clone().narrow(3, members - 1, 1).max();
    match host::read(&ends.device(), longest) {
        Some(longest) => ((longest - SMALLEST_MASS).ceil().max(1.0) as usize).min(members),
        None => members,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Tolerance};
    use strata_kernels::naive;

    use super::*;
    use crate::Mask;

    #[test]
    fn nodes_are_those_of_the_formula() {
        let device = Device::flex();
        let init = &mut ParamInit::new(3, &device);
        let act = Act::init(6, init);
        for (members, block) in [(1, 2), (9, 3), (20, 2)] {
            let states = init.uniform([2, 1, members, 6], 1.0).val();
            let below = Nodes::leaves(states.clone(), Mask::none());
            let (halting, _) = act.halting(&below, block);
            let found = act.summarise(&below, block).states; // [B, H, n, D]
            let blocks = found.dims()[2];
            let (nodes, _) = naive::learned_blocks(states, halting, SMALLEST_MASS.into());
            let expected = nodes.narrow(2, 0, blocks).into_data();
            let near = Tolerance::<f32>::rel_abs(1e-4, 1e-4);
            found.into_data().assert_approx_eq(&expected, near);
        }
    }
}
