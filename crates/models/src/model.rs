//! The closed enum of architectures, and what they share.

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use strata_attention::{AttentionWeights, Auxiliary, ConfigError, Draws, ParamInit};

use crate::reader::{Bidaf, MatchLstm, Reader, Rnet};
use crate::{
    BOS, BlockChange, EOS, ModelConfig, RecurrentLm, Rnnpg, Seq2Seq, SiteName, SiteRows, State,
    Tokens, Trace, Transformer, TransformerLm, Vocabularies,
};

/// An experiment with a reader has a task of spans, whose examples have no target to write.
pub(crate) const WRITES_NOTHING: &str = "a reader reads spans and writes nothing";

/// Source and target of some examples, as training reads them.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `[B, S]`
    pub source: Tokens,
    /// BOS, then the target: `[B, T]`.
    pub target_in: Tokens,
    /// The target, then EOS: `[B, T]`.
    pub target_out: Tokens,
    /// True if it begins a text, so that no state is carried into it.
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

    /// Pads examples of (earlier lines, next line) for a model to which a line ends by its place: as
    /// [`new`](Self::new), without EOS.
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

    /// Pads segments of a text: what a language model reads, and what it must write, which is the
    /// same text one token ahead. There is no source.
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
/// state of every layer, `[B, H]` each.
#[derive(Clone, Debug)]
pub struct CarriedState(pub Vec<State>);

impl CarriedState {
    /// A copy of the state in F32 without gradients: back-propagation through time is truncated
    /// here.
    pub fn detach(self) -> Self {
        let detach = |state: &State| state.each(|it| it.cast(DType::F32).detach());
        Self(self.0.iter().map(detach).collect())
    }
}

/// Attention weights of one site of a model.
#[derive(Clone, Debug)]
pub struct SiteWeights {
    /// Its name.
    pub site: SiteName,
    /// `[B, H, T, S]` a level.
    pub weights: AttentionWeights,
    /// Further outputs of some mechanisms.
    pub auxiliary: Auxiliary,
}

/// Output of a teacher-forced pass.
#[derive(Clone, Debug)]
pub struct ModelOutput {
    /// `[B, T, V]`
    pub logits: Tensor<3>,
    /// Attention weights of every site, in the order of the pass.
    pub attention: Vec<SiteWeights>,
}

/// One step of decoding, of all rows.
#[derive(Clone, Debug)]
pub struct DecodedStep {
    /// `[B, V]`
    pub logits: Tensor<2>,
    /// Attention weights of every site of the decoder: `[B, H, 1, S]` a level.
    pub attention: Vec<SiteWeights>,
}

/// Any architecture, with its parameters.
#[derive(Module, Debug)]
pub enum Model {
    /// Recurrent encoder and decoder.
    Seq2Seq(Seq2Seq),
    /// Attention alone.
    Transformer(Transformer),
    /// A recurrent language model.
    RecurrentLm(RecurrentLm),
    /// A language model of attention alone.
    TransformerLm(TransformerLm),
    /// A model that finds answers in passages.
    Reader(Reader),
    /// A model that writes the next line of a poem.
    Rnnpg(Rnnpg),
}

impl ModelOutput {
    /// Output of a pass that gives logits and records its sites.
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
    /// The reader, if it is one.
    pub fn reader(&self) -> Option<&Reader> {
        match self {
            Self::Reader(reader) => Some(reader),
            _ => None,
        }
    }

    /// True if it writes the next line of a poem, which ends by its place.
    pub fn continues_lines(&self) -> bool {
        matches!(self, Self::Rnnpg(_))
    }

    /// A teacher-forced pass over a batch.
    ///
    /// # Panics
    /// If it is a reader, which reads a [`SpanBatch`](crate::SpanBatch).
    pub fn forward(&self, batch: &Batch, device: &Device) -> ModelOutput {
        self.forward_from(None, batch, None, device).0
    }

    /// A teacher-forced pass over the segments that follow those that left `carried` behind, and
    /// what these leave behind: something of a recurrent language model, nothing of others.
    ///
    /// In training, hard attention takes its keys by `draws`, site after site.
    ///
    /// # Panics
    /// If it is a reader.
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

    /// A teacher-forced pass over a batch that also records the relative size of every block's
    /// output, where it is added to the block's input or read beside it.
    ///
    /// # Panics
    /// If it is a reader.
    pub fn trace(&self, batch: &Batch, device: &Device) -> (ModelOutput, Vec<BlockChange>) {
        let (output, trace) = self.traced(batch, Trace::with_changes(), device);
        (output, trace.changes.unwrap_or_default())
    }

    /// A teacher-forced pass over a batch that also records the rows which every attention site reads.
    ///
    /// # Panics
    /// If it is a reader.
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
