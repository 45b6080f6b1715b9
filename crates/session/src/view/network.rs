//! View of a whole model: thumbnails of its sites, one site in full, and the relative change that
//! each block makes to its input.

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{BlockChange, SiteWeights};

use super::shares::Shares;
use super::site::SiteTensors;
use crate::protocol::{BlockView, NetworkView};

/// View of a whole model, still on the device.
pub(crate) struct Network {
    sites: Vec<SiteTensors>,
    chosen: Option<SiteTensors>,
    shares: Shares,
    blocks: Vec<String>,
    /// Relative change by each of the blocks, `[blocks]`; `None` if there are no blocks.
    changes: Option<Tensor<1>>,
}

impl Network {
    /// Builds the view of these sites, one of which is `chosen`, and of these blocks. Sites of the
    /// decoder are cut to their first `rows` tokens.
    pub fn of(
        sites: &[SiteWeights],
        chosen: Option<&SiteWeights>,
        changes: Vec<BlockChange>,
        rows: usize,
    ) -> Self {
        let small = |site| SiteTensors::one(site, rows, None, None).small();
        let (blocks, ratios): (_, Vec<_>) = changes
            .into_iter()
            .map(|change| (change.block, change.ratio))
            .unzip();
        Self {
            sites: sites.iter().map(small).collect(),
            chosen: chosen.map(|site| SiteTensors::one(site, rows, None, None)),
            shares: Shares::of(sites, rows),
            blocks,
            changes: (!ratios.is_empty()).then(|| Tensor::cat(ratios, 0)),
        }
    }

    /// Adds the tensors of the view to the transaction that reads them.
    pub fn register(&self, transaction: Transaction) -> Transaction {
        let parts = self.sites.iter().chain(&self.chosen);
        let transaction = parts.fold(transaction, |all, part| part.register(all));
        let transaction = self.shares.register(transaction);
        match &self.changes {
            Some(changes) => transaction.register(changes.clone()),
            None => transaction,
        }
    }

    /// Builds the view from the numbers read.
    pub fn read(self, data: &mut impl Iterator<Item = TensorData>) -> NetworkView {
        let sites = self.sites.into_iter().map(|it| it.read(data)).collect();
        let chosen = self.chosen.map(|it| it.read(data));
        let shares = self.shares.read(data);
        let changes = self.changes.and_then(|_| data.next());
        let changes: Vec<f32> = changes.map_or_else(Vec::new, |data| data.iter::<f32>().collect());
        let blocks = self.blocks.into_iter().zip(changes);
        NetworkView {
            sites,
            chosen,
            shares,
            blocks: blocks
                .map(|(block, change)| BlockView { block, change })
                .collect(),
        }
    }
}
