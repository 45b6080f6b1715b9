//! Decoder-only Transformer (Radford et al. 2018): the Transformer's blocks without a source.

use burn::module::{Module, Param};
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::module::embedding;
use burn::tensor::{Device, Int, Tensor};
use strata_attention::{
    CausalCache, ConfigError, Draws, Mask, MultiHeadAttention, MultiHeadConfig, MultiHeadOutput,
    ParamInit, Site,
};

use super::read;
use crate::transformer::{
    FeedForward, LayerNorm, NORM_EPSILON, Residual, attend_to_itself, positions,
};
use crate::{
    DecodedStep, Logits, ModelOutput, PositionKind, SiteName, TokenTable, Tokens, Trace,
    TransformerConfig, TransformerLmConfig, VocabularySide,
};

/// Layer of the language model: causal self-attention and feed-forward block.
#[derive(Module, Debug)]
pub struct LanguageLayer {
    /// Self-attention of the text to its past.
    pub attention: MultiHeadAttention,
    /// Feed-forward block, applied at each position.
    pub feed_forward: FeedForward,
    /// Residual connections around self-attention and feed-forward block.
    pub residuals: [Residual; 2],
}

/// Decoder-only Transformer: an embedding, stacked layers, and an output layer.
#[derive(Module, Debug)]
pub struct TransformerLm {
    /// Embedding of tokens, `[V, D]`.
    pub embedding: Param<Tensor<2>>,
    /// Learned positions, `[longest, D]`; `None` if positions are not learned.
    pub positions: Option<Param<Tensor<2>>>,
    /// Layers, from the lowest to the highest.
    pub layers: Vec<LanguageLayer>,
    /// Norm after the layers; `None` unless norms come first.
    pub norm: Option<LayerNorm>,
    /// Weight of the output layer, `[D, V]`; `None` if it is the embedding, transposed.
    pub output: Option<Param<Tensor<2>>>,
    /// Bias of the output layer, `[V]`.
    pub output_bias: Param<Tensor<1>>,
    /// Dropout after the embeddings.
    pub dropout: Dropout,
    #[module(skip)]
    kind: PositionKind,
    /// Passes through the layers, R.
    #[module(skip)]
    loops: usize,
}

/// State of decoding between steps.
pub(crate) struct Decoding {
    /// Caches of each layer in each loop, loop after loop.
    caches: Vec<CausalCache>,
    position: usize,
    device: Device,
}

impl Decoding {
    /// Keeps the decoding of these rows, in this order.
    pub(crate) fn select(&mut self, rows: &Tensor<1, Int>) {
        self.caches = self.caches.iter().map(|it| it.select(rows)).collect();
    }
}

impl TransformerLmConfig {
    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.blocks().check()
    }

    /// Settings of a Transformer whose decoder, without cross-attention, is this model.
    pub(crate) fn blocks(&self) -> TransformerConfig {
        TransformerConfig {
            width: self.width,
            heads: self.heads,
            layers: self.layers,
            loops: self.loops,
            feed_forward: self.feed_forward,
            dropout: self.dropout,
            norm_first: self.norm_first,
            tied: self.tied,
            positions: self.positions,
            longest: self.longest,
            decoder_self: self.decoder_self,
            ..TransformerConfig::default()
        }
    }
}

impl LanguageLayer {
    fn init(config: &TransformerConfig, init: &mut ParamInit) -> Result<Self, ConfigError> {
        Ok(Self {
            attention: MultiHeadConfig::new(config.width, config.heads, config.decoder_self)
                .with_positions(config.positions.in_attention())
                .init(Site::DecoderSelf, init)?,
            feed_forward: FeedForward::init(config, init),
            residuals: [(); 2].map(|()| Residual::init(config, init)),
        })
    }

    fn blocks(
        &self,
        layer: usize,
        x: Tensor<3>,
        trace: &mut Trace,
        attend: impl FnOnce(Tensor<3>) -> MultiHeadOutput,
    ) -> Tensor<3> {
        let [attended, fed] = &self.residuals;
        let site = SiteName::in_layer(layer, Site::DecoderSelf);
        let x = attended.around(x, site, trace, |x, trace| {
            trace.note_rows(site, &x, &x);
            trace.note_site(site, attend(x))
        });
        let name = format_args!("decoder.{layer}.feed_forward");
        fed.around(x, name, trace, |x, _| self.feed_forward.forward(x))
    }
}

impl TransformerLm {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 3] = [
        TokenTable::rows("embedding", VocabularySide::Target),
        TokenTable::columns("output", VocabularySide::Target),
        TokenTable::rows("output_bias", VocabularySide::Target),
    ];

    pub(crate) fn init(
        config: &TransformerLmConfig,
        vocabulary: usize,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        let (width, device) = (config.width, init.device().clone());
        let blocks = config.blocks();
        let norm = || LayerNorm::new(width, NORM_EPSILON, &device);
        // Embeddings are multiplied by √D, so that this bound gives them variance 1.
        let bound = (3.0 / width as f64).sqrt();
        Ok(Self {
            embedding: init.uniform([vocabulary, width], bound),
            positions: positions::table(&blocks, init),
            layers: (0..config.layers)
                .map(|_| LanguageLayer::init(&blocks, init))
                .collect::<Result<_, _>>()?,
            norm: config.norm_first.then(norm),
            output: (!config.tied).then(|| init.xavier(width, vocabulary)),
            output_bias: init.zeros([vocabulary]),
            dropout: DropoutConfig::new(config.dropout).init(),
            kind: config.positions,
            loops: config.loops,
        })
    }

    /// Reads segments, each by itself; in training with `draws`. Padding may follow at their end.
    ///
    /// # Shapes
    /// - text `[B, T]` → logits `[B, T, V]`
    pub fn forward(&self, text: &Tokens, draws: Option<&Draws>, device: &Device) -> ModelOutput {
        ModelOutput::of(|trace| self.forward_noting(text, trace, draws, device))
    }

    /// Computes the logits of a pass, `[B, T, V]`, and records the pass in `trace`.
    pub(crate) fn forward_noting(
        &self,
        text: &Tokens,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> Logits {
        let length = text.columns();
        // Padding is at the end, so that the causal mask alone hides it from all other positions.
        let causal = Mask::causal(length, length, device);
        let tokens = embedding(self.embedding.val(), read(text.ids(), text.rows(), device)); // [B, T, D]
        let placed = positions::place(tokens, self.kind, &self.positions, 0);
        let mut x = self.dropout.forward(placed);
        for _ in 0..self.loops {
            for (i, layer) in self.layers.iter().enumerate() {
                x = layer.blocks(i, x, trace, |x| {
                    attend_to_itself(&layer.attention, x, causal.clone(), draws)
                });
            }
        }
        self.logits(trace.take_places(x))
    }

    pub(crate) fn start(&self, device: &Device) -> Decoding {
        Decoding {
            caches: vec![CausalCache::default(); self.loops * self.layers.len()],
            position: 0,
            device: device.clone(),
        }
    }

    pub(crate) fn step(&self, decoding: &mut Decoding, last: &[u32]) -> DecodedStep {
        let ids = read(last, last.len(), &decoding.device);
        let tokens = embedding(self.embedding.val(), ids); // [B, 1, D]
        let table = &self.positions;
        let mut x = positions::place(tokens, self.kind, table, decoding.position);
        let mut trace = Trace::default();
        for caches in decoding.caches.chunks_mut(self.layers.len().max(1)) {
            for (i, (layer, cache)) in self.layers.iter().zip(caches).enumerate() {
                x = layer.blocks(i, x, &mut trace, |x| {
                    layer.attention.self_attend_next(cache, x)
                });
            }
        }
        decoding.position += 1;
        DecodedStep {
            logits: self.logits(x).compute().squeeze_dim(1), // [B, V]
            attention: trace.sites,
        }
    }

    /// Reads the last layer's output x, `[B, T, D]`.
    fn logits(&self, x: Tensor<3>) -> Logits {
        let x = match &self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        let weight = match &self.output {
            Some(output) => output.val(),
            None => self.embedding.val().transpose(), // [D, V]
        };
        let bias = Some(self.output_bias.val());
        Logits::Linear { x, weight, bias }
    }
}
