//! Kernels of the descent on a GPU.

use burn_cubecl::cubecl::{self, prelude::*};

use crate::attention::MASKED_SCORE;
use crate::attention::rows::{add, nothing, place, place_at, product, put, row_of, taken};

/// Returns the index of a level's first node and the number of its nodes.
#[cube]
fn level_at(
    level: usize,
    leaves: usize,
    levels: usize,
    block: usize,
    #[comptime] learned: bool,
) -> (usize, usize) {
    let mut begin = 0usize.runtime();
    let mut places = leaves;
    for upper in 1..level + 1 {
        begin += places;
        if !learned {
            places /= block;
            if upper + 1 < levels {
                places = (places + block - 1) / block * block;
            }
        }
    }
    (begin, places)
}

/// Number of nodes that a query opens at a stage. Stage 0 is the top.
#[cube]
fn opened_at(stage: usize, top: usize, block: usize, beam: usize) -> usize {
    let mut opened = usize::min(beam, top);
    for _ in 0..stage {
        opened = usize::min(beam, opened * block);
    }
    opened
}

/// Converts an index or count that is stored as a float.
#[cube]
fn count(number: f32) -> usize {
    u32::cast_from(number) as usize
}

/// Turns scores, the highest of which is `most`, into weights that sum to `whole`. All weights are
/// 0 if all nodes are masked.
#[cube]
fn weigh(ways: &mut Tensor<f32>, from: usize, children: usize, most: f32, whole: f32) {
    let mut total = 0.0f32;
    for at in from..from + children {
        if ways[at] > MASKED_SCORE / 2.0 {
            total += (ways[at] - most).exp();
        }
    }
    for at in from..from + children {
        let mut weight = 0.0f32;
        if ways[at] > MASKED_SCORE / 2.0 {
            weight = (ways[at] - most).exp() / total * whole;
        }
        ways[at] = weight;
    }
}

/// Finds the heaviest of the nodes that were reached and not opened; of equal weights the lowest
/// node.
#[cube]
fn heaviest(ways: &mut Tensor<f32>, from: usize, reached: usize, entries: usize) -> usize {
    let mut best = from;
    let mut most = f32::new(-1.0);
    for at in from..from + reached {
        let weight = ways[at];
        if weight > most
            || (weight >= 0.0f32 && weight == most && ways[at + entries] < ways[best + entries])
        {
            best = at;
            most = weight;
        }
    }
    best
}

/// Descends with one query: computes its context and records its path.
#[cube(launch)]
pub fn descend<N: Size>(
    query: &Tensor<Vector<f32, N>>,
    keys: &Tensor<Vector<f32, N>>,
    values: &Tensor<Vector<f32, N>>,
    hidden: &Tensor<f32>,
    windows: &Tensor<f32>,
    context: &mut Tensor<Vector<f32, N>>,
    ways: &mut Tensor<f32>,
    leaves: usize,
    levels: usize,
    block: usize,
    beam: usize,
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
    let mask_start = item * hidden.stride(0) + head * hidden.stride(1);
    let (top_begin, top) = level_at(levels - 1, leaves, levels, block, learned);
    let entries = top + (levels - 1) * beam * block;
    let base = ABSOLUTE_POS * ways.shape(3);
    let (weights, opened_nodes) = (base + 2 * entries, base + 2 * entries + (levels - 1) * beam);
    let mut sum = nothing(value_width);

    // Stage 0 has one group with all nodes of the top; each later stage has one group for each node
    // that the stage before opened.
    let mut begin = top_begin;
    let mut from = base;
    let mut reached = top;
    let mut groups = 1usize.runtime();
    let mut size = top;
    for stage in 0..levels {
        for group in 0..groups {
            // Nodes of the group: all of the top, or the children of an opened parent.
            let mut first = begin;
            let mut whole = 1.0f32;
            let mut window = 0usize.runtime();
            if stage > 0 {
                let slot = (stage - 1) * beam + group;
                let parent = count(ways[opened_nodes + slot]);
                let (above, _) = level_at(levels - stage, leaves, levels, block, learned);
                whole = ways[weights + slot];
                if learned {
                    window = item * windows.stride(0)
                        + head * windows.stride(1)
                        + (parent - leaves) * windows.stride(2);
                    first = begin + count(windows[window]);
                } else {
                    first = begin + (parent - above) * block;
                }
            }
            let children = from + group * size;
            // Scores of the group. A masked node keeps `MASKED_SCORE` and gets weight 0.
            let mut most = f32::new(MASKED_SCORE);
            for child in 0..size {
                let node = first + child;
                let mut bias = 0.0f32;
                if !learned {
                    bias += hidden[mask_start + node * hidden.stride(3)];
                } else if stage > 0 {
                    bias += windows[window + (child + 1) * windows.stride(3)];
                } else {
                    bias += hidden[mask_start + child * hidden.stride(3)];
                }
                let mut score = f32::new(MASKED_SCORE);
                if bias > MASKED_SCORE / 2.0 {
                    score =
                        product(&own, keys, row_of(keys, item, head, node), width) * scale + bias;
                    if score > most {
                        most = score;
                    }
                }
                ways[children + child] = score;
                ways[children + child + entries] = f32::cast_from(node);
            }
            // Softmax of the scores, times the weight with which the parent was reached.
            weigh(ways, children, size, most, whole);
        }
        let mut opened = 0usize.runtime();
        if stage + 1 < levels {
            opened = usize::min(beam, reached);
        }
        for slot in 0..opened {
            let best = heaviest(ways, from, reached, entries);
            let mut node = count(ways[best + entries]);
            // If fewer nodes are left than the beam opens, the surplus ones have weight 0; their
            // index is clamped to a node with children.
            let (below, places) = level_at(levels - 2 - stage, leaves, levels, block, learned);
            let parents = if learned { places } else { places / block };
            node = usize::min(node, below + places + parents - 1);
            // The path records weight and index of the opened node. In the list of reached nodes a
            // negative number, −(slot + 1), marks the node as opened.
            ways[weights + stage * beam + slot] = ways[best];
            ways[opened_nodes + stage * beam + slot] = f32::cast_from(node);
            ways[best] = -1.0f32 - f32::cast_from(slot);
        }
        // Reached nodes that were not opened enter the context with their weights.
        for at in from..from + reached {
            let weight = ways[at];
            if weight > 0.0f32 {
                let node = count(ways[at + entries]);
                add(
                    &mut sum,
                    weight,
                    values,
                    row_of(values, item, head, node),
                    value_width,
                );
            }
        }
        if stage + 1 < levels {
            from = base + top + stage * beam * block;
            let (below, _) = level_at(levels - 2 - stage, leaves, levels, block, learned);
            begin = below;
            reached = opened * block;
            groups = opened;
            size = block;
        }
    }
    put(&sum, 1.0f32, context, item, head, row, value_width);
}

/// Ascends with one query: computes the gradients of the query and of the scores of all reached
/// nodes, and the gains of the opened nodes.
#[cube(launch)]
pub fn back_up<N: Size>(
    keys: &Tensor<Vector<f32, N>>,
    values: &Tensor<Vector<f32, N>>,
    ways: &Tensor<f32>,
    gradient: &Tensor<Vector<f32, N>>,
    found: &mut Tensor<Vector<f32, N>>,
    slopes: &mut Tensor<f32>,
    leaves: usize,
    levels: usize,
    block: usize,
    beam: usize,
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
    let (_, top) = level_at(levels - 1, leaves, levels, block, learned);
    let entries = top + (levels - 1) * beam * block;
    let way = ABSOLUTE_POS * ways.shape(3);
    let weights = way + 2 * entries;
    let slope = ABSOLUTE_POS * slopes.shape(3);
    let worth = slope + entries;
    let mut sum = nothing(width);
    // From the leaves up, so that the gains of opened nodes are known when their level comes.
    for passed in 0..levels {
        let stage = levels - 1 - passed;
        let mut groups = 1usize.runtime();
        let mut from = 0usize.runtime();
        let mut size = top;
        if stage > 0 {
            groups = opened_at(stage - 1, top, block, beam);
            from = top + (stage - 1) * beam * block;
            size = block;
        }
        for group in 0..groups {
            let children = from + group * size;
            // Mean of the group's gains by weight, ḡ.
            let mut mean = 0.0f32;
            for at in children..children + size {
                let mut weight = ways[way + at];
                let mut gain = 0.0f32;
                // An opened node's gain was computed with its children; a reached node's gain is G
                // · v.
                if weight < 0.0f32 {
                    let slot = stage * beam + count(-1.0f32 - weight);
                    weight = ways[weights + slot];
                    gain = slopes[worth + slot];
                } else if weight > 0.0f32 {
                    let node = count(ways[way + entries + at]);
                    gain = product(&own, values, row_of(values, item, head, node), value_width);
                }
                slopes[slope + at] = gain;
                mean += weight * gain;
            }
            if stage > 0 {
                // Weights of the children sum to the parent's weight, by which the mean is divided.
                let slot = (stage - 1) * beam + group;
                let whole = ways[weights + slot];
                if whole > 0.0f32 {
                    mean /= whole;
                }
                slopes[worth + slot] = mean;
            }
            for at in children..children + size {
                let mut weight = ways[way + at];
                if weight < 0.0f32 {
                    weight = ways[weights + stage * beam + count(-1.0f32 - weight)];
                }
                // Gradient of a score by the softmax: f (g − ḡ).
                let of_score = weight * (slopes[slope + at] - mean);
                slopes[slope + at] = of_score;
                if weight > 0.0f32 {
                    let node = count(ways[way + entries + at]);
                    add(
                        &mut sum,
                        of_score * scale,
                        keys,
                        row_of(keys, item, head, node),
                        width,
                    );
                }
            }
        }
    }
    put(&sum, 1.0f32, found, item, head, row, width);
}

/// Sums the gradients of one node's key and value over all queries that reached the node.
#[cube(launch)]
pub fn gather<N: Size>(
    query: &Tensor<Vector<f32, N>>,
    ways: &Tensor<f32>,
    slopes: &Tensor<f32>,
    gradient: &Tensor<Vector<f32, N>>,
    of_keys: &mut Tensor<Vector<f32, N>>,
    of_values: &mut Tensor<Vector<f32, N>>,
    leaves: usize,
    levels: usize,
    block: usize,
    beam: usize,
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
    let (_, top) = level_at(levels - 1, leaves, levels, block, learned);
    let entries = top + (levels - 1) * beam * block;
    // Find the groups of the node's level in the paths.
    let mut groups = 1usize.runtime();
    let mut from = 0usize.runtime();
    let mut size = top;
    for later in 1..levels {
        let (begin, places) = level_at(levels - 1 - later, leaves, levels, block, learned);
        if node < begin + places {
            groups = opened_at(later - 1, top, block, beam);
            from = top + (later - 1) * beam * block;
            size = block;
        }
    }
    let mut of_key = nothing(width);
    let mut of_value = nothing(value_width);
    for row in 0..queries {
        let unit = (item * all_heads + head) * queries + row;
        let (way, slope) = (unit * ways.shape(3), unit * slopes.shape(3));
        for group in 0..groups {
            let children = from + group * size;
            let first = count(ways[way + entries + children]);
            if node >= first && node < first + size {
                // Gradient of the key: Σ slope · scale · query; of the value: Σ f · G.
                let at = children + node - first;
                let of_score = slopes[slope + at] * scale;
                add(
                    &mut of_key,
                    of_score,
                    query,
                    row_of(query, item, head, row),
                    width,
                );
                let weight = ways[way + at];
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
    ways: &Tensor<f32>,
    slopes: &Tensor<f32>,
    found: &mut Tensor<f32>,
    leaves: usize,
    levels: usize,
    block: usize,
    beam: usize,
) {
    let (all_heads, windows, columns) = (found.shape(1), found.shape(2), found.shape(3));
    if ABSOLUTE_POS >= found.len() {
        terminate!();
    }
    let column = ABSOLUTE_POS % columns;
    let (item, head, window) = place_at(ABSOLUTE_POS / columns, all_heads, windows);
    let mut sum = 0.0f32;
    if column > 0 {
        // With windows all levels have the same number of places.
        let stage = levels - 1 - window / leaves;
        let top = leaves;
        let entries = top + (levels - 1) * beam * block;
        let opened = opened_at(stage - 1, top, block, beam);
        // Heads that share a table add up their gradients.
        let shared = ways.shape(1) / all_heads;
        for sharing in 0..shared {
            for row in 0..ways.shape(2) {
                let of_head = item * ways.shape(1) + head + sharing;
                let unit = of_head * ways.shape(2) + row;
                let (way, slope) = (unit * ways.shape(3), unit * slopes.shape(3));
                let opened_nodes = way + 2 * entries + (levels - 1) * beam;
                for group in 0..opened {
                    let slot = (stage - 1) * beam + group;
                    if count(ways[opened_nodes + slot]) == leaves + window {
                        sum += slopes[slope + top + slot * block + column - 1];
                    }
                }
            }
        }
    }
    found[ABSOLUTE_POS] = sum;
}
