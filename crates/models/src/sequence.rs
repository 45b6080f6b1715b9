//! Models of sequences: the closed enum of architectures that predict tokens one after the other.

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::Device;
use strata_attention::Draws;

use crate::{
    Batch, BlockChange, CarriedState, Logits, ModelOutput, RecurrentLm, Rnnpg, Seq2Seq, SiteName,
    SiteRows, SiteWeights, Tagger, Tokens, Trace, Transformer, TransformerLm,
};

/// Model that predicts the tokens of a sequence, one after the other, with its parameters.
#[derive(Module, Debug)]
pub enum SequenceModel {
    /// Recurrent encoder and decoder.
    Seq2Seq(Seq2Seq),
    /// Transformer, encoder and decoder of attention alone.
    Transformer(Transformer),
    /// Recurrent language model.
    RecurrentLm(RecurrentLm),
    /// Language model of Transformer blocks.
    TransformerLm(TransformerLm),
    /// RNNPG, which writes the next line of a poem.
    Rnnpg(Rnnpg),
    /// Tagger, an encoder that answers in place.
    Tagger(Tagger),
}

/// What the loss of a pass is computed from.
#[derive(Clone, Debug)]
pub struct LossInput {
    /// Logits of all targets `[B, T]`, or of those that are not padding, `[1, R]`.
    pub logits: Logits,
    /// Targets that belong to the logits.
    pub target: Tokens,
    /// Attention weights of every site, in the order of the pass.
    pub attention: Vec<SiteWeights>,
    /// State after the batch; `None` unless the model is a recurrent language model.
    pub carried: Option<CarriedState>,
}

/// Makes each architecture a model of sequences.
macro_rules! into_sequence_model {
    ($($architecture:ident),*) => {
        $(
            impl From<$architecture> for SequenceModel {
                fn from(model: $architecture) -> Self {
                    Self::$architecture(model)
                }
            }
        )*
    };
}

into_sequence_model!(
    Seq2Seq,
    Transformer,
    RecurrentLm,
    TransformerLm,
    Rnnpg,
    Tagger
);

impl SequenceModel {
    /// True if the model carries its state from one segment of a text into the next.
    pub fn carries_state(&self) -> bool {
        matches!(self, Self::RecurrentLm(_))
    }

    /// Runs a teacher-forced pass over a batch.
    pub fn forward(&self, batch: &Batch, device: &Device) -> ModelOutput {
        self.forward_from(None, batch, None, device).0
    }

    /// Runs a teacher-forced pass over a batch, beginning with the state `carried` of the segments
    /// before. Also returns the state after the batch; `None` unless the model is a recurrent
    /// language model.
    ///
    /// In training, hard attention draws its keys by `draws`, site after site.
    pub fn forward_from(
        &self,
        carried: Option<&CarriedState>,
        batch: &Batch,
        draws: Option<&Draws>,
        device: &Device,
    ) -> (ModelOutput, Option<CarriedState>) {
        let mut trace = Trace::default();
        let (logits, carried) = self.forward_noting(carried, batch, &mut trace, draws, device);
        let output = ModelOutput {
            logits: logits.compute(),
            attention: trace.sites,
        };
        (output, carried)
    }

    /// Runs a pass as [`forward_from`](Self::forward_from) does, for its loss: where most targets are
    /// padding, a model may leave out their rows, and the logits of a large vocabulary are not
    /// computed yet.
    ///
    /// Large vocabularies are what such tasks cost: of 64 places of a recall, four have an answer.
    pub fn forward_for_loss(
        &self,
        carried: Option<&CarriedState>,
        batch: &Batch,
        draws: Option<&Draws>,
        device: &Device,
    ) -> LossInput {
        let counted = batch.target_out.counted();
        let (places, counted) = counted.unzip();
        let mut trace = Trace {
            places,
            ..Trace::default()
        };
        let (logits, carried) = self.forward_noting(carried, batch, &mut trace, draws, device);
        let is_drawn = |site: &SiteWeights| site.auxiliary.log_probability.is_some();
        // The reward of hard attention is computed from the logits too.
        let logits = match trace.sites.iter().any(is_drawn) {
            true => Logits::Computed(logits.compute()),
            false => logits,
        };
        // A model that computes all logits leaves the places in the trace.
        let target = counted.filter(|_| trace.places.is_none());
        LossInput {
            logits,
            target: target.unwrap_or_else(|| batch.target_out.clone()),
            attention: trace.sites,
            carried,
        }
    }

    /// Runs a teacher-forced pass over a batch that also records the relative change by every
    /// block: the size of the block's output relative to the input to which it is added or beside
    /// which it is read.
    pub fn trace(&self, batch: &Batch, device: &Device) -> (ModelOutput, Vec<BlockChange>) {
        let (output, trace) = self.traced(batch, Trace::with_changes(), device);
        (output, trace.changes.unwrap_or_default())
    }

    /// Runs a teacher-forced pass over a batch that also records the rows that every attention site
    /// reads.
    pub fn trace_rows(
        &self,
        batch: &Batch,
        device: &Device,
    ) -> (ModelOutput, BTreeMap<SiteName, SiteRows>) {
        let (output, trace) = self.traced(batch, Trace::with_rows(), device);
        (output, trace.rows.unwrap_or_default())
    }

    fn traced(&self, batch: &Batch, mut trace: Trace, device: &Device) -> (ModelOutput, Trace) {
        let (logits, _) = self.forward_noting(None, batch, &mut trace, None, device);
        let output = ModelOutput {
            logits: logits.compute(),
            attention: std::mem::take(&mut trace.sites),
        };
        (output, trace)
    }

    /// Runs the pass of all methods above. Returns the logits, and the carried state of a recurrent
    /// language model.
    fn forward_noting(
        &self,
        carried: Option<&CarriedState>,
        batch: &Batch,
        trace: &mut Trace,
        draws: Option<&Draws>,
        device: &Device,
    ) -> (Logits, Option<CarriedState>) {
        let logits = match self {
            Self::Seq2Seq(model) => model.forward_noting(batch, trace, draws, device),
            Self::Transformer(model) => model.forward_noting(batch, trace, draws, device),
            Self::Tagger(model) => model.forward_noting(batch, trace, draws, device),
            Self::TransformerLm(model) => {
                model.forward_noting(&batch.target_in, trace, draws, device)
            }
            Self::RecurrentLm(model) => {
                let carried = carried.filter(|_| !batch.starts_text);
                let (logits, carried) = model.pass(&batch.target_in, carried, device);
                return (logits, Some(carried));
            }
            Self::Rnnpg(model) => Logits::Computed(model.forward(batch, device)),
        };
        (logits, None)
    }
}
