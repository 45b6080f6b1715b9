//! Attention weights of a site.

use serde::{Deserialize, Serialize};
use strata_models::SiteName;

/// Attention of one site.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct SiteView {
    /// Name of the site. The columns of `decoder.….self` are `<s>` and the target without its last
    /// token.
    #[cfg_attr(feature = "types", ts(as = "super::types::SiteName"))]
    pub site: SiteName,
    /// Number of heads, H; 1 for a single head or the mean of all heads.
    pub heads: usize,
    /// Number of levels, N.
    pub levels: usize,
    /// Numbers of the included levels, within 1 ..= N: all of them, or a few spread from 1 to N.
    pub level_numbers: Vec<usize>,
    /// Number of rows: T, or fewer in a thumbnail.
    pub rows: usize,
    /// Number of columns: S, or fewer in a thumbnail.
    pub columns: usize,
    /// Effective attention of each of the `level_numbers`: `[levels, heads, rows, columns]`,
    /// row-major.
    pub weights: Vec<f32>,
    /// Positions that the rows of local attention predict, from 0: `[heads, rows]`. Empty for other
    /// mechanisms, for thumbnails, and for the mean of several heads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<f32>,
}
