//! Settings of BiDAF.

use serde::{Deserialize, Serialize};
use strata_attention::{MechanismConfig, ScoreKind, Site};
use strata_describe::{Description, Words, settings};

use super::reader::{
    BOTH_DIRECTIONS, CHARACTER_EMBEDDING, CHARACTER_FILTERS, CHARACTER_KERNEL, CHARACTERS,
    ENCODER_LAYERS, ENCODER_SHARED, HIDDEN, MODELLING, POOLED, SpellingConfig, site, vanilla,
};
use super::words::{CELL, DROPOUT, EMBEDDING, TRAIN_EMBEDDINGS};
use super::{
    AttentionSite, CellKind, CharacterKind, EmbeddingTraining, MOST_DROPPED, SpanOutputKind, WIDEST,
};
use crate::reader::PointerConfig;

settings! {
    /// Bidirectional attention flow (Seo et al. 2017).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct BidafConfig {
        /// Width of the word embeddings.
        #[words = EMBEDDING]
        pub embedding: usize in 1..=WIDEST = 100,
        /// Training of the word embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Layer that reads the characters.
        #[words = CHARACTERS]
        pub characters: CharacterKind = CharacterKind::Cnn,
        /// Width of a character's embedding.
        #[words = CHARACTER_EMBEDDING]
        pub character_embedding: usize in 1..=WIDEST = 8,
        /// Width of what the characters give, of a GRU in one direction.
        #[words = CHARACTER_FILTERS]
        pub character_filters: usize in 1..=WIDEST = 100,
        /// Characters that a convolution sees at once.
        #[words = CHARACTER_KERNEL]
        pub character_kernel: usize in 1..=64 = 5,
        /// Highway layers over words and characters.
        #[title = "Highway layers"]
        #[help = "Over words and characters; they let some features pass as they are."]
        #[formula = "g ∘ ReLU(W x + b) + (1 − g) ∘ x"]
        #[source = "Srivastava et al. 2015; Seo et al. 2017, 2.2"]
        pub highway: usize in 0..=16 = 2,
        /// The recurrent cell of all layers.
        #[words = CELL]
        pub cell: CellKind = CellKind::Lstm,
        /// Width of the state of a direction.
        #[words = HIDDEN]
        pub hidden: usize in 1..=WIDEST = 100,
        /// Layers of the encoder.
        #[words = ENCODER_LAYERS]
        pub layers: usize in 1..=64 = 1,
        /// True if the same layers read passage and question.
        #[words = ENCODER_SHARED]
        pub encoder_shared: bool = true,
        /// Mechanism by which each word of the passage attends to the question.
        #[serde(deserialize_with = "super::reader::trilinear")]
        pub context_to_query: MechanismConfig = vanilla(ScoreKind::Trilinear),
        /// Mechanism by which the question attends to the passage.
        #[serde(deserialize_with = "super::reader::trilinear")]
        pub query_to_context: MechanismConfig = vanilla(ScoreKind::Trilinear),
        /// Recurrent layers over the matched passage.
        #[words = MODELLING]
        pub modelling: usize in 1..=64 = 2,
        /// Output: start and end of the answer.
        #[title = "Output"]
        #[help = "How the start and the end of the answer are found."]
        #[source = "Seo et al. 2017, 2.6; Wang and Jiang 2017, 3.3"]
        pub output: SpanOutputKind = SpanOutputKind::Linear,
        /// True if a pointer's first state is the pooled question.
        #[words = POOLED]
        pub pooled: bool = true,
        /// True if a second pointer looks for the end first.
        #[words = BOTH_DIRECTIONS]
        pub both_directions: bool = false,
        /// Share of features dropped in training before each recurrent layer and the output.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.2,
    }
}

impl BidafConfig {
    /// Lists the attention sites, in the order of a pass.
    pub(super) fn sites(&self) -> Vec<AttentionSite> {
        let width = 2 * self.hidden;
        let passage = ("context_to_query", "Passage to question");
        let question = ("query_to_context", "Question to passage");
        vec![
            site(passage, Site::ContextToQuery, width, self.context_to_query),
            site(question, Site::QueryToContext, width, self.query_to_context),
        ]
    }

    pub(crate) fn spelling(&self) -> SpellingConfig {
        SpellingConfig {
            embedding: self.character_embedding,
            filters: self.character_filters,
            kernel: self.character_kernel,
        }
    }

    /// Settings of the pointer; `None` if the output is no pointer.
    pub(crate) fn pointer(&self) -> Option<PointerConfig> {
        (self.output == SpanOutputKind::Pointer).then_some(PointerConfig {
            cell: self.cell,
            memory: 2 * self.hidden,
            question: self.pooled.then_some(2 * self.hidden),
            hidden: self.hidden,
            score: self.hidden,
            both_directions: self.both_directions,
        })
    }
}

/// Name and help text of BiDAF.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "bidaf",
        title: "Reader: BiDAF",
        help: "Finds an answer in a passage; passage and question attend to each other, all words at once.",
        formula: "Gₜ = [hₜ; cₜ; hₜ ∘ cₜ; hₜ ∘ q]",
        source: "Seo et al. 2017",
    },
    settings: BidafConfig::SETTINGS,
};
