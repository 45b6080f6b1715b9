//! Layout of the path that a query leaves on a GPU for the backward pass.
//!
//! All numbers that a query leaves for the backward pass are floats in two tensors, one row per
//! query, so that each kernel binds few buffers (a browser allows few). E = `Plan::entries` is the
//! largest number of nodes that a query reaches, O = `Plan::opened` of nodes that it opens.
//!
//! A row of `paths` `[B, H, T, 2 E + 2 O]`, with its offsets in [`Path`]:
//!
//! | offset | length | holds |
//! |---|---|---|
//! | `weights` | E | weight of each reached node; −(i + 1) if the node is the i-th opened one of its stage |
//! | `nodes` | E | index of each reached node among the nodes of all levels |
//! | `opened_weights` | O | weight of each opened node |
//! | `opened_nodes` | O | index of each opened node |
//!
//! A row of `slopes` `[B, H, T, E + O]`, with its offsets in [`Slopes`]:
//!
//! | offset | length | holds |
//! |---|---|---|
//! | `scores` | E | gradient of the score of each reached node |
//! | `gains` | O | gain ḡ of each opened node |
//!
//! Entries (0 to E − 1) are ordered by stage, stage 0 is the top. A stage consists of groups of
//! siblings: stage 0 has one group, the whole top level; each later stage has a group of `block`
//! children for each node that the stage before opened, from entry top + (stage − 1) · beam · block
//! on. Slots (0 to O − 1) of opened nodes are ordered alike, from stage · beam on. An index of a
//! node is exact as a float, since there are fewer than 2²⁴ nodes (`MOST_NODES`).

use burn_cubecl::cubecl::{self, prelude::*};

/// Sizes of a pyramid, as in [`Plan`](crate::attention::Plan).
#[derive(CubeType, CubeLaunch, Clone, Copy)]
pub struct Pyramid {
    /// Number of places for leaves.
    pub leaves: usize,
    /// Number of levels, L.
    pub levels: usize,
    /// Largest number of children of a node.
    pub block: usize,
    /// Largest number of nodes that a query opens on each level.
    pub beam: usize,
}

/// Head of an item of the batch.
#[derive(CubeType, Clone, Copy)]
pub struct Head {
    pub item: usize,
    pub head: usize,
}

/// Offsets of a query's row in `paths` (see the module).
#[derive(CubeType, Clone, Copy)]
pub struct Path {
    pub weights: usize,
    pub nodes: usize,
    pub opened_weights: usize,
    pub opened_nodes: usize,
}

/// Offsets of a query's row in `slopes` (see the module).
#[derive(CubeType, Clone, Copy)]
pub struct Slopes {
    pub scores: usize,
    pub gains: usize,
}

/// Returns the index of a level's first node and the number of nodes in the level.
#[cube]
pub fn level_at(level: usize, pyramid: &Pyramid, #[comptime] learned: bool) -> (usize, usize) {
    let mut begin = 0usize.runtime();
    let mut places = pyramid.leaves;
    for upper in 1..level + 1 {
        begin += places;
        if !learned {
            places /= pyramid.block;
            if upper + 1 < pyramid.levels {
                places = (places + pyramid.block - 1) / pyramid.block * pyramid.block;
            }
        }
    }
    (begin, places)
}

/// Largest number of nodes that a query reaches, E, given the number of nodes of the top level.
#[cube]
fn entries(pyramid: &Pyramid, top: usize) -> usize {
    top + (pyramid.levels - 1) * pyramid.beam * pyramid.block
}

/// Offsets of a row of `paths`, which begins at `start`.
#[cube]
pub fn path_at(start: usize, pyramid: &Pyramid, top: usize) -> Path {
    let entries = entries(pyramid, top);
    let opened_weights = start + 2 * entries;
    Path {
        weights: start,
        nodes: start + entries,
        opened_weights,
        opened_nodes: opened_weights + (pyramid.levels - 1) * pyramid.beam,
    }
}

/// Offsets of a row of `slopes`, which begins at `start`.
#[cube]
pub fn slopes_at(start: usize, pyramid: &Pyramid, top: usize) -> Slopes {
    Slopes {
        scores: start,
        gains: start + entries(pyramid, top),
    }
}

/// Returns the groups of a stage, given the number of nodes of the top level: the entry of the
/// first node, the number of groups, and the number of nodes in each group.
#[cube]
pub fn stage_at(stage: usize, pyramid: &Pyramid, top: usize) -> (usize, usize, usize) {
    let mut from = 0usize.runtime();
    let mut groups = 1usize.runtime();
    let mut size = top;
    if stage > 0 {
        from = top + (stage - 1) * pyramid.beam * pyramid.block;
        groups = opened_at(stage - 1, pyramid, top);
        size = pyramid.block;
    }
    (from, groups, size)
}

/// Number of nodes that a query opens at a stage.
#[cube]
pub fn opened_at(stage: usize, pyramid: &Pyramid, top: usize) -> usize {
    let mut opened = usize::min(pyramid.beam, top);
    for _ in 0..stage {
        opened = usize::min(pyramid.beam, opened * pyramid.block);
    }
    opened
}

/// Converts an index or count that is stored as a float.
#[cube]
pub fn count(number: f32) -> usize {
    u32::cast_from(number) as usize
}

/// Offset of a node's row of `windows`, which have rows for the nodes above the leaves. Column 0 of a
/// row is the index of the node's first child in the level below, the other columns are the biases of
/// the children's scores.
#[cube]
pub fn window_of(windows: &Tensor<f32>, item: usize, head: usize, row: usize) -> usize {
    item * windows.stride(0) + head * windows.stride(1) + row * windows.stride(2)
}
