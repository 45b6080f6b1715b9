//! Descent of queries through a pyramid: one kernel for all levels, and few for the backward pass.
//!
//! ```text
//!          6             7          level 1, the top: a query weighs both nodes
//!       /  |  \       /  |  \
//!      0   1   2     3   4   5      level 0, the leaves
//! ```
//!
//! Nodes are stored level after level from the leaves to the top, here `places = [6, 2]`,
//! `block = 3`. With `beam = 1` a query opens the heaviest node, say 7: its weight w₇ is shared out
//! among its children by a softmax u of their scores. The context is w₆ v₆ + w₇ (u₃ v₃ + u₄ v₄ + u₅
//! v₅).
//!
//! A query keeps a list of groups: the top (6, 7), then the children of each opened node (3, 4, 5),
//! with the weight of each node. [`Plan`]'s `entries` is the largest number of these nodes.
//!
//! - `naive`: the formula in burn's operations; read this first
//! - `host`: the descent on the CPU, item by item; `host::head`: one head of one item;
//!   `host::layout`, `host::paths`: the path that a query leaves for the backward pass;
//!   `projection`: projections of the additive score, for reached nodes alone
//! - `cube`: the descent on a GPU, without additive scores; `cube::layout`: the path that a query
//!   leaves for the backward pass; `cube::kernels`: the kernels

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;
pub(super) mod naive;
#[cfg(feature = "flex")]
mod projection;
#[cfg(all(test, feature = "flex"))]
mod tests;

use burn::tensor::Tensor;

use super::{LONGEST, WIDEST};
use crate::{on_cpu, on_gpu};
#[cfg(any(feature = "flex", feature = "cube"))]
use kernel::PyramidDescent;

/// Limit of the number of nodes: indices up to this one are exact in F32.
const MOST_NODES: usize = 1 << 24;

/// Layout of a pyramid's nodes, level after level from the leaves to the top, and the number of
/// nodes that a query opens.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Number of places for nodes, for each level.
    pub places: Vec<usize>,
    /// Largest number of children of a node.
    pub block: usize,
    /// True if a node's children are a window of learned size. False if they are a block of fixed
    /// size; then every level but the top consists of whole blocks.
    pub learned: bool,
    /// Largest number b of nodes that a query opens on each level.
    pub beam: usize,
    /// Score function of a query and a node.
    pub score: PairScore,
    /// True if all levels share the projected query and parameters; false if each level has its
    /// own.
    pub is_shared: bool,
    /// True if values and keys are one tensor.
    pub values_are_keys: bool,
}

/// Score function of a query and a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairScore {
    /// Dot product times this scale.
    Dot(f32),
    /// Additive score of unprojected queries and keys: the kernel projects both.
    Additive,
    /// Additive score of projected queries and keys: Σ energy · tanh((query + key) / 2).
    Prepared,
}

/// Nodes of all levels, concatenated level after level.
#[derive(Clone, Debug)]
pub struct JoinedNodes {
    /// Keys of the nodes, `[B, H, n, D]`.
    pub keys: Tensor<4>,
    /// Values of the nodes, `[B, H, n, D_v]`.
    pub values: Tensor<4>,
    /// Additive mask, `[B or 1, H or 1, 1, n]`: over all nodes with blocks, over the top's nodes
    /// alone with windows.
    pub mask: Tensor<4>,
    /// Windows of learned blocks, `[B, H or 1, n above, block + 1]`: index of the first member of
    /// each node above the leaves, then a bias of each member's score. `None` with blocks of fixed
    /// size.
    pub windows: Option<Tensor<4>>,
}

impl PairScore {
    /// True if the score has energies v.
    fn is_additive(self) -> bool {
        matches!(self, Self::Additive | Self::Prepared)
    }
}

impl Plan {
    /// True if a kernel supports this pyramid for these tensors.
    pub fn supports(&self, query: &Tensor<4>, values: &Tensor<4>) -> bool {
        let nodes = self.places.iter().sum::<usize>();
        let ours = |tensor: &Tensor<4>| {
            let is_for_gpu = self.is_shared && !self.score.is_additive() && self.is_regular();
            on_cpu(tensor) || (is_for_gpu && on_gpu(tensor) && tensor.dims()[3] <= WIDEST)
        };
        // A beam wider than the levels would reserve memory that no node uses.
        self.entries() <= nodes.max(LONGEST)
            && self.top() <= LONGEST
            && nodes < MOST_NODES
            && [query, values].into_iter().all(ours)
    }

    /// True if the number of places of each level follows from that of the leaves, as the GPU
    /// kernels assume: with windows all levels have the same number, with blocks each has 1/`block`
    /// of the level below, rounded up to whole blocks except at the top.
    fn is_regular(&self) -> bool {
        let levels = self.levels();
        (1..levels).all(|upper| {
            let (own, below) = (self.places[upper], self.places[upper - 1]);
            own == match (self.learned, upper + 1 < levels) {
                (true, _) => below,
                (false, true) => (below / self.block).next_multiple_of(self.block),
                (false, false) => below / self.block,
            }
        })
    }

    /// Number of levels, L.
    fn levels(&self) -> usize {
        self.places.len()
    }

    /// Number of places for leaves.
    #[cfg(any(feature = "flex", feature = "cube"))]
    fn leaves(&self) -> usize {
        self.places[0]
    }

    fn top(&self) -> usize {
        self.places[self.levels() - 1]
    }

    /// Index of the query and the parameters that a level uses.
    #[cfg(feature = "flex")]
    fn part(&self, level: usize) -> usize {
        if self.is_shared { 0 } else { level }
    }

    /// Number of different queries and parameters: 1 if the levels share them, otherwise L.
    #[cfg(feature = "flex")]
    fn parts(&self) -> usize {
        if self.is_shared { 1 } else { self.levels() }
    }

    /// Largest number of weights that a query keeps: those of the top and those of the children of
    /// opened nodes.
    fn entries(&self) -> usize {
        self.top() + self.opened() * self.block
    }

    /// Largest number of nodes that a query opens.
    fn opened(&self) -> usize {
        (self.levels() - 1) * self.beam
    }
}

/// Computes the context of every query, `[B, H, T, D_v]`: the weighted sum of all nodes that the
/// query reached and did not open. Returns `None` if no kernel supports the tensors.
///
/// # Shapes
/// - query `[B, H, T, D]`; for [`PairScore::Prepared`] `[B, H, T, L·A]`, the levels side by side
///   from the leaves to the top, or `[B, H, T, A]` if all share one
/// - parameters for [`PairScore::Additive`]: W_h, W_g, b and v of each level (or once, if shared),
///   one below the other, `[L·(D + D_g + 2), A]`; for [`PairScore::Prepared`] the energies,
///   `[L, A]`
pub fn pyramid_descent(
    query: Tensor<4>,
    nodes: &JoinedNodes,
    parameters: Option<Tensor<2>>,
    plan: Plan,
) -> Option<Tensor<4>> {
    if !plan.supports(&query, &nodes.values) {
        return None;
    }
    #[cfg(any(feature = "flex", feature = "cube"))]
    return Some(kernel::pyramid_descent(query, nodes, parameters, plan));
    #[cfg(not(any(feature = "flex", feature = "cube")))]
    {
        let _ = parameters;
        None
    }
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    use super::{JoinedNodes, Plan};

    pub(super) fn pyramid_descent(
        query: Tensor<4>,
        nodes: &JoinedNodes,
        parameters: Option<Tensor<2>>,
        plan: Plan,
    ) -> Tensor<4> {
        // Placeholder for tensors that this pyramid lacks; no kernel reads it.
        let none = || nodes.mask.clone().into_dispatch();
        let windows = nodes.windows.clone();
        Tensor::from_dispatch(Dispatch::pyramid_descent(
            query.into_dispatch(),
            nodes.keys.clone().into_dispatch(),
            nodes.values.clone().into_dispatch(),
            nodes.mask.clone().into_dispatch(),
            windows.map_or_else(none, Tensor::into_dispatch),
            parameters.map_or_else(none, Tensor::into_dispatch),
            plan,
        ))
    }

    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait PyramidDescent: Backend {
        #[fusion(dtype = query, shape = {
            [query[0], query[1], query[2], values[3]].into()
        })]
        fn pyramid_descent(
            query: FloatTensor<Self>,
            keys: FloatTensor<Self>,
            values: FloatTensor<Self>,
            mask: FloatTensor<Self>,
            windows: FloatTensor<Self>,
            parameters: FloatTensor<Self>,
            plan: Plan,
        ) -> FloatTensor<Self>;
    }
}
