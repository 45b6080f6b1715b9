//! Views of a run while it trains: requests and results.

use serde::{Deserialize, Deserializer, Serialize};
use strata_models::{ScoreKind, SiteName};

use super::{AnswerView, BesideView, SiteView};

/// Request for a view of a held-out example while a run trains. Only the numbers that the view
/// needs are computed and read.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct ViewRequest {
    /// Index of the watched example in the validation set.
    pub example: usize,
    /// Kind of the view.
    pub view: View,
}

/// Kind of view. If the model lacks the named site, head or level, another one is shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// One site in full. [`ViewData::Sites`]
    Site {
        /// Name of the site; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0; if absent, the mean of all heads.
        #[serde(default)]
        head: Option<usize>,
        /// Level, from 1; if absent, the last.
        #[serde(default)]
        level: Option<usize>,
    },
    /// Thumbnails of all sites, heads and levels, of at most [`THUMBNAIL`] rows and columns.
    /// [`ViewData::Sites`]
    Overview,
    /// Shares with which hierarchical attention mixes its levels. [`ViewData::Shares`]
    Shares,
    /// Path of one row down a pyramid. [`ViewData::Descent`]
    Descent {
        /// Name of the site; if absent, the first with a pyramid.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0.
        #[serde(default)]
        head: usize,
        /// Row of the attention matrix, from 0.
        #[serde(default)]
        row: usize,
    },
    /// Probability of each token of the reference. [`ViewData::Probabilities`]
    Probabilities,
    /// The best answers of a reader, in the passage. [`ViewData::Answer`]
    Answer,
    /// The whole model: the attention of each site, the relative change that each block makes to
    /// its input, and one site in full. [`ViewData::Network`]
    Network {
        /// Name of the site in full; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
    },
    /// Norms of parameters and gradients. [`ViewData::Norms`]
    Norms,
    /// Computation of one weight, number by number. [`ViewData::Cell`]
    Cell {
        /// Name of the weight's site; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0.
        #[serde(default)]
        head: usize,
        /// Level, from 1; if absent, the last.
        #[serde(default)]
        level: Option<usize>,
        /// Row of the attention matrix, from 0.
        #[serde(default)]
        row: usize,
        /// Column of the attention matrix, from 0.
        #[serde(default)]
        column: usize,
    },
    /// Tokens that contribute to a row of the output, through all layers. [`ViewData::Rollout`]
    Rollout {
        /// Row of the output, from 0; the last row, if there are fewer.
        #[serde(default)]
        row: usize,
    },
    /// The present run and the run beside it on one sentence. [`ViewData::Beside`]
    Beside {
        /// Name of the site; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0; if absent, the mean of all heads.
        #[serde(default)]
        head: Option<usize>,
        /// Level, from 1; if absent, the last.
        #[serde(default)]
        level: Option<usize>,
        /// Sentence that replaces the watched example.
        #[serde(default)]
        text: Option<String>,
    },
}

impl Default for View {
    fn default() -> Self {
        Self::Site {
            site: None,
            head: None,
            level: None,
        }
    }
}

/// Reads the name of a site; `None` for text that names no site, so that the view chooses one.
fn if_well_formed<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SiteName>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

/// Most rows and columns of a thumbnail; in larger matrices, neighbouring rows are averaged and
/// neighbouring columns added up.
pub const THUMBNAIL: usize = 24;

/// View of the watched example.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct ViewUpdate {
    /// Number of steps taken.
    pub step: u64,
    /// Request that this view answers.
    pub request: ViewRequest,
    /// Source tokens as written, the columns of cross-attention.
    pub source: Vec<String>,
    /// Tokens of the right answer as written, with `</s>`: the rows of cross-attention.
    pub target: Vec<String>,
    /// The model's most probable token at each row, given the right tokens before (teacher-forced),
    /// as text.
    pub text: String,
    /// The right answer, written as in the file.
    pub reference: String,
    /// True if the model chose the right token in every row.
    pub is_right: bool,
    /// Words of source and right answer that are not in the vocabulary; the model reads them as
    /// `<unk>`.
    pub unknown: Vec<String>,
    /// All attention sites of the model.
    pub sites: Vec<SiteOutline>,
    /// Data of the view.
    pub data: ViewData,
}

/// Shape of an attention site, and the views that it supports.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SiteOutline {
    /// Name of the site.
    pub site: SiteName,
    /// Number of heads, H.
    pub heads: usize,
    /// Number of levels, N.
    pub levels: usize,
    /// Number of rows, T.
    pub rows: usize,
    /// Number of columns, S.
    pub columns: usize,
    /// True if the site learns the shares of its levels.
    pub mixes: bool,
    /// True if the site descends a pyramid.
    pub descends: bool,
}

/// Data of a view, by the kind of the [`View`].
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ViewData {
    /// Attention weights: for [`View::Site`] one matrix (none if the model has no attention), for
    /// [`View::Overview`] thumbnails of all matrices.
    Sites(Vec<SiteView>),
    /// Shares of each site that mixes its levels.
    Shares(Vec<SharesView>),
    /// Path down the pyramid; `None` if the model has no pyramid.
    Descent(Option<DescentView>),
    /// Probabilities of each token of the target.
    Probabilities(Vec<TokenView>),
    /// Answers, and the probability of each token of their passages as start and as end.
    Answer(AnswerView),
    /// Norms of parameters and gradients, layer by layer.
    Norms(Vec<NormView>),
    /// Attention of all sites, and changes by all blocks.
    Network(NetworkView),
    /// Shares of the tokens in one row of the output, layer by layer.
    Rollout(RolloutView),
    /// Computation of one weight; `None` if the model has no attention.
    Cell(Option<CellView>),
    /// Outputs and maps of two runs.
    Beside(BesideView),
}

impl Default for ViewData {
    /// Returns a view without sites.
    fn default() -> Self {
        Self::Sites(Vec::new())
    }
}

/// Computation of one attention weight.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CellView {
    /// Site of the weight.
    pub site: SiteName,
    /// Head, from 0.
    pub head: usize,
    /// Level, from 1.
    pub level: usize,
    /// Row of the attention matrix, from 0.
    pub row: usize,
    /// Column of the attention matrix, from 0.
    pub column: usize,
    /// Weights of the row at this level, `[S]`.
    pub weights: Vec<f32>,
    /// Weights of the row at the first level, `[S]`.
    pub first_weights: Vec<f32>,
    /// Score at the first level; `None` if the mechanism has no score for a pair of query and key.
    pub score: Option<ScoreView>,
    /// From the second level on, the two factors of the weight on the path over each position,
    /// `[M]`; empty if a level is no product.
    pub ways: Vec<[f32; 2]>,
    /// True if the paths lead over rows, false if over columns.
    pub over_rows: bool,
    /// If levels are mixed, the share of each level and its weight at this cell.
    pub mix: Vec<[f32; 2]>,
}

/// Score of a query and a key as a sum of terms, with softmax and context.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ScoreView {
    /// Kind of the score function.
    pub kind: ScoreKind,
    /// Part of each term that depends on the query, `[A]`.
    pub query: Vec<f32>,
    /// Part of each term that depends on the key, `[A]`.
    pub key: Vec<f32>,
    /// Terms of the score, `[A]`.
    pub terms: Vec<f32>,
    /// Factor of the sum of the terms.
    pub scale: f32,
    /// Score of each key, `[S]`; `None` if the mask hides the key.
    pub scores: Vec<Option<f32>>,
    /// Softmax of the scores, `[S]`.
    pub softmax: Vec<f32>,
    /// Value of the key, `[D_v]`.
    pub value: Vec<f32>,
    /// Σ weights · values of the head at this level, before W^O: `[D_v]`.
    pub context: Vec<f32>,
}

/// Attention rollout of one row of the output (Abnar and Zuidema 2020), from the output down.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RolloutView {
    /// Row of the output, from 0.
    pub row: usize,
    /// Shares above the model, then after each site.
    pub stages: Vec<StageView>,
}

/// Shares of all tokens below a site; together they are 1.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct StageView {
    /// Name of the site; `None` above the model.
    pub site: Option<SiteName>,
    /// Share of each source token, `[S]`; empty without a source.
    pub source: Vec<f32>,
    /// Share of each position of the decoder, `[T]`; position t reads the target token before that
    /// of row t.
    pub target: Vec<f32>,
}

/// Attention and activity of a whole model on the watched example.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct NetworkView {
    /// A thumbnail of each site, of at most [`THUMBNAIL`] rows and columns: the mean of its heads at
    /// its last level.
    pub sites: Vec<SiteView>,
    /// Attention of one site in full; `None` if the model has no attention.
    pub chosen: Option<SiteView>,
    /// Shares of each site that mixes its levels.
    pub shares: Vec<SharesView>,
    /// Relative change made by each block that adds its result to its input, or by a recurrent
    /// decoder's attention, whose context is read beside the state.
    pub blocks: Vec<BlockView>,
}

/// Relative change that a block makes to its input.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct BlockView {
    /// Name of the block in the model's [`Diagram`](strata_models::Diagram).
    pub block: String,
    /// ‖f(h)‖ / ‖h‖ over all positions.
    pub change: f32,
}

/// Shares with which a site mixes its levels.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SharesView {
    /// Name of the site.
    pub site: SiteName,
    /// Share of each level, for every head or once for all heads.
    pub shares: Vec<Vec<f32>>,
}

/// Path of one row down a pyramid.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct DescentView {
    /// Name of the site.
    pub site: SiteName,
    /// Head, from 0.
    pub head: usize,
    /// Row of the attention matrix, from 0.
    pub row: usize,
    /// Levels, from the leaves to the top.
    pub levels: Vec<LevelView>,
}

/// The nodes of one level of a pyramid.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct LevelView {
    /// Weight with which each node was reached from the top.
    pub reached: Vec<f32>,
    /// Share of each node in the context; an opened node passes its share to the nodes below.
    pub shares: Vec<f32>,
    /// Pairs of a node and one of its members in the level below.
    pub members: Vec<[usize; 2]>,
}

/// Probabilities at one token of the right answer.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TokenView {
    /// Probability of the token, after the correct tokens before it.
    pub probability: f32,
    /// Most probable token at this place; may be the right token itself.
    pub choice: String,
    /// Probability of the most probable token.
    pub choice_probability: f32,
}

/// Norms of the parameters of a part of the model.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct NormView {
    /// Common beginning of the parameters' names.
    pub name: String,
    /// Number of elements of the parameters.
    pub count: usize,
    /// Norm of the parameters, √Σx².
    pub parameters: f64,
    /// Norm √Σx² of the gradients in the last step, before clipping, if recorded.
    pub gradients: Option<f64>,
}

/// Returns the index of the site to show if none is chosen: among the sites with the most levels
/// the last cross-attention, else the last site. In a reader, a site with a row for each word of
/// the passage is preferred.
pub fn notable_site(sites: impl Iterator<Item = (SiteName, usize)> + Clone) -> Option<usize> {
    let most = sites.clone().map(|(_, levels)| levels).max()?;
    let deepest = sites
        .enumerate()
        .filter(|(_, (_, levels))| *levels == most)
        .map(|(place, (site, _))| {
            let is_row = site.place == strata_models::Site::QueryToContext;
            (!is_row, site.is_cross(), place)
        });
    deepest.max().map(|(_, _, place)| place)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_name_that_no_site_has_asks_for_what_there_is() {
        for (name, site) in [
            (r#""decoder.1.cross""#, "decoder.1.cross".parse().ok()),
            (r#""no site""#, None),
            ("null", None),
        ] {
            let json = format!(r#"{{ "descent": {{ "site": {name} }} }}"#);
            let (head, row) = (0, 0);
            let asked: View = serde_json::from_str(&json).unwrap();
            assert_eq!(asked, View::Descent { site, head, row });
        }
        assert!(serde_json::from_str::<View>(r#"{ "site": { "site": 7 } }"#).is_err());
    }

    #[test]
    fn cross_attention_is_notable_and_levels_are_more_so() {
        let find = |sites: &[(&str, usize)]| {
            let sites = sites
                .iter()
                .map(|(name, levels)| (name.parse().unwrap(), *levels));
            notable_site(sites)
        };
        assert_eq!(
            find(&[
                ("encoder.0.self", 1),
                ("decoder.0.cross", 1),
                ("decoder.1.self", 1)
            ]),
            Some(1)
        );
        assert_eq!(
            find(&[("encoder.0.self", 4), ("decoder.0.cross", 1)]),
            Some(0)
        );
        assert_eq!(
            find(&[("decoder.0.self", 1), ("decoder.1.self", 1)]),
            Some(1)
        );
        let flow = [
            ("reader.context_to_query", 1),
            ("reader.query_to_context", 1),
        ];
        assert_eq!(find(&flow), Some(0));
        assert_eq!(find(&[]), None);
    }
}
