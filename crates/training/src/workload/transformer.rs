//! Transformer of a workload: Strata's model with the initial parameters of the definition.

use burn::module::Param;
use burn::tensor::{Device, Tensor};
use strata_attention::{
    HamConfig, HamMix, MechanismConfig, MultiHeadAttention, MultilevelConfig, VanillaConfig,
};
use strata_models::transformer::{FeedForward, LayerNorm, Transformer};
use strata_models::{EmbeddingTraining, ModelConfig, PositionKind, TransformerConfig};

use super::definition::{TransformerAttention, TransformerWorkload};
use super::numbers::Numbers;

impl TransformerAttention {
    fn config(self) -> MechanismConfig {
        match self {
            Self::MultiHead {} => MechanismConfig::Vanilla(VanillaConfig::default()),
            Self::Multilevel { levels, .. } => MechanismConfig::Multilevel(MultilevelConfig {
                levels,
                ..MultilevelConfig::default()
            }),
            Self::HamV { depth, .. } => MechanismConfig::HamV(HamConfig {
                depth,
                mix: HamMix::Layer,
                ..HamConfig::default()
            }),
        }
    }
}

impl TransformerWorkload {
    /// Configuration of the model. If the stacks differ in depth, both get the larger depth.
    pub(super) fn config(&self) -> ModelConfig {
        let mechanism = self.attention.config();
        ModelConfig::Transformer(TransformerConfig {
            width: self.d_model,
            heads: self.heads,
            layers: self.encoder_layers.max(self.decoder_layers),
            loops: 1,
            feed_forward: self.d_ff,
            dropout: 0.0,
            mask_padding: true,
            norm_first: false,
            tied: false,
            positions: PositionKind::Learned,
            longest: self.source_len,
            train_embeddings: EmbeddingTraining::Auto,
            encoder_self: mechanism,
            decoder_self: mechanism,
            cross: mechanism,
        })
    }

    /// Sets the initial parameters of the model. Biases and Ham's mix are 0 already.
    pub(super) fn fill(&self, model: &mut Transformer, numbers: &mut Numbers, device: &Device) {
        let (width, vocabulary) = (self.d_model, self.vocab);
        let mut embedding = || numbers.uniform([vocabulary, width], (3.0 / width as f64).sqrt());
        model.source_embedding = embedding();
        model.target_embedding = embedding();
        let mut positions = |length| Some(numbers.uniform([length, width], 1.0));
        model.source_positions = positions(self.source_len);
        model.target_positions = positions(self.target_len);

        let norm = || LayerNorm::new(width, self.norm_eps, device);
        model.encoder.truncate(self.encoder_layers);
        for layer in &mut model.encoder {
            self.attention_layer(&mut layer.attention, numbers);
            self.feed_forward(&mut layer.feed_forward, numbers);
            layer.residuals.iter_mut().for_each(|it| it.norm = norm());
        }
        model.decoder.truncate(self.decoder_layers);
        for layer in &mut model.decoder {
            self.attention_layer(&mut layer.attention, numbers);
            self.attention_layer(&mut layer.cross, numbers);
            self.feed_forward(&mut layer.feed_forward, numbers);
            layer.residuals.iter_mut().for_each(|it| it.norm = norm());
        }
        let output: Param<Tensor<2>> = numbers.uniform([width, vocabulary], 0.02 * 3f64.sqrt());
        model.output = Some(output);
    }

    fn attention_layer(&self, layer: &mut MultiHeadAttention, numbers: &mut Numbers) {
        let projections = [
            &mut layer.query,
            &mut layer.key,
            &mut layer.value,
            &mut layer.output,
        ];
        for projection in projections {
            projection.weight = numbers.xavier(self.d_model, self.d_model);
        }
    }

    fn feed_forward(&self, block: &mut FeedForward, numbers: &mut Numbers) {
        block.inner.weight = numbers.xavier(self.d_model, self.d_ff);
        block.outer.weight = numbers.xavier(self.d_ff, self.d_model);
    }
}
