//! Data of views of a run.

use serde::{Deserialize, Serialize};
use strata_models::{ScoreKind, SiteName};

use super::{AnswerView, ArrowsView, BesideView, SiteView};

/// Data of a view, by the kind of the [`View`](super::View).
#[derive(Serialize, Deserialize, Clone, Debug)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ViewData {
    /// Attention weights: for [`View::Site`](super::View::Site) one matrix (none if the model has no
    /// attention), for [`View::Overview`](super::View::Overview) thumbnails of all matrices.
    Sites(Vec<SiteView>),
    /// Shares of each site that mixes levels.
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
    /// Arrows and the path of the attention; `None` if the task has no arrows, or the model no
    /// self-attention over the source.
    Arrows(Option<ArrowsView>),
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct CellView {
    /// Site of the weight.
    #[cfg_attr(feature = "types", ts(as = "super::types::SiteName"))]
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
    /// If levels are mixed, the share of each level in this row and the level's weight at this cell.
    pub mix: Vec<[f32; 2]>,
}

/// Score of a query and a key as a sum of terms, with softmax and context.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct ScoreView {
    /// Kind of the score function.
    #[cfg_attr(feature = "types", ts(as = "super::types::ScoreKind"))]
    pub kind: ScoreKind,
    /// Part of each term that depends on the query, `[A]`.
    pub query: Vec<f32>,
    /// Part of each term that depends on the key, `[A]`.
    pub key: Vec<f32>,
    /// Terms of the score, `[A]`.
    pub terms: Vec<f32>,
    /// Factor of the sum of the terms.
    pub scale: f32,
    /// Term that ALiBi adds to the key's score after the scale; 0 with other positions.
    pub bias: f32,
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct RolloutView {
    /// Row of the output, from 0.
    pub row: usize,
    /// Shares above the model, then after each site.
    pub stages: Vec<StageView>,
}

/// Shares of all tokens below a site; together they are 1.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct StageView {
    /// Name of the site; `None` above the model.
    #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
    pub site: Option<SiteName>,
    /// Share of each source token, `[S]`; empty without a source.
    pub source: Vec<f32>,
    /// Share of each position of the decoder, `[T]`; position t reads the target token before that
    /// of row t.
    pub target: Vec<f32>,
}

/// Attention and activity of a whole model on the watched example.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct NetworkView {
    /// A thumbnail of each site, of at most [`THUMBNAIL`](super::THUMBNAIL) rows and columns: the
    /// mean of the site's heads at its last level.
    pub sites: Vec<SiteView>,
    /// Attention of one site in full; `None` if the model has no attention.
    pub chosen: Option<SiteView>,
    /// Shares of each site that mixes levels.
    pub shares: Vec<SharesView>,
    /// Relative change made by each block that adds its result to its input, or by a recurrent
    /// decoder's attention, whose context is read beside the state.
    pub blocks: Vec<BlockView>,
}

/// Relative change that a block makes to the block's input.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct BlockView {
    /// Name of the block in the model's [`Diagram`](strata_models::Diagram).
    pub block: String,
    /// ‖f(h)‖ / ‖h‖ over all positions.
    pub change: f32,
}

/// Shares with which a site mixes the site's levels.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct SharesView {
    /// Name of the site.
    #[cfg_attr(feature = "types", ts(as = "super::types::SiteName"))]
    pub site: SiteName,
    /// Share of each level, for every head or once for all heads; the mean over the rows where
    /// shares are computed for each row.
    pub shares: Vec<Vec<f32>>,
}

/// Path of one row down a pyramid.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct DescentView {
    /// Name of the site.
    #[cfg_attr(feature = "types", ts(as = "super::types::SiteName"))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct LevelView {
    /// Weight with which each node was reached from the top.
    pub reached: Vec<f32>,
    /// Share of each node in the context; an opened node passes its share to the nodes below.
    pub shares: Vec<f32>,
    /// Pairs of a node and a member of the node in the level below.
    pub members: Vec<[usize; 2]>,
}

/// Probabilities at one token of the right answer.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct TokenView {
    /// Probability of the token, given the correct earlier tokens.
    pub probability: f32,
    /// Most probable token at this place; may be the right token itself.
    pub choice: String,
    /// Probability of the most probable token.
    pub choice_probability: f32,
}

/// Norms of the parameters of a part of the model.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
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
