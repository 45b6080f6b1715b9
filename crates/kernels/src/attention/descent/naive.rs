//! Descent through a pyramid in burn's operations.

use burn::tensor::{IndexingUpdateOp, Int, Tensor};

use super::{JoinedNodes, Plan};
use crate::attention::softmax::naive::softmax;

/// Computes the context of `queries` queries that descend through a pyramid (Gupta and Ahmed,
/// *Attention on Hierarchical Representation of Inputs*).
///
/// From the top down, a query weighs the nodes that it has reached: the softmax of their scores in
/// each group of siblings, times the weight with which the parent was reached. It opens the b
/// heaviest nodes, whose children are the groups of the next level. All other nodes enter the
/// context with their weights: Σ weight · value.
///
/// `score` returns the scores `[B, H, T, c]` of all queries for keys `[B, H, T, c, D]` of a level
/// (0: the leaves).
///
/// # Shapes
/// - nodes as in [`JoinedNodes`] → `[B, H, T, D_v]`
pub fn pyramid_descent(
    nodes: &JoinedNodes,
    plan: &Plan,
    queries: usize,
    score: impl Fn(usize, Tensor<5>) -> Tensor<4>,
) -> Tensor<4> {
    let ([b, h, _, width], device) = (nodes.values.dims(), nodes.values.device());
    let (mut reached, mut bias) = top(nodes, plan, queries); // [B, H, T, c] each
    let mut whole = Tensor::<4>::ones([b, h, queries, 1], &device); // weight of each group's parent
    let mut context = Tensor::zeros([b, h, queries, width], &device);
    for level in (0..plan.places.len()).rev() {
        let scores = score(level, rows(&nodes.keys, &reached)) + bias;
        let ([.., count], [.., groups]) = (scores.dims(), whole.dims());
        let scores = scores.reshape([b, h, queries, groups, count / groups]);
        let weights = softmax(scores) * whole.unsqueeze_dim(4); // [B, H, T, groups, siblings]
        let weights = weights.reshape([b, h, queries, count]); // [B, H, T, c]
        if level == 0 {
            return context + sum(weights, rows(&nodes.values, &reached));
        }
        let order = weights.clone().detach().argsort_descending(3);
        let opened = order.narrow(3, 0, plan.beam.min(count)); // [B, H, T, b]
        whole = weights.clone().gather(3, opened.clone());
        let minus = whole.clone().neg();
        let kept = weights.scatter(3, opened.clone(), minus, IndexingUpdateOp::Add); // opened: 0
        context = context + sum(kept, rows(&nodes.values, &reached));
        (reached, bias) = children(nodes, plan, level, reached.gather(3, opened));
    }
    context
}

/// Indices of all nodes of the top level, and the mask to add to their scores, both
/// `[B, H, T, c]`.
fn top(nodes: &JoinedNodes, plan: &Plan, queries: usize) -> (Tensor<4, Int>, Tensor<4>) {
    let [b, h, n, _] = nodes.keys.dims();
    let count = plan.places[plan.places.len() - 1];
    let top = Tensor::<1, Int>::arange((n - count) as i64..n as i64, &nodes.keys.device());
    let masked = nodes.mask.dims()[3]; // all nodes with blocks, the top's nodes with windows
    let bias = nodes.mask.clone().narrow(3, masked - count, count);
    let shape = [b, h, queries, count];
    (
        top.reshape([1, 1, 1, count]).expand(shape),
        bias.expand(shape),
    )
}

/// Indices of the children of the nodes `opened` `[B, H, T, b]` of a level, and the term to add to
/// their scores, both `[B, H, T, b · k]`.
fn children(
    nodes: &JoinedNodes,
    plan: &Plan,
    level: usize,
    opened: Tensor<4, Int>,
) -> (Tensor<4, Int>, Tensor<4>) {
    let [b, h, t, beam] = opened.dims();
    let begin = |level: usize| plan.places[..level].iter().sum::<usize>() as i64;
    let shape = [b, h, t, beam * plan.block];
    let members = Tensor::<1, Int>::arange(0..plan.block as i64, &opened.device());
    let members = |first: Tensor<4, Int>| {
        let first = (first + begin(level - 1)).unsqueeze_dim::<5>(4); // [B, H, T, b, 1]
        let all = first + members.reshape([1, 1, 1, 1, plan.block]); // [B, H, T, b, k]
        // A query that reached fewer nodes than it may open opens some of weight 0, which may have
        // no children; and a window may reach beyond its level, where its members are masked.
        all.reshape(shape).clamp_max(begin(level) - 1)
    };
    match &nodes.windows {
        Some(windows) => {
            let rows = rows(windows, &(opened - begin(1))); // [B, H, T, b, 1 + k]
            let first = rows.clone().narrow(4, 0, 1).squeeze_dim::<4>(4).int();
            (members(first), rows.narrow(4, 1, plan.block).reshape(shape))
        }
        None => {
            let reached = members((opened - begin(level)) * plan.block as i64);
            let mask = nodes.mask.clone().swap_dims(2, 3); // [B or 1, H or 1, n, 1]
            let bias = rows(&mask, &reached).reshape(shape);
            (reached, bias)
        }
    }
}

/// Rows of a table `[B or 1, H or 1, n, D]` at the indices `[B, H, T, c]`: `[B, H, T, c, D]`.
fn rows(table: &Tensor<4>, at: &Tensor<4, Int>) -> Tensor<5> {
    let ([b, h, t, c], [_, _, n, d]) = (at.dims(), table.dims());
    let table = table.clone().unsqueeze_dim::<5>(2).expand([b, h, t, n, d]);
    table.gather(3, at.clone().unsqueeze_dim::<5>(4).expand([b, h, t, c, d]))
}

/// Weighted sum of values: weights `[B, H, T, c]`, values `[B, H, T, c, D]` → `[B, H, T, D]`.
fn sum(weights: Tensor<4>, values: Tensor<5>) -> Tensor<4> {
    (values * weights.unsqueeze_dim(4))
        .sum_dim(3)
        .squeeze_dim(3)
}
