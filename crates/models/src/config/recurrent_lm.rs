//! Settings of the recurrent language model.

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use super::words::{CELL, DROPOUT, EMBEDDING, INITIAL_BOUND, TIED, TRAIN_EMBEDDINGS, layers};
use super::{CellKind, EmbeddingTraining, LARGEST_BOUND, MOST_DROPPED, WIDEST};

settings! {
    /// A recurrent language model (Mikolov et al. 2010; Zaremba et al. 2014).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct RecurrentLmConfig {
        /// The recurrent cell.
        #[words = CELL]
        pub cell: CellKind = CellKind::Lstm,
        /// Width of the token embeddings.
        #[words = EMBEDDING]
        pub embedding: usize in 1..=WIDEST = 128,
        /// Width of each layer's state.
        #[title = "Width"]
        #[help = "Of each layer's state."]
        #[formula = "D"]
        #[source = "Zaremba et al. 2014, 4.1"]
        pub hidden: usize in 1..=WIDEST = 128,
        /// Recurrent layers, one upon the other.
        #[words = layers("Zaremba et al. 2014, 4.1")]
        pub layers: usize in 1..=WIDEST = 2,
        /// Share of features dropped in training of the embeddings, between layers and of what the
        /// output reads; never from step to step within a layer (Zaremba et al. 2014, 3.1).
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
        /// True if the output matrix is the embedding, transposed; both then have one width.
        #[words = TIED]
        pub tied: bool = false,
        /// Training of the embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Bound within which all initial parameters are drawn; 0: each layer by its own rule.
        #[words = INITIAL_BOUND]
        pub initial_bound: f64 in 0.0..=LARGEST_BOUND = 0.0,
    }
}

/// Name and help text of the recurrent language model.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "recurrent_lm",
        title: "Recurrent language model",
        help: "Writes a text on, token by token, out of a state.",
        formula: "p(yₜ | y₁ … yₜ₋₁) = softmax(W hₜ)",
        source: "Mikolov et al. 2010; Zaremba et al. 2014",
    },
    settings: RecurrentLmConfig::SETTINGS,
};
