//! The closed enum of architectures, and what all of them share.

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use strata_attention::{AttentionWeights, Auxiliary, ConfigError, Draws, ParamInit};

use crate::reader::{Bidaf, MatchLstm, Reader, Rnet};
use crate::{
    BOS, BlockChange, EOS, ModelConfig, RecurrentLm, Rnnpg, Seq2Seq, SiteName, SiteRows, State,
    Tokens, Trace, Transformer, TransformerLm, Vocabularies,
};

/// Message of a panic: a reader was asked to write. The task of a reader has no target to write.
pub(crate) const WRITES_NOTHING: &str = "a reader reads spans and writes nothing";

/// Batch of sources and targets, as training reads them.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Sources, `[B, S]`.
    pub source: Tokens,
    /// Inputs of the decoder, BOS and then the target: `[B, T]`.
    pub target_in: Tokens,
    /// Targets of the predictions, the target and then EOS: `[B, T]`.
    pub target_out: Tokens,
    /// True if the batch begins a text, so that no state is carried into it.
    pub starts_text: bool,
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
            starts_text: false,
        }
    }

    /// Pads examples of (earlier lines, next line) for a model in which the length of a line ends
    /// it: like [`new`](Self::new), without EOS.
    pub fn of_lines<S: AsRef<[u32]>>(examples: &[(S, S)]) -> Self {
        let read = |(_, line): &(S, S)| {
            let line = line.as_ref();
            [&[BOS], &line[..line.len().saturating_sub(1)]].concat()
        };
        let sources: Vec<&[u32]> = examples.iter().map(|(source, _)| source.as_ref()).collect();
        let lines: Vec<&[u32]> = examples.iter().map(|(_, line)| line.as_ref()).collect();
        Self {
            source: Tokens::pad(&sources),
            target_in: Tokens::pad(&examples.iter().map(read).collect::<Vec<_>>()),
            target_out: Tokens::pad(&lines),
            starts_text: false,
        }
    }

    /// Pads segments of a text, given as the tokens that a language model reads and the tokens to
    /// predict, which are the same text one token ahead. There is no source.
    pub fn of_text<S: AsRef<[u32]>>(segments: &[(S, S)]) -> Self {
        let read: Vec<&[u32]> = segments.iter().map(|(read, _)| read.as_ref()).collect();
        let written: Vec<&[u32]> = segments
            .iter()
            .map(|(_, written)| written.as_ref())
            .collect();
        Self {
            source: Tokens::pad(&vec![[0; 0]; segments.len()]),
            target_in: Tokens::pad(&read),
            target_out: Tokens::pad(&written),
            starts_text: false,
        }
    }
}

/// State that a recurrent language model carries from one segment of its texts into the next: the
/// states of all layers, `[B, H]` each.
#[derive(Clone, Debug)]
pub struct CarriedState(pub Vec<State>);

impl CarriedState {
    /// Copies the state to F32, without gradients: here back-propagation through time is truncated.
    pub fn detach(self) -> Self {
        let detach = |state: &State| state.each(|it| it.cast(DType::F32).detach());
        Self(self.0.iter().map(detach).collect())
    }
}

/// Attention weights of one attention site.
#[derive(Clone, Debug)]
pub struct SiteWeights {
    /// Name of the site.
    pub site: SiteName,
    /// Weights of each level, `[B, H, T, S]`.
    pub weights: AttentionWeights,
    /// Further outputs of some mechanisms, such as the ponder cost of a pyramid.
    pub auxiliary: Auxiliary,
}

/// Output of a teacher-forced pass.
#[derive(Clone, Debug)]
pub struct ModelOutput {
    /// Logits, `[B, T, V]`.
    pub logits: Tensor<3>,
    /// Attention weights of every site, in the order of the pass.
    pub attention: Vec<SiteWeights>,
}

/// Output of one decoding step, for all rows.
#[derive(Clone, Debug)]
pub struct DecodedStep {
    /// Logits of the next token, `[B, V]`.
    pub logits: Tensor<2>,
    /// Attention weights of every site of the decoder, `[B, H, 1, S]` for each level.
    pub attention: Vec<SiteWeights>,
}

/// Model of any architecture, with its parameters.
#[derive(Module, Debug)]
pub enum Model {
    /// Recurrent encoder and decoder.
    Seq2Seq(Seq2Seq),
    /// Transformer, encoder and decoder of attention alone.
    Transformer(Transformer),
    /// Recurrent language model.
    RecurrentLm(RecurrentLm),
    /// Language model of Transformer blocks.
    TransformerLm(TransformerLm),
    /// Reader, which finds answers in passages.
    Reader(Reader),
    /// RNNPG, which writes the next line of a poem.
    Rnnpg(Rnnpg),
}

impl ModelOutput {
    /// Runs a pass that returns logits and records its sites.
    pub(crate) fn of(pass: impl FnOnce(&mut Trace) -> Tensor<3>) -> Self {
        let mut trace = Trace::default();
        Self {
            logits: pass(&mut trace),
            attention: trace.sites,
        }
    }
}

impl ModelConfig {
    /// Builds a model for `device` from `seed`: the same numbers on every device.
    /// Give an autodiff device to train it.
    ///
    /// # Errors
    /// As in [`check`](Self::check).
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
            Self::RecurrentLm(config) => {
                Model::RecurrentLm(RecurrentLm::init(config, vocabularies.target, init))
            }
            Self::TransformerLm(config) => {
                Model::TransformerLm(TransformerLm::init(config, vocabularies.target, init)?)
            }
            Self::Bidaf(config) => {
                Model::Reader(Reader::Bidaf(Bidaf::init(config, vocabularies, init)?))
            }
            Self::MatchLstm(config) => Model::Reader(Reader::MatchLstm(MatchLstm::init(
                config,
                vocabularies,
                init,
            )?)),
            Self::Rnet(config) => {
                Model::Reader(Reader::Rnet(Rnet::init(config, vocabularies, init)?))
            }
            Self::Rnnpg(config) => Model::Rnnpg(Rnnpg::init(config, vocabularies, init)),
        })
    }
}

impl Model {
    /// Returns the reader; `None` for other models.
    pub fn reader(&self) -> Option<&Reader> {
        match self {
            Self::Reader(reader) => Some(reader),
            _ => None,
        }
    }

    /// True if the model writes the next line of a poem, which ends when it has its length.
    pub fn continues_lines(&self) -> bool {
        matches!(self, Self::Rnnpg(_))
    }

    /// Runs a teacher-forced pass over a batch.
    ///
    /// # Panics
    /// If the model is a reader, which reads a [`SpanBatch`](crate::SpanBatch) instead.
    pub fn forward(&self, batch: &Batch, device: &Device) -> ModelOutput {
        self.forward_from(None, batch, None, device).0
    }

    /// Runs a teacher-forced pass over a batch, beginning with the state `carried` of the segments
    /// before. Also returns the state after the batch; `None` unless the model is a recurrent
    /// language model.
    ///
    /// In training, hard attention draws its keys by `draws`, site after site.
    ///
    /// # Panics
    /// If the model is a reader.
    pub fn forward_from(
        &self,
        carried: Option<&CarriedState>,
        batch: &Batch,
        draws: Option<&Draws>,
        device: &Device,
    ) -> (ModelOutput, Option<CarriedState>) {
        match self {
            Self::Seq2Seq(model) => (model.forward(batch, draws, device), None),
            Self::Transformer(model) => (model.forward(batch, draws, device), None),
            Self::TransformerLm(model) => (model.forward(&batch.target_in, draws, device), None),
            Self::RecurrentLm(model) => {
                let carried = carried.filter(|_| !batch.starts_text);
                let (output, carried) = model.forward(&batch.target_in, carried, device);
                (output, Some(carried))
            }
            Self::Rnnpg(model) => {
                let logits = model.forward(batch, device);
                (ModelOutput::of(|_| logits), None)
            }
            Self::Reader(_) => unreachable!("{WRITES_NOTHING}"),
        }
    }

    /// Runs a teacher-forced pass over a batch that also records the relative change by every
    /// block: the size of the block's output relative to the input to which it is added or beside
    /// which it is read.
    ///
    /// # Panics
    /// If the model is a reader.
    pub fn trace(&self, batch: &Batch, device: &Device) -> (ModelOutput, Vec<BlockChange>) {
        let (output, trace) = self.traced(batch, Trace::with_changes(), device);
        (output, trace.changes.unwrap_or_default())
    }

    /// Runs a teacher-forced pass over a batch that also records the rows that every attention site
    /// reads.
    ///
    /// # Panics
    /// If the model is a reader.
    pub fn trace_rows(
        &self,
        batch: &Batch,
        device: &Device,
    ) -> (ModelOutput, BTreeMap<SiteName, SiteRows>) {
        let (output, trace) = self.traced(batch, Trace::with_rows(), device);
        (output, trace.rows.unwrap_or_default())
    }

    fn traced(&self, batch: &Batch, mut trace: Trace, device: &Device) -> (ModelOutput, Trace) {
        let logits = match self {
            Self::Seq2Seq(model) => model.forward_noting(batch, &mut trace, None, device),
            Self::Transformer(model) => model.forward_noting(batch, &mut trace, None, device),
            Self::TransformerLm(model) => {
                model.forward_noting(&batch.target_in, &mut trace, None, device)
            }
            Self::RecurrentLm(model) => model.forward(&batch.target_in, None, device).0.logits,
            Self::Rnnpg(model) => model.forward(batch, device),
            Self::Reader(_) => unreachable!("{WRITES_NOTHING}"),
        };
        let attention = std::mem::take(&mut trace.sites);
        (ModelOutput { logits, attention }, trace)
    }
}
