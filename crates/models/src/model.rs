//! The closed enum of architectures, and what all of them share.

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use strata_attention::{AttentionWeights, Auxiliary, ConfigError, ParamInit};

use crate::reader::{Bidaf, MatchLstm, Reader, Rnet};
use crate::{
    BOS, EOS, Logits, ModelConfig, RecurrentLm, Rnnpg, Seq2Seq, SequenceModel, SiteName, State,
    Tagger, Tokens, Trace, Transformer, TransformerLm, Vocabularies,
};

/// Batch of sources and targets, as training reads them.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Sources, `[B, S]`.
    pub source: Tokens,
    /// Inputs of the decoder, BOS and then the target: `[B, T]`; padding alone where there is no
    /// decoder.
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

    /// Pads examples of (source, target) for a model that answers in place: targets have neither
    /// BOS nor EOS, and no decoder reads a target. A place of a target that holds PAD counts
    /// neither in the loss nor in the accuracy.
    pub fn in_place<S: AsRef<[u32]>>(examples: &[(S, S)]) -> Self {
        let sources: Vec<&[u32]> = examples.iter().map(|(source, _)| source.as_ref()).collect();
        let targets: Vec<&[u32]> = examples.iter().map(|(_, target)| target.as_ref()).collect();
        Self {
            source: Tokens::pad(&sources),
            target_in: Tokens::pad(&vec![[0; 0]; examples.len()]),
            target_out: Tokens::pad(&targets),
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

/// End of a target, on which depends what a model reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetEnd {
    /// EOS, which the model writes; a text of a language model goes on behind EOS.
    Eos,
    /// Length of a line, which follows from the lines before.
    LineLength,
    /// Length of the source: the model answers in place.
    SourceLength,
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
    /// Model that predicts a sequence of tokens.
    Sequence(SequenceModel),
    /// Reader, which finds answers in passages.
    Reader(Reader),
}

impl ModelOutput {
    /// Runs a pass that returns logits and records its sites.
    pub(crate) fn of(pass: impl FnOnce(&mut Trace) -> Logits) -> Self {
        let mut trace = Trace::default();
        Self {
            logits: pass(&mut trace).compute(),
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
        self.build(vocabularies, &mut ParamInit::new(seed, device))
    }

    /// Builds a model whose drawn parameters are 0, to be replaced by those of a file.
    ///
    /// # Errors
    /// As in [`check`](Self::check).
    pub fn blank(&self, vocabularies: Vocabularies, device: &Device) -> Result<Model, ConfigError> {
        self.build(vocabularies, &mut ParamInit::blank(device))
    }

    fn build(
        &self,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Result<Model, ConfigError> {
        self.check()?;
        let sequence: SequenceModel = match self {
            Self::Bidaf(config) => {
                return Ok(Reader::Bidaf(Bidaf::init(config, vocabularies, init)?).into());
            }
            Self::MatchLstm(config) => {
                return Ok(Reader::MatchLstm(MatchLstm::init(config, vocabularies, init)?).into());
            }
            Self::Rnet(config) => {
                return Ok(Reader::Rnet(Rnet::init(config, vocabularies, init)?).into());
            }
            Self::Seq2Seq(config) => Seq2Seq::init(config, vocabularies, init)?.into(),
            Self::Transformer(config) => Transformer::init(config, vocabularies, init)?.into(),
            Self::RecurrentLm(config) => {
                RecurrentLm::init(config, vocabularies.target, init).into()
            }
            Self::TransformerLm(config) => {
                TransformerLm::init(config, vocabularies.target, init)?.into()
            }
            Self::Rnnpg(config) => Rnnpg::init(config, vocabularies, init).into(),
            Self::Tagger(config) => Tagger::init(config, vocabularies, init)?.into(),
        };
        Ok(sequence.into())
    }
}

impl Model {
    /// Returns the model of sequences; `None` for a reader.
    pub fn sequence(&self) -> Option<&SequenceModel> {
        match self {
            Self::Sequence(model) => Some(model),
            Self::Reader(_) => None,
        }
    }

    /// Returns the reader; `None` for a model of sequences.
    pub fn reader(&self) -> Option<&Reader> {
        match self {
            Self::Sequence(_) => None,
            Self::Reader(reader) => Some(reader),
        }
    }
}

impl From<Reader> for Model {
    fn from(reader: Reader) -> Self {
        Self::Reader(reader)
    }
}

impl From<SequenceModel> for Model {
    fn from(model: SequenceModel) -> Self {
        Self::Sequence(model)
    }
}
