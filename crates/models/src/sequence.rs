//! Models of sequences: the closed enum of architectures that predict tokens one after the other.

use std::collections::BTreeMap;

use burn::module::Module;
use burn::tensor::Device;
use strata_attention::Draws;

use crate::{
    Batch, BlockChange, CarriedState, ModelOutput, RecurrentLm, Rnnpg, Seq2Seq, SiteName, SiteRows,
    Tagger, Tokens, Trace, Transformer, TransformerLm,
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
        match self {
            Self::Seq2Seq(model) => (model.forward(batch, draws, device), None),
            Self::Transformer(model) => (model.forward(batch, draws, device), None),
            Self::Tagger(model) => (model.forward(batch, draws, device), None),
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
        }
    }

    /// Runs a pass as [`forward_from`](Self::forward_from) does, for its loss: where most targets are
    /// padding, a model may compute the logits of the others alone, `[1, R, V]`. Also returns the
    /// targets that belong to the logits, `[1, R]` then, otherwise `[B, T]`.
    ///
    /// Large vocabularies are what such tasks cost: of 64 places of a recall, four have an answer.
    pub fn forward_counted(
        &self,
        carried: Option<&CarriedState>,
        batch: &Batch,
        draws: Option<&Draws>,
        device: &Device,
    ) -> (ModelOutput, Tokens, Option<CarriedState>) {
        let whole = || {
            let (output, carried) = self.forward_from(carried, batch, draws, device);
            (output, batch.target_out.clone(), carried)
        };
        let Some((places, counted)) = batch.target_out.counted() else {
            return whole();
        };
        let mut trace = Trace::with_places(places);
        let logits = match self {
            Self::Transformer(model) => model.forward_noting(batch, &mut trace, draws, device),
            Self::TransformerLm(model) => {
                model.forward_noting(&batch.target_in, &mut trace, draws, device)
            }
            Self::Tagger(model) => model.forward_noting(batch, &mut trace, draws, device),
            Self::Seq2Seq(_) | Self::RecurrentLm(_) | Self::Rnnpg(_) => return whole(),
        };
        let target = match trace.places {
            None => counted,
            // The model has left the places alone.
            Some(_) => batch.target_out.clone(),
        };
        let attention = trace.sites;
        (ModelOutput { logits, attention }, target, None)
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
        let logits = match self {
            Self::Seq2Seq(model) => model.forward_noting(batch, &mut trace, None, device),
            Self::Transformer(model) => model.forward_noting(batch, &mut trace, None, device),
            Self::Tagger(model) => model.forward_noting(batch, &mut trace, None, device),
            Self::TransformerLm(model) => {
                model.forward_noting(&batch.target_in, &mut trace, None, device)
            }
            Self::RecurrentLm(model) => model.forward(&batch.target_in, None, device).0.logits,
            Self::Rnnpg(model) => model.forward(batch, device),
        };
        let attention = std::mem::take(&mut trace.sites);
        (ModelOutput { logits, attention }, trace)
    }
}
