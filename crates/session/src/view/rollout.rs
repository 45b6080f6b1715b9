//! Attention rollout: the share of each token in one row of the model's output, under the
//! assumption that only attention weights move information (Abnar and Zuidema 2020).
//!
//! A layer with a residual connection passes half of its input through its attention and half past
//! it: ½ A + ½ I, with A the mean of its heads. The product of these matrices over all layers gives
//! the sources of a row. Here the product goes from the output down, so that each step can be
//! shown. Feed-forward blocks, norms and values are ignored, so the result is an approximation. The
//! paper treats encoders only; here cross-attention moves half of the share of a target position to
//! the source in the same way. A model that answers in place is an encoder, as in the paper. With
//! loops only the last pass through the layers is counted.

use burn::tensor::TensorData;
use strata_models::{Site, SiteName, SiteWeights};

use super::site::SiteTensors;
use crate::protocol::{RolloutView, SiteView, StageView};

/// Attention of every site that contributes to a row of the output, still on the device.
pub(crate) struct Rollout {
    pub sites: Vec<SiteTensors>,
    row: usize,
}

impl Rollout {
    /// Selects the rollout of a row (the last, if there are fewer). Sites of the decoder have
    /// `rows` rows.
    pub fn of(sites: &[SiteWeights], row: usize, rows: usize) -> Self {
        // Readers have no stack of layers, and the state of a recurrent decoder is no sum of its
        // inputs.
        let in_stack =
            |site: &&SiteWeights| site.site.layer.is_some() && !site.site.place.is_of_reader();
        let layered = sites.iter().filter(in_stack);
        Self {
            sites: layered
                .map(|site| SiteTensors::one(site, rows, None, None))
                .collect(),
            row: row.min(rows.saturating_sub(1)),
        }
    }

    /// Builds the view from the weights read.
    pub fn read(self, data: &mut impl Iterator<Item = TensorData>) -> RolloutView {
        let sites: Vec<_> = self.sites.into_iter().map(|it| it.read(data)).collect();
        RolloutView {
            row: self.row,
            stages: stages(self.row, &sites),
        }
    }
}

/// Returns the shares of all tokens above the model and after each site, from the last site to the
/// first.
pub(crate) fn stages(row: usize, sites: &[SiteView]) -> Vec<StageView> {
    let columns = |place: Site| {
        let mut found = sites.iter().filter(move |site| site.site.place == place);
        found.next().map_or(0, |site| site.columns)
    };
    let decoder = columns(Site::DecoderSelf);
    let mut source = vec![0.0; columns(Site::Cross).max(columns(Site::EncoderSelf))];
    let mut target = vec![0.0; decoder];
    // A model that answers in place has an encoder alone, whose rows are those of its output.
    let in_place = sites.iter().all(|it| it.site.place == Site::EncoderSelf);
    let output = if in_place { &mut source } else { &mut target };
    if let Some(start) = output.get_mut(row) {
        *start = 1.0;
    }
    let mut stages = vec![stage(None, &source, &target)];
    for site in sites.iter().rev() {
        let from = match site.site.place {
            Site::DecoderSelf | Site::Cross => &target,
            _ => &source,
        };
        let moved = moved(from, site);
        let halved: Vec<f32> = from.iter().map(|share| share / 2.0).collect();
        match site.site.place {
            Site::DecoderSelf => target = sum(&halved, &moved),
            Site::Cross => (source, target) = (sum(&source, &moved), halved),
            _ => source = sum(&halved, &moved),
        }
        stages.push(stage(Some(site.site), &source, &target));
    }
    stages
}

/// Moves half of the share of each row to the columns to which the row attends.
fn moved(shares: &[f32], site: &SiteView) -> Vec<f32> {
    let mut moved = vec![0.0; site.columns];
    for (share, weights) in shares.iter().zip(site.weights.chunks(site.columns.max(1))) {
        for (sum, weight) in moved.iter_mut().zip(weights) {
            *sum += share / 2.0 * weight;
        }
    }
    moved
}

fn sum(left: &[f32], right: &[f32]) -> Vec<f32> {
    left.iter().zip(right).map(|(a, b)| a + b).collect()
}

fn stage(site: Option<SiteName>, source: &[f32], target: &[f32]) -> StageView {
    StageView {
        site,
        source: source.to_vec(),
        target: target.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: SiteName, columns: usize, weights: &[f32]) -> SiteView {
        SiteView {
            site: name,
            heads: 1,
            levels: 1,
            level_numbers: vec![1],
            rows: weights.len() / columns,
            columns,
            weights: weights.to_vec(),
            positions: Vec::new(),
        }
    }

    #[test]
    fn shares_go_down_as_the_product_of_the_layers_says() {
        let sites = [
            site(
                SiteName::in_layer(0, Site::EncoderSelf),
                2,
                &[0.5, 0.5, 1.0, 0.0],
            ),
            site(
                SiteName::in_layer(0, Site::DecoderSelf),
                2,
                &[1.0, 0.0, 0.25, 0.75],
            ),
            site(SiteName::in_layer(0, Site::Cross), 2, &[0.0, 1.0, 0.5, 0.5]),
        ];
        let stages = stages(1, &sites);
        let places: Vec<_> = stages.iter().map(|it| it.site.map(|it| it.place)).collect();
        let from_last = [
            None,
            Some(Site::Cross),
            Some(Site::DecoderSelf),
            Some(Site::EncoderSelf),
        ];
        assert_eq!(places, from_last);
        assert_eq!(stages[0].target, [0.0, 1.0]);
        assert_eq!(stages[1].source, [0.25, 0.25]);
        assert_eq!(stages[1].target, [0.0, 0.5]);
        // ½ · ½ · (¼, ¾) + ½ · (0, ½)
        assert_eq!(stages[2].target, [0.0625, 0.4375]);
        // ½ · (¼, ¼) + ½ · (¼ · (½, ½) + ¼ · (1, 0))
        assert_eq!(stages[3].source, [0.3125, 0.1875]);
        for stage in &stages {
            let whole: f32 = stage.source.iter().chain(&stage.target).sum();
            assert!((whole - 1.0).abs() < 1e-6, "{stage:?}");
        }
    }

    #[test]
    fn a_model_that_answers_in_place_has_its_source_alone() {
        let weights = [1.0, 0.0, 0.5, 0.5];
        let layer = |layer| site(SiteName::in_layer(layer, Site::EncoderSelf), 2, &weights);
        let stages = stages(1, &[layer(0), layer(1)]);
        assert!(stages.iter().all(|stage| stage.target.is_empty()));
        assert_eq!(stages[0].source, [0.0, 1.0]);
        // ½ A + ½ I has ¾ on the diagonal of its last row.
        assert_eq!(stages[2].source, [1.0 - 0.75 * 0.75, 0.75 * 0.75]);
    }

    #[test]
    fn a_language_model_has_its_own_tokens_alone() {
        let weights = [1.0, 0.0, 0.5, 0.5];
        let layer = |layer| site(SiteName::in_layer(layer, Site::DecoderSelf), 2, &weights);
        let stages = stages(1, &[layer(0), layer(1)]);
        assert!(stages.iter().all(|stage| stage.source.is_empty()));
        // ½ A + ½ I has ¾ on the diagonal of its last row.
        assert_eq!(stages[2].target, [1.0 - 0.75 * 0.75, 0.75 * 0.75]);
    }
}
