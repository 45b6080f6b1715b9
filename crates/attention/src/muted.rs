//! Ablation: parts of an attention layer are muted, or their weights given by hand, to see how much
//! they contribute (Michel et al. 2019, *Are Sixteen Heads Really Better than One?*; Voita et al.
//! 2019).

use crate::ForcedRows;

/// The parts of one attention that are muted or forced: none by default. Nothing is computed for it
/// then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Muted {
    /// True if its result is zeros, so that a residual sum is its input alone.
    pub site: bool,
    /// Heads whose context is zeros before W^O, counted from 0.
    pub heads: Vec<usize>,
    /// Levels, counted from 0. Of a learned mix: their share is 0, and those of the others are
    /// renormalised. Of values fed back: they are fed back once less for each.
    pub levels: Vec<usize>,
    /// Rows whose weights are given, those of the first level where there are several: the others
    /// follow from it.
    pub rows: ForcedRows,
    /// Nodes of a pyramid that no query looks at or opens.
    pub nodes: Vec<Node>,
}

/// A node of a pyramid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its level, counted from the leaves, 0.
    pub level: usize,
    /// Its place in the level, counted from 0.
    pub index: usize,
}
