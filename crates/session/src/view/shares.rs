//! Shares with which sites mix their levels.

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{SiteName, SiteWeights};

use crate::protocol::SharesView;

/// The shares of each site that mixes its levels, `[1, 1 or H, 1, levels]`, still on the device.
pub(crate) struct Shares(Vec<(SiteName, Tensor<4>)>);

impl Shares {
    /// Collects the shares of all sites that mix their levels.
    pub fn of(sites: &[SiteWeights]) -> Self {
        let mix = |it: &SiteWeights| Some((it.site, it.weights.mix()?.clone()));
        Self(sites.iter().filter_map(mix).collect())
    }

    /// Adds the shares to the transaction that reads them.
    pub fn register(&self, transaction: Transaction) -> Transaction {
        let mixes = self.0.iter();
        mixes.fold(transaction, |all, (_, mix)| all.register(mix.clone()))
    }

    /// Builds the views from the shares read.
    pub fn read(self, data: &mut impl Iterator<Item = TensorData>) -> Vec<SharesView> {
        let read = self.0.into_iter().map(|(site, mix)| {
            let levels = mix.dims()[3].max(1);
            let numbers = data.next();
            let numbers: Vec<f32> =
                numbers.map_or_else(Vec::new, |data| data.iter::<f32>().collect());
            let shares = numbers.chunks(levels).map(<[f32]>::to_vec).collect();
            SharesView { site, shares }
        });
        read.collect()
    }
}
