//! Settings of the tagger, which answers in place.

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, MechanismConfig};
use strata_describe::{Description, Words, options, settings};

use super::words::{
    DROPOUT, FEED_FORWARD, HEADS, LONGEST, LOOPS, NORM_FIRST, POSITIONS, TRAIN_EMBEDDINGS, WIDTH,
};
use super::{
    CellKind, EmbeddingTraining, MOST_DROPPED, MOST_LOOPS, PositionKind, TransformerConfig,
    Vocabularies, WIDEST,
};

options! {
    /// Layers of a tagger's encoder: self-attention, a recurrent cell, or convolutions.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EncoderCell {
        /// Layers of self-attention, as in the Transformer's encoder.
        #[title = "None: self-attention"]
        #[help = "Layers of the Transformer's encoder; heads, feed-forward width, norms and mask are theirs alone."]
        #[formula = "softmax(Q Kᵀ / √D) V"]
        #[source = "Vaswani et al. 2017, 3.1"]
        None = "none",
        /// Recurrent layers of one hyperbolic tangent.
        #[title = "Simple recurrent"]
        #[formula = "h' = tanh(W x + U h + b)"]
        #[source = "Elman 1990"]
        Rnn = "rnn",
        /// Recurrent layers of gated recurrent units, as in cuDNN.
        #[title = "GRU"]
        #[formula = "h' = (1 − z) n + z h"]
        #[source = "Cho et al. 2014"]
        Gru = "gru",
        /// Recurrent layers of long short-term memory.
        #[title = "LSTM"]
        #[formula = "c' = f c + i g, h' = o tanh(c')"]
        #[source = "Hochreiter and Schmidhuber 1997; Gers et al. 2000"]
        Lstm = "lstm",
        /// Gated convolutions, each with a residual connection.
        #[title = "Convolution"]
        #[help = "Each layer reads a token and its neighbours, gated, and adds what it found; as many as the kernel size says. Positions are told as in a Transformer, by waves or a table."]
        #[formula = "h' = (h + GLU(W [h₋w; …; h₊w] + b)) √½"]
        #[source = "Gehring et al. 2017, 3.2"]
        Convolution = "convolution",
    }
}

settings! {
    /// A tagger: an encoder and a linear layer for each token (Devlin et al. 2019, 4 and 5.3, on
    /// the encoder of Vaswani et al. 2017; with recurrent layers Graves 2012, 4; with convolutions
    /// Gehring et al. 2017).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct TaggerConfig {
        /// D, the width of every layer; with a cell, the width of the state, both directions
        /// together.
        #[words = WIDTH]
        pub width: usize in 1..=WIDEST = 64,
        /// H, heads of every attention; divides the width.
        #[words = HEADS]
        pub heads: usize in 1..=WIDEST = 4,
        /// Layers of the encoder.
        #[title = "Layers"]
        #[help = "Of the encoder, one upon the other."]
        #[source = "Vaswani et al. 2017, 3.1"]
        pub layers: usize in 1..=WIDEST = 2,
        /// R, passes through the layers of self-attention, with the same parameters.
        #[words = LOOPS]
        pub loops: usize in 1..=MOST_LOOPS = 1,
        /// Width inside the feed-forward blocks.
        #[words = FEED_FORWARD]
        pub feed_forward: usize in 1..=WIDEST = 256,
        /// Share of features dropped in training after embeddings, each block, and each recurrent or
        /// convolutional layer but the last.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
        /// LayerNorm before each block instead of after it.
        #[words = NORM_FIRST]
        pub norm_first: bool = true,
        /// True if the output matrix is the embedding, transposed.
        #[title = "Output matrix is the embedding"]
        #[help = "The output matrix is the embedding, transposed; source and target then share one vocabulary."]
        #[formula = "W = Eᵀ"]
        #[source = "Press and Wolf 2017"]
        pub tied: bool = false,
        /// Encoding of the position of a token.
        #[words = POSITIONS]
        pub positions: PositionKind = PositionKind::Sinusoidal,
        /// Rows of a table of learned positions: the most tokens that a source may have.
        #[words = LONGEST]
        pub longest: usize in 1..=WIDEST = 256,
        /// True if padding is hidden. Where it is not, the other sentences of its batch decide what
        /// becomes of a sentence.
        #[title = "Mask padding"]
        #[help = "Off, sentences attend to the padding behind them, as in some published code."]
        #[formula = "softmax(Q Kᵀ / √D + M) V"]
        #[source = "Vaswani et al. 2017"]
        pub mask_padding: bool = true,
        /// Recurrent or convolutional layers in place of self-attention.
        #[title = "Cell"]
        #[help = "Recurrent or convolutional layers in place of self-attention."]
        #[formula = "hₜ = cell(xₜ, hₜ₋₁)"]
        #[source = "Graves 2012, 4; Gehring et al. 2017"]
        pub cell: EncoderCell = EncoderCell::None,
        /// True if the recurrent layers read in both directions.
        #[title = "Bidirectional"]
        #[help = "One half of a recurrent layer's state reads forwards, the other backwards."]
        #[formula = "h = [h₁; h₂]"]
        #[source = "Schuster and Paliwal 1997"]
        pub bidirectional: bool = true,
        /// k, number of places that a convolution reads at once; odd.
        #[title = "Kernel size"]
        #[help = "How many tokens a convolution reads at once, the middle one its own place. Odd."]
        #[formula = "k = 2 w + 1"]
        #[source = "Gehring et al. 2017, 3.2"]
        pub kernel_size: usize in 1..=WIDEST = 3,
        /// Training of the embeddings.
        #[words = TRAIN_EMBEDDINGS]
        pub train_embeddings: EmbeddingTraining = EmbeddingTraining::Auto,
        /// Encoder self-attention.
        pub encoder_self: MechanismConfig = MechanismConfig::default(),
    }
}

/// Name and help text of the tagger.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "tagger",
        title: "Tagger, answers in place",
        help: "An encoder reads, and a linear layer predicts a token at each place: nothing is written step by step, so that the target has the source's length.",
        formula: "p(yₛ) = softmax(W hₛ + b), s = 1 … S",
        source: "Devlin et al. 2019, 5.3; Vaswani et al. 2017",
    },
    settings: TaggerConfig::SETTINGS,
};

impl EncoderCell {
    /// Recurrent cell; `None` for layers of self-attention and for convolutions.
    pub fn kind(self) -> Option<CellKind> {
        match self {
            Self::None | Self::Convolution => None,
            Self::Rnn => Some(CellKind::Rnn),
            Self::Gru => Some(CellKind::Gru),
            Self::Lstm => Some(CellKind::Lstm),
        }
    }
}

impl TaggerConfig {
    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        match self.cell {
            EncoderCell::None => self.blocks().check(),
            EncoderCell::Convolution if self.kernel_size.is_multiple_of(2) => {
                Err(ConfigError::new(format!(
                    "`kernel_size` is {}, which has no middle place: choose an odd number",
                    self.kernel_size
                )))
            }
            EncoderCell::Rnn | EncoderCell::Gru | EncoderCell::Lstm
                if self.bidirectional && !self.width.is_multiple_of(2) =>
            {
                Err(ConfigError::new(format!(
                    "`width` is {}, which two directions cannot share: choose an even width",
                    self.width
                )))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the output matrix can be the embedding, if `tied`.
    pub(crate) fn check_vocabularies(&self, sizes: Vocabularies) -> Result<(), ConfigError> {
        if !self.tied || sizes.source == sizes.target {
            return Ok(());
        }
        Err(ConfigError::new(format!(
            "`tied` makes the embedding of the source the output matrix of the target, but the \
             vocabularies have {} and {} tokens: choose `model.tied=false`, or a task with one \
             vocabulary for both sides",
            sizes.source, sizes.target
        )))
    }

    /// Number of positions that the model can distinguish; `None` if unlimited.
    pub(crate) fn longest(&self) -> Option<usize> {
        let has_table = self.added_positions() == PositionKind::Learned;
        has_table.then_some(self.longest)
    }

    /// Positions that are added to the embeddings; none for recurrent layers, which know the order.
    pub(crate) fn added_positions(&self) -> PositionKind {
        match self.cell {
            EncoderCell::None | EncoderCell::Convolution => self.positions,
            EncoderCell::Rnn | EncoderCell::Gru | EncoderCell::Lstm => PositionKind::None,
        }
    }

    /// Settings of a Transformer whose encoder is that of this model.
    pub(crate) fn blocks(&self) -> TransformerConfig {
        TransformerConfig {
            width: self.width,
            heads: self.heads,
            layers: self.layers,
            loops: self.loops,
            feed_forward: self.feed_forward,
            dropout: self.dropout,
            norm_first: self.norm_first,
            positions: self.positions,
            longest: self.longest,
            mask_padding: self.mask_padding,
            encoder_self: self.encoder_self,
            ..TransformerConfig::default()
        }
    }
}
