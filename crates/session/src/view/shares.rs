//! Shares with which sites mix their levels.

use burn::tensor::{Tensor, TensorData, Transaction};
use strata_models::{SiteName, SiteWeights};

use super::site::query_rows;
use crate::protocol::SharesView;

/// The shares of each site that mixes its levels, `[1, 1 or H, 1, levels]`, still on the device.
pub(crate) struct Shares(Vec<(SiteName, Tensor<4>)>);

/// Returns the shares of a site's levels, `[1, 1 or H, 1, levels]`; where shares are computed for
/// each query, the mean over the shown rows. `None` if the site mixes no levels.
pub(super) fn mean_shares(site: &SiteWeights, rows: usize) -> Option<Tensor<4>> {
    let mix = site.weights.mix()?.clone(); // [1, 1 or H, 1 or T, levels]
    Some(match mix.dims()[2] {
        1 => mix,
        _ => query_rows(site, mix, rows).mean_dim(2),
    })
}

impl Shares {
    /// Collects the shares of all sites that mix levels. Sites of the decoder are cut to the first
    /// `rows` tokens.
    pub fn of(sites: &[SiteWeights], rows: usize) -> Self {
        let mix = |site: &SiteWeights| Some((site.site, mean_shares(site, rows)?));
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
