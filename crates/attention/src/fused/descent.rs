//! The descent through a pyramid by the dot product: all levels are one kernel, and few backward.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::Tensor;
use strata_kernels::{on_card, on_host};

use super::{LONGEST, WIDEST};

/// Nodes of a pyramid that a number in F32 counts exactly.
const MOST_NODES: usize = 1 << 24;

/// How the nodes of a pyramid lie one behind the other, from the leaves to the top, and how many of
/// each level a query opens.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// How many places for nodes each level has.
    pub places: Vec<usize>,
    /// How many nodes of the level below a node stands for, at most.
    pub block: usize,
    /// Whether nodes stand for windows of the level below or for blocks, each level but the top
    /// filling whole ones.
    pub learned: bool,
    /// b.
    pub beam: usize,
}

/// The nodes of all levels one behind the other.
#[derive(Clone, Debug)]
pub(crate) struct JoinedNodes {
    /// `[B, H, n, D]`
    pub keys: Tensor<4>,
    /// `[B, H, n, D_v]`
    pub values: Tensor<4>,
    /// Added to the scores of those in blocks, and of the top alone in windows:
    /// `[B or 1, H or 1, 1, n]`.
    pub hidden: Tensor<4>,
    /// Of the nodes above the leaves the first member and what is added to each member's score,
    /// `[B, H or 1, n above, block + 1]`; only of windows.
    pub windows: Option<Tensor<4>>,
}

impl Plan {
    /// Whether this is for [`dot_descent`].
    pub fn fits(&self, query: &Tensor<4>, values: &Tensor<4>) -> bool {
        let nodes = self.places.iter().sum::<usize>();
        let ours = |tensor: &Tensor<4>| {
            let on_card = || on_card(tensor) && tensor.dims()[3] <= WIDEST && self.is_regular();
            on_host(tensor) || on_card()
        };
        // A beam that is wider than its levels would fill memory with room for nothing.
        self.entries() <= nodes.max(LONGEST)
            && self.top() <= LONGEST
            && nodes < MOST_NODES
            && [query, values].into_iter().all(ours)
    }

    /// Whether the places of the levels follow from those of the leaves, as on graphics cards,
    /// where each level of windows has as many.
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

    /// L.
    fn levels(&self) -> usize {
        self.places.len()
    }

    /// Places for leaves.
    fn leaves(&self) -> usize {
        self.places[0]
    }

    fn top(&self) -> usize {
        self.places[self.levels() - 1]
    }

    /// How many weights a query keeps: of the top, and of the children of what is opened.
    fn entries(&self) -> usize {
        self.top() + self.opened() * self.block
    }

    /// How many nodes a query opens at most.
    fn opened(&self) -> usize {
        (self.levels() - 1) * self.beam
    }
}

/// The context of every query: every node that was reached and not opened, by its weight.
///
/// # Shapes
/// - query `[B, H, T, D]` → `[B, H, T, D_v]`
pub(crate) fn dot_descent(
    query: Tensor<4>,
    nodes: JoinedNodes,
    plan: Plan,
    scale: f32,
) -> Tensor<4> {
    let windows = nodes.windows.unwrap_or_else(|| nodes.hidden.clone());
    Tensor::from_dispatch(Dispatch::dot_descent(
        query.into_dispatch(),
        nodes.keys.into_dispatch(),
        nodes.values.into_dispatch(),
        nodes.hidden.into_dispatch(),
        windows.into_dispatch(),
        plan,
        scale,
    ))
}

#[backend_extension(
    Flex: cfg(feature = "flex"),
    Cube: cfg(feature = "cube"),
    Fusion: cfg(feature = "fusion"),
    Autodiff
)]
trait DotDescent: Backend {
    #[fusion(dtype = query, shape = {
        [query[0], query[1], query[2], values[3]].into()
    })]
    fn dot_descent(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        windows: FloatTensor<Self>,
        plan: Plan,
        scale: f32,
    ) -> FloatTensor<Self>;
}
