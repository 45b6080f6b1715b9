//! Path of one row down a pyramid.

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{SiteName, SiteWeights};

use crate::protocol::{DescentView, LevelView};

/// Path of a row down a pyramid, still on the device.
pub(crate) struct DescentPath {
    site: SiteName,
    head: usize,
    row: usize,
    /// For each level, the tensors reached, shares and present, `[n]` each; for all levels but the
    /// leaves, also members, `[n, nodes below]`.
    levels: Vec<(Tensor<1>, Tensor<1>, Tensor<1>, Option<Tensor<2>>)>,
}

impl DescentPath {
    /// Selects the path of a row (the last, if there are fewer) and a head (the first, if there are
    /// fewer); `None` if the mechanism is no pyramid.
    pub fn of(site: &SiteWeights, head: usize, row: usize) -> Option<Self> {
        let descent = site.weights.descent()?;
        let [_, heads, rows, _] = descent.reached(0).dims();
        let head = if head < heads { head } else { 0 };
        let row = row.min(rows - 1);
        let of_row = |tensor: Tensor<4>, row: usize| -> Tensor<1> {
            let head = head.min(tensor.dims()[1] - 1);
            tensor.narrow(1, head, 1).narrow(2, row, 1).flatten(0, 3)
        };
        let members = |level: usize| -> Tensor<2> {
            let members = descent.membership(level);
            let [_, heads, n, below] = members.dims();
            let head = head.min(heads - 1);
            members.narrow(1, head, 1).reshape([n, below])
        };
        let level = |level: usize| {
            (
                of_row(descent.reached(level), row),
                of_row(descent.shares(level), row),
                of_row(descent.present(level), 0),
                (level > 0).then(|| members(level)),
            )
        };
        Some(Self {
            site: site.site,
            head,
            row,
            levels: (0..descent.levels()).map(level).collect(),
        })
    }

    /// Adds the tensors of the path to the transaction that reads them.
    pub fn register(&self, mut transaction: Transaction) -> Transaction {
        for (reached, shares, present, members) in &self.levels {
            transaction = transaction
                .register(reached.clone())
                .register(shares.clone())
                .register(present.clone());
            if let Some(members) = members {
                transaction = transaction.register(members.clone());
            }
        }
        transaction
    }

    /// Builds the view from the numbers read.
    pub fn read(self, data: &mut impl Iterator<Item = TensorData>) -> DescentView {
        let mut numbers = || -> Vec<f32> {
            let data = data.next();
            data.map_or_else(Vec::new, |data| data.iter::<f32>().collect())
        };
        let mut levels: Vec<LevelView> = Vec::with_capacity(self.levels.len());
        for (.., members) in &self.levels {
            let (mut reached, mut shares, present) = (numbers(), numbers(), numbers());
            // Absent nodes come after all others.
            let nodes = present.iter().filter(|&&it| it > 0.5).count();
            reached.truncate(nodes);
            shares.truncate(nodes);
            let below = levels.last().map_or(0, |below| below.reached.len());
            let members = match members {
                Some(tensor) => pairs(&numbers(), tensor.dims()[1], nodes, below),
                None => Vec::new(),
            };
            levels.push(LevelView {
                reached,
                shares,
                members,
            });
        }
        DescentView {
            site: self.site,
            head: self.head,
            row: self.row,
            levels,
        }
    }
}

/// Positions of the numbers above 0 in a matrix of `width` columns, within its first `nodes` rows
/// and `below` columns.
fn pairs(matrix: &[f32], width: usize, nodes: usize, below: usize) -> Vec<[usize; 2]> {
    let rows = matrix.chunks(width.max(1)).take(nodes).enumerate();
    rows.flat_map(|(node, row)| {
        let members = row.iter().take(below).enumerate();
        members
            .filter(|(_, mass)| **mass > 0.0)
            .map(move |(member, _)| [node, member])
    })
    .collect()
}
