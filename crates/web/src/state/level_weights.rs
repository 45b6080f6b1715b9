//! Shares of the levels in hierarchical attention, at the steps at which they were shown.

use super::moments::Moments;
use strata_models::SiteName;
use strata_session::protocol::SharesView;

/// The most moments that are kept, twice the number of a chart's bars.
pub const MOMENTS: usize = 240;

/// Shares of all sites that mix levels, at some steps, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct SharesHistory(Moments<Vec<SharesView>>);

impl Default for SharesHistory {
    fn default() -> Self {
        Self(Moments::new(MOMENTS))
    }
}

impl SharesHistory {
    /// Adds the shares at a step, in place of those at this or a later step.
    pub fn push(&mut self, step: u64, shares: &[SharesView]) {
        self.0.push(step, shares.to_vec());
    }

    /// Forgets everything after `step`.
    pub fn go_back_to(&mut self, step: u64) {
        self.0.go_back_to(step);
    }

    /// Returns the shares at the last moment, site by site.
    pub fn sites(&self) -> &[SharesView] {
        self.0.last().map_or(&[], Vec::as_slice)
    }

    /// Returns the shares of a site's levels at each moment, as means over its heads.
    pub fn of_site(&self, site: SiteName) -> Vec<(u64, Vec<f32>)> {
        let of_moment = |(step, shares): (u64, &Vec<SharesView>)| {
            let found = shares.iter().find(|it| it.site == site)?;
            Some((step, mean(&found.shares)))
        };
        self.0.iter().filter_map(of_moment).collect()
    }
}

/// Returns the mean of the shares over all heads.
fn mean(heads: &[Vec<f32>]) -> Vec<f32> {
    let levels = heads.iter().map(Vec::len).min().unwrap_or(0);
    let of_level = |level: usize| {
        let sum: f32 = heads.iter().map(|head| head[level]).sum();
        sum / heads.len() as f32
    };
    (0..levels).map(of_level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::Site;

    const MIXED: SiteName = SiteName::in_layer(0, Site::EncoderSelf);

    fn shares(first: f32) -> Vec<SharesView> {
        vec![SharesView {
            site: MIXED,
            shares: vec![vec![first, 1.0 - first], vec![0.5, 0.5]],
        }]
    }

    #[test]
    fn a_long_look_keeps_its_beginning_and_its_end_in_few_moments() {
        let mut history = SharesHistory::default();
        for step in 0..5000 {
            history.push(step, &shares(step as f32 / 5000.0));
        }
        let moments = history.of_site(MIXED);
        assert!(
            (MOMENTS / 3..=MOMENTS).contains(&moments.len()),
            "{}",
            moments.len()
        );
        assert_eq!((moments[0].0, moments[moments.len() - 1].0), (0, 4999));
        assert!(moments.windows(2).all(|pair| pair[0].0 < pair[1].0));
        // The mean of both heads.
        assert_eq!(moments[0].1, [0.25, 0.75]);
        assert!(
            history
                .of_site(SiteName::in_layer(0, Site::Cross))
                .is_empty()
        );
    }
}
