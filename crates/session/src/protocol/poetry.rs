//! Request for a poem, and view of a poem.

use serde::{Deserialize, Serialize};
use strata_models::{BeamConfig, Search};
pub use strata_poems::Origin;
use strata_text::serde_as_json;
pub use strata_training::Distinct;

use super::{CandidateView, SharesView, SiteView};

/// Request for a poem.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(default)]
pub struct PoemRequest {
    /// Text about which the poem is written.
    pub text: String,
    /// Four keywords; if empty, they are planned from the text.
    pub keywords: Vec<PlannedWord>,
    /// True to plan keywords and write no poem.
    pub plans_only: bool,
    /// Characters per line, 5 or 7.
    pub length: usize,
    /// Given lines, from the first on.
    pub given: Vec<String>,
    /// Characters with which the next line begins, in the order of writing
    /// ([`PoemView::backwards`]).
    pub begun: String,
    /// Prescribed first characters of the four lines; empty if none are prescribed.
    pub acrostic: String,
    /// Search algorithm for each line. Samples are drawn by `seed` of this request instead of the
    /// search's own.
    #[serde(with = "serde_as_json")]
    #[cfg_attr(feature = "types", ts(as = "super::types::Json"))]
    pub search: Search,
    /// Characters that may not be written again.
    #[cfg_attr(feature = "types", ts(as = "super::types::Distinct"))]
    pub distinct: Distinct,
    /// Seed for random words and characters.
    pub seed: u32,
    /// Models that write the poem.
    pub writers: Writers,
}

/// Models that write a poem.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Writers {
    /// The present model, then the model beside, if there is one, by the same keywords.
    #[default]
    All,
    /// The present model alone.
    Present,
    /// The model beside alone.
    Beside,
}

impl Default for PoemRequest {
    fn default() -> Self {
        Self {
            text: String::new(),
            keywords: Vec::new(),
            plans_only: false,
            length: 7,
            given: Vec::new(),
            begun: String::new(),
            acrostic: String::new(),
            // All lines have the same length, so no length penalty is needed.
            search: Search::Beam(BeamConfig {
                width: 10,
                length_penalty: 0.0,
                results: 1,
            }),
            distinct: Distinct::default(),
            seed: 0,
            writers: Writers::default(),
        }
    }
}

/// Keyword of a poem's line.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct PlannedWord {
    /// The keyword, one or two characters.
    pub word: String,
    /// Origin of the keyword.
    #[cfg_attr(feature = "types", ts(as = "super::types::Origin"))]
    pub origin: Origin,
    /// Words similar in meaning, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// Keywords of a poem, and the poem written by them.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct PoemView {
    /// Number of steps for which the model was trained.
    pub step: u64,
    /// Keywords of the four lines; empty for a model that reads none.
    pub keywords: Vec<PlannedWord>,
    /// Lines of the poem; empty if only keywords were requested.
    pub lines: Vec<LineView>,
    /// True if each line is written from its end.
    pub backwards: bool,
    /// Readings in pinyin of the characters in this view, as far as the model has them.
    pub readings: Vec<(char, String)>,
    /// Form of the poem by these readings; `None` if some are missing.
    pub form: Option<FormView>,
    /// Number of the poem's 4-grams that also occur in lines of the training poems (1 in 256 others
    /// is counted by chance), and number of all its 4-grams; `None` without lines, and for models
    /// without the list of known 4-grams.
    #[serde(default)]
    pub known_4_grams: Option<(usize, usize)>,
    /// Perplexity of the poem per character; `None` without lines.
    pub perplexity: Option<f64>,
    /// Shares with which the attention mixes its levels; empty if it does not.
    pub shares: Vec<SharesView>,
}

/// A line of a poem. Characters and weights are in the order of reading.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct LineView {
    /// Characters of the line.
    pub text: String,
    /// ln p of each character, given the characters written before it.
    pub log_probabilities: Vec<f32>,
    /// Most probable characters at the place of each character, at most 5, the best first.
    pub candidates: Vec<Vec<CandidateView>>,
    /// Input of the model: a mark of the length, the keyword and the earlier lines, each behind a
    /// separator.
    pub source: Vec<String>,
    /// Attention of the characters to `source`; `None` for a model without attention.
    pub attention: Option<SiteView>,
}

/// Form of a regulated quatrain, by modern readings.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct FormView {
    /// The pattern of tones that fits best: `p` level, `z` oblique, `*` either.
    pub pattern: String,
    /// Share of places that agree with the pattern.
    pub share: f64,
    /// True if lines 2 and 4 rhyme.
    pub rhymes: bool,
}
