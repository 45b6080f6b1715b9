//! The descent through a pyramid by the dot product on a graphics card: all levels are one kernel,
//! and few backward.

mod cube;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::Tensor;

use super::rows::{LONGEST, WIDEST};

/// Nodes of a pyramid that a number in F32 counts exactly.
const MOST_NODES: usize = 1 << 24;

/// How the nodes of a pyramid lie one behind the other, from the leaves to the top, and how many of
/// each level a query opens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// L.
    pub levels: usize,
    /// Places for leaves.
    pub leaves: usize,
    /// How many nodes of the level below a node stands for, at most.
    pub block: usize,
    /// Whether nodes stand for windows of the level below, each level having as many places, or
    /// for blocks, each level but the top filling whole ones.
    pub learned: bool,
    /// b.
    pub beam: usize,
}

/// The nodes of all levels one behind the other.
pub(crate) struct JoinedNodes {
    /// `[B, H, n, D]`
    pub keys: Tensor<4>,
    /// `[B, H, n, D_v]`
    pub values: Tensor<4>,
    /// Added to the scores of those in blocks, and of the top alone in windows:
    /// `[B or 1, H or 1, 1, n]`.
    pub hidden: Tensor<4>,
    /// Of the nodes above the leaves the first member and what is added to each member's score,
    /// `[B or 1, H or 1, n above, block + 1]`; only of windows.
    pub windows: Option<Tensor<4>>,
}

impl Plan {
    /// How many places each level has, from the leaves to the top.
    pub fn places(self) -> impl Iterator<Item = usize> {
        (1..=self.levels).scan(self.leaves, move |places, upper| {
            let own = *places;
            if !self.learned {
                let above = own / self.block;
                *places = match upper + 1 < self.levels {
                    true => above.next_multiple_of(self.block),
                    false => above,
                };
            }
            Some(own)
        })
    }

    /// Whether this is for [`dot_descent`].
    pub fn fits(self, query: &Tensor<4>, values: &Tensor<4>) -> bool {
        let narrow = |tensor: &Tensor<4>| tensor.dims()[3] <= WIDEST;
        let nodes = self.places().sum::<usize>();
        // A beam that is wider than its levels would fill memory with room for nothing.
        self.entries() <= nodes.max(LONGEST)
            && self.top() <= LONGEST
            && nodes < MOST_NODES
            && [query, values]
                .into_iter()
                .all(|tensor| strata_kernels::on_card(tensor) && narrow(tensor))
    }

    fn top(self) -> usize {
        self.places().last().unwrap_or(self.leaves)
    }

    /// How many weights a query keeps: of the top, and of the children of what is opened.
    fn entries(self) -> usize {
        self.top() + self.opened() * self.block
    }

    /// How many nodes a query opens at most.
    fn opened(self) -> usize {
        (self.levels - 1) * self.beam
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

#[backend_extension(Cube, Fusion: cfg(feature = "fusion"), Autodiff)]
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
