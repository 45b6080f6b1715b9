//! Settings of R-NET.

use serde::{Deserialize, Serialize};
use strata_attention::{MechanismConfig, ScoreKind, Site};
use strata_describe::{Description, Words, settings};

use super::reader::{
    CHARACTER_EMBEDDING, CHARACTER_FILTERS, CHARACTER_KERNEL, CHARACTERS, ENCODER_LAYERS,
    ENCODER_SHARED, HIDDEN, MODELLING, SpellingConfig, site, vanilla,
};
use super::words::{CELL, DROPOUT, EMBEDDING, TRAIN_EMBEDDINGS};
use super::{AttentionSite, CellKind, CharacterKind, EmbeddingTraining, MOST_DROPPED, WIDEST};

settings! {
    /// R-NET, gated self-matching networks (Wang et al. 2017).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct RnetConfig {
        /// Width of the word embeddings.
        #[words = EMBEDDING]
        pub embedding: usize in 1..=WIDEST = 300,
        /// Training of the word embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Layer that reads the characters.
        #[words = CHARACTERS]
        pub characters: CharacterKind = CharacterKind::Gru,
        /// Width of a character's embedding.
        #[words = CHARACTER_EMBEDDING]
        pub character_embedding: usize in 1..=WIDEST = 75,
        /// Width of what the characters give, of a GRU in one direction.
        #[words = CHARACTER_FILTERS]
        pub character_filters: usize in 1..=WIDEST = 75,
        /// Characters that a convolution sees at once.
        #[words = CHARACTER_KERNEL]
        pub character_kernel: usize in 1..=64 = 5,
        /// The recurrent cell of all layers.
        #[words = CELL]
        pub cell: CellKind = CellKind::Gru,
        /// Width of the state of a direction.
        #[words = HIDDEN]
        pub hidden: usize in 1..=WIDEST = 75,
        /// Layers of the encoder.
        #[words = ENCODER_LAYERS]
        pub layers: usize in 1..=64 = 3,
        /// True if the same layers read passage and question.
        #[words = ENCODER_SHARED]
        pub encoder_shared: bool = false,
        /// Mechanism by which the passage attends to the question at each step.
        #[serde(deserialize_with = "super::reader::additive")]
        pub question: MechanismConfig = vanilla(ScoreKind::Additive),
        /// Mechanism by which the passage attends to itself.
        #[serde(deserialize_with = "super::reader::additive")]
        pub self_matching: MechanismConfig = vanilla(ScoreKind::Additive),
        /// Recurrent layers over the matched passage.
        #[words = MODELLING]
        pub modelling: usize in 0..=64 = 1,
        /// Share of features dropped in training before each recurrent layer and the output.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.2,
    }
}

impl RnetConfig {
    /// Lists the attention sites, in the order of a pass.
    pub(super) fn sites(&self) -> Vec<AttentionSite> {
        let width = 2 * self.hidden;
        let question = ("question", "Passage to question, word by word");
        let itself = ("self_matching", "Passage to itself");
        vec![
            site(question, Site::Matching, width, self.question),
            site(itself, Site::SelfMatching, width, self.self_matching),
        ]
    }

    pub(crate) fn spelling(&self) -> SpellingConfig {
        SpellingConfig {
            embedding: self.character_embedding,
            filters: self.character_filters,
            kernel: self.character_kernel,
        }
    }
}

/// Name and help text of R-NET.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "rnet",
        title: "Reader: R-NET",
        help: "Finds an answer in a passage, which it matches with the question and then with itself.",
        formula: "rₜ = cell(σ(W z) ∘ z, rₜ₋₁), z = [hₜ; aₜ]",
        source: "Wang et al. 2017",
    },
    settings: RnetConfig::SETTINGS,
};
