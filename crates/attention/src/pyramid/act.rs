//! Blocks whose borders are learned, by adaptive computation time (after Graves 2016).
//!
//! Member t halts with p_t = 1/k + (1 − 1/k)·σ(u·h_t + b); c_t = Σ_{u≤t} p_u. It belongs to block
//! j with weight m_jt = max(0, min(c_t, j+1) − max(c_{t−1}, j)), and the node is the mean of the
//! members by these weights. So a block has at most k + 1 members, a member may straddle two
//! blocks, and all is differentiable in p and comes of cumulative sums, without a loop.

use burn::module::{Module, Param};
use burn::tensor::activation::{relu, sigmoid};
use burn::tensor::{IndexingUpdateOp, Int, Tensor};
use strata_kernels::attention::{MASKED_SCORE, learned_blocks};

use super::level::{Children, Nodes, Windows, starts, windows};
use crate::ParamInit;
use crate::host;
use crate::product::product;

/// A block of a smaller mass is no node: rounding must not make one.
const SMALLEST_MASS: f32 = 1e-4;

/// The mean of a block whose size is learned.
#[derive(Module, Debug)]
pub struct Act {
    /// u, `[D]`
    pub weight: Param<Tensor<1>>,
    /// b, `[1]`
    pub bias: Param<Tensor<1>>,
}

impl Act {
    /// Blocks begin long: with b = −3 a block has nearly k members, as those of the other
    /// summaries.
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
                mask: below.mask.of_summaries(blocks.hidden),
                children: Children::Windows(Windows {
                    table: blocks.windows,
                    halting,
                    real_members,
                }),
            };
        }
        let [b, h, members, d] = below.states.dims();
        let device = below.states.device();
        let ends = halting.clone().swap_dims(2, 3).cumsum(3); // c_t, [B, H, 1, S]
        let begins = {
            let first = Tensor::zeros([b, h, 1, 1], &device);
            Tensor::cat(vec![first, ends.clone()], 3).narrow(3, 0, members) // c_{t−1}
        };
        let blocks = count_blocks(&ends, members);
        let first = first_members(ends.clone().detach(), blocks);
        let (window, behind) = windows(first.clone(), block + 1, members);
        let inside = behind.bool_not().float();
        let rows =
            (window + starts([b, h], members, &device)).reshape([b * h * blocks * (block + 1)]);
        let take = |of: Tensor<4>| {
            of.reshape([b * h * members, 1])
                .select(0, rows.clone())
                .reshape([b, h, blocks, block + 1])
        };
        let number = Tensor::<1, Int>::arange(0..blocks as i64, &device)
            .float()
            .reshape([1, 1, blocks, 1]);
        // Of the block's unit, how much is left at the member's end, and was before it began. (As
        // rectifiers: burn 0.22's clamps make NaN of this on WebGPU.)
        let left = relu((take(ends) - number.clone()).neg() + 1.0);
        let before = relu(take(begins) - number);
        let mass = relu(left.neg() + 1.0 - before) * inside; // m, [B, H, n, k + 1]

        let whole = mass.clone().sum_dim(3);
        let nowhere = whole.clone().lower_equal_elem(SMALLEST_MASS).float();
        let hidden = nowhere.clone().swap_dims(2, 3).mul_scalar(MASKED_SCORE);
        let mask = below.mask.of_summaries(hidden);
        let states = below.states.clone().reshape([b * h * members, d]);
        let states = states
            .select(0, rows)
            .reshape([b * h * blocks, 1, block + 1, d]);
        let rows = mass.clone().reshape([b * h * blocks, 1, 1, block + 1]);
        let sums = product(rows, states);
        let states = sums.reshape([b, h, blocks, d]) / (whole + nowhere);

        let none = mass.clone().lower_equal_elem(0.0).float();
        let log_mass = (mass + none.clone()).log() + none.mul_scalar(MASKED_SCORE);
        let children = Children::Windows(Windows {
            table: Tensor::cat(vec![first.float(), log_mass], 3),
            halting,
            real_members,
        });
        Nodes::above(states, mask, children)
    }

    /// p, 0 where there is no member, and how many members there are.
    fn halting(&self, below: &Nodes, block: usize) -> (Tensor<4>, Tensor<1>) {
        let [b, h, members, d] = below.states.dims();
        let weight = self.weight.val().reshape([1, 1, 1, d]);
        let energy =
            (below.states.clone() * weight).sum_dim(3) + self.bias.val().reshape([1, 1, 1, 1]);
        let least = 1.0 / block as f64;
        let halting = sigmoid(energy).mul_scalar(1.0 - least).add_scalar(least);
        match below.mask.visible() {
            Some(visible) => {
                let visible = visible.swap_dims(2, 3).expand([b, h, members, 1]);
                (halting * visible.clone(), visible.sum())
            }
            None => {
                let count = Tensor::full([1], (b * h * members) as f32, &halting.device());
                (halting, count)
            }
        }
    }
}

/// The first member of each block j, `[B, H, n, 1]`, of c `[B, H, 1, S]`: it comes after all that
/// end at or before j.
fn first_members(ends: Tensor<4>, blocks: usize) -> Tensor<4, Int> {
    let [b, h, _, members] = ends.dims();
    let device = ends.device();
    if !host::is_host(&device) {
        // S · n comparisons at once are quicker there than few steps one after the other.
        let number = Tensor::<1, Int>::arange(0..blocks as i64, &device).float();
        let number = number.reshape([1, 1, blocks, 1]);
        return ends.lower_equal(number).int().sum_dim(3);
    }
    // Counted by ⌈c_t⌉.
    let passed = ends.ceil().int().clamp_max(blocks as i64);
    let none = Tensor::<4, Int>::zeros([b, h, 1, blocks + 1], &device);
    let ones = Tensor::ones([b, h, 1, members], &device);
    let ended = none.scatter(3, passed, ones, IndexingUpdateOp::Add);
    ended.cumsum(3).narrow(3, 0, blocks).swap_dims(2, 3)
}

/// Number of blocks of the longest item, from c `[B, H, 1, S]`. Every member could be a
/// block, but most levels are far smaller: where the number can be read, it is.
fn count_blocks(ends: &Tensor<4>, members: usize) -> usize {
    let longest = || ends.clone().narrow(3, members - 1, 1).max();
    match host::read(&ends.device(), longest) {
        Some(longest) => ((longest - SMALLEST_MASS).ceil().max(1.0) as usize).min(members),
        None => members,
    }
}
