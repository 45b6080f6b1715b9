//! Descent of queries through the levels of a pyramid, and the weights of their paths, computed only
//! when they are shown.
//!
//! - `frontier`: the descent in burn's operations, which also keeps every weight
//! - `concatenated`: all levels concatenated for the kernel, which returns the context alone
//! - `muted`: nodes that take no part; `beam`: number of nodes that a query opens

mod beam;
mod concatenated;
mod frontier;
mod muted;

use std::sync::OnceLock;

use burn::tensor::{IndexingUpdateOp, Int, Tensor};

pub use beam::Beam;
use frontier::descend;

use crate::pyramid_level::{Children, Level, Levels, ponder};
use crate::{Node, Score};

/// Score function of a level; the last one serves all further levels.
pub(crate) fn level_score(scores: &[Score], level: usize) -> &Score {
    &scores[level.min(scores.len() - 1)]
}

/// Shares of the nodes of one level that the queries reached.
#[derive(Clone, Debug)]
struct LevelShares {
    /// Indices of the nodes, `[B, H, T, c]`; absent where every node was reached.
    pub nodes: Option<Tensor<4, Int>>,
    /// Weight of each reached node, the product of the weights from the top down, `[B, H, T, c]`.
    pub reached: Tensor<4>,
    /// Weights of the reached nodes that were not opened, 0 for opened ones, `[B, H, T, c]`; absent
    /// where all were opened.
    pub kept: Option<Tensor<4>>,
}

/// Path of every query through a pyramid. Levels count from the leaves, level 0, to the top.
#[derive(Clone, Debug)]
pub struct Descent {
    pyramid: Vec<Level>,
    /// Queries, `[B, H, T, D]`.
    query: Tensor<4>,
    scores: Vec<Score>,
    beam: Beam,
    muted: Vec<Node>,
    /// Shares of each level, computed with the context or when first read.
    shares: OnceLock<Vec<LevelShares>>,
}

impl Descent {
    /// Computes the context `[B, H, T, D_v]` of queries `[B, H, T, D]`, and their paths.
    pub(crate) fn of(
        query: Tensor<4>,
        pyramid: &Levels,
        scores: &[Score],
        beam: Beam,
        muted: &[Node],
    ) -> (Tensor<4>, Self) {
        let levels = &pyramid.levels;
        // The kernel returns the context alone; shares are computed when they are read. It cannot
        // mute nodes.
        let at_once = match muted {
            [] => concatenated::descend(&query, pyramid, scores, beam),
            _ => None,
        };
        let (context, shares) = match at_once {
            Some(context) => (context, OnceLock::new()),
            None => {
                let (context, shares) = descend(&query, levels, scores, beam, muted);
                (context, shares.into())
            }
        };
        let descent = Self {
            pyramid: levels.clone(),
            query,
            scores: scores.to_vec(),
            beam,
            muted: muted.to_vec(),
            shares,
        };
        (context, descent)
    }

    /// Shares of the nodes that the queries reached, for each level.
    fn level_shares(&self) -> &[LevelShares] {
        self.shares.get_or_init(|| {
            let (query, beam) = (&self.query, self.beam);
            descend(query, &self.pyramid, &self.scores, beam, &self.muted).1
        })
    }

    /// Number of levels L, the leaves included.
    pub fn levels(&self) -> usize {
        self.pyramid.len()
    }

    /// Sizes B, H and T of the queries.
    pub(crate) fn queries(&self) -> [usize; 3] {
        let [b, h, t, _] = self.query.dims();
        [b, h, t]
    }

    /// Nodes of a level before any projection, 0 where there is no node: `[B, 1 or H, n, D]`.
    /// Behind the nodes there may be further absent ones.
    pub fn nodes(&self, level: usize) -> Tensor<4> {
        self.pyramid[level].states.clone()
    }

    /// Returns 1 for each node of a level, 0 where there is no node: `[B, 1 or H, 1, n]`.
    pub fn present(&self, level: usize) -> Tensor<4> {
        let level = &self.pyramid[level];
        let [b, h, n, _] = level.states.dims();
        match level.mask.visible() {
            Some(visible) => visible.expand([b, h, 1, n]),
            None => Tensor::ones([b, h, 1, n], &level.states.device()),
        }
    }

    /// Share of each node of a level in the context, `[B, H, T, n]`; an opened node has 0. Shares
    /// of all levels together sum to 1: context = Σ shares · nodes (in a layer with heads, of the
    /// projected nodes).
    pub fn shares(&self, level: usize) -> Tensor<4> {
        let shares = &self.level_shares()[level];
        match &shares.kept {
            Some(kept) => self.spread_out(level, kept.clone()),
            None => self.spread_out(level, shares.reached.zeros_like()),
        }
    }

    /// Weight with which each node of a level was reached from the top, `[B, H, T, n]`.
    pub fn reached(&self, level: usize) -> Tensor<4> {
        self.spread_out(level, self.level_shares()[level].reached.clone())
    }

    /// Weight with which each opened node of a level was reached, `[B, H, T, n]`; 0 for nodes that
    /// were not opened.
    pub fn opened(&self, level: usize) -> Tensor<4> {
        let shares = &self.level_shares()[level];
        let opened = match &shares.kept {
            Some(kept) => shares.reached.clone() - kept.clone(),
            None => shares.reached.clone(),
        };
        self.spread_out(level, opened)
    }

    /// Membership of each node of the level below in each node of a level (1 and 0, or the m of
    /// ACT): `[B, 1 or H, n, nodes below]`.
    ///
    /// # Panics
    /// If `level` is 0: leaves have no members.
    pub fn membership(&self, level: usize) -> Tensor<4> {
        let (upper, below) = (&self.pyramid[level], &self.pyramid[level - 1]);
        let [b, h, n, _] = upper.states.dims();
        let device = upper.states.device();
        let (members, mass) = match &upper.children {
            Children::Leaves => unreachable!("only level 0 has leaves"),
            Children::Windows(windows) => {
                let (members, log_mass) = windows.members(below.places());
                (members, log_mass.exp())
            }
            Children::Blocks { size, parents } => {
                let row = [b, h, *parents, *size];
                let members = Tensor::<1, Int>::arange(0..(parents * size) as i64, &device);
                let members = members.reshape([1, 1, *parents, *size]).expand(row); // [B, H, parents, k]
                (members, self.present(level - 1).reshape(row))
            }
        };
        let parents = members.dims()[2];
        let none = Tensor::zeros([b, h, parents, below.places()], &device);
        let membership = none.scatter(3, members, mass, IndexingUpdateOp::Add); // [B, H, parents, n below]
        if parents == n {
            return membership;
        }
        let none = Tensor::zeros([b, h, n - parents, below.places()], &device);
        Tensor::cat(vec![membership, none], 2) // [B, H, n, n below]
    }

    /// Halting probability p of the nodes of a level, by which ACT made the level above:
    /// `[B, 1 or H, n, 1]`. `None` for other summaries and for the top level.
    pub fn halting(&self, level: usize) -> Option<Tensor<4>> {
        match &self.pyramid.get(level + 1)?.children {
            Children::Windows(windows) => Some(windows.halting.clone()),
            _ => None,
        }
    }

    /// Mean halting probability of all real members of all levels, `[1]`; `None` for summaries
    /// other than ACT.
    pub fn ponder(&self) -> Option<Tensor<1>> {
        ponder(&self.pyramid)
    }

    /// Weights over the leaves, `[B, H, T, n]`. `None` unless nodes are means of leaves (ACT) or
    /// only leaves are left (all nodes opened, or a single level).
    pub fn leaves(&self) -> Option<Tensor<4>> {
        let of_means = self.pyramid[1..]
            .iter()
            .all(|level| matches!(level.children, Children::Windows(_)));
        let of_leaves = self.level_shares()[1..]
            .iter()
            .all(|shares| shares.kept.is_none());
        (of_means || of_leaves).then(|| self.over_leaves())
    }

    /// Weights over the leaves at the end of the descent: [`after`](Self::after) all levels.
    pub fn over_leaves(&self) -> Tensor<4> {
        self.after(self.levels())
    }

    /// Weights over the leaves after the first `levels` levels of the descent, from the top: the
    /// weight of each node that was reached and not opened is divided equally (ACT: by m) among the
    /// node's children, down to the leaves. Every row sums to 1: `[B, H, T, n]`.
    pub fn after(&self, levels: usize) -> Tensor<4> {
        let frontier = self.levels() - levels;
        (frontier + 1..self.levels())
            .map(|level| self.down_to_leaves(level, self.shares(level)))
            .fold(
                self.down_to_leaves(frontier, self.reached(frontier)),
                |sum, level| sum + level,
            )
    }

    /// Divides the weights of the nodes of a level among their members, level by level, down to the
    /// leaves: `[B, H, T, n]` → `[B, H, T, leaves]`.
    fn down_to_leaves(&self, level: usize, weights: Tensor<4>) -> Tensor<4> {
        (1..=level).rev().fold(weights, |weights, level| {
            let membership = self.membership(level);
            // Rows of absent nodes are 0; their divisor only has to be no 0.
            let whole = membership.clone().sum_dim(3).clamp_min(f32::MIN_POSITIVE); // [B, H, n, 1]
            weights.matmul(membership / whole) // [B, H, T, n below]
        })
    }

    /// Concatenates the descents of successive queries through one pyramid along T.
    pub(crate) fn concat_queries(parts: &[&Self]) -> Self {
        let first = parts[0];
        let shares = (0..first.levels()).map(|level| {
            let of = |pick: &dyn Fn(&LevelShares) -> Option<Tensor<4>>| {
                let rows: Option<Vec<_>> = parts
                    .iter()
                    .map(|it| pick(&it.level_shares()[level]))
                    .collect();
                rows.map(|rows| Tensor::cat(rows, 2))
            };
            let nodes: Option<Vec<_>> = parts
                .iter()
                .map(|it| it.level_shares()[level].nodes.clone())
                .collect();
            LevelShares {
                nodes: nodes.map(|nodes| Tensor::cat(nodes, 2)),
                reached: of(&|it| Some(it.reached.clone())).expect("every query reached nodes"),
                kept: of(&|it| it.kept.clone()),
            }
        });
        let queries = parts.iter().map(|it| it.query.clone());
        Self {
            query: Tensor::cat(queries.collect(), 2),
            shares: shares.collect::<Vec<_>>().into(),
            ..first.clone()
        }
    }

    /// Scatters numbers of the nodes that the queries reached to the places of these nodes in the
    /// level.
    fn spread_out(&self, level: usize, of_reached: Tensor<4>) -> Tensor<4> {
        let Some(nodes) = &self.level_shares()[level].nodes else {
            return of_reached;
        };
        let [b, h, t, _] = of_reached.dims();
        let places = self.pyramid[level].places();
        let none = Tensor::zeros([b, h, t, places], &of_reached.device());
        none.scatter(3, nodes.clone(), of_reached, IndexingUpdateOp::Add) // [B, H, T, n]
    }
}
