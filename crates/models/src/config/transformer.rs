//! Settings of the Transformer, and of the language model made of its blocks.

use serde::{Deserialize, Serialize};
use strata_attention::{MechanismConfig, RelativePositions};
use strata_describe::{Description, Words, options, settings};

use super::words::{
    DROPOUT, FEED_FORWARD, HEADS, LONGEST, LOOPS, NORM_FIRST, POSITIONS, TIED, TRAIN_EMBEDDINGS,
    WIDTH, layers,
};
use super::{EmbeddingTraining, MOST_DROPPED, MOST_LOOPS, WIDEST};

const ATTENTION_IS_ALL: &str = "Vaswani et al. 2017";

options! {
    /// Encoding of the position of a token.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PositionKind {
        /// Sine and cosine of the position, for texts of any length.
        #[title = "Sine and cosine"]
        #[help = "Waves of the position, for texts of any length."]
        #[formula = "sin(t / 10000ⁱ)"]
        #[source = "Vaswani et al. 2017, 3.5"]
        Sinusoidal = "sinusoidal",
        /// A trained table for each side, for texts as long as the table.
        #[title = "Learned"]
        #[formula = "Pₜ"]
        #[source = "Gehring et al. 2017, 3.1"]
        Learned = "learned",
        /// Queries and keys of self-attention turned by position, for texts of any length.
        #[title = "Rotary"]
        #[help = "Turns queries and keys of self-attention by their position, so that their dot product tells their distance; for texts of any length. Cross-attention is told no positions."]
        #[formula = "(Rᵢ q)ᵀ Rⱼ k = qᵀ Rⱼ₋ᵢ k"]
        #[source = "Su et al. 2021, 3.2"]
        Rotary = "rotary",
        /// Scores of self-attention lowered by the distance, for texts of any length.
        #[title = "ALiBi"]
        #[help = "Lowers each score of self-attention by the distance of query and key, in each head by another factor; for texts of any length. Cross-attention is told no positions."]
        #[formula = "f(hᵢ, gⱼ) − 2ⁿ · |i − j|, n = −8 h / H"]
        #[source = "Press et al. 2022, 3"]
        Alibi = "alibi",
        /// Not at all: to an encoder of self-attention its source is then a set.
        #[title = "None"]
        #[help = "The order of the source is not told; that of the target shows through its mask alone."]
        None = "none",
    }
}

impl PositionKind {
    /// Positions that self-attention tells by itself; none where embeddings carry positions.
    pub fn in_attention(self) -> RelativePositions {
        match self {
            Self::Rotary => RelativePositions::Rotary,
            Self::Alibi => RelativePositions::Alibi,
            Self::Sinusoidal | Self::Learned | Self::None => RelativePositions::None,
        }
    }
}

settings! {
    /// The Transformer (Vaswani et al. 2017).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct TransformerConfig {
        /// D, the width of every layer.
        #[words = WIDTH]
        pub width: usize in 1..=WIDEST = 64,
        /// H, heads of every attention; divides the width.
        #[words = HEADS]
        pub heads: usize in 1..=WIDEST = 4,
        /// Layers of the encoder, and of the decoder.
        #[words = layers("Vaswani et al. 2017, 3.1")]
        pub layers: usize in 1..=WIDEST = 2,
        /// R, passes through the encoder's layers, and through the decoder's, with the same
        /// parameters.
        #[words = LOOPS]
        pub loops: usize in 1..=MOST_LOOPS = 1,
        /// Width inside the feed-forward blocks.
        #[words = FEED_FORWARD]
        pub feed_forward: usize in 1..=WIDEST = 256,
        /// Share of features dropped in training after embeddings and each block.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
        /// LayerNorm before each block instead of after it.
        #[words = NORM_FIRST]
        pub norm_first: bool = true,
        /// True if the output matrix is the target embedding, transposed.
        #[words = TIED]
        pub tied: bool = false,
        /// Encoding of the position of a token.
        #[words = POSITIONS]
        pub positions: PositionKind = PositionKind::Sinusoidal,
        /// Rows of a table of learned positions: the most tokens that a text may have. The target's
        /// first one is BOS.
        #[words = LONGEST]
        pub longest: usize in 1..=WIDEST = 256,
        /// True if the source's padding is hidden from encoder and decoder. Where it is not, the
        /// other sentences of its batch decide what becomes of a sentence.
        #[title = "Mask padding"]
        #[help = "Off, sentences attend to the padding behind them, as in some published code."]
        #[formula = "softmax(Q Kᵀ / √D + M) V"]
        #[source = ATTENTION_IS_ALL]
        pub mask_padding: bool = true,
        /// Training of the embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Encoder self-attention.
        pub encoder_self: MechanismConfig = MechanismConfig::default(),
        /// Decoder self-attention.
        pub decoder_self: MechanismConfig = MechanismConfig::default(),
        /// Cross-attention.
        pub cross: MechanismConfig = MechanismConfig::default(),
    }
}

settings! {
    /// A decoder-only Transformer language model (Radford et al. 2018), of the Transformer's blocks.
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct TransformerLmConfig {
        /// D, the width of every layer.
        #[words = WIDTH]
        pub width: usize in 1..=WIDEST = 128,
        /// H, heads of every attention; divides the width.
        #[words = HEADS]
        pub heads: usize in 1..=WIDEST = 4,
        /// Layers, one upon the other.
        #[words = layers("Radford et al. 2018, 4.1")]
        pub layers: usize in 1..=WIDEST = 2,
        /// R, passes through the layers with the same parameters.
        #[words = LOOPS]
        pub loops: usize in 1..=MOST_LOOPS = 1,
        /// Width inside the feed-forward blocks.
        #[words = FEED_FORWARD]
        pub feed_forward: usize in 1..=WIDEST = 512,
        /// Share of features dropped in training after embeddings and each block.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
        /// LayerNorm before each block instead of after it.
        #[words = NORM_FIRST]
        pub norm_first: bool = true,
        /// True if the output matrix is the embedding, transposed.
        #[words = TIED]
        pub tied: bool = false,
        /// Encoding of the position of a token.
        #[words = POSITIONS]
        pub positions: PositionKind = PositionKind::Sinusoidal,
        /// Rows of a table of learned positions: the most tokens that can be read.
        #[words = LONGEST]
        pub longest: usize in 1..=WIDEST = 256,
        /// Training of the embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Attention of the text to its past.
        pub decoder_self: MechanismConfig = MechanismConfig::default(),
    }
}

/// Name and help text of the Transformer.
pub(super) static TRANSFORMER: Description = Description {
    words: Words {
        name: "transformer",
        title: "Transformer",
        help: "Reads and writes by attention alone.",
        formula: "softmax(Q Kᵀ / √D) V",
        source: ATTENTION_IS_ALL,
    },
    settings: TransformerConfig::SETTINGS,
};

/// Name and help text of the Transformer's language model.
pub(super) static LANGUAGE_MODEL: Description = Description {
    words: Words {
        name: "transformer_lm",
        title: "Transformer language model",
        help: "Writes a text on, token by token, by attention to its past.",
        formula: "p(yₜ | y₁ … yₜ₋₁) = softmax(W hₜ)",
        source: "Radford et al. 2018",
    },
    settings: TransformerLmConfig::SETTINGS,
};
