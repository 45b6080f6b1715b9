//! Kinds of work: what training does differently for each, a file or folder each.
//!
//! [`translation`], [`text_generation`], [`question_answering`] and [`poetry`] hold all that their
//! kind does: the check of an experiment, the largest example, the tokens of a typed text, what is
//! shown of a held-out example, the validation, and what a trained model does. The other files
//! choose among the four: [`examples`] for data, [`batch`] for a step, [`tokens`] for a tokenizer,
//! [`trained`] for a trained model. [`sequences`] has what all kinds but question answering share,
//! and poetry uses what translation has, since lines of a poem are pairs like any others.

mod batch;
mod examples;
mod sequences;
mod tokens;
mod trained;

pub(crate) mod poetry;
pub(crate) mod question_answering;
pub(crate) mod text_generation;
pub(crate) mod translation;

use burn::tensor::ExecutionError;
use strata_models::ModelConfig;
use strata_tasks::Pipeline;

use crate::{Exchange, Experiment, HeldOut, Inference, TrainingError, Validation};
pub(crate) use batch::TrainingBatch;
pub(crate) use examples::{Examples, fingerprint, longest, retain};
pub(crate) use poetry::WORD_VECTORS;
pub(crate) use question_answering::{ReaderTokenizer, StoredReading};
pub(crate) use sequences::Layout;
pub(crate) use tokens::TokenizerKind;
pub(crate) use trained::{InferenceKind, SearchInput};

/// Checks that task, model and training suit each other.
pub(crate) fn check(experiment: &Experiment) -> Result<(), TrainingError> {
    let (needed, pipeline) = (needed(&experiment.model), experiment.task.pipeline());
    if needed != pipeline && !(needed.has_pairs() && pipeline.has_pairs()) {
        return Err(TrainingError::Unfit {
            architecture: experiment.model.name(),
            task: experiment.task.name(),
            needed,
            pipeline,
        });
    }
    match pipeline {
        Pipeline::Translation => translation::check(experiment),
        Pipeline::TextGeneration => text_generation::check(experiment),
        Pipeline::QuestionAnswering => question_answering::check(experiment),
        Pipeline::Poetry => poetry::check(experiment),
    }
}

/// Kind of work that a model can learn; models that learn pairs learn poetry too.
fn needed(model: &ModelConfig) -> Pipeline {
    match model {
        ModelConfig::Seq2Seq(_)
        | ModelConfig::Transformer(_)
        | ModelConfig::Rnnpg(_)
        | ModelConfig::Tagger(_) => Pipeline::Translation,
        ModelConfig::RecurrentLm(_) | ModelConfig::TransformerLm(_) => Pipeline::TextGeneration,
        ModelConfig::Bidaf(_) | ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_) => {
            Pipeline::QuestionAnswering
        }
    }
}

/// Message for a model that cannot learn a task.
pub(crate) fn unfit(
    architecture: &str,
    task: &str,
    needed: Pipeline,
    pipeline: Pipeline,
) -> String {
    match (needed, pipeline) {
        (_, Pipeline::QuestionAnswering) => format!(
            "the task `{task}` asks questions about passages, but `model.architecture` is \
             {architecture}, which is no reader; choose one: `model.architecture=bidaf`, \
             `match_lstm` or `rnet`"
        ),
        (Pipeline::QuestionAnswering, _) => format!(
            "`model.architecture` is {architecture}, a reader, which finds answers in passages, \
             but the task `{task}` has none; choose `task.kind=toy_reading` or `reading`"
        ),
        (Pipeline::TextGeneration, _) => format!(
            "`model.architecture` is {architecture}, a language model, which writes one text on, \
             but the task `{task}` has pairs; choose `task.kind=text`, or a model that \
             translates: `model.architecture=transformer` or `seq2seq`"
        ),
        (Pipeline::Translation | Pipeline::Poetry, _) => format!(
            "the task `{task}` is one text, but `model.architecture` is {architecture}, which \
             translates pairs; choose a language model: `model.architecture=transformer_lm` or \
             `recurrent_lm`"
        ),
    }
}

/// Measures a model on held-out examples. The loss is shared among the processes of `exchange`,
/// except a reader's; `decode` may differ between processes.
pub(crate) async fn evaluate(
    inference: &Inference,
    exchange: &dyn Exchange,
    held_out: HeldOut<'_>,
    batch_size: usize,
    decode: usize,
) -> Result<Validation, ExecutionError> {
    match inference.kind {
        InferenceKind::Translation { .. } | InferenceKind::Poetry { .. } => {
            translation::evaluate(inference, exchange, held_out, batch_size, decode).await
        }
        InferenceKind::TextGeneration => {
            text_generation::evaluate(inference, exchange, held_out, batch_size).await
        }
        InferenceKind::QuestionAnswering => {
            question_answering::evaluate(inference, held_out, batch_size).await
        }
    }
}
