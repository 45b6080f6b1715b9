//! Transformer (Vaswani et al. 2017), each of whose three sites takes any mechanism that fits.

mod block;
mod norm;
pub(crate) mod positions;

use burn::module::{Module, Param};
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::module::embedding;
use burn::tensor::{Device, Int, Tensor, TensorData};
use strata_attention::{
    ConfigError, Draws, Mask, Memory, ParamInit, RelativePositions, Site, Widths,
};

use crate::{
    Batch, DecodedStep, Logits, ModelOutput, PositionKind, SiteName, TokenTable, Tokens, Trace,
    TransformerConfig, Vocabularies, VocabularySide,
};
use block::LayerCache;
pub use block::{DecoderLayer, EncoderLayer, FeedForward, Residual};
pub(crate) use block::{attend_to_itself, encode_layers};
pub use norm::LayerNorm;
pub use positions::sinusoidal_positions;

/// Epsilon of every LayerNorm.
pub(crate) const NORM_EPSILON: f64 = 1e-5;

/// Transformer of encoder and decoder stacks.
#[derive(Module, Debug)]
pub struct Transformer {
    /// Embedding of source tokens, `[V_source, D]`.
    pub source_embedding: Param<Tensor<2>>,
    /// Embedding of target tokens, `[V, D]`.
    pub target_embedding: Param<Tensor<2>>,
    /// Learned positions of the source, `[longest, D]`; `None` if positions are not learned.
    pub source_positions: Option<Param<Tensor<2>>>,
    /// Learned positions of the target, `[longest, D]`; `None` if positions are not learned.
    pub target_positions: Option<Param<Tensor<2>>>,
    /// Encoder layers, in which the source attends to itself.
    pub encoder: Vec<EncoderLayer>,
    /// Decoder layers, in which the target attends to its past and to the source.
    pub decoder: Vec<DecoderLayer>,
    /// Norm after the encoder stack; `None` unless norms come first.
    pub encoder_norm: Option<LayerNorm>,
    /// Norm after the decoder stack; `None` unless norms come first.
    pub decoder_norm: Option<LayerNorm>,
    /// Weight of the output layer, `[D, V]`; `None` if it is the target embedding, transposed.
    pub output: Option<Param<Tensor<2>>>,
    /// Bias of the output layer, `[V]`.
    pub output_bias: Param<Tensor<1>>,
    /// Dropout after the embeddings.
    pub dropout: Dropout,
    #[module(skip)]
    mask_padding: bool,
    #[module(skip)]
    positions: PositionKind,
    /// Passes through each stack of layers, R.
    #[module(skip)]
    loops: usize,
}

/// State of the decoder between steps.
pub(crate) struct Decoding {
    /// Source, prepared for each layer; the same in every loop.
    memories: Vec<Memory>,
    /// Caches of each layer in each loop, loop after loop.
    caches: Vec<LayerCache>,
    position: usize,
    device: Device,
}

impl Decoding {
    /// Keeps the decoding of these rows, in this order. `with_memory` says that their sources
    /// change.
    pub(crate) fn select(&mut self, rows: &Tensor<1, Int>, with_memory: bool) {
        if with_memory {
            self.memories = self.memories.iter().map(|it| it.select(rows)).collect();
        }
        self.caches = self.caches.iter().map(|it| it.select(rows)).collect();
    }
}

impl TransformerConfig {
    /// Checks that the settings fit together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if !self.width.is_multiple_of(self.heads) {
            return Err(ConfigError::new(format!(
                "`width` is {}, which {} heads cannot share: choose a multiple of `heads`",
                self.width, self.heads
            )));
        }
        let head = Widths {
            states: self.width,
            ..Widths::all(self.width / self.heads)
        };
        let sites = [
            ("encoder_self", self.encoder_self, Site::EncoderSelf),
            ("decoder_self", self.decoder_self, Site::DecoderSelf),
            ("cross", self.cross, Site::Cross),
        ];
        for (name, mechanism, site) in sites {
            let positions = match site {
                Site::Cross => RelativePositions::None,
                _ => self.positions.in_attention(),
            };
            mechanism
                .check(site, head)
                .and_then(|()| positions.check(&mechanism, head))
                .map_err(|error| ConfigError::new(format!("`{name}`: {error}")))?;
        }
        Ok(())
    }
}

impl Transformer {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 4] = [
        TokenTable::rows("source_embedding", VocabularySide::Source),
        TokenTable::rows("target_embedding", VocabularySide::Target),
        TokenTable::columns("output", VocabularySide::Target),
        TokenTable::rows("output_bias", VocabularySide::Target),
    ];

    /// Draws the parameters of the model. Sequences may have any length unless positions are
    /// learned.
    ///
    /// # Errors
    /// If a mechanism does not fit its site.
    pub fn init(
        config: &TransformerConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        let width = config.width;
        let device = init.device().clone();
        let norm = || LayerNorm::new(width, NORM_EPSILON, &device);
        // Embeddings are multiplied by √D, so that this bound gives them variance 1.
        let embedding_bound = (3.0 / width as f64).sqrt();
        let layers = 0..config.layers;
        Ok(Self {
            source_embedding: init.uniform([vocabularies.source, width], embedding_bound),
            target_embedding: init.uniform([vocabularies.target, width], embedding_bound),
            source_positions: positions::table(config, init),
            target_positions: positions::table(config, init),
            encoder: layers
                .clone()
                .map(|_| EncoderLayer::init(config, init))
                .collect::<Result<_, _>>()?,
            decoder: layers
                .map(|_| DecoderLayer::init(config, init))
                .collect::<Result<_, _>>()?,
            encoder_norm: config.norm_first.then(norm),
            decoder_norm: config.norm_first.then(norm),
            output: (!config.tied).then(|| init.xavier(width, vocabularies.target)),
            output_bias: init.zeros([vocabularies.target]),
            dropout: DropoutConfig::new(config.dropout).init(),
            mask_padding: config.mask_padding,
            positions: config.positions,
            loops: config.loops,
        })
    }

    /// Runs a teacher-forced pass over a batch; in training with `draws`.
    pub fn forward(&self, batch: &Batch, draws: Option<&Draws>, device: &Device) -> ModelOutput {
        ModelOutput::of(|trace| self.forward_noting(batch, trace, draws, device))
    }

    /// Computes the logits of a teacher-forced pass, `[B, T, V]`, and records the pass in `trace`.
    pub(crate) fn forward_noting(
        &self,
        batch: &Batch,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> Logits {
        let (memory, source_mask) = self.encode(&batch.source, trace, draws, device);
        let target = batch.target_in.columns();
        // Padding is at the end, so that the causal mask alone hides it from all other positions.
        let causal = Mask::causal(target, target, device);
        let tokens = embedding(self.target_embedding.val(), batch.target_in.tensor(device)); // [B, T, D]
        let mut x = self.embed(tokens, &self.target_positions);
        let mut memories = Vec::with_capacity(self.decoder.len());
        for pass in 0..self.loops {
            for (i, layer) in self.decoder.iter().enumerate() {
                if pass == 0 {
                    let site = SiteName::in_layer(i, Site::Cross);
                    trace.note_rows(site, &memory, &memory);
                    let [keys, values] = [memory.clone(), memory.clone()];
                    let cross = layer.cross.prepare(keys, values, source_mask.clone());
                    memories.push(cross.with_draws(draws));
                }
                x = layer.forward(i, x, causal.clone(), &memories[i], draws, trace);
            }
        }
        self.logits(trace.take_places(x))
    }

    /// Computes the encoder's output, `[B, S, D]`, and the mask of its padding, if that is to be
    /// hidden.
    pub fn encode(
        &self,
        source: &Tokens,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> (Tensor<3>, Mask) {
        let mask = if self.mask_padding {
            Mask::padding(&source.padding(), source.columns(), device)
        } else {
            Mask::none()
        };
        let tokens = embedding(self.source_embedding.val(), source.tensor(device)); // [B, S, D]
        let x = self.embed(tokens, &self.source_positions);
        let x = encode_layers(&self.encoder, self.loops, x, &mask, draws, trace);
        let memory = match &self.encoder_norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        (memory, mask)
    }

    pub(crate) fn start(&self, source: &Tokens, device: &Device) -> Decoding {
        let (memory, mask) = self.encode(source, &mut Trace::default(), None, device);
        let prepare = |layer: &DecoderLayer| {
            layer
                .cross
                .prepare(memory.clone(), memory.clone(), mask.clone())
        };
        Decoding {
            memories: self.decoder.iter().map(prepare).collect(),
            caches: vec![LayerCache::default(); self.loops * self.decoder.len()],
            position: 0,
            device: device.clone(),
        }
    }

    pub(crate) fn step(&self, decoding: &mut Decoding, last: &[u32]) -> DecodedStep {
        let ids: Vec<i32> = last.iter().map(|&id| id as i32).collect();
        let ids = TensorData::new(ids, [last.len(), 1]);
        let ids = Tensor::<2, Int>::from_data(ids, &decoding.device);
        let tokens = embedding(self.target_embedding.val(), ids); // [B, 1, D]
        let table = &self.target_positions;
        let mut x = positions::place(tokens, self.positions, table, decoding.position);
        let mut trace = Trace::default();
        for caches in decoding.caches.chunks_mut(self.decoder.len().max(1)) {
            let layers = self.decoder.iter().zip(&decoding.memories).zip(caches);
            for (i, ((layer, memory), cache)) in layers.enumerate() {
                x = layer.extend(i, x, cache, memory, &mut trace);
            }
        }
        decoding.position += 1;
        DecodedStep {
            logits: self.logits(x).compute().squeeze_dim(1), // [B, V]
            attention: trace.sites,
        }
    }

    fn embed(&self, tokens: Tensor<3>, table: &Option<Param<Tensor<2>>>) -> Tensor<3> {
        let placed = positions::place(tokens, self.positions, table, 0);
        self.dropout.forward(placed)
    }

    /// Reads the decoder's output x, `[B, T, D]`.
    fn logits(&self, x: Tensor<3>) -> Logits {
        let x = match &self.decoder_norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        let weight = match &self.output {
            Some(output) => output.val(),
            None => self.target_embedding.val().transpose(), // [D, V]
        };
        let bias = Some(self.output_bias.val());
        Logits::Linear { x, weight, bias }
    }
}
