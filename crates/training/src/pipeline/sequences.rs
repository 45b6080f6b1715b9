//! Layout and pass of a batch of sequences, for all kinds of work but question answering.

use strata_attention::Draws;
use strata_models::{
    Batch, CarriedState, CrossEntropy, LossInput, SequenceModel, TargetEnd, auxiliary_loss,
};
use strata_tasks::{Example, SequenceExamples, Written};

use super::retain;
use crate::step::pass::{BatchOutput, PassSettings, scaled};

/// Leaves out the held-out examples for which `is_left_out` is true.
pub(super) fn leave_out(examples: &mut SequenceExamples, is_left_out: &[bool]) {
    retain(&mut examples.validation, is_left_out);
    if let Written::Pairs(pairs) = &mut examples.written {
        retain(pairs, is_left_out);
    }
}

/// Layout of a batch of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Source, and target that ends with EOS.
    Pairs,
    /// Earlier lines of a poem, and the next line, whose end follows from its length.
    Lines,
    /// Source, and target of the same length, for a model that answers in place.
    InPlace,
    /// Segments of one text.
    Text,
}

impl Layout {
    /// Layout of pairs for a model whose targets end like this.
    pub fn of_pairs(end: TargetEnd) -> Self {
        match end {
            TargetEnd::Eos => Self::Pairs,
            TargetEnd::LineLength => Self::Lines,
            TargetEnd::SourceLength => Self::InPlace,
        }
    }

    /// Pads examples to a batch.
    pub fn pad<'a>(self, examples: impl Iterator<Item = &'a Example>) -> Batch {
        let pairs: Vec<(&[u32], &[u32])> = examples
            .map(|example| (&example.source[..], &example.target[..]))
            .collect();
        self.pad_pairs(&pairs)
    }

    /// Pads pairs of source and target to a batch.
    pub fn pad_pairs(self, pairs: &[(&[u32], &[u32])]) -> Batch {
        match self {
            Self::Pairs => Batch::new(pairs),
            Self::Lines => Batch::of_lines(pairs),
            Self::InPlace => Batch::in_place(pairs),
            Self::Text => Batch::of_text(pairs),
        }
    }

    /// Pads the examples of these indices to a batch.
    pub fn batch(self, examples: &[Example], indices: &[usize]) -> Batch {
        self.pad(indices.iter().map(|&index| &examples[index]))
    }
}

/// Passes over a batch with a model of sequences, forward. Random keys of hard attention are drawn
/// by `draws`.
pub(super) fn pass(
    model: &SequenceModel,
    batch: &Batch,
    carried: Option<&CarriedState>,
    draws: Option<&Draws>,
    settings: &PassSettings<'_>,
) -> BatchOutput {
    let PassSettings {
        training,
        share,
        scale,
        device,
    } = *settings;
    let LossInput {
        logits,
        target,
        attention,
        carried,
    } = model.forward_for_loss(carried, batch, draws, device);
    let auxiliary = auxiliary_loss(&logits, &attention, batch, device);
    let CrossEntropy {
        loss,
        plain_loss,
        correct,
    } = logits.cross_entropy(&target, training.label_smoothing);
    let loss = match auxiliary {
        Some(auxiliary) => loss + auxiliary,
        None => loss,
    };
    BatchOutput {
        loss: scaled(loss, share * scale),
        // The reported loss is without label smoothing, to be comparable with the validation's.
        sums: [scaled(plain_loss, share), correct],
        carried: carried.map(CarriedState::detach),
    }
}
