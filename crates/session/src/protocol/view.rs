//! Views of a run while the run trains: requests, and what all results have.

use serde::{Deserialize, Deserializer, Serialize};
use strata_models::SiteName;
use strata_text::special;

use super::{HeadChoice, ViewData};

/// Request for a view of a held-out example while a run trains. Only the numbers that the view
/// needs are computed and read.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct ViewRequest {
    /// Index of the watched example in the validation set.
    pub example: usize,
    /// Kind of the view.
    pub view: View,
}

/// Kind of view. If the model lacks the named site, head or level, another one is shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// One site in full. [`ViewData::Sites`]
    Site {
        /// Name of the site; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
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
        #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
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
        #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
        site: Option<SiteName>,
    },
    /// Norms of parameters and gradients. [`ViewData::Norms`]
    Norms,
    /// Computation of one weight, number by number. [`ViewData::Cell`]
    Cell {
        /// Name of the weight's site; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
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
    /// Arrows of the task `hops`, and the path on which attention follows arrows.
    /// [`ViewData::Arrows`]
    Arrows {
        /// Name of an encoder's self-attention; if absent, the first.
        #[serde(default, deserialize_with = "if_well_formed")]
        #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
        site: Option<SiteName>,
        /// Heads whose attention is shown.
        #[serde(default)]
        heads: HeadChoice,
        /// Place where the path begins, from 0. The view has the numbers of all places.
        #[serde(default)]
        place: usize,
    },
    /// The present run and the run beside it on one sentence. [`ViewData::Beside`]
    Beside {
        /// Name of the site; if absent, the one that [`notable_site`] finds.
        #[serde(default, deserialize_with = "if_well_formed")]
        #[cfg_attr(feature = "types", ts(as = "Option<super::types::SiteName>"))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct SiteOutline {
    /// Name of the site.
    #[cfg_attr(feature = "types", ts(as = "super::types::SiteName"))]
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

/// Returns the tokens that a decoder reads: `<s>` and the target, of which the last token is read
/// only if another row follows. A language model reads its source, the target shifted by one token.
pub fn decoder_input(source: &[String], target: &[String]) -> Vec<String> {
    let [begin, end] = [special::BOS, special::EOS].map(|id| special::TEXTS[id as usize]);
    let before = &target[..target.len().saturating_sub(1)];
    let is_shifted = source.len() == target.len() && source.get(1..) == Some(before);
    // Of a single token the shift shows nothing: only a language model's source can be `</s>`.
    if is_shifted && (!before.is_empty() || source[0] == end) {
        return source.to_vec();
    }
    let begin = std::iter::once(begin.to_owned());
    begin.chain(target.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_decoder_reads_what_it_wrote_and_a_language_model_its_text() {
        let read = |source: &str, target: &str| {
            let tokens = |text: &str| -> Vec<String> {
                text.split_whitespace().map(str::to_owned).collect()
            };
            decoder_input(&tokens(source), &tokens(target)).join(" ")
        };
        assert_eq!(read("a b", "x y </s>"), "<s> x y </s>");
        assert_eq!(read("x y </s>", "x y </s>"), "<s> x y </s>");
        assert_eq!(read("a", "x"), "<s> x");
        assert_eq!(read("", ""), "<s>");
        // The beginning of a text, and a segment in its middle.
        assert_eq!(read("</s> x y", "x y z"), "</s> x y");
        assert_eq!(read("w x y", "x y z"), "w x y");
        assert_eq!(read("</s>", "x"), "</s>");
    }

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
