//! A poem that is asked for, and the poem.

use serde::{Deserialize, Serialize};
use strata_models::{BeamConfig, Search};
pub use strata_poems::Origin;
use strata_tasks::serde_as_json;
pub use strata_training::Distinct;

use super::{CandidateView, SharesView, SiteView};

/// A poem that is asked for.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default)]
pub struct PoemWish {
    /// Text that the poem is about.
    pub text: String,
    /// Four keywords; empty: those that are planned from the text.
    pub keywords: Vec<PlannedWord>,
    /// True if only keywords are asked for.
    pub plans_only: bool,
    /// Characters of a line, 5 or 7.
    pub length: usize,
    /// Lines that are given, from the first on.
    pub given: Vec<String>,
    /// Characters with which the next line begins, in the order of writing
    /// ([`PoemView::backwards`]).
    pub begun: String,
    /// First character of each line, four; empty: none is prescribed.
    pub acrostic: String,
    /// Search for each line. Samples are drawn by `seed` instead of by its own.
    #[serde(with = "serde_as_json")]
    pub search: Search,
    /// Characters that may not be written again.
    pub distinct: Distinct,
    /// Decides what is drawn: words and characters.
    pub seed: u32,
    /// Models that write it.
    pub writers: Writers,
}

/// Models that write a poem.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Writers {
    /// The present one, then the one beside, if one is there, by the same keywords.
    #[default]
    All,
    /// The present one alone.
    Present,
    /// The one beside alone.
    Beside,
}

impl Default for PoemWish {
    fn default() -> Self {
        Self {
            text: String::new(),
            keywords: Vec::new(),
            plans_only: false,
            length: 7,
            given: Vec::new(),
            begun: String::new(),
            acrostic: String::new(),
            // All lines are equally long: nothing to make up for.
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

/// Keyword of a plan.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct PlannedWord {
    /// The word.
    pub word: String,
    /// Its origin.
    pub origin: Origin,
    /// Words near it in meaning, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// A plan, and the poem that was written by it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct PoemView {
    /// Steps that the model was trained for.
    pub step: u64,
    /// Keywords of the lines, four.
    pub keywords: Vec<PlannedWord>,
    /// Its lines; none if only keywords were asked for.
    pub lines: Vec<LineView>,
    /// True if each line is written from its end.
    pub backwards: bool,
    /// Readings in pinyin of the characters above, as far as the model has them.
    pub readings: Vec<(char, String)>,
    /// Form by these readings; `None` if some are missing.
    pub form: Option<FormView>,
    /// Numbers of its 4-grams: of those that lines of the training poems have (by chance 1 of 256
    /// others is taken for one), and of all; `None` without lines, and of models that do not know.
    #[serde(default)]
    pub known_4_grams: Option<(usize, usize)>,
    /// Perplexity per character; `None` without lines.
    pub perplexity: Option<f64>,
    /// Shares with which the attention mixes its levels, if it does.
    pub shares: Vec<SharesView>,
}

/// A line of a poem. Characters and weights are in the order of reading.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct LineView {
    /// The line.
    pub text: String,
    /// ln p of each character after those that were written before it.
    pub log_probabilities: Vec<f32>,
    /// For each character the most probable ones at its place, at most 5, the best first.
    pub candidates: Vec<Vec<CandidateView>>,
    /// Input of the model: a mark of the length, the keyword and the lines before, each of these
    /// behind a separator.
    pub source: Vec<String>,
    /// Attention of the characters to it; `None` of a model without attention.
    pub attention: Option<SiteView>,
}

/// Form of a regulated quatrain, by modern readings.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct FormView {
    /// The pattern of tones that fits best: `p` level, `z` oblique, `*` either.
    pub pattern: String,
    /// Share of places that agree with it.
    pub share: f64,
    /// True if lines 2 and 4 rhyme.
    pub rhymes: bool,
}
