//! Views of a run while it trains: requests and results.

use serde::{Deserialize, Deserializer, Serialize};
use strata_models::{ScoreKind, SiteName};

use super::{AnswerView, BesideView, SiteView};

/// Request for a view of a held-out example while a run trains. Only what the view needs is
/// computed and read.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct ViewRequest {
    /// The watched example's place in the validation set.
    pub example: usize,
    /// The kind of view.
    pub view: View,
}

/// Kind of view. Where the model lacks the site, head or level that is named, another one is shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// One site in full. [`ViewData::Sites`]
    Site {
        /// Its name; where absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0; where absent, the mean of all heads.
        #[serde(default)]
        head: Option<usize>,
        /// Level, from 1; where absent, the last.
        #[serde(default)]
        level: Option<usize>,
    },
    /// Thumbnails of all sites, heads and levels, of at most [`THUMBNAIL`] rows and columns.
    /// [`ViewData::Sites`]
    Overview,
    /// Shares with which hierarchical attention mixes its levels. [`ViewData::Shares`]
    Shares,
    /// The way of one row down a pyramid. [`ViewData::Descent`]
    Descent {
        /// Its name; where absent, the first with a pyramid.
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
    /// The whole model: what each site attends to, how much each block changes what it reads, and
    /// one site in full. [`ViewData::Network`]
    Network {
        /// Name of that site; where absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
    },
    /// Norms of parameters and gradients. [`ViewData::Norms`]
    Norms,
    /// Computation of one weight, number by number. [`ViewData::Cell`]
    Cell {
        /// Name of its site; where absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0.
        #[serde(default)]
        head: usize,
        /// Level, from 1; where absent, the last.
        #[serde(default)]
        level: Option<usize>,
        /// Row of the attention matrix, from 0.
        #[serde(default)]
        row: usize,
        /// Column of the attention matrix, from 0.
        #[serde(default)]
        column: usize,
    },
    /// The tokens from which a row of the output comes, through all layers. [`ViewData::Rollout`]
    Rollout {
        /// Row of the output, from 0; beyond the last, the last.
        #[serde(default)]
        row: usize,
    },
    /// The run and the one beside it at one sentence. [`ViewData::Beside`]
    Beside {
        /// Name of the site; where absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        site: Option<SiteName>,
        /// Head, from 0; where absent, the mean of all heads.
        #[serde(default)]
        head: Option<usize>,
        /// Level, from 1; where absent, the last.
        #[serde(default)]
        level: Option<usize>,
        /// A sentence in the place of the watched example.
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

/// Reads the name of a site. Text that names none is replaced by what the model has, as every view
/// that it has not.
fn if_well_formed<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SiteName>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

/// Rows and columns of a thumbnail at most: of longer sentences, neighbouring rows are averaged and
/// neighbouring columns added up.
pub const THUMBNAIL: usize = 24;

/// View of the watched example.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct ViewUpdate {
    /// Steps taken.
    pub step: u64,
    /// The request that it answers.
    pub look: ViewRequest,
    /// Source tokens as the text has them, the columns of cross-attention.
    pub source: Vec<String>,
    /// The right answer as the text has it, with `</s>`: the rows of cross-attention.
    pub target: Vec<String>,
    /// The model's choice at each row after the right beginning (teacher-forced), as text.
    pub text: String,
    /// The right answer as it is in the file.
    pub reference: String,
    /// True if the model chose the right token in every row.
    pub is_right: bool,
    /// Words of source and right answer that the vocabulary does not know: to the model they are
    /// `<unk>`.
    pub unknown: Vec<String>,
    /// Every attention site of the model.
    pub sites: Vec<SiteOutline>,
    /// The data of the view.
    pub seen: ViewData,
}

/// Shape of an attention site, and the views that it supports.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SiteOutline {
    /// Its name.
    pub site: SiteName,
    /// Number of heads, H.
    pub heads: usize,
    /// Number of levels, N.
    pub levels: usize,
    /// Number of rows, T.
    pub rows: usize,
    /// Number of columns, S.
    pub columns: usize,
    /// True if it learns the shares of its levels.
    pub mixes: bool,
    /// True if it goes down a pyramid.
    pub descends: bool,
}

/// Data of a view, by the kind of the [`View`].
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ViewData {
    /// Attention weights: of [`View::Site`] one matrix (none if the model has no attention), of
    /// [`View::Overview`] thumbnails of all.
    Sites(Vec<SiteView>),
    /// Shares of each site that mixes its levels.
    Shares(Vec<SharesView>),
    /// Path down the pyramid; `None` if the model has no pyramid.
    Descent(Option<DescentView>),
    /// Probabilities of each token of the target.
    Probabilities(Vec<TokenView>),
    /// Answers, and the probability of each token of their passages as start and as end.
    Answer(AnswerView),
    /// Norms, layer by layer.
    Norms(Vec<NormView>),
    /// Site by site and block by block.
    Network(NetworkView),
    /// Shares of the tokens in one row of the output, layer by layer.
    Rollout(RolloutView),
    /// Computation of one weight; `None` if the model has no attention.
    Cell(Option<CellView>),
    /// Outputs and maps of two runs.
    Beside(BesideView),
}

impl Default for ViewData {
    /// No sites.
    fn default() -> Self {
        Self::Sites(Vec::new())
    }
}

/// Computation of one attention weight.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CellView {
    /// Its site.
    pub site: SiteName,
    /// Head, from 0.
    pub head: usize,
    /// Level, from 1.
    pub level: usize,
    /// Row of the attention matrix, from 0.
    pub row: usize,
    /// Column of the attention matrix, from 0.
    pub column: usize,
    /// Weights of the row at the level, `[S]`.
    pub weights: Vec<f32>,
    /// Weights of the row at the first level, `[S]`.
    pub first_weights: Vec<f32>,
    /// Score of the first level; `None` where a mechanism has none for a pair.
    pub score: Option<ScoreView>,
    /// From the second level on the two factors of the weight on the way over each position, `[M]`;
    /// empty where a level is no product.
    pub ways: Vec<[f32; 2]>,
    /// True if the ways lead over rows, not over columns.
    pub over_rows: bool,
    /// Where levels are mixed, the share of each and its weight at this cell.
    pub mix: Vec<[f32; 2]>,
}

/// Score of a query and a key as a sum, and what follows from it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ScoreView {
    /// The score function.
    pub kind: ScoreKind,
    /// Part of each term that the query decides, `[A]`.
    pub query: Vec<f32>,
    /// Part of each term that the key decides, `[A]`.
    pub key: Vec<f32>,
    /// Terms, `[A]`.
    pub terms: Vec<f32>,
    /// Factor of their sum.
    pub scale: f32,
    /// Score of each key, `[S]`; `None` where the mask hides it.
    pub scores: Vec<Option<f32>>,
    /// Softmax of the scores, `[S]`.
    pub softmax: Vec<f32>,
    /// The key's value, `[D_v]`.
    pub value: Vec<f32>,
    /// Σ weights · values of the head at the level, before W^O: `[D_v]`.
    pub context: Vec<f32>,
}

/// Attention rollout of one row of the output (Abnar and Zuidema 2020), from the output down.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RolloutView {
    /// The row, from 0.
    pub row: usize,
    /// Shares above the model, then after each site.
    pub stages: Vec<StageView>,
}

/// Shares of all tokens below a site; together they are 1.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct StageView {
    /// The site; `None` above the model.
    pub site: Option<SiteName>,
    /// Share of each source token, `[S]`; empty without a source.
    pub source: Vec<f32>,
    /// Share of each position of the decoder, `[T]`; position t reads the token before that of row t.
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
    /// Its name in the model's [`Diagram`](strata_models::Diagram).
    pub block: String,
    /// ‖f(h)‖ / ‖h‖ over all positions.
    pub change: f32,
}

/// Shares with which a site mixes its levels.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SharesView {
    /// Its name.
    pub site: SiteName,
    /// The share of each level: for every head, or once for all of them.
    pub shares: Vec<Vec<f32>>,
}

/// The way of one row down a pyramid.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct DescentView {
    /// Its site.
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
    /// Share of each node in the context; an opened node gives its share to those below it.
    pub shares: Vec<f32>,
    /// Pairs of a node and one of those below it that belong to it.
    pub members: Vec<[usize; 2]>,
}

/// A token of the right answer.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TokenView {
    /// Probability of the token, after the correct tokens before it.
    pub probability: f32,
    /// Most probable token at its place; it may be the token itself.
    pub choice: String,
    /// Probability of that token.
    pub choice_probability: f32,
}

/// The parameters of a part of the model.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct NormView {
    /// The beginning of their names.
    pub name: String,
    /// Number of elements.
    pub count: usize,
    /// √Σx² of them.
    pub parameters: f64,
    /// √Σx² of their gradients in the last step, before clipping, if recorded.
    pub gradients: Option<f64>,
}

/// The site to show where nothing was chosen: of those with the most levels the last
/// cross-attention, else the last of those, of a reader's one with a row for each word of the
/// passage. Gives its place.
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
