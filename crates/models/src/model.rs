//! The closed enum of architectures, and what they share.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use strata_attention::{AttentionWeights, Auxiliary, ConfigError, ParamInit};

use crate::{BOS, EOS, ModelConfig, Seq2Seq, Tokens, Transformer, Vocabularies};

/// Source and target of some examples, as training reads them.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `[B, S]`
    pub source: Tokens,
    /// BOS, then the target: `[B, T]`.
    pub target_in: Tokens,
    /// The target, then EOS: `[B, T]`.
    pub target_out: Tokens,
}

impl Batch {
    /// Pads examples of (source, target), both without BOS and EOS.
    pub fn new<S: AsRef<[u32]>>(examples: &[(S, S)]) -> Self {
        let sources: Vec<&[u32]> = examples.iter().map(|(source, _)| source.as_ref()).collect();
        let with = |first: &[u32], target: &S, last: &[u32]| -> Vec<u32> {
            [first, target.as_ref(), last].concat()
        };
        let target_in: Vec<_> = examples.iter().map(|(_, t)| with(&[BOS], t, &[])).collect();
        let target_out: Vec<_> = examples.iter().map(|(_, t)| with(&[], t, &[EOS])).collect();
        Self {
            source: Tokens::pad(&sources),
            target_in: Tokens::pad(&target_in),
            target_out: Tokens::pad(&target_out),
        }
    }
}

/// Attention weights of one site of a model.
#[derive(Clone, Debug)]
pub struct SiteWeights {
    /// `encoder.0.self`, `decoder.1.cross`, …
    pub site: String,
    /// `[B, H, T, S]` a level.
    pub weights: AttentionWeights,
    /// What training needs besides the context.
    pub auxiliary: Auxiliary,
}

/// What a teacher-forced pass gives.
#[derive(Clone, Debug)]
pub struct ModelOutput {
    /// `[B, T, V]`
    pub logits: Tensor<3>,
    /// Of every attention site, in the order of the pass.
    pub attention: Vec<SiteWeights>,
}

/// One step of decoding, of all rows.
#[derive(Clone, Debug)]
pub struct DecodedStep {
    /// `[B, V]`
    pub logits: Tensor<2>,
    /// Of every attention site of the decoder: `[B, H, 1, S]` a level.
    pub attention: Vec<SiteWeights>,
}

/// Any architecture, with its parameters.
#[derive(Module, Debug)]
pub enum Model {
    /// Recurrent encoder and decoder.
    Seq2Seq(Seq2Seq),
    /// Attention alone.
    Transformer(Transformer),
}

impl ModelConfig {
    /// Builds a model for `device` from `seed`: the same numbers on every device.
    /// Give an autodiff device to train it.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    pub fn init(
        &self,
        vocabularies: Vocabularies,
        seed: u64,
        device: &Device,
    ) -> Result<Model, ConfigError> {
        self.check()?;
        let init = &mut ParamInit::new(seed, device);
        Ok(match self {
            Self::Seq2Seq(config) => Model::Seq2Seq(Seq2Seq::init(config, vocabularies, init)?),
            Self::Transformer(config) => {
                Model::Transformer(Transformer::init(config, vocabularies, init)?)
            }
        })
    }
}

impl Model {
    /// A teacher-forced pass over a batch.
    pub fn forward(&self, batch: &Batch, device: &Device) -> ModelOutput {
        match self {
            Self::Seq2Seq(model) => model.forward(batch, device),
            Self::Transformer(model) => model.forward(batch, device),
        }
    }
}
