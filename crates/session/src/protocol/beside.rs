//! View of two runs on one sentence.

use serde::{Deserialize, Serialize};

use super::{FoundTranslationView, SiteView};

/// Outputs and attention of the present run and the run beside it on one sentence.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct BesideView {
    /// Number of steps that the run beside had taken; `None` if there is no such run.
    pub step: Option<u64>,
    /// Outputs of the present run and the run beside, each decoded greedily by itself.
    pub outputs: Vec<FoundTranslationView>,
    /// Attention matrices of the present run and of the run beside, while both read the tokens of
    /// the view. Empty if the matrices cannot be compared.
    pub maps: Vec<SiteView>,
    /// Sentences that say what is not compared, and why.
    pub lacks: Vec<String>,
}
