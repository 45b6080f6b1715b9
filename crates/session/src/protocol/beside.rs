//! Two runs at one sentence.

use serde::{Deserialize, Serialize};

use super::{FoundTranslationView, SiteView};

/// The present run and the one beside it, at one sentence.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct BesideView {
    /// Steps that the run beside had taken; `None` while none is there.
    pub step: Option<u64>,
    /// Outputs of both, each written by itself, greedily: the present run, then the one beside.
    pub outputs: Vec<FoundTranslationView>,
    /// Attention of both while they read the same tokens, which are those of the view: one matrix
    /// of the present run, one of the one beside. Empty where they cannot be compared.
    pub maps: Vec<SiteView>,
    /// Sentences: what is not compared, and why.
    pub lacks: Vec<String>,
}
