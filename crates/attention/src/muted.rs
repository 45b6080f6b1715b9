//! Ablation: parts of an attention layer are muted, or their weights set by hand, to see how much
//! they contribute (Michel et al. 2019, *Are Sixteen Heads Really Better than One?*; Voita et al.
//! 2019).

mod forced;

pub use forced::{ForcedRow, ForcedRows, GivenWeights};

/// Parts of one attention layer that are muted or forced. None by default, and then without any
/// cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Muted {
    /// True if the layer's output is zeros, so that a residual sum passes on its input alone.
    pub site: bool,
    /// Heads, counted from 0, whose context is zeros before W^O.
    pub heads: Vec<usize>,
    /// Muted levels, counted from 0. In a learned mix (Ham, multilevel attention with a mix) the
    /// share of a muted level is 0 and the other shares are renormalised. In multilevel attention
    /// without a mix each muted level feeds the values back once less.
    pub levels: Vec<usize>,
    /// Rows whose weights are set by hand. In mechanisms of several levels this sets the first
    /// level, from which the others follow.
    pub rows: ForcedRows,
    /// Nodes of a pyramid to which no query attends and which none opens.
    pub nodes: Vec<Node>,
}

/// Place of a node in a pyramid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Level of the node, counted from the leaves, level 0.
    pub level: usize,
    /// Index of the node in its level, counted from 0.
    pub index: usize,
}
