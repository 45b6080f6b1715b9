//! Paths of queries on the CPU: the groups of nodes that they reached, and the weights of these nodes.

use super::{LevelLayout, QUERIES};

/// Contiguous nodes: all of the top level, or the children of an opened node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    pub first: usize,
    /// Parent node, and index of the parent's weight (`place`); unused for the top.
    pub parent: usize,
    pub place: usize,
}

/// Paths of all queries of a head.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Number of groups of a query, and number of nodes in these groups.
    pub lengths: (usize, usize),
    /// Groups of each query, `[T, groups]`.
    pub groups: Vec<Group>,
    /// Weight of each reached node, `[T, nodes]`. The sign is negative if the node was opened.
    pub weights: Vec<f32>,
}

/// Paths of some queries of a head, to be written.
pub struct Part<'a> {
    /// Index of the first query.
    pub first: usize,
    /// Lengths as in [`Paths`].
    pub lengths: (usize, usize),
    pub groups: &'a mut [Group],
    pub weights: &'a mut [f32],
}

impl Paths {
    /// Collects the nodes of a level that some query has reached, each once.
    pub fn reached(&self, layout: &LevelLayout) -> Vec<usize> {
        let mut is_reached = vec![false; layout.places];
        for groups in self.groups.chunks_exact(self.lengths.0) {
            for group in &groups[layout.groups.clone()] {
                // A window has no members beyond the last node of its level.
                let first = group.first - layout.begin;
                let end = (first + layout.size).min(layout.places);
                is_reached[first.min(end)..end].fill(true);
            }
        }
        let nodes = is_reached.iter().enumerate();
        let nodes = nodes.filter(|(_, is_reached)| **is_reached);
        nodes.map(|(node, _)| layout.begin + node).collect()
    }

    /// Iterates over the groups and weights of each query.
    pub fn each(&self) -> impl Iterator<Item = (&[Group], &[f32])> {
        let (groups, nodes) = self.lengths;
        let groups = self.groups.chunks_exact(groups);
        groups.zip(self.weights.chunks_exact(nodes))
    }

    /// Splits the paths into parts of [`QUERIES`] queries.
    pub fn parts(&mut self) -> impl Iterator<Item = Part<'_>> {
        let lengths @ (groups, nodes) = self.lengths;
        let groups = self.groups.chunks_mut(QUERIES * groups);
        let each = groups.zip(self.weights.chunks_mut(QUERIES * nodes));
        let each = each.enumerate();
        each.map(move |(at, (groups, weights))| Part {
            first: at * QUERIES,
            lengths,
            groups,
            weights,
        })
    }

    pub fn new(queries: usize, layouts: &[LevelLayout]) -> Self {
        let leaves = layouts.last().expect("there are leaves");
        let lengths @ (groups, nodes) = (leaves.groups.end, leaves.weights.end);
        // The first group is the top level; later groups are filled in by the descent.
        let mut none = vec![Group::default(); groups];
        none[0].first = layouts[0].begin;
        Self {
            lengths,
            groups: none.repeat(queries),
            weights: vec![0.0; queries * nodes],
        }
    }
}
