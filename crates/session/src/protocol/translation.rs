//! Translation of a sentence, or continuation of a text: request, result and search.

use serde::{Deserialize, Serialize};
use strata_models::Search;
use strata_text::serde_as_json;

use super::SiteView;

/// Request to translate a sentence; to a language model, to write on from a text.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct TranslateRequest {
    /// Sentence in the source language, or beginning of a text, as the task writes it.
    pub text: String,
    /// Tokens with which the target begins, as in [`FoundTranslationView::tokens`].
    #[serde(default)]
    pub prefix: Vec<String>,
    /// Search algorithm and the algorithm's settings.
    #[serde(default, with = "serde_as_json")]
    #[cfg_attr(feature = "types", ts(as = "super::types::Json"))]
    pub search: Search,
    /// True to report the search as well ([`TranslationView::search`]).
    #[serde(default)]
    pub details: bool,
}

/// A translation, and the attention of each site over the translation.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct TranslationView {
    /// Number of steps taken.
    pub step: u64,
    /// Source tokens, the columns of cross-attention.
    pub source: Vec<String>,
    /// Target tokens, the rows of cross-attention; the last is `</s>` if the translation ended.
    /// Where the model answers in place: a token for each of `source`.
    pub target: Vec<String>,
    /// The best translation found, as text.
    pub text: String,
    /// Source words that are not in the vocabulary.
    pub unknown: Vec<String>,
    /// Attention of each site.
    pub sites: Vec<SiteView>,
    /// Search that found the translation, if the details of the search were requested.
    #[serde(default)]
    pub search: Option<SearchView>,
}

/// Results and tree of a search, token by token.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct SearchView {
    /// Translations that the search returned, at most 16: the best first, or with sampling in the
    /// order in which they were drawn.
    pub translations: Vec<FoundTranslationView>,
    /// Hypotheses that were kept in each step, by their last token; in a beam ordered by score.
    /// Empty if there are more than 16 at a time.
    pub tree: Vec<Vec<NodeView>>,
}

/// A translation and the scores of the translation.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct FoundTranslationView {
    /// The translation as text.
    pub text: String,
    /// Tokens of the translation, with `</s>` if it ended.
    pub tokens: Vec<String>,
    /// ln p of each token, given the tokens before that token.
    pub log_probabilities: Vec<f32>,
    /// Sum of the log-probabilities.
    pub score: f64,
    /// Score by which translations of different lengths are compared.
    pub normalised: f64,
    /// Most probable tokens at the place of each token, at most 5, the best first.
    pub candidates: Vec<Vec<CandidateView>>,
    /// Index of each token among the hypotheses of its step in the tree.
    pub path: Vec<usize>,
}

/// A candidate token, one that could have been written.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct CandidateView {
    /// The token as text.
    pub token: String,
    /// ln p of the token.
    pub log_probability: f32,
}

/// The last token of a hypothesis that was kept in a step.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct NodeView {
    /// Index of the hypothesis of the previous step that this one continues; 0 in the first step.
    pub parent: usize,
    /// The token as text; `</s>` ends the hypothesis.
    pub token: String,
    /// ln p of the token.
    pub log_probability: f32,
    /// Sum of ln p over the whole hypothesis.
    pub score: f64,
}
