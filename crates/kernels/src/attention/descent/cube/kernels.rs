//! Kernels of the descent on a GPU.

use burn_cubecl::cubecl::{self, prelude::*};

use super::layout::{
    Head, Path, Pyramid, count, level_at, opened_at, path_at, slopes_at, stage_at, window_of,
};
use crate::attention::MASKED_SCORE;
use crate::attention::rows::{add, nothing, place, place_at, product, put, row_of, taken};

/// Turns the scores of a group, the highest of which is `most`, into weights that sum to `whole`,
/// the weight of the parent. All weights are 0 if all nodes are masked.
#[cube]
fn weigh(paths: &mut Tensor<f32>, from: usize, children: usize, most: f32, whole: f32) {
    let mut total = 0.0f32;
    for at in from..from + children {
        if paths[at] > MASKED_SCORE / 2.0 {
            total += (paths[at] - most).exp();
        }
    }
    for at in from..from + children {
        let mut weight = 0.0f32;
        if paths[at] > MASKED_SCORE / 2.0 {
            weight = (paths[at] - most).exp() / total * whole;
        }
        paths[at] = weight;
    }
}

/// Returns the entry of the heaviest node of the entries `from` to `end`, opened nodes excepted; of
/// equally heavy nodes the entry of the lowest node.
#[cube]
fn heaviest(paths: &mut Tensor<f32>, path: &Path, from: usize, end: usize) -> usize {
    let mut best = from;
    let mut most = f32::new(-1.0);
    for entry in from..end {
        let weight = paths[path.weights + entry];
        // Opened nodes have weights of −1 or less, so that they are never heavier than `most`.
        if weight > most
            || (weight >= 0.0f32
                && weight == most
                && paths[path.nodes + entry] < paths[path.nodes + best])
        {
            best = entry;
            most = weight;
        }
    }
    best
}

/// Opens the heaviest nodes of a stage, which has the entries `from` to `end`: records weight and
/// index of each, and marks the entry.
#[cube]
fn open_heaviest(
    paths: &mut Tensor<f32>,
    path: &Path,
    pyramid: &Pyramid,
    stage: usize,
    from: usize,
    end: usize,
    #[comptime] learned: bool,
) {
    for slot in 0..usize::min(pyramid.beam, end - from) {
        let best = heaviest(paths, path, from, end);
        let mut node = count(paths[path.nodes + best]);
        // If fewer nodes are left than the beam opens, the surplus ones have weight 0; their index
        // is clamped to a node with children.
        let (below, places) = level_at(pyramid.levels - 2 - stage, pyramid, learned);
        let parents = if learned {
            places
        } else {
            places / pyramid.block
        };
        node = usize::min(node, below + places + parents - 1);
        let opened = stage * pyramid.beam + slot;
        paths[path.opened_weights + opened] = paths[path.weights + best];
        paths[path.opened_nodes + opened] = f32::cast_from(node);
        // A negative number marks the node as opened and says where its weight is.
        paths[path.weights + best] = -1.0f32 - f32::cast_from(slot);
    }
}

/// Adds the weighted values of the nodes of the entries `from` to `end` to the context, opened nodes
/// excepted.
#[cube]
fn add_kept<N: Size>(
    sum: &mut Array<Vector<f32, N>>,
    values: &Tensor<Vector<f32, N>>,
    at: &Head,
    paths: &mut Tensor<f32>,
    path: &Path,
    from: usize,
    end: usize,
    #[comptime] value_width: usize,
) {
    for entry in from..end {
        let weight = paths[path.weights + entry];
        if weight > 0.0f32 {
            let value = row_of(values, at.item, at.head, count(paths[path.nodes + entry]));
            add(sum, weight, values, value, value_width);
        }
    }
}

/// Descends with one query: computes the query's context and records the query's path. The mask has
/// all nodes with blocks, the nodes of the top with windows.
#[cube(launch)]
pub fn descend<N: Size>(
    query: &Tensor<Vector<f32, N>>,
    keys: &Tensor<Vector<f32, N>>,
    values: &Tensor<Vector<f32, N>>,
    mask: &Tensor<f32>,
    windows: &Tensor<f32>,
    context: &mut Tensor<Vector<f32, N>>,
    paths: &mut Tensor<f32>,
    pyramid: Pyramid,
    scale: f32,
    #[comptime] learned: bool,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
) {
    let (all_heads, queries) = (query.shape(1), query.shape(2));
    if ABSOLUTE_POS >= query.shape(0) * all_heads * queries {
        terminate!();
    }
    let (item, head, row) = place(all_heads, queries);
    let own = taken(query, row_of(query, item, head, row), width);
    let at = Head { item, head };
    let mask_start = item * mask.stride(0) + head * mask.stride(1);
    let (_, top) = level_at(pyramid.levels - 1, &pyramid, learned);
    let path = path_at(ABSOLUTE_POS * paths.shape(3), &pyramid, top);
    let mut sum = nothing(value_width);
    for stage in 0..pyramid.levels {
        let (from, groups, size) = stage_at(stage, &pyramid, top);
        let (begin, _) = level_at(pyramid.levels - 1 - stage, &pyramid, learned);
        for group in 0..groups {
            // Nodes of the group: all of the top, or the children of an opened parent.
            let mut first = begin;
            let mut whole = 1.0f32;
            let mut window = 0usize.runtime();
            if stage > 0 {
                let slot = (stage - 1) * pyramid.beam + group;
                let parent = count(paths[path.opened_nodes + slot]);
                let (above, _) = level_at(pyramid.levels - stage, &pyramid, learned);
                whole = paths[path.opened_weights + slot];
                if learned {
                    window = window_of(windows, item, head, parent - pyramid.leaves);
                    first = begin + count(windows[window]);
                } else {
                    first = begin + (parent - above) * pyramid.block;
                }
            }
            let children = from + group * size;
            // Scores of the group. A masked node keeps `MASKED_SCORE` and gets weight 0.
            let mut most = f32::new(MASKED_SCORE);
            for child in 0..size {
                let node = first + child;
                let mut bias = 0.0f32;
                if !learned {
                    bias += mask[mask_start + node * mask.stride(3)];
                } else if stage > 0 {
                    bias += windows[window + (child + 1) * windows.stride(3)];
                } else {
                    bias += mask[mask_start + child * mask.stride(3)];
                }
                let mut score = f32::new(MASKED_SCORE);
                if bias > MASKED_SCORE / 2.0 {
                    let key = row_of(keys, item, head, node);
                    score = product(&own, keys, key, width) * scale + bias;
                    if score > most {
                        most = score;
                    }
                }
                paths[path.weights + children + child] = score;
                paths[path.nodes + children + child] = f32::cast_from(node);
            }
            // Softmax of the scores, times the weight with which the parent was reached.
            weigh(paths, path.weights + children, size, most, whole);
        }
        let end = from + groups * size;
        if stage + 1 < pyramid.levels {
            open_heaviest(paths, &path, &pyramid, stage, from, end, learned);
        }
        add_kept(&mut sum, values, &at, paths, &path, from, end, value_width);
    }
    put(&sum, 1.0f32, context, item, head, row, value_width);
}

/// Ascends with one query: computes the gradients of the query and of the scores of all reached
/// nodes, and the gains of the opened nodes.
#[cube(launch)]
pub fn ascend<N: Size>(
    keys: &Tensor<Vector<f32, N>>,
    values: &Tensor<Vector<f32, N>>,
    paths: &Tensor<f32>,
    gradient: &Tensor<Vector<f32, N>>,
    of_query: &mut Tensor<Vector<f32, N>>,
    slopes: &mut Tensor<f32>,
    pyramid: Pyramid,
    scale: f32,
    #[comptime] learned: bool,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
) {
    let (all_heads, queries) = (gradient.shape(1), gradient.shape(2));
    if ABSOLUTE_POS >= gradient.shape(0) * all_heads * queries {
        terminate!();
    }
    let (item, head, row) = place(all_heads, queries);
    let own = taken(gradient, row_of(gradient, item, head, row), value_width);
    let (_, top) = level_at(pyramid.levels - 1, &pyramid, learned);
    let path = path_at(ABSOLUTE_POS * paths.shape(3), &pyramid, top);
    let slope = slopes_at(ABSOLUTE_POS * slopes.shape(3), &pyramid, top);
    let mut sum = nothing(width);
    // From the leaves up, so that the gains of opened nodes are known when their level comes.
    for passed in 0..pyramid.levels {
        let stage = pyramid.levels - 1 - passed;
        let (from, groups, size) = stage_at(stage, &pyramid, top);
        for group in 0..groups {
            let children = from + group * size;
            // Mean of the group's gains by weight, ḡ.
            let mut mean = 0.0f32;
            for entry in children..children + size {
                let mut weight = paths[path.weights + entry];
                let mut gain = 0.0f32;
                // An opened node's gain was computed with its children; a reached node's gain is G
                // · v.
                if weight < 0.0f32 {
                    let slot = stage * pyramid.beam + count(-1.0f32 - weight);
                    weight = paths[path.opened_weights + slot];
                    gain = slopes[slope.gains + slot];
                } else if weight > 0.0f32 {
                    let node = count(paths[path.nodes + entry]);
                    gain = product(&own, values, row_of(values, item, head, node), value_width);
                }
                slopes[slope.scores + entry] = gain;
                mean += weight * gain;
            }
            if stage > 0 {
                // Weights of the children sum to the parent's weight, by which the mean is divided.
                let slot = (stage - 1) * pyramid.beam + group;
                let whole = paths[path.opened_weights + slot];
                if whole > 0.0f32 {
                    mean /= whole;
                }
                slopes[slope.gains + slot] = mean;
            }
            for entry in children..children + size {
                let mut weight = paths[path.weights + entry];
                if weight < 0.0f32 {
                    let slot = stage * pyramid.beam + count(-1.0f32 - weight);
                    weight = paths[path.opened_weights + slot];
                }
                // Gradient of a score by the softmax: f (g − ḡ).
                let of_score = weight * (slopes[slope.scores + entry] - mean);
                slopes[slope.scores + entry] = of_score;
                if weight > 0.0f32 {
                    let node = count(paths[path.nodes + entry]);
                    let key = row_of(keys, item, head, node);
                    add(&mut sum, of_score * scale, keys, key, width);
                }
            }
        }
    }
    put(&sum, 1.0f32, of_query, item, head, row, width);
}

/// Sums the gradients of one node's key and value over all queries that reached the node. Each unit
/// reads the paths of all queries: no two units write to one place, so that sums need no atomic
/// additions, whose order would change from run to run.
#[cube(launch)]
pub fn gather<N: Size>(
    query: &Tensor<Vector<f32, N>>,
    paths: &Tensor<f32>,
    slopes: &Tensor<f32>,
    gradient: &Tensor<Vector<f32, N>>,
    of_keys: &mut Tensor<Vector<f32, N>>,
    of_values: &mut Tensor<Vector<f32, N>>,
    pyramid: Pyramid,
    scale: f32,
    #[comptime] learned: bool,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
) {
    let (all_heads, queries, nodes) = (query.shape(1), query.shape(2), of_keys.shape(2));
    if ABSOLUTE_POS >= query.shape(0) * all_heads * nodes {
        terminate!();
    }
    let (item, head, node) = place(all_heads, nodes);
    let (_, top) = level_at(pyramid.levels - 1, &pyramid, learned);
    // Stage of the node's level: levels begin one after the other from the leaves to the top.
    let mut stage = 0usize.runtime();
    for later in 1..pyramid.levels {
        let (begin, places) = level_at(pyramid.levels - 1 - later, &pyramid, learned);
        if node < begin + places {
            stage = later;
        }
    }
    let (from, groups, size) = stage_at(stage, &pyramid, top);
    let mut of_key = nothing(width);
    let mut of_value = nothing(value_width);
    for row in 0..queries {
        let unit = (item * all_heads + head) * queries + row;
        let path = path_at(unit * paths.shape(3), &pyramid, top);
        let slope = slopes_at(unit * slopes.shape(3), &pyramid, top);
        for group in 0..groups {
            let children = from + group * size;
            let first = count(paths[path.nodes + children]);
            if node >= first && node < first + size {
                // Gradient of the key: Σ slope · scale · query; of the value: Σ f · G.
                let entry = children + node - first;
                let of_score = slopes[slope.scores + entry] * scale;
                let query_row = row_of(query, item, head, row);
                add(&mut of_key, of_score, query, query_row, width);
                let weight = paths[path.weights + entry];
                if weight > 0.0f32 {
                    let place = row_of(gradient, item, head, row);
                    add(&mut of_value, weight, gradient, place, value_width);
                }
            }
        }
    }
    put(&of_key, 1.0f32, of_keys, item, head, node, width);
    put(&of_value, 1.0f32, of_values, item, head, node, value_width);
}

/// Sums the gradient of the bias of one member of one window over all queries that opened the
/// window.
#[cube(launch)]
pub fn gather_windows(
    paths: &Tensor<f32>,
    slopes: &Tensor<f32>,
    of_windows: &mut Tensor<f32>,
    pyramid: Pyramid,
) {
    let (all_heads, windows) = (of_windows.shape(1), of_windows.shape(2));
    let columns = of_windows.shape(3);
    if ABSOLUTE_POS >= of_windows.len() {
        terminate!();
    }
    let column = ABSOLUTE_POS % columns;
    let (item, head, window) = place_at(ABSOLUTE_POS / columns, all_heads, windows);
    let mut sum = 0.0f32;
    // Column 0 is the index of the first member, which has no gradient.
    if column > 0 {
        // With windows all levels have the same number of places.
        let top = pyramid.leaves;
        let stage = pyramid.levels - 1 - window / pyramid.leaves;
        let opened = opened_at(stage - 1, &pyramid, top);
        // Heads that share a table add up their gradients.
        let shared = paths.shape(1) / all_heads;
        for sharing in 0..shared {
            for row in 0..paths.shape(2) {
                let of_head = item * paths.shape(1) + head + sharing;
                let unit = of_head * paths.shape(2) + row;
                let path = path_at(unit * paths.shape(3), &pyramid, top);
                let slope = slopes_at(unit * slopes.shape(3), &pyramid, top);
                for group in 0..opened {
                    let slot = (stage - 1) * pyramid.beam + group;
                    if count(paths[path.opened_nodes + slot]) == pyramid.leaves + window {
                        let entry = top + slot * pyramid.block + column - 1;
                        sum += slopes[slope.scores + entry];
                    }
                }
            }
        }
    }
    of_windows[ABSOLUTE_POS] = sum;
}
