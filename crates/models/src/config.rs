//! What a model is built from.

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, MechanismConfig, ScoreKind, VanillaConfig};

/// Any architecture, as a user chooses it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "architecture", rename_all = "snake_case")]
pub enum ModelConfig {
    /// Recurrent encoder and decoder.
    #[serde(rename = "seq2seq")]
    Seq2Seq(Seq2SeqConfig),
    /// Attention alone.
    Transformer(TransformerConfig),
    /// A recurrent language model.
    RecurrentLm(RecurrentLmConfig),
    /// A language model of attention alone.
    TransformerLm(TransformerLmConfig),
}

/// The recurrent cell.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// Elman (1990): h' = tanh(W x + U h + b).
    Rnn,
    /// Gated recurrent unit (Cho et al. 2014), as in cuDNN: the reset gate scales U h.
    #[default]
    Gru,
    /// Long short-term memory (Hochreiter and Schmidhuber 1997; Gers et al. 2000).
    Lstm,
}

/// How a Transformer is told where a token stands.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PositionKind {
    /// Sine and cosine of the position (Vaswani et al. 2017, 3.5): for texts of any length.
    #[default]
    Sinusoidal,
    /// A table for each side, trained (Gehring et al. 2017, 3.1): for texts as long as the table.
    Learned,
    /// Not at all: to an encoder of self-attention its source is then a set.
    None,
}

/// How context a and state h become logits.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum HeadKind {
    /// W [a; h] + b.
    #[default]
    Concat,
    /// W₂ tanh(W₁ [a; h] + b₁) + b₂.
    Mlp,
}

/// Sequence to sequence (Sutskever et al. 2014), with attention (Bahdanau et al. 2015).
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct Seq2SeqConfig {
    /// The recurrent cell of encoder and decoder.
    pub cell: CellKind,
    /// Width of the token embeddings.
    pub embedding: usize,
    /// Width of the encoder's state, both directions together.
    pub encoder_hidden: usize,
    /// Width of the decoder's state.
    pub decoder_hidden: usize,
    /// Recurrent layers of the encoder, and of the decoder, one upon the other.
    pub layers: usize,
    /// True if the encoder reads in both directions.
    pub bidirectional: bool,
    /// True if the decoder attends to the encoder's states; without, it sees the last one only.
    pub attend: bool,
    /// How it attends.
    pub attention: MechanismConfig,
    /// How context and state become logits.
    pub head: HeadKind,
    /// True if the context is fed into the next step (Luong et al. 2015, 3.3).
    pub input_feeding: bool,
    /// Share of features dropped in training of the embeddings, between layers and of what the
    /// head reads.
    pub dropout: f64,
    /// All initial parameters are drawn within this (Sutskever et al. 2014, 3.4; Zaremba et al.
    /// 2014, 4.1); 0: each layer by its own rule.
    pub initial_bound: f64,
}

impl Default for Seq2SeqConfig {
    fn default() -> Self {
        Self {
            cell: CellKind::Gru,
            embedding: 64,
            encoder_hidden: 128,
            decoder_hidden: 128,
            layers: 1,
            bidirectional: true,
            attend: true,
            attention: MechanismConfig::Vanilla(VanillaConfig {
                score: ScoreKind::Bilinear,
            }),
            head: HeadKind::Mlp,
            input_feeding: false,
            dropout: 0.0,
            initial_bound: 0.0,
        }
    }
}

/// The Transformer (Vaswani et al. 2017).
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct TransformerConfig {
    /// D, the width of every layer.
    pub width: usize,
    /// H, heads of every attention; divides the width.
    pub heads: usize,
    /// Layers of the encoder, and of the decoder.
    pub layers: usize,
    /// Width inside the feed-forward blocks.
    pub feed_forward: usize,
    /// Share of features dropped in training after embeddings and each block.
    pub dropout: f64,
    /// LayerNorm before each block instead of after it.
    pub norm_first: bool,
    /// True if the output matrix is the target embedding, transposed.
    pub tied: bool,
    /// How it is told where a token stands.
    pub positions: PositionKind,
    /// Rows of a table of learned positions: the most tokens that a text may have. The target's
    /// first one is BOS.
    pub longest: usize,
    /// True if the source's padding is hidden from encoder and decoder. Where it is not, the other
    /// sentences of its batch decide what becomes of a sentence.
    pub mask_padding: bool,
    /// Encoder self-attention.
    pub encoder_self: MechanismConfig,
    /// Decoder self-attention.
    pub decoder_self: MechanismConfig,
    /// Cross-attention.
    pub cross: MechanismConfig,
}

impl Default for TransformerConfig {
    fn default() -> Self {
        Self {
            width: 64,
            heads: 4,
            layers: 2,
            feed_forward: 256,
            dropout: 0.0,
            norm_first: true,
            tied: false,
            positions: PositionKind::default(),
            longest: 256,
            mask_padding: true,
            encoder_self: MechanismConfig::default(),
            decoder_self: MechanismConfig::default(),
            cross: MechanismConfig::default(),
        }
    }
}

/// A recurrent language model (Mikolov et al. 2010; Zaremba et al. 2014).
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RecurrentLmConfig {
    /// The recurrent cell.
    pub cell: CellKind,
    /// Width of the token embeddings.
    pub embedding: usize,
    /// Width of each layer's state.
    pub hidden: usize,
    /// Recurrent layers, one upon the other.
    pub layers: usize,
    /// Share of features dropped in training of the embeddings, between layers and of what the
    /// output reads; never from step to step within a layer (Zaremba et al. 2014, 3.1).
    pub dropout: f64,
    /// True if the output matrix is the embedding, transposed (Press and Wolf 2017); both then
    /// have one width.
    pub tied: bool,
    /// All initial parameters are drawn within this (Sutskever et al. 2014, 3.4; Zaremba et al.
    /// 2014, 4.1); 0: each layer by its own rule.
    pub initial_bound: f64,
}

impl Default for RecurrentLmConfig {
    fn default() -> Self {
        Self {
            cell: CellKind::Lstm,
            embedding: 128,
            hidden: 128,
            layers: 2,
            dropout: 0.0,
            tied: false,
            initial_bound: 0.0,
        }
    }
}

/// A decoder-only Transformer language model (Radford et al. 2018), of the Transformer's blocks.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct TransformerLmConfig {
    /// D, the width of every layer.
    pub width: usize,
    /// H, heads of every attention; divides the width.
    pub heads: usize,
    /// Layers, one upon the other.
    pub layers: usize,
    /// Width inside the feed-forward blocks.
    pub feed_forward: usize,
    /// Share of features dropped in training after embeddings and each block.
    pub dropout: f64,
    /// LayerNorm before each block instead of after it.
    pub norm_first: bool,
    /// True if the output matrix is the embedding, transposed.
    pub tied: bool,
    /// How it is told where a token stands.
    pub positions: PositionKind,
    /// Rows of a table of learned positions: the most tokens that can be read.
    pub longest: usize,
    /// How the text attends to its past.
    pub decoder_self: MechanismConfig,
}

impl Default for TransformerLmConfig {
    fn default() -> Self {
        Self {
            width: 128,
            heads: 4,
            layers: 2,
            feed_forward: 512,
            dropout: 0.0,
            norm_first: true,
            tied: false,
            positions: PositionKind::default(),
            longest: 256,
            decoder_self: MechanismConfig::default(),
        }
    }
}

/// Number of tokens that each side knows, special ones included.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabularies {
    /// Of the source.
    pub source: usize,
    /// Of the target, V.
    pub target: usize,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self::Transformer(TransformerConfig::default())
    }
}

impl ModelConfig {
    /// Refuses what cannot be built, before anything is.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and what to do.
    pub fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self::Seq2Seq(config) => config.check(),
            Self::Transformer(config) => config.check(),
            Self::RecurrentLm(config) => config.check(),
            Self::TransformerLm(config) => config.check(),
        }
    }

    /// The most positions that the model can tell apart, where there is an end to them.
    pub fn longest(&self) -> Option<usize> {
        match self {
            Self::Transformer(config) if config.positions == PositionKind::Learned => {
                Some(config.longest)
            }
            Self::TransformerLm(config) if config.positions == PositionKind::Learned => {
                Some(config.longest)
            }
            _ => None,
        }
    }

    /// The architecture as configurations name it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Seq2Seq(_) => "seq2seq",
            Self::Transformer(_) => "transformer",
            Self::RecurrentLm(_) => "recurrent_lm",
            Self::TransformerLm(_) => "transformer_lm",
        }
    }

    /// Share of features dropped in training.
    pub fn dropout(&self) -> f64 {
        match self {
            Self::Seq2Seq(config) => config.dropout,
            Self::Transformer(config) => config.dropout,
            Self::RecurrentLm(config) => config.dropout,
            Self::TransformerLm(config) => config.dropout,
        }
    }

    /// The same, to be changed.
    pub fn dropout_mut(&mut self) -> &mut f64 {
        match self {
            Self::Seq2Seq(config) => &mut config.dropout,
            Self::Transformer(config) => &mut config.dropout,
            Self::RecurrentLm(config) => &mut config.dropout,
            Self::TransformerLm(config) => &mut config.dropout,
        }
    }

    /// True if it writes a text on, where the others translate.
    pub fn is_language_model(&self) -> bool {
        matches!(self, Self::RecurrentLm(_) | Self::TransformerLm(_))
    }

    /// True if it carries its state from one segment of a text into the next.
    pub fn carries_state(&self) -> bool {
        matches!(self, Self::RecurrentLm(_))
    }
}
