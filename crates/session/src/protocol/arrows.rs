//! Arrows of the task `hops`, and the path on which attention follows arrows.

use serde::{Deserialize, Serialize};

use super::SiteView;

/// Heads of a site whose attention a view shows.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HeadChoice {
    /// The head whose first level has the largest weights on the most arrows.
    #[default]
    Clearest,
    /// The mean of all heads.
    Mean,
    /// One head, from 0; the clearest, if there are fewer.
    One(usize),
}

/// Arrows from place to place, the largest weights of each level of a site, and the model's answers.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct ArrowsView {
    /// Number of heads of the site, H.
    pub heads: usize,
    /// Head that is shown, from 0; `None` for the mean of all heads.
    pub head: Option<usize>,
    /// Number of levels with which the site computes, N.
    pub levels: usize,
    /// Number of levels with which the site was trained.
    pub trained: usize,
    /// Name of each place, `[n]`.
    pub names: Vec<String>,
    /// Place to which each place points, p: `[n]`.
    pub pointers: Vec<usize>,
    /// Number of arrows for which the example asks, k; `None` if no number of arrows leads to the
    /// target.
    pub asked: Option<usize>,
    /// Number of arrows that N levels and the values follow together, N + 1; `None` if the model
    /// does more than one site's attention, or mixes levels.
    pub followed: Option<usize>,
    /// True if level i has the weights Aⁱ.
    pub has_powers: bool,
    /// Place that the model answers at each place, `[n]`; `None` for a token that names no place.
    pub answers: Vec<Option<usize>>,
    /// Largest weights of the levels, in order: of all levels, or of the first ones and the last.
    pub largest: Vec<LargestView>,
    /// Weights of the first levels and of the last, `[levels, 1, n, n]`.
    pub maps: SiteView,
}

/// Largest weight of each row of a level.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct LargestView {
    /// Number of the level, from 1.
    pub level: usize,
    /// Place with the largest weight in the row of each place, `[n]`.
    pub keys: Vec<usize>,
    /// These weights, `[n]`.
    pub weights: Vec<f32>,
}

impl ArrowsView {
    /// Returns the place to which a number of arrows leads from a place.
    pub fn follow(&self, place: usize, arrows: usize) -> Option<usize> {
        (0..arrows).try_fold(place, |at, _| self.pointers.get(at).copied())
    }
}
