//! Settings of the recurrent encoder and decoder.

use serde::{Deserialize, Serialize};
use strata_attention::{MechanismConfig, ScoreKind, VanillaConfig};
use strata_describe::{Description, Words, options, settings};

use super::words::{CELL, DROPOUT, EMBEDDING, INITIAL_BOUND, TRAIN_EMBEDDINGS, layers};
use super::{EmbeddingTraining, LARGEST_BOUND, MOST_DROPPED, WIDEST};

options! {
    /// The recurrent cell.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CellKind {
        /// One hyperbolic tangent.
        #[title = "Simple recurrent"]
        #[formula = "h' = tanh(W x + U h + b)"]
        #[source = "Elman 1990"]
        Rnn = "rnn",
        /// Gated recurrent unit, as in cuDNN: the reset gate scales U h.
        #[title = "GRU"]
        #[help = "Two gates: what is forgotten, and what is taken over."]
        #[formula = "h' = (1 − z) n + z h"]
        #[source = "Cho et al. 2014"]
        Gru = "gru",
        /// Long short-term memory.
        #[title = "LSTM"]
        #[help = "Three gates around a cell that keeps its content."]
        #[formula = "c' = f c + i g, h' = o tanh(c')"]
        #[source = "Hochreiter and Schmidhuber 1997; Gers et al. 2000"]
        Lstm = "lstm",
    }
}

options! {
    /// Output layer: logits of context a and state h.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HeadKind {
        /// Context and state side by side, through one matrix.
        #[title = "One matrix"]
        #[formula = "W [a; h] + b"]
        #[source = "Luong et al. 2015, 3"]
        Concat = "concat",
        /// The same with a hidden layer between.
        #[title = "Two matrices"]
        #[formula = "W₂ tanh(W₁ [a; h] + b₁) + b₂"]
        #[source = "Bahdanau et al. 2015, A.2.2"]
        Mlp = "mlp",
    }
}

settings! {
    /// Sequence to sequence (Sutskever et al. 2014), with attention (Bahdanau et al. 2015).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct Seq2SeqConfig {
        /// The recurrent cell of encoder and decoder.
        #[words = CELL]
        pub cell: CellKind = CellKind::Gru,
        /// Width of the token embeddings.
        #[words = EMBEDDING]
        pub embedding: usize in 1..=WIDEST = 64,
        /// Width of the encoder's state, both directions together.
        #[title = "Encoder width"]
        #[help = "Of the encoder's state, both directions together."]
        #[formula = "D"]
        #[source = "Bahdanau et al. 2015, 3.2"]
        pub encoder_hidden: usize in 1..=WIDEST = 128,
        /// Width of the decoder's state.
        #[title = "Decoder width"]
        #[help = "Of the decoder's state."]
        #[formula = "D"]
        #[source = "Bahdanau et al. 2015, 3.1"]
        pub decoder_hidden: usize in 1..=WIDEST = 128,
        /// Recurrent layers of the encoder, and of the decoder, one upon the other.
        #[words = layers("Sutskever et al. 2014, 3.4")]
        pub layers: usize in 1..=WIDEST = 1,
        /// True if the encoder reads in both directions.
        #[title = "Bidirectional encoder"]
        #[help = "One half of its state reads forwards, the other backwards."]
        #[formula = "h = [h₁; h₂]"]
        #[source = "Schuster and Paliwal 1997; Bahdanau et al. 2015, 3.2"]
        pub bidirectional: bool = true,
        /// True if the decoder attends to the encoder's states; without, it sees the last one only.
        #[title = "Decoder attends"]
        #[help = "Without, it sees the encoder's last state only."]
        #[formula = "aₜ = Σ αₜₛ hₛ"]
        #[source = "Bahdanau et al. 2015, 3.1"]
        pub attend: bool = true,
        /// Mechanism of its attention.
        pub attention: MechanismConfig = MechanismConfig::Vanilla(VanillaConfig {
            score: ScoreKind::Bilinear,
        }),
        /// Output layer: logits of context and state.
        #[title = "Output"]
        #[help = "How context and state become a word, by a matrix of its own with a bias; a paper that scores the embeddings can also be read as having the two tied."]
        #[source = "Luong et al. 2015, 3; Bahdanau et al. 2015, A.2.2"]
        pub head: HeadKind = HeadKind::Mlp,
        /// True if the context is fed into the next step.
        #[title = "Input feeding"]
        #[help = "The context is fed into the next step."]
        #[formula = "sₜ = cell([yₜ₋₁; aₜ₋₁], sₜ₋₁)"]
        #[source = "Luong et al. 2015, 3.3"]
        pub input_feeding: bool = false,
        /// Share of features dropped in training of the embeddings, between layers and of what the
        /// head reads.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
        /// Training of the embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Bound within which all initial parameters are drawn; 0: each layer by its own rule.
        #[words = INITIAL_BOUND]
        pub initial_bound: f64 in 0.0..=LARGEST_BOUND = 0.0,
    }
}

/// Name and help text of the recurrent encoder and decoder.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "seq2seq",
        title: "Recurrent, with attention",
        help: "A recurrent network reads, another one writes and attends to what was read. The one that writes reads `<s>` before y₁; where a paper predicts y₁ from its first state alone, that can be read as a step less.",
        formula: "sₜ = cell(yₜ₋₁, sₜ₋₁), p(yₜ) = softmax(g(sₜ, aₜ))",
        source: "Sutskever et al. 2014; Bahdanau et al. 2015",
    },
    settings: Seq2SeqConfig::SETTINGS,
};
