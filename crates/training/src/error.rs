//! What can go wrong, each said in a sentence.

use burn::tensor::ExecutionError;
use strata_models::ConfigError;
use strata_tasks::{Form, TaskError};

use crate::size::Bytes;

/// Why an experiment cannot be trained, or a step was not taken.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// A value of the training configuration that makes no sense.
    #[error("`training.{key}` is {value}, but must be {allowed}")]
    Setting {
        /// Its name below `training`.
        key: String,
        /// What was given.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// The task or its data.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The model.
    #[error("`model`: {0}")]
    Model(#[from] ConfigError),
    /// A language model on pairs, or a translator on a text.
    #[error("{}", unfit(architecture, task, *needed))]
    Unfit {
        /// The model.
        architecture: &'static str,
        /// The task.
        task: &'static str,
        /// What the model needs.
        needed: Form,
    },
    /// More parameters than memory can hold.
    #[error(
        "`model` would have about {millions} million parameters, but at most {limit} million can \
         be trained here; lower its widths or layers, or the task's vocabulary"
    )]
    TooLarge {
        /// How many, about.
        millions: u64,
        /// How many at most.
        limit: u64,
    },
    /// More parameters than this machine's memory can hold.
    #[error(
        "`model` would have about {millions} million parameters, which take {needed} of memory \
         with their gradients and the optimiser's means, but {available} can be had; lower \
         {sizes}, or make room (other programs, the limit of this process or container)"
    )]
    NoMemory {
        /// How many, about.
        millions: u64,
        /// What they take in training.
        needed: Bytes,
        /// What there is.
        available: Bytes,
        /// The settings that decide it.
        sizes: &'static str,
    },
    /// Texts longer than the model's table of positions.
    #[error(
        "the longest text of the data needs {needed} positions, but `model.longest` lets the \
         model learn {longest}; raise it to {needed}, leave long texts out, or choose \
         `model.positions=sinusoidal`, which has no end"
    )]
    TooLong {
        /// Tokens of the longest source, or of the longest target with BOS.
        needed: usize,
        /// Rows of the table.
        longest: usize,
    },
    /// A precision that the device lacks.
    #[error(
        "`training.precision` is \"{name}\", which this device does not compute in; take \"f32\", \
         or another device"
    )]
    Precision {
        /// As configurations write it.
        name: &'static str,
    },
    /// A setting that a run keeps from its first step on.
    #[error(
        "`{key}` is {found} in this run and cannot become {asked} on the way; leave it as it is, \
         or begin another run with it"
    )]
    Fixed {
        /// The setting.
        key: String,
        /// Its value in the run.
        found: String,
        /// Its value as asked for.
        asked: String,
    },
    /// Loss or gradient are no longer numbers; the step was not taken.
    #[error(
        "the {what} of step {step} is not a finite number, so the run stopped before that step; \
         lower `training.optimizer.learning_rate`, lengthen the warm-up or lower \
         `training.clip_norm`, and start again"
    )]
    Diverged {
        /// The step that was not taken, from 1.
        step: u64,
        /// `loss` or `gradient`.
        what: &'static str,
    },
    /// A state that no checkpoint is made of: nothing could go on from it.
    #[error(
        "after step {step} the tensor `{name}` holds numbers that are NaN or infinite, so there is \
         no checkpoint of that step; go on from the one before with a lower \
         `training.optimizer.learning_rate` or a lower `training.clip_norm`"
    )]
    Overflowed {
        /// Steps taken.
        step: u64,
        /// Its name in the checkpoint.
        name: String,
    },
    /// The device failed.
    #[error("the device failed: {0}; start again from the last checkpoint")]
    Device(#[from] ExecutionError),
}

fn unfit(architecture: &str, task: &str, needed: Form) -> String {
    match needed {
        Form::Text => format!(
            "`model.architecture` is {architecture}, a language model, which writes one text on, \
             but the task `{task}` has pairs; choose `task.kind=text`, or a model that \
             translates: `model.architecture=transformer` or `seq2seq`"
        ),
        Form::Pairs => format!(
            "the task `{task}` is one text, but `model.architecture` is {architecture}, which \
             translates pairs; choose a language model: `model.architecture=transformer_lm` or \
             `recurrent_lm`"
        ),
    }
}

/// Why a sentence cannot be translated.
#[derive(Debug, thiserror::Error)]
pub enum TranslationError {
    /// Nothing to translate.
    #[error("there is nothing to translate; type a sentence in the source language")]
    Empty,
    /// More tokens than the model should be asked for.
    #[error(
        "the text has {tokens} tokens, but at most {limit} can be {}; shorten it",
        match form { Form::Pairs => "translated", Form::Text => "written on" }
    )]
    TooLong {
        /// How many it has.
        tokens: usize,
        /// How many it may have.
        limit: usize,
        /// What the model reads.
        form: Form,
    },
    /// The device failed.
    #[error("the device failed: {0}")]
    Device(#[from] ExecutionError),
}

/// Why a checkpoint cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The end of the file is missing.
    #[error(
        "the checkpoint is truncated: {expected} bytes are announced, {found} are there; copy it \
         again, or take an older one"
    )]
    Truncated {
        /// Length that it should have, as far as known.
        expected: u64,
        /// Length.
        found: u64,
    },
    /// Some other kind of file.
    #[error("this is not a checkpoint: it is no .safetensors file ({reason}); name another file")]
    NotSafetensors {
        /// In the words of the format's reader.
        reason: String,
    },
    /// Somebody else's file.
    #[error(
        "this .safetensors file was not written by Strata (it has no `strata` entry), so it has \
         no experiment to go on with; name another file"
    )]
    Foreign,
    /// A later version of this program wrote it.
    #[error(
        "the checkpoint has format {found}, and this program reads up to {supported}; update \
         Strata"
    )]
    Newer {
        /// Of the file.
        found: u64,
        /// Of this program.
        supported: u64,
    },
    /// Our own entry cannot be understood.
    #[error("the checkpoint is damaged: {reason}; take an older one")]
    Damaged {
        /// What is wrong.
        reason: String,
    },
    /// A tensor that the model needs.
    #[error("the checkpoint lacks the tensor `{name}` of shape {expected:?}; take an older one")]
    MissingTensor {
        /// Its name in the file.
        name: String,
        /// The shape that the model has.
        expected: Vec<usize>,
    },
    /// A tensor that the model has no place for.
    #[error("the checkpoint has a tensor `{name}` that its model has no place for")]
    ExtraTensor {
        /// Its name in the file.
        name: String,
    },
    /// A tensor of another shape or type.
    #[error(
        "the tensor `{name}` of the checkpoint is {found}, but its model needs F32 {expected:?}"
    )]
    TensorShape {
        /// Its name in the file.
        name: String,
        /// The shape that the model has.
        expected: Vec<usize>,
        /// Type and shape in the file.
        found: String,
    },
    /// Numbers that nothing can be computed with.
    #[error(
        "the tensor `{name}` of the checkpoint holds {count} numbers that are NaN, infinite or \
         impossible, so it can neither translate nor train; take an older one"
    )]
    NotFinite {
        /// Its name in the file.
        name: String,
        /// How many.
        count: usize,
    },
    /// Another experiment than the one asked for.
    #[error(
        "the checkpoint belongs to another experiment: `{key}` is {found} there, but {expected} \
         was asked for; drop that setting, or start without the checkpoint"
    )]
    OtherExperiment {
        /// The first key that differs.
        key: String,
        /// Its value in the checkpoint.
        found: String,
        /// Its value as asked for.
        expected: String,
    },
    /// The files of the task are no longer those that it was trained on.
    #[error(
        "the data have changed since the checkpoint was written ({what}), so training cannot go \
         on exactly; bring the old data back, or start anew"
    )]
    DataChanged {
        /// What is different.
        what: String,
    },
    /// A mean of checkpoints has no optimiser.
    #[error(
        "this is the mean of checkpoints (of the steps {}), which can translate but not train on; \
         go on from one of them",
        listed(steps)
    )]
    Averaged {
        /// Their steps.
        steps: Vec<u64>,
    },
    /// The experiment of the checkpoint cannot be set up.
    #[error("the experiment of the checkpoint cannot be set up: {0}")]
    Experiment(#[from] TrainingError),
}

fn listed(steps: &[u64]) -> String {
    let steps: Vec<String> = steps.iter().map(u64::to_string).collect();
    steps.join(", ")
}
