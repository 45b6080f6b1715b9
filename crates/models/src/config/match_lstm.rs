//! Settings of Match-LSTM.

use serde::{Deserialize, Serialize};
use strata_attention::{MechanismConfig, ScoreKind, Site};
use strata_describe::{Description, Words, settings};

use super::reader::{
    BOTH_DIRECTIONS, ENCODER_LAYERS, ENCODER_SHARED, HIDDEN, MODELLING, POOLED, site, vanilla,
};
use super::words::{CELL, DROPOUT, EMBEDDING, TRAIN_EMBEDDINGS};
use super::{AttentionSite, CellKind, EmbeddingTraining, MOST_DROPPED, WIDEST};
use crate::reader::{MatchInput, Sharing};

settings! {
    /// Match-LSTM with the boundary pointer (Wang and Jiang 2017).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct MatchLstmConfig {
        /// Width of the word embeddings.
        #[words = EMBEDDING]
        pub embedding: usize in 1..=WIDEST = 300,
        /// Training of the word embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// The recurrent cell of all layers.
        #[words = CELL]
        pub cell: CellKind = CellKind::Lstm,
        /// Width of the state of a direction.
        #[words = HIDDEN]
        pub hidden: usize in 1..=WIDEST = 150,
        /// Layers of the encoder.
        #[words = ENCODER_LAYERS]
        pub layers: usize in 1..=64 = 1,
        /// True if the encoder reads in both directions.
        #[title = "Bidirectional encoder"]
        #[help = "One half of its state reads forwards, the other backwards."]
        #[source = "Schuster and Paliwal 1997"]
        pub bidirectional: bool = false,
        /// True if the same layers read passage and question.
        #[words = ENCODER_SHARED]
        pub encoder_shared: bool = false,
        /// Mechanism by which the match-LSTM attends to the question at each step.
        #[serde(deserialize_with = "super::reader::additive")]
        pub question: MechanismConfig = vanilla(ScoreKind::Additive),
        /// Input of the match-LSTM's cell.
        #[title = "Matched"]
        #[help = "What the match-LSTM reads of the passage's word h and of what it found, a."]
        #[formula = "zₜ"]
        #[source = "Wang and Jiang 2017, 3.2; baidu/DuReader"]
        pub input: MatchInput = MatchInput::Concat,
        /// Parameters that both directions of the match-LSTM share.
        #[title = "Shared by the directions"]
        #[help = "Parameters that both directions of the match-LSTM have in common."]
        #[source = "Wang and Jiang 2017, 3.2; Wang et al. 2017, 3.2"]
        pub sharing: Sharing = Sharing::All,
        /// Recurrent layers over the matched passage.
        #[words = MODELLING]
        pub modelling: usize in 0..=64 = 0,
        /// True if the pointer's first state is the pooled question.
        #[words = POOLED]
        pub pooled: bool = false,
        /// True if a second pointer looks for the end first.
        #[words = BOTH_DIRECTIONS]
        pub both_directions: bool = false,
        /// Share of features dropped in training before each recurrent layer and the output.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
    }
}

impl MatchLstmConfig {
    /// Lists the attention sites, in the order of a pass.
    pub(super) fn sites(&self) -> Vec<AttentionSite> {
        let name = ("question", "Passage to question, word by word");
        let width = self.encoded();
        vec![site(name, Site::Matching, width, self.question)]
    }
}

/// Name and help text of Match-LSTM.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "match_lstm",
        title: "Reader: Match-LSTM",
        help: "Finds an answer in a passage; at each word of it a recurrent layer attends to the question.",
        formula: "rₜ = cell([hₜ; aₜ], rₜ₋₁), aₜ = Attention([hₜ; rₜ₋₁], u)",
        source: "Wang and Jiang 2017",
    },
    settings: MatchLstmConfig::SETTINGS,
};
