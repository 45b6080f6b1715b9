//! One level of a pyramid: its nodes, ready for queries, and how their children are gathered.
//!
//! The levels are state that a pyramid keeps in a [`Memory`](crate::Memory), so they know nothing
//! of the pyramid that made them.

mod children;

use std::sync::OnceLock;

use burn::tensor::kind::Basic;
use burn::tensor::{Int, Tensor};
use strata_kernels::attention::JoinedNodes;

use crate::{Mask, PreparedKeys, Score};
use children::members;
pub(crate) use children::{Children, Windows, starts, windows};

/// Nodes of a level before any projection.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    /// States of the nodes, `[B, H, n, D]`, 0 where there is no node.
    pub states: Tensor<4>,
    /// Masks absent nodes: `[B or 1, 1 or H, 1, n]`.
    pub mask: Mask,
    /// Children of each node in the level below.
    pub children: Children,
}

impl Nodes {
    /// Builds level 0. Padded states become 0.
    pub(crate) fn leaves(states: Tensor<4>, mask: Mask) -> Self {
        Self::above(states, mask, Children::Leaves)
    }

    pub(crate) fn above(states: Tensor<4>, mask: Mask, children: Children) -> Self {
        // Absent nodes become 0, which is what the summaries of the next level expect.
        let states = match mask.visible() {
            Some(visible) => states * visible.swap_dims(2, 3),
            None => states,
        };
        Self {
            states,
            mask,
            children,
        }
    }

    /// Appends absent nodes until the length is a multiple of `block`.
    pub(crate) fn pad_to_multiple(self, block: usize) -> Self {
        let [b, h, n, d] = self.states.dims();
        let length = n.next_multiple_of(block);
        if n == length {
            return self;
        }
        let device = self.states.device();
        let zeros = Tensor::zeros([b, h, length - n, d], &device);
        Self {
            states: Tensor::cat(vec![self.states, zeros], 2), // [B, H, length, D]
            mask: self.mask.pad_keys(n, length, &device),
            children: match self.children {
                Children::Windows(_) => unreachable!("the levels of ACT are not padded"),
                children => children,
            },
        }
    }
}

/// Level that is ready for queries.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    /// Keys of the nodes, `[B, H, n, D_g]`.
    pub keys: Tensor<4>,
    /// Keys prepared for the score function; computed when a query needs prepared keys. The kernel of
    /// the additive score prepares only the nodes that queries reach, and leaves this cell empty.
    prepared: OnceLock<PreparedKeys>,
    /// Values of the nodes, `[B, H, n, D_v]`.
    pub values: Tensor<4>,
    /// True if keys and values are the same numbers before the score function prepares the keys.
    pub values_are_keys: bool,
    /// Masks absent nodes.
    pub mask: Mask,
    /// The nodes before any projection, `[B, 1 or H, n, D]`.
    pub states: Tensor<4>,
    /// Children of each node in the level below.
    pub children: Children,
    /// Offsets by [`Level::offsets`]; computed when needed.
    offsets: OnceLock<Tensor<4, Int>>,
}

/// Pyramid that is ready for queries.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Levels, from the leaves to the top.
    pub levels: Vec<Level>,
    /// Number of keys, S; leaves beyond them are padding to whole blocks.
    pub keys: usize,
    /// All levels concatenated, with plain keys and with prepared keys; computed when a query needs
    /// them.
    pub joined: [OnceLock<JoinedNodes>; 2],
}

/// Children of opened nodes.
pub(crate) struct Opened {
    /// Indices of the children in the level below, `[B, H, T, c]`.
    pub nodes: Tensor<4, Int>,
    /// Keys of the children, `[B·H·T, 1, c, ·]`.
    pub keys: PreparedKeys,
    /// Values of the children, `[B·H·T, 1, c, D_v]`.
    pub values: Tensor<4>,
    /// Term to add to the scores, `[B, H, T·b, c / b]`.
    pub additive: Option<Tensor<4>>,
}

impl Levels {
    pub fn new(levels: Vec<Level>, keys: usize) -> Self {
        Self {
            levels,
            keys,
            joined: Default::default(),
        }
    }

    /// Selects items of the batch, `[rows]`. Numbers of the whole batch stay as they are.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let levels = self.levels.iter().map(|it| it.select(rows)).collect();
        Self::new(levels, self.keys)
    }
}

impl Level {
    /// Selects items of the batch, `[rows]`.
    fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let take = |of: &Tensor<4>| of.clone().select(0, rows.clone());
        let keys = take(&self.keys);
        Self {
            prepared: match self.prepared.get() {
                Some(prepared) => prepared.select(rows).into(),
                None => OnceLock::new(),
            },
            values: if self.values_are_keys {
                keys.clone()
            } else {
                take(&self.values)
            },
            values_are_keys: self.values_are_keys,
            mask: self.mask.select(rows),
            states: take(&self.states),
            offsets: OnceLock::new(),
            children: self.children.select(rows),
            keys,
        }
    }

    /// Creates a level. Without values the keys are the values.
    pub(crate) fn new(nodes: Nodes, keys: Tensor<4>, values: Option<Tensor<4>>) -> Self {
        Self {
            offsets: OnceLock::new(),
            values_are_keys: values.is_none(),
            values: values.unwrap_or_else(|| keys.clone()),
            prepared: OnceLock::new(),
            keys,
            mask: nodes.mask,
            states: nodes.states,
            children: nodes.children,
        }
    }

    /// Keys prepared for the score function of this level.
    pub fn prepared(&self, score: &Score) -> &PreparedKeys {
        self.prepared
            .get_or_init(|| score.prepare(self.keys.clone()))
    }

    /// Offset of the first node of each item and head in the flattened level (with blocks, counted
    /// in blocks), `[B, H, 1, 1]`.
    ///
    /// Rows are selected from the flattened level by their offset in the whole batch: `select`
    /// copies whole rows, where a gather along the axis of nodes would read an index for each
    /// element of a row.
    fn offsets(&self) -> Tensor<4, Int> {
        let offsets = self.offsets.get_or_init(|| {
            let [b, h, n, _] = self.keys.dims();
            let length = match &self.children {
                Children::Blocks { parents, .. } => *parents,
                _ => n,
            };
            starts([b, h], length, &self.keys.device())
        });
        offsets.clone()
    }

    /// Number of places for nodes, present or absent.
    pub fn places(&self) -> usize {
        self.states.dims()[2]
    }

    /// Gathers the children of the nodes `opened`, `[B, H, T, b]`, of this level. `score` is the
    /// score function of the level `below`.
    pub(crate) fn open(&self, opened: Tensor<4, Int>, below: &Self, score: &Score) -> Opened {
        let [b, h, t, beam] = opened.dims();
        let device = opened.device();
        match &self.children {
            Children::Leaves => unreachable!("leaves are not opened"),
            Children::Blocks { size: k, parents } => {
                // If a row has fewer nodes than the beam opens, the surplus ones have weight 0;
                // their index is clamped to a node with children.
                let opened = if beam > 1 && *parents < self.places() {
                    opened.clamp_max(*parents as i64 - 1)
                } else {
                    opened
                };
                // Node j of this level has the children j·k … j·k + k − 1.
                let at = Tensor::<1, Int>::arange(0..*k as i64, &device).reshape([1, 1, 1, *k]);
                let nodes = opened
                    .clone()
                    .reshape([b, h, t * beam, 1])
                    .mul_scalar(*k as i64)
                    + at;
                // The children of a block are adjacent in memory: one gather of long rows fetches
                // all of them.
                let (keys, values) =
                    below.rows(opened.clone() + self.offsets(), *parents, *k, score);
                Opened {
                    nodes: nodes.reshape([b, h, t, beam * k]), // [B, H, T, b·k]
                    keys,
                    values,
                    additive: below.mask.additive().map(|additive| {
                        rows(
                            additive.reshape([0, 0, *parents as i32, *k as i32]),
                            &opened,
                        )
                    }),
                }
            }
            Children::Windows(windows) => {
                let table = rows(windows.table.clone(), &opened); // [B, H, T·b, k + 2]
                let (members, log_mass) = members(table, below.places());
                let nodes = members.reshape([b, h, t, beam * windows.size()]); // [B, H, T, b·(k + 1)]
                let (keys, values) =
                    below.rows(nodes.clone() + below.offsets(), below.places(), 1, score);
                Opened {
                    nodes,
                    keys,
                    values,
                    additive: Some(log_mass),
                }
            }
        }
    }

    /// Gathers keys and values of some rows of `size` nodes each, from `n` rows per item and head:
    /// `[B, H, T, r]` → `[B·H·T, 1, r·size, ·]`
    fn rows(
        &self,
        row: Tensor<4, Int>,
        n: usize,
        size: usize,
        score: &Score,
    ) -> (PreparedKeys, Tensor<4>) {
        let [b, h, t, r] = row.dims();
        let row: Tensor<1, Int> = row.reshape([b * h * t * r]);
        let take = |of: Tensor<4>| {
            let width = of.dims()[3];
            of.reshape([b * h * n, size * width])
                .select(0, row.clone())
                .reshape([b * h * t, 1, r * size, width])
        };
        let keys = take(self.prepared(score).tensor());
        let values = if self.values_are_keys && score.keeps_keys() {
            keys.clone()
        } else {
            take(self.values.clone())
        };
        (PreparedKeys::of(keys), values)
    }
}

/// Indices of the rows `at` `[B, H, T, b]` in a table of `[B or 1, H or 1, n]` rows, flattened.
fn flattened(at: &Tensor<4, Int>, [b, h, n]: [usize; 3]) -> Tensor<1, Int> {
    let [items, heads, t, beam] = at.dims();
    let place = match b * h {
        1 => at.clone(),
        _ => at.clone() + starts([b, h], n, &at.device()),
    };
    place.reshape([items * heads * t * beam])
}

/// Gathers rows of a table `[B or 1, H or 1, n, c]`: indices `[B, H, T, b]` → `[B, H, T·b, c]`
fn rows<K: Basic>(table: Tensor<4, K>, at: &Tensor<4, Int>) -> Tensor<4, K> {
    let ([b, h, n, c], [items, heads, t, beam]) = (table.dims(), at.dims());
    table
        .reshape([b * h * n, c])
        .select(0, flattened(at, [b, h, n])) // [B·H·T·b, c]
        .reshape([items, heads, t * beam, c])
}

/// Mean halting probability of all real members of all levels, `[1]`; `None` for summaries other
/// than ACT.
pub(crate) fn ponder(levels: &[Level]) -> Option<Tensor<1>> {
    levels
        .iter()
        .filter_map(|level| match &level.children {
            Children::Windows(windows) => {
                Some((windows.halting.clone().sum(), windows.real_members.clone()))
            }
            _ => None,
        })
        .reduce(|(halting, members), (more, further)| (halting + more, members + further))
        .map(|(halting, members)| halting / members.clamp_min(1.0))
}
