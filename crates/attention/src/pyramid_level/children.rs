//! Nodes of the level below that each node of a pyramid summarises.

use burn::tensor::{Bool, Device, Int, Tensor};

/// Nodes of the level below that a node summarises.
#[derive(Clone, Debug)]
pub(crate) enum Children {
    /// No children: the nodes are leaves.
    Leaves,
    /// Blocks of fixed size: node j has the children j·k … j·k + k − 1.
    Blocks {
        /// Block size, k.
        size: usize,
        /// Number of nodes with children. Nodes behind them only fill a block of the next level.
        parents: usize,
    },
    /// Windows of at most k + 1 children (ACT).
    Windows(Windows),
}

impl Children {
    /// Splits `below` nodes, a multiple of `size`, into blocks of `size` children.
    pub fn blocks(below: usize, size: usize) -> Self {
        Self::Blocks {
            size,
            parents: below / size,
        }
    }

    /// Selects items of the batch, `[rows]`.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let Self::Windows(windows) = self else {
            return self.clone();
        };
        let take = |of: &Tensor<4>| of.clone().select(0, rows.clone());
        Self::Windows(Windows {
            table: take(&windows.table),
            halting: take(&windows.halting),
            real_members: windows.real_members.clone(),
        })
    }
}

/// Blocks whose borders are learned (ACT).
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// Members of each block, `[B, H, n, k + 2]`. Column 0 is the index of the first member in the
    /// level below. Columns 1 to k + 1 are log m, the logarithm of the shares in the block of that
    /// node and of the next k. A node that is no member has a log m so low that its weight is 0.
    pub table: Tensor<4>,
    /// Halting probability p of the nodes below, `[B, H, nodes below, 1]`, 0 where there is no
    /// node.
    pub halting: Tensor<4>,
    /// Number of nodes below that are no padding, in the whole batch, `[1]`.
    pub real_members: Tensor<1>,
}

impl Windows {
    /// Largest number of members of a block, k + 1.
    pub fn size(&self) -> usize {
        self.table.dims()[3] - 1
    }

    /// Indices of the members among `below` nodes, and log m, both `[B, H, n, k + 1]`. Indices
    /// beyond the last node repeat the last node.
    pub fn members(&self, below: usize) -> (Tensor<4, Int>, Tensor<4>) {
        members(self.table.clone(), below)
    }
}

/// Indices and log m of the members, for some rows of the table.
pub(super) fn members(table: Tensor<4>, below: usize) -> (Tensor<4, Int>, Tensor<4>) {
    let size = table.dims()[3] - 1;
    let first = table.clone().narrow(3, 0, 1).int();
    (windows(first, size, below).0, table.narrow(3, 1, size))
}

/// Indices of `size` members from each `first`, `[B, H, n, 1]`, among `below` nodes. The second
/// tensor is true for indices beyond the last node, which repeat the last node. Both are
/// `[B, H, n, size]`.
pub(crate) fn windows(
    first: Tensor<4, Int>,
    size: usize,
    below: usize,
) -> (Tensor<4, Int>, Tensor<4, Bool>) {
    let at = Tensor::<1, Int>::arange(0..size as i64, &first.device()).reshape([1, 1, 1, size]);
    let window = first + at; // [B, H, n, size]
    let last = below as i64 - 1;
    let behind = window.clone().greater_elem(last);
    (window.mask_fill(behind.clone(), last), behind)
}

/// Offset of the first row of each item and head in a flattened table of `length` rows each,
/// `[B, H, 1, 1]`.
pub(crate) fn starts([b, h]: [usize; 2], length: usize, device: &Device) -> Tensor<4, Int> {
    let starts = Tensor::<1, Int>::arange_step(0..(b * h * length) as i64, length, device);
    starts.reshape([b, h, 1, 1])
}
