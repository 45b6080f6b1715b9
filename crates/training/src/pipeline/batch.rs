//! Batch of a step.

use strata_attention::Draws;
use strata_models::{Batch, CarriedState, Model, SpanBatch};

use super::{question_answering, sequences};
use crate::step::pass::{BatchOutput, PassSettings};

/// Batch of training examples.
#[derive(Clone, Debug)]
pub(crate) enum TrainingBatch {
    /// Sources and targets, or segments of a text.
    Sequences(Batch),
    /// Questions about passages.
    Spans(SpanBatch),
}

impl TrainingBatch {
    /// Number of predictions over which the loss is averaged: target tokens without padding, or
    /// questions.
    pub fn weight(&self) -> usize {
        match self {
            Self::Sequences(batch) => batch.target_out.count(),
            Self::Spans(batch) => batch.questions(),
        }
    }

    /// Number of predictions that can be right or wrong: target tokens, or the starts and ends of
    /// answers.
    pub fn predictions(&self) -> usize {
        match self {
            Self::Sequences(_) => self.weight(),
            Self::Spans(_) => 2 * self.weight(),
        }
    }

    /// Number of target tokens without padding, or of words of questions and passages.
    pub fn tokens(&self) -> usize {
        match self {
            Self::Sequences(batch) => batch.target_out.count(),
            Self::Spans(batch) => batch.passages.words.count() + batch.questions.words.count(),
        }
    }

    /// Passes over the batch, forward. A state is carried, and random keys are drawn, only by models
    /// of sequences.
    ///
    /// # Panics
    /// If the model cannot learn the kind of work of the batch. [`check`](super::check) refuses such
    /// experiments.
    pub fn pass(
        &self,
        model: &Model,
        carried: Option<&CarriedState>,
        draws: Option<&Draws>,
        settings: &PassSettings<'_>,
    ) -> BatchOutput {
        match (model, self) {
            (Model::Sequence(model), Self::Sequences(batch)) => {
                sequences::pass(model, batch, carried, draws, settings)
            }
            (Model::Reader(reader), Self::Spans(batch)) => {
                question_answering::pass(reader, batch, settings)
            }
            (Model::Sequence(_), Self::Spans(_)) | (Model::Reader(_), Self::Sequences(_)) => {
                unreachable!("an experiment is checked: its model can learn its task")
            }
        }
    }
}
