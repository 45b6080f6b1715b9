//! Attention weights of a site: selected on the device, read, and put into a view.

use burn::tensor::{ExecutionError, Tensor, TensorData, Transaction};
use strata_models::{Site, SiteName, SiteWeights};

use crate::protocol::{SiteView, THUMBNAIL};

/// Most levels of a site in one view; more would be too many to look through, and too large for a
/// message.
pub(crate) const LEVELS_SHOWN: usize = 8;

/// Attention weights of a site, still on the device.
pub(crate) struct SiteTensors {
    site: SiteName,
    /// Number of levels, N.
    levels: usize,
    level_numbers: Vec<usize>,
    /// Weights `[1, H, T, S]`, one tensor for each of `level_numbers`.
    weights: Vec<Tensor<4>>,
    /// Predicted positions `[1, H, T, 1]`, if the mechanism predicts positions.
    positions: Option<Tensor<4>>,
}

impl SiteTensors {
    /// Selects every head and at most `shown` levels. Sites of the decoder are cut to their first
    /// `rows` tokens.
    pub fn all(site: &SiteWeights, rows: usize, shown: usize) -> Self {
        let levels = site.weights.levels();
        let level_numbers = spread(levels, shown);
        let weights = level_numbers.iter().map(|&it| level(site, it, rows));
        Self {
            site: site.site,
            levels,
            weights: weights.collect(),
            level_numbers,
            positions: positions(site, rows),
        }
    }

    /// Selects one matrix: of level `number` (without a number, the last level) and of `head`
    /// (without a head, the mean of all heads).
    pub fn one(
        site: &SiteWeights,
        rows: usize,
        head: Option<usize>,
        number: Option<usize>,
    ) -> Self {
        let levels = site.weights.levels();
        let number = number.unwrap_or(levels).clamp(1, levels);
        let weights = level(site, number, rows);
        let heads = weights.dims()[1];
        let (weights, positions) = match head.filter(|&head| head < heads) {
            Some(head) => (
                weights.narrow(1, head, 1),
                positions(site, rows).map(|all| all.narrow(1, head, 1)),
            ),
            // A mean of the heads' positions would be a place to which no head attends.
            None => (
                weights.mean_dim(1),
                positions(site, rows).filter(|_| heads == 1),
            ),
        };
        Self {
            site: site.site,
            levels,
            level_numbers: vec![number],
            weights: vec![weights],
            positions,
        }
    }

    /// Reduces the weights to thumbnails.
    pub fn small(mut self) -> Self {
        self.weights = self.weights.into_iter().map(thumbnail).collect();
        self.positions = None;
        self
    }

    /// Adds the weights to the transaction that reads them.
    pub fn register(&self, transaction: Transaction) -> Transaction {
        self.weights
            .iter()
            .chain(&self.positions)
            .fold(transaction, |all, part| all.register(part.clone()))
    }

    /// Builds the view from the weights read.
    pub fn read(self, data: &mut impl Iterator<Item = TensorData>) -> SiteView {
        let [_, heads, rows, columns] = self.weights.first().map_or([0; 4], Tensor::dims);
        let mut weights = Vec::with_capacity(self.weights.len() * heads * rows * columns);
        for level in data.by_ref().take(self.weights.len()) {
            weights.extend(level.iter::<f32>());
        }
        let positions = self.positions.and_then(|_| data.next());
        SiteView {
            site: self.site,
            heads,
            levels: self.levels,
            level_numbers: self.level_numbers,
            rows,
            columns,
            weights,
            positions: positions.map_or(Vec::new(), |data| data.iter::<f32>().collect()),
        }
    }
}

/// Reads all weights of some sites in one transaction.
///
/// # Errors
/// If the device fails.
pub(crate) async fn read_sites(sites: Vec<SiteTensors>) -> Result<Vec<SiteView>, ExecutionError> {
    // Executing a transaction without a tensor fails.
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    let transaction = Transaction::default();
    let transaction = sites
        .iter()
        .fold(transaction, |all, site| site.register(all));
    let mut data = transaction.execute_async().await?.into_iter();
    Ok(sites.into_iter().map(|site| site.read(&mut data)).collect())
}

/// Returns the shape of a site's weights as they are shown, H, T and S, without computing them.
pub(super) fn shape(site: &SiteWeights, rows: usize) -> [usize; 3] {
    let [_, heads, all_rows, columns] = site.weights.dims();
    match site.site.place {
        Site::DecoderSelf => [heads, rows, rows],
        Site::Cross => [heads, rows, columns],
        _ => [heads, all_rows, columns],
    }
}

/// Returns the effective weights of a level. In the decoder, the row after the last token is cut
/// off; in decoder self-attention, its column, too.
pub(super) fn level(site: &SiteWeights, number: usize, rows: usize) -> Tensor<4> {
    shown_rows(site, site.weights.level(number), rows)
}

/// Cuts weights `[1, H, T, S]` of a site to the rows that are shown; see [`level`].
pub(super) fn shown_rows(site: &SiteWeights, weights: Tensor<4>, rows: usize) -> Tensor<4> {
    match site.site.place {
        Site::DecoderSelf => weights.narrow(2, 0, rows).narrow(3, 0, rows),
        Site::Cross => weights.narrow(2, 0, rows),
        _ => weights,
    }
}

/// Returns the positions that a site predicts, cut to the rows that are shown.
fn positions(site: &SiteWeights, rows: usize) -> Option<Tensor<4>> {
    let positions = site.auxiliary.positions.clone()?; // [1, H, T, 1]
    Some(query_rows(site, positions, rows))
}

/// Cuts a tensor `[1, H, T, ·]`, which has no column for a token, to the rows that are shown.
pub(super) fn query_rows(site: &SiteWeights, of_rows: Tensor<4>, rows: usize) -> Tensor<4> {
    match site.site.place {
        Site::DecoderSelf | Site::Cross => of_rows.narrow(2, 0, rows),
        _ => of_rows,
    }
}

/// Reduces weights to at most [`THUMBNAIL`] rows and columns: neighbouring rows are averaged and
/// neighbouring columns added up, so that every row still sums to 1.
fn thumbnail(weights: Tensor<4>) -> Tensor<4> {
    let [_, _, rows, columns] = weights.dims();
    let device = weights.device();
    let weights = match blocks(rows, true) {
        Some(data) => Tensor::from_data(data, &device).matmul(weights),
        None => weights,
    };
    match blocks(columns, false) {
        Some(data) => weights.matmul(Tensor::from_data(data, &device).swap_dims(2, 3)),
        None => weights,
    }
}

/// Returns the matrix `[1, 1, few, many]` that joins many places to at most [`THUMBNAIL`] equal
/// blocks; its entries are 1, or with `mean` one divided by the size of the block. `None` if there
/// are few places already.
fn blocks(many: usize, mean: bool) -> Option<TensorData> {
    if many <= THUMBNAIL {
        return None;
    }
    let few = THUMBNAIL;
    let block = |place: usize| place * few / many;
    let mut sizes = vec![0u32; few];
    (0..many).for_each(|place| sizes[block(place)] += 1);
    let mut matrix = vec![0f32; few * many];
    for place in 0..many {
        let own = block(place);
        matrix[own * many + place] = if mean { 1.0 / sizes[own] as f32 } else { 1.0 };
    }
    Some(TensorData::new(matrix, [1, 1, few, many]))
}

/// Returns all levels 1 ..= `levels`, or `shown` (at least 2) of them, spread from first to last.
fn spread(levels: usize, shown: usize) -> Vec<usize> {
    if levels <= shown {
        return (1..=levels).collect();
    }
    let gaps = shown.max(2) - 1;
    (0..=gaps).map(|i| 1 + (levels - 1) * i / gaps).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Distribution};

    use super::*;

    #[test]
    fn few_levels_are_all_shown() {
        assert_eq!(spread(1, LEVELS_SHOWN), [1]);
        assert_eq!(spread(8, LEVELS_SHOWN), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn many_levels_are_spread_from_first_to_last() {
        assert_eq!(spread(9, LEVELS_SHOWN), [1, 2, 3, 4, 5, 6, 7, 9]);
        assert_eq!(spread(100, LEVELS_SHOWN), [1, 15, 29, 43, 57, 71, 85, 100]);
    }

    #[test]
    fn a_thumbnail_is_small_and_its_rows_sum_to_what_they_did() {
        let device = Device::default();
        for [rows, columns] in [[5, 7], [60, 7], [7, 60], [100, 49]] {
            let weights =
                Tensor::<4>::random([1, 2, rows, columns], Distribution::Default, &device);
            let weights = weights.clone() / weights.sum_dim(3);
            let small = thumbnail(weights.clone());
            let [few_rows, few_columns] = [rows, columns].map(|many| many.min(THUMBNAIL));
            assert_eq!(small.dims(), [1, 2, few_rows, few_columns]);
            for sum in small.sum_dim(3).into_data().iter::<f32>() {
                assert!((sum - 1.0).abs() < 1e-5, "{sum}");
            }
        }
    }
}
