//! Muted nodes of one level of a pyramid, to which no query attends.

use burn::tensor::{Int, Tensor};
use strata_kernels::attention::MASKED_SCORE;

use crate::{Mask, Node};

/// Indices of the muted nodes of a level.
pub(super) struct MutedNodes(Vec<i64>);

impl MutedNodes {
    /// Selects the muted nodes of a level, counted from the leaves, level 0.
    pub fn of_level(muted: &[Node], level: usize) -> Self {
        let of_level = muted.iter().filter(|node| node.level == level);
        let places = of_level.filter_map(|node| i64::try_from(node.index).ok());
        Self(places.collect())
    }

    /// Returns a number above 0 for each of `nodes` that is muted, 0 for the others; `None` if the
    /// level has no muted nodes.
    pub fn among(&self, nodes: &Tensor<4, Int>) -> Option<Tensor<4>> {
        let is_it = |&place: &i64| nodes.clone().equal_elem(place).float();
        self.0.iter().map(is_it).reduce(|sum, it| sum + it)
    }

    /// Marks the muted nodes among the first `places` nodes, `[1, 1, 1, places]`, as
    /// [`among`](Self::among) does; on the device of `like`.
    pub fn among_first(&self, places: usize, like: &Tensor<4>) -> Option<Tensor<4>> {
        if self.0.is_empty() {
            return None;
        }
        let nodes = Tensor::<1, Int>::arange(0..places as i64, &like.device());
        self.among(&nodes.reshape([1, 1, 1, places]))
    }

    /// Adds the muted nodes to the mask of a level of `places` nodes.
    pub fn hide(&self, mask: &Mask, places: usize, like: &Tensor<4>) -> Mask {
        match self.among_first(places, like) {
            Some(muted) => mask.and_hidden(muted),
            None => mask.clone(),
        }
    }
}

/// Softmax of scores in which absent nodes are far below all others. Nodes that `muted` marks get
/// weight 0; if no other node is left, all get 0.
pub(super) fn softmax(scores: Tensor<4>, muted: Option<Tensor<4>>) -> Tensor<4> {
    let Some(muted) = muted else {
        return Mask::none().softmax(scores);
    };
    let muted = muted.reshape(scores.dims());
    let scores = scores + muted.mul_scalar(MASKED_SCORE);
    let visible = scores.clone().greater_elem(MASKED_SCORE / 2.0).float();
    Mask::none().softmax(scores) * visible
}
