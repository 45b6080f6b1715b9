//! Layout of the levels in the path of a query on the CPU.

use std::ops::Range;

use super::super::Plan;
use super::Group;

/// Layout of one level in the groups and weights of a query; the same for all queries.
#[derive(Clone, Debug)]
pub struct LevelLayout {
    /// Index of the level, 0 for the leaves.
    pub level: usize,
    /// Index of the level's first node.
    pub begin: usize,
    /// Number of places for nodes on the level.
    pub places: usize,
    /// Index of the first node of the level below.
    pub below: usize,
    /// Number of the level's nodes that have children.
    pub parents: usize,
    /// Number of nodes that a query opens on the level.
    pub opened: usize,
    /// Number of nodes in a group of the level.
    pub size: usize,
    /// Range of the level's groups in a query's groups.
    pub groups: Range<usize>,
    /// Range of the level's nodes in a query's weights.
    pub weights: Range<usize>,
}

impl Plan {
    /// Lays out the levels, from the top to the leaves.
    ///
    /// The layout is the same for all queries: a query that reaches fewer nodes fills the rest with
    /// nodes of weight 0. So the paths of all queries are rows of one length in two flat buffers, and
    /// no query allocates memory.
    pub fn layouts(&self) -> Vec<LevelLayout> {
        let begin = |level: usize| self.places[..level].iter().sum();
        let mut layouts: Vec<LevelLayout> = Vec::with_capacity(self.levels());
        for level in (0..self.levels()).rev() {
            let (groups, size) = match layouts.last() {
                None => (0..1, self.top()),
                Some(above) => (
                    above.groups.end..above.groups.end + above.opened,
                    self.block,
                ),
            };
            let first = layouts.last().map_or(0, |above| above.weights.end);
            // Nodes of this level that a query reaches: one group per opened parent, each of `size`
            // nodes.
            let reached = groups.len() * size;
            let (below, parents, opened) = match level.checked_sub(1) {
                None => (0, 0, 0),
                Some(below) => {
                    let parents = if self.learned {
                        self.places[level]
                    } else {
                        self.places[below] / self.block
                    };
                    // A query cannot open more nodes than it reached.
                    (begin(below), parents, reached.min(self.beam))
                }
            };
            layouts.push(LevelLayout {
                level,
                begin: begin(level),
                places: self.places[level],
                below,
                parents,
                opened,
                size,
                groups,
                weights: first..first + reached,
            });
        }
        layouts
    }
}

impl LevelLayout {
    /// Iterates over the groups of this level, each with its range in the weights of the query.
    #[inline(always)]
    pub fn groups<'a>(&self, of: &'a [Group]) -> impl Iterator<Item = (&'a Group, Range<usize>)> {
        let (first, size) = (self.weights.start, self.size);
        let groups = of[self.groups.clone()].iter().enumerate();
        groups.map(move |(at, group)| (group, first + at * size..first + (at + 1) * size))
    }

    #[inline(always)]
    pub fn is_top(&self) -> bool {
        self.groups.start == 0
    }
}
