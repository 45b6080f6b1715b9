//! The closed enum of architectures, and what they share.

use burn::module::Module;
use burn::tensor::{Device, ExecutionError, Tensor};
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

/// One step of greedy decoding, of the whole batch.
#[derive(Clone, Debug)]
pub struct DecodedStep {
    /// `[B, V]`
    pub logits: Tensor<2>,
    /// Of every attention site of the decoder: `[B, H, 1, S]` a level.
    pub attention: Vec<SiteWeights>,
}

/// What decoding gives.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// For each item, its tokens without BOS and EOS.
    pub targets: Vec<Vec<u32>>,
    /// Of every step, the attention of all sites; empty unless asked for.
    pub steps: Vec<Vec<SiteWeights>>,
}

/// Any architecture, with its parameters.
#[derive(Module, Debug)]
pub enum Model {
    /// Recurrent encoder and decoder.
    Seq2Seq(Seq2Seq),
    /// Attention alone.
    Transformer(Transformer),
}

/// What a decoder keeps between steps.
enum Decoding {
    Seq2Seq(Box<crate::seq2seq::Decoding>),
    Transformer(Box<crate::transformer::Decoding>),
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

    /// Greedy decoding with caches: at each step the most probable token (ties: the lower id),
    /// up to EOS or `limit` tokens.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn greedy(
        &self,
        source: &Tokens,
        limit: usize,
        with_attention: bool,
        device: &Device,
    ) -> Result<Decoded, ExecutionError> {
        let mut decoding = match self {
            Self::Seq2Seq(model) => Decoding::Seq2Seq(Box::new(model.start(source, device))),
            Self::Transformer(model) => {
                Decoding::Transformer(Box::new(model.start(source, device)))
            }
        };
        let rows = source.rows();
        let mut decoded = Decoded {
            targets: vec![Vec::new(); rows],
            steps: Vec::new(),
        };
        let mut finished = vec![false; rows];
        let mut last = vec![BOS; rows];
        for _ in 0..limit {
            let step = match (self, &mut decoding) {
                (Self::Seq2Seq(model), Decoding::Seq2Seq(state)) => model.step(state, &last),
                (Self::Transformer(model), Decoding::Transformer(state)) => {
                    model.step(state, &last)
                }
                _ => unreachable!("a decoding belongs to its model"),
            };
            let chosen = step.logits.argmax(1).into_data_async().await?;
            last = chosen.iter::<i64>().map(|id| id as u32).collect();
            if with_attention {
                decoded.steps.push(step.attention);
            }
            for (row, &id) in last.iter().enumerate() {
                finished[row] |= id == EOS;
                if !finished[row] {
                    decoded.targets[row].push(id);
                }
            }
            if finished.iter().all(|&done| done) {
                break;
            }
        }
        Ok(decoded)
    }
}
