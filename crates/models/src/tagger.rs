//! Tagger: an encoder and a linear layer for each token, a model that answers in place.
//!
//! The encoder is the Transformer's (Vaswani et al. 2017, 3.1), or a stack of recurrent or
//! convolutional layers; the output is a linear layer and a softmax for each token (Devlin et al.
//! 2019, 5.3). The target has the length of the source: no token is written after another, and there
//! is no BOS and no EOS.
//!
//! All places are independent given the source. The product of their probabilities is largest where
//! each factor is, so that greedy search, beam search and the most probable token of each place are
//! one and the same. A search nevertheless goes step by step, as with any model: its state holds
//! the logits of all places, and step t takes those of place t.

mod convolution;
#[cfg(test)]
mod tests;

use burn::module::{Module, Param};
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::module::embedding;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use strata_attention::{ConfigError, Draws, Mask, ParamInit};

use crate::fixed_length::{IMPOSSIBLE, end_at};
use crate::transformer::{EncoderLayer, LayerNorm, NORM_EPSILON, encode_layers, positions};
use crate::{
    Batch, DecodedStep, EncoderCell, Logits, ModelOutput, PositionKind, Recurrent, RecurrentConfig,
    TaggerConfig, TokenTable, Tokens, Trace, Vocabularies, VocabularySide,
};

pub use convolution::ConvolutionLayer;

/// Number of special tokens, which have the lowest ids: PAD, BOS, EOS and `<unk>`.
const SPECIAL: usize = 4;

/// Tagger: an embedding, an encoder, and an output layer.
#[derive(Module, Debug)]
pub struct Tagger {
    /// Embedding of source tokens, `[V_source, D]`.
    pub source_embedding: Param<Tensor<2>>,
    /// Learned positions, `[longest, D]`; `None` if positions are not learned.
    pub source_positions: Option<Param<Tensor<2>>>,
    /// Encoder layers of self-attention; empty if the encoder has other layers.
    pub encoder: Vec<EncoderLayer>,
    /// Recurrent encoder layers; empty if the encoder has other layers.
    pub recurrent: Vec<Recurrent>,
    /// Convolutional encoder layers; empty if the encoder has other layers.
    pub convolutions: Vec<ConvolutionLayer>,
    /// Norm after the layers of self-attention; `None` unless norms come first.
    pub encoder_norm: Option<LayerNorm>,
    /// Weight of the output layer, `[D, V]`; `None` if it is the embedding, transposed.
    pub output: Option<Param<Tensor<2>>>,
    /// Bias of the output layer, `[V]`.
    pub output_bias: Param<Tensor<1>>,
    /// Dropout after the embeddings, and between recurrent or convolutional layers.
    pub dropout: Dropout,
    #[module(skip)]
    mask_padding: bool,
    #[module(skip)]
    positions: PositionKind,
    /// Number of passes through the layers of self-attention.
    #[module(skip)]
    loops: usize,
}

/// State of decoding between steps.
pub(crate) struct Decoding {
    /// Logits of all places, `[B, S + 1, V]`, without special tokens; behind the last place of each
    /// source EOS alone is allowed.
    logits: Tensor<3>,
    /// Number of tokens that were written.
    at: usize,
}

impl Decoding {
    /// Keeps the decoding of these rows, in this order.
    pub(crate) fn select(&mut self, rows: &Tensor<1, Int>) {
        self.logits = self.logits.clone().select(0, rows.clone());
    }
}

impl Tagger {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 3] = [
        TokenTable::rows("source_embedding", VocabularySide::Source),
        TokenTable::columns("output", VocabularySide::Target),
        TokenTable::rows("output_bias", VocabularySide::Target),
    ];

    /// Draws the parameters of the model. Sequences may have any length unless positions are
    /// learned.
    ///
    /// # Errors
    /// If a mechanism does not fit its site, or the vocabularies differ in size where one matrix is
    /// to serve both.
    pub fn init(
        config: &TaggerConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        config.check_vocabularies(vocabularies)?;
        let (width, device) = (config.width, init.device().clone());
        let blocks = config.blocks();
        let attends = config.cell == EncoderCell::None;
        let [attending, recurring, convolving] = match config.cell {
            EncoderCell::None => [config.layers, 0, 0],
            EncoderCell::Convolution => [0, 0, config.layers],
            EncoderCell::Rnn | EncoderCell::Gru | EncoderCell::Lstm => [0, config.layers, 0],
        };
        let norm = || LayerNorm::new(width, NORM_EPSILON, &device);
        // Embeddings are multiplied by √D, so that this bound gives them variance 1.
        let bound = (3.0 / width as f64).sqrt();
        Ok(Self {
            source_embedding: init.uniform([vocabularies.source, width], bound),
            source_positions: match config.longest() {
                Some(_) => positions::table(&blocks, init),
                None => None,
            },
            encoder: (0..attending)
                .map(|_| EncoderLayer::init(&blocks, init))
                .collect::<Result<_, _>>()?,
            recurrent: (0..recurring)
                .filter_map(|_| Some(config.recurrent_layer()?.init(init)))
                .collect(),
            convolutions: (0..convolving)
                .map(|_| ConvolutionLayer::init(width, config.kernel_size, init))
                .collect(),
            encoder_norm: (attends && config.norm_first).then(norm),
            output: (!config.tied).then(|| init.xavier(width, vocabularies.target)),
            output_bias: init.zeros([vocabularies.target]),
            dropout: DropoutConfig::new(config.dropout).init(),
            mask_padding: config.mask_padding,
            positions: config.added_positions(),
            loops: config.loops,
        })
    }

    /// Predicts the targets of a batch, all places at once; in training with `draws`.
    ///
    /// # Shapes
    /// - source `[B, S]`, target `[B, T]` → logits `[B, T, V]`. T is S in a batch
    ///   [in place](Batch::in_place). In any other batch, places behind the source's allow EOS
    ///   alone.
    pub fn forward(&self, batch: &Batch, draws: Option<&Draws>, device: &Device) -> ModelOutput {
        ModelOutput::of(|trace| self.forward_noting(batch, trace, draws, device))
    }

    /// Computes the logits of a pass, `[B, T, V]`, and records the pass in `trace`.
    pub(crate) fn forward_noting(
        &self,
        batch: &Batch,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> Logits {
        let x = self.encode(&batch.source, trace, draws, device); // [B, S, D]
        let columns = batch.target_out.columns();
        if columns <= batch.source.columns() {
            return self.logits(trace.take_places(x.narrow(1, 0, columns)));
        }
        let logits = self.logits(x).compute();
        Logits::Computed(end_at(logits, &batch.source.lengths(), columns))
    }

    pub(crate) fn start(&self, source: &Tokens, device: &Device) -> Decoding {
        let encoded = self.encode(source, &mut Trace::default(), None, device);
        let logits = self.logits(encoded).compute(); // [B, S, V]
        let vocabulary = logits.dims()[2];
        let never: Vec<bool> = (0..vocabulary).map(|id| id < SPECIAL).collect();
        let never = TensorData::new(never, [1, 1, vocabulary]);
        let never = Tensor::<3, Bool>::from_data(never, device).expand(logits.dims());
        let logits = logits.mask_fill(never, IMPOSSIBLE);
        Decoding {
            logits: end_at(logits, &source.lengths(), source.columns() + 1),
            at: 0,
        }
    }

    /// Gives the logits of the next place, `[B, V]`; what was written before does not matter.
    pub(crate) fn step(&self, decoding: &mut Decoding) -> DecodedStep {
        // Behind the last place every row has ended, so that any such place can stand in.
        let last = decoding.logits.dims()[1] - 1;
        let place = decoding.at.min(last);
        decoding.at += 1;
        DecodedStep {
            logits: decoding.logits.clone().narrow(1, place, 1).squeeze_dim(1),
            attention: Vec::new(),
        }
    }

    /// Reads the encoder's output x, `[B, S, D]`.
    fn logits(&self, x: Tensor<3>) -> Logits {
        let weight = match &self.output {
            Some(output) => output.val(),
            None => self.source_embedding.val().transpose(), // [D, V]
        };
        let bias = Some(self.output_bias.val());
        Logits::Linear { x, weight, bias }
    }

    /// Computes the encoder's output, `[B, S, D]`.
    fn encode(
        &self,
        source: &Tokens,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> Tensor<3> {
        let tokens = embedding(self.source_embedding.val(), source.tensor(device)); // [B, S, D]
        let placed = positions::place(tokens, self.positions, &self.source_positions, 0);
        let mut x = self.dropout.forward(placed);
        let lengths = source.lengths();
        for (i, layer) in self.recurrent.iter().enumerate() {
            if i > 0 {
                x = self.dropout.forward(x);
            }
            x = layer.read(x, Some(&lengths));
        }
        let real = || convolution::real(source, device).cast(x.dtype());
        if let Some(real) = (!self.convolutions.is_empty()).then(real) {
            for (i, layer) in self.convolutions.iter().enumerate() {
                if i > 0 {
                    x = self.dropout.forward(x);
                }
                x = layer.forward(x, real.clone());
            }
        }
        let mask = if self.mask_padding {
            Mask::padding(&source.padding(), source.columns(), device)
        } else {
            Mask::none()
        };
        let x = encode_layers(&self.encoder, self.loops, x, &mask, draws, trace);
        match &self.encoder_norm {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }
}

impl TaggerConfig {
    /// Settings of a recurrent layer; `None` for an encoder without such layers.
    pub(crate) fn recurrent_layer(&self) -> Option<RecurrentConfig> {
        let directions = if self.bidirectional { 2 } else { 1 };
        Some(RecurrentConfig {
            cell: self.cell.kind()?,
            input: self.width,
            hidden: self.width / directions,
            bidirectional: self.bidirectional,
        })
    }
}
