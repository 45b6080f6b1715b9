//! Descent of every query from the top of a pyramid to the leaves.
//!
//! There is no loop over queries or items: a level is one gather and a few batched products. The
//! formula is [`pyramid_descent`](strata_kernels::naive::pyramid_descent); this module also mutes
//! nodes, takes any beam, and keeps the weights of all levels for display.

use burn::tensor::{IndexingUpdateOp, Int, Tensor};

use super::muted::{MutedNodes, softmax};
use super::{Beam, LevelShares, level_score};
use crate::product::product;
use crate::pyramid_level::{Children, Level, Opened};
use crate::{Node, Score};

/// Nodes of one level that the queries have reached.
struct Frontier {
    /// Indices of the reached nodes, `[B, H, T, c]`; `None` if every query has reached every node.
    nodes: Option<Tensor<4, Int>>,
    /// Weight of each reached node, the product of the weights from the top down, `[B, H, T, c]`.
    weights: Tensor<4>,
    /// Values of the reached nodes: `[B, H, c, D_v]` if all queries reached all nodes, otherwise
    /// `[B·H·T, 1, c, D_v]`.
    values: Tensor<4>,
}

/// Computes the context `[B, H, T, D_v]` of queries `[B, H, T, D_h]`, and the nodes of each level
/// that they reached.
pub(super) fn descend(
    query: &Tensor<4>,
    levels: &[Level],
    scores: &[Score],
    beam: Beam,
    muted: &[Node],
) -> (Tensor<4>, Vec<LevelShares>) {
    let highest = levels.len() - 1;
    let (top, score) = (&levels[highest], level_score(scores, highest));
    // At the top every query attends to all nodes.
    let of_top = score.relative(query.clone(), top.prepared(score)); // [B, H, T, n]
    let mut frontier = Frontier {
        nodes: None,
        weights: MutedNodes::of_level(muted, highest)
            .hide(&top.mask, top.places(), query)
            .softmax(of_top),
        values: top.values.clone(),
    };
    // A sum of parts, one for each level whose nodes were opened one by one: the unopened nodes. A
    // level that is opened as a whole leaves no part.
    let mut context = None;
    let mut shares = Vec::with_capacity(levels.len());
    // From the top down, the heaviest reached nodes are replaced by their children. The nodes that
    // stay unopened enter the context with the weights that they have.
    for (i, pair) in levels.windows(2).enumerate().rev() {
        let (below, level, score) = (&pair[0], &pair[1], level_score(scores, i));
        let muted = MutedNodes::of_level(muted, i);
        let reached = frontier.weights.dims()[3];
        // A member that straddles two blocks of learned size counts as two candidates for the beam.
        // So even a level of few nodes is opened node by node: opening all at once would merge the
        // two candidates.
        let straddling = matches!(level.children, Children::Windows(_));
        let opened = match beam {
            Beam::Nodes(beam) if beam < reached || straddling => Some(beam.min(reached)),
            _ => None,
        };
        frontier = match opened {
            None => {
                shares.push(frontier.shares(None));
                frontier.open_all(query, level, below, score, &muted)
            }
            Some(beam) => {
                let (next, kept) = frontier.open_heaviest(query, level, below, score, beam, &muted);
                let part = frontier.context(kept.clone());
                context = Some(match context {
                    Some(context) => context + part,
                    None => part,
                });
                shares.push(frontier.shares(Some(kept)));
                next
            }
        };
    }
    // What is left of the frontier are leaves, or nodes of the only level.
    let part = frontier.context(frontier.weights.clone());
    let context = match context {
        Some(context) => context + part,
        None => part,
    };
    shares.push(frontier.shares(Some(frontier.weights.clone())));
    shares.reverse();
    (context, shares)
}

impl Frontier {
    /// Weighted sum of the reached nodes' values, Σ weights · values.
    fn context(&self, weights: Tensor<4>) -> Tensor<4> {
        let [b, h, t, c] = weights.dims();
        match self.nodes {
            None => weights.matmul(self.values.clone()), // [B, H, T, D_v]
            Some(_) => {
                // Each query reached nodes of its own: one product [1, c] · [c, D_v] per query.
                let rows = weights.reshape([b * h * t, 1, 1, c]);
                let sum = product(rows, self.values.clone()); // [B·H·T, 1, 1, D_v]
                let width = sum.dims()[3];
                sum.reshape([b, h, t, width])
            }
        }
    }

    /// Replaces every node by its children.
    fn open_all(
        &self,
        query: &Tensor<4>,
        level: &Level,
        below: &Level,
        score: &Score,
        muted: &MutedNodes,
    ) -> Self {
        let [b, h, t, n] = self.weights.dims();
        let scores = score.relative(query.clone(), below.prepared(score)); // [B, H, T, n below]
        let weights = match &level.children {
            Children::Leaves => unreachable!("leaves are not opened"),
            Children::Blocks {
                size: k,
                parents: n,
            } => {
                // Weight of a child = weight of its parent · softmax over the parent's block.
                let parents = self.weights.clone().narrow(3, 0, *n);
                let parents = parents.reshape([b, h, t * n, 1]); // [B, H, T·n, 1]
                let scores = match below.mask.additive() {
                    Some(additive) => scores + additive,
                    None => scores,
                };
                let muted = muted.among_first(n * k, query);
                let muted = muted.map(|muted| muted.expand([b, h, t, n * k]));
                let children = softmax(scores.reshape([b, h, t * n, *k]), muted); // [B, H, T·n, k]
                (parents * children).reshape([b, h, t, n * k]) // [B, H, T, n·k]
            }
            Children::Windows(windows) => {
                let parents = self.weights.clone().reshape([b, h, t * n, 1]); // [B, H, T·n, 1]
                let (members, log_mass) = windows.members(below.places()); // [B, H, n, k + 1]
                let [items, heads, _, size] = members.dims();
                let row = [items, heads, 1, n * size];
                let members = members.reshape(row).expand([b, h, t, n * size]);
                // Adding log m makes a member's softmax weight proportional to its share m in the
                // block.
                let scores = scores.gather(3, members.clone()) + log_mass.reshape(row); // [B, H, T, n·(k + 1)]
                let muted = muted.among(&members);
                let children = softmax(scores.reshape([b, h, t * n, size]), muted); // [B, H, T·n, k + 1]
                let none = Tensor::zeros([b, h, t, below.places()], &query.device());
                // A member that straddles two blocks is reached from both.
                let weights = (parents * children).reshape([b, h, t, n * size]);
                none.scatter(3, members, weights, IndexingUpdateOp::Add) // [B, H, T, n below]
            }
        };
        Self {
            nodes: None,
            weights,
            values: below.values.clone(),
        }
    }

    /// Replaces the `beam` heaviest nodes by their children. Also returns the weights of all nodes,
    /// 0 for the opened ones.
    fn open_heaviest(
        &self,
        query: &Tensor<4>,
        level: &Level,
        below: &Level,
        score: &Score,
        beam: usize,
        muted: &MutedNodes,
    ) -> (Self, Tensor<4>) {
        let [b, h, t, _] = self.weights.dims();
        let at = self.heaviest(beam); // [B, H, T, b]
        let weight = self.weights.clone().gather(3, at.clone()); // [B, H, T, b]
        // Opened nodes pass their whole weight to their children: w − w = 0 is left.
        let kept = self.weights.clone().scatter(
            3,
            at.clone(),
            weight.clone().neg(),
            IndexingUpdateOp::Add,
        );
        // `at` counts in the frontier, which differs from query to query: look up the indices of the
        // nodes in the level.
        let opened = match &self.nodes {
            None => at,
            Some(nodes) => nodes.clone().gather(3, at), // [B, H, T, b]
        };
        let Opened {
            nodes,
            keys,
            values,
            additive,
        } = level.open(opened, below, score);
        let children = nodes.dims()[3] / beam; // k, or k + 1 with windows
        // Each query scores children of its own, so queries become items of a batch.
        let width = query.dims()[3];
        let rows = query.clone().reshape([b * h * t, 1, 1, width]); // [B·H·T, 1, 1, D_h]
        let scores = score
            .relative(rows, &keys)
            .reshape([b, h, t * beam, children]); // [B, H, T·b, c / b]
        let scores = match additive {
            Some(additive) => scores + additive,
            None => scores,
        };
        let weights = softmax(scores, muted.among(&nodes)) * weight.reshape([b, h, t * beam, 1]);
        let next = Self {
            nodes: Some(nodes),
            weights: weights.reshape([b, h, t, beam * children]), // [B, H, T, c]
            values,
        };
        (next, kept)
    }

    /// Indices of the `beam` heaviest nodes, `[B, H, T, beam]`; ties: the lower index. Without
    /// gradient.
    fn heaviest(&self, beam: usize) -> Tensor<4, Int> {
        let mut left = self.weights.clone().detach();
        if beam == 1 {
            // The children of one block are in order, so the first maximum is the lowest index.
            return left.argmax(3);
        }
        // Of equally heavy nodes the one of the lowest index in the level is picked, wherever it
        // stands in the frontier.
        let order = self.nodes.clone().map(|nodes| nodes.float());
        let mut picked = Vec::with_capacity(beam);
        for _ in 0..beam {
            let at = match &order {
                None => left.clone().argmax(3),
                Some(order) => {
                    let lighter = left.clone().lower(left.clone().max_dim(3));
                    order.clone().mask_fill(lighter, f32::MAX).argmin(3)
                }
            };
            // Weights are in [0, 1], so that subtracting 2 takes a picked node below all others.
            let taken = Tensor::full(at.dims(), -2.0, &left.device());
            left = left.scatter(3, at.clone(), taken, IndexingUpdateOp::Add);
            picked.push(at);
        }
        Tensor::cat(picked, 3) // [B, H, T, b]
    }

    /// Shares of the nodes that the queries reached at this level. `kept` are their weights, 0 for
    /// opened nodes.
    fn shares(&self, kept: Option<Tensor<4>>) -> LevelShares {
        LevelShares {
            nodes: self.nodes.clone(),
            reached: self.weights.clone(),
            kept,
        }
    }
}
