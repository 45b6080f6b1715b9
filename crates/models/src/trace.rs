//! Record of a pass: the weights of each attention site, and the relative change that blocks make
//! to their inputs.
//!
//! With `loops` a layer is passed several times under the same names. A trace keeps what the last
//! pass did, apart from the terms of the loss, which come from all passes.

use std::collections::BTreeMap;
use std::fmt::Display;

use burn::tensor::{DType, Int, Tensor, TensorData};
use strata_attention::MultiHeadOutput;

use crate::{SiteName, SiteWeights};

/// Relative change that a block makes to its input.
#[derive(Clone, Debug)]
pub struct BlockChange {
    /// Name of the block in the [`Diagram`](crate::Diagram).
    pub block: String,
    /// Ratio ‖f(h)‖ / ‖h‖ over all positions, padding included: `[1]`.
    pub ratio: Tensor<1>,
}

/// Rows that an attention site reads.
#[derive(Clone, Debug)]
pub struct SiteRows {
    /// Rows from which queries are projected, `[B, T, D_q]`.
    pub queries: Tensor<3>,
    /// Rows from which keys and values are projected, `[B, S, D_k]`.
    pub keys: Tensor<3>,
}

/// Record of a pass.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Attention weights of every site, in the order of the pass. With loops the weights are those
    /// of the last loop.
    pub sites: Vec<SiteWeights>,
    /// Changes by every block that adds something to its input; `None` if changes are not recorded.
    pub(crate) changes: Option<Vec<BlockChange>>,
    /// Rows that every site reads; `None` if rows are not recorded.
    pub(crate) rows: Option<BTreeMap<SiteName, SiteRows>>,
    /// Places of the targets, among B · T, at which alone logits are computed; `None` for all places,
    /// and once the places are taken.
    pub(crate) places: Option<Vec<usize>>,
}

impl Trace {
    /// Creates a trace that records changes too.
    pub(crate) fn with_changes() -> Self {
        Self {
            changes: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Creates a trace that records the rows that sites read, too.
    pub(crate) fn with_rows() -> Self {
        Self {
            rows: Some(BTreeMap::new()),
            ..Self::default()
        }
    }

    /// Takes the rows of the decoder's output x `[B, T, D]` at which logits are computed, `[1, R, D]`.
    /// All rows are taken for hard attention, whose reward is the loss of whole items.
    pub(crate) fn take_places(&mut self, x: Tensor<3>) -> Tensor<3> {
        let is_drawn = |site: &SiteWeights| site.auxiliary.log_probability.is_some();
        if self.sites.iter().any(is_drawn) {
            return x;
        }
        let Some(places) = self.places.take() else {
            return x;
        };
        let [b, t, d] = x.dims();
        let places: Vec<i32> = places.into_iter().map(|place| place as i32).collect();
        let count = places.len();
        let places = Tensor::<1, Int>::from_data(TensorData::new(places, [count]), &x.device());
        x.reshape([1, b * t, d]).select(1, places) // [1, R, D]
    }

    /// Records the rows that a site reads, if rows are recorded. In self-attention both arguments
    /// are the same rows.
    pub(crate) fn note_rows(&mut self, site: SiteName, queries: &Tensor<3>, keys: &Tensor<3>) {
        if let Some(rows) = &mut self.rows {
            let (queries, keys) = (queries.clone(), keys.clone());
            rows.insert(site, SiteRows { queries, keys });
        }
    }

    /// Records the rows from which queries are projected, for a site whose keys are recorded.
    pub(crate) fn note_queries(&mut self, site: SiteName, queries: &Tensor<3>) {
        let rows = self.rows.as_mut().and_then(|rows| rows.get_mut(&site));
        if let Some(rows) = rows {
            rows.queries = queries.clone();
        }
    }

    /// Records the weights of a site, and returns the context. Replaces the weights of an earlier
    /// loop, but keeps that loop's terms of the loss.
    pub(crate) fn note_site(&mut self, site: SiteName, output: MultiHeadOutput) -> Tensor<3> {
        let MultiHeadOutput {
            context,
            weights,
            auxiliary,
        } = output;
        match self.sites.iter_mut().find(|known| known.site == site) {
            Some(known) => {
                known.weights = weights;
                // The keys of cross-attention are the same in every loop, and so is their cost.
                let again = !site.is_cross();
                known.auxiliary = std::mem::take(&mut known.auxiliary).then(auxiliary, again);
            }
            None => self.sites.push(SiteWeights {
                site,
                weights,
                auxiliary,
            }),
        }
        context
    }

    /// Records the size of a block's result relative to that of its input, if changes are recorded.
    pub(crate) fn note_change(
        &mut self,
        block: impl Display,
        input: &Tensor<3>,
        result: &Tensor<3>,
    ) {
        let Some(changes) = &mut self.changes else {
            return;
        };
        let squares = |of: &Tensor<3>| of.clone().cast(DType::F32).square().sum();
        let block = block.to_string();
        let ratio = (squares(result) / squares(input).clamp_min(f32::MIN_POSITIVE)).sqrt();
        match changes.iter_mut().find(|known| known.block == block) {
            // A change of an earlier loop.
            Some(known) => known.ratio = ratio,
            None => changes.push(BlockChange { block, ratio }),
        }
    }
}
