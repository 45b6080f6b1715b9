//! Errors of training, translation and checkpoints.

use burn::tensor::ExecutionError;
use strata_models::ConfigError;
use strata_tasks::{Pipeline, TaskError};

use crate::CurriculumError;
use crate::size::Bytes;

/// Reason why a model cannot join an ensemble.
#[derive(Debug, thiserror::Error)]
pub enum EnsembleError {
    /// A language model, which keeps a state of its own.
    #[error("language models cannot be joined; name one model")]
    LanguageModel,
    /// A reader, whose answers cannot be averaged.
    #[error("readers cannot be joined; name one model")]
    Reader,
    /// A model of other data than the ensemble's.
    #[error("its {what} differs from that of the first model; join models of the same data")]
    Differs {
        /// Description of the difference.
        what: &'static str,
    },
}

/// Reason why an experiment cannot be trained, or a step was not taken.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// A value of the training configuration that is out of range.
    #[error("`training.{key}` is {value}, but must be {allowed}")]
    Setting {
        /// Key of the setting below `training`.
        key: String,
        /// Value given.
        value: String,
        /// Values allowed.
        allowed: String,
    },
    /// Error in the curriculum.
    #[error("`training.curriculum`: {0}")]
    Curriculum(#[from] CurriculumError),
    /// Stage of a curriculum whose task has other tokens than the task before.
    #[error(
        "`training.curriculum`: the task of step {from} has other tokens than the task at the beginning; \
         change only settings that keep the tokens"
    )]
    OtherTokens {
        /// Step of the stage.
        from: u64,
    },
    /// Error of the task or its data.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Error of the model's configuration.
    #[error("`model`: {0}")]
    Model(#[from] ConfigError),
    /// Model that learns another kind of work than the task asks for, such as a language model on
    /// pairs.
    #[error("{}", crate::pipeline::unfit(architecture, task, *needed, *pipeline))]
    Unfit {
        /// Architecture of the model.
        architecture: &'static str,
        /// Name of the task.
        task: &'static str,
        /// Kind of work that the model can learn.
        needed: Pipeline,
        /// Kind of work that the task asks for.
        pipeline: Pipeline,
    },
    /// Model that continues poems line by line, on a task other than poems.
    #[error(
        "`model.architecture` is {architecture}, which writes the next line of a poem out of the lines \
         before it; set `task.kind=poems` and `task.keywords=false`"
    )]
    NoLines {
        /// Architecture of the model.
        architecture: &'static str,
    },
    /// Model that answers in place, on a task whose targets have other lengths than their sources.
    #[error(
        "`model.architecture` is {architecture}, which answers in place, a token for each token of \
         the source, but the targets of the task `{task}` have other lengths; choose \
         `task.kind=copy`, `reverse`, `sort` or files of equal lengths, or a model that writes \
         its answer: `model.architecture=transformer` or `seq2seq`"
    )]
    OtherLengths {
        /// Architecture of the model.
        architecture: &'static str,
        /// Name of the task.
        task: &'static str,
    },
    /// Output matrix that is to be the embedding, although source and target have vocabularies of
    /// their own.
    #[error(
        "`model.tied` makes the embedding of the source the output matrix of the target, but the \
         two sides have different tokens; choose `model.tied=false`, or name one file of tokens \
         for both sides, by `task.source_vocabulary` and `task.target_vocabulary`"
    )]
    TiedVocabularies,
    /// Word vectors of another width than the model's embeddings.
    #[error(
        "the vectors of `task.{vectors}` have {read} numbers, but `model.{setting}` is {width}; set \
         `model.{setting}={read}`, or name vectors of that width"
    )]
    Vectors {
        /// Setting that names the file of vectors.
        vectors: &'static str,
        /// Setting of the embeddings' width.
        setting: &'static str,
        /// Width of the vectors in the file.
        read: usize,
        /// Width of the model's embeddings.
        width: usize,
    },
    /// Resumed run, which has not read its word vectors, that is to begin anew.
    #[error(
        "embeddings of this run began with vectors, which were not read again when it went on; begin \
         another run of the same settings"
    )]
    VectorsNotRead,
    /// More parameters than memory can hold.
    #[error(
        "`model` would have about {millions} million parameters, but at most {limit} million can \
         be trained here; lower its widths or layers, or the task's vocabulary"
    )]
    TooLarge {
        /// Approximate number of parameters, in millions.
        millions: u64,
        /// Largest number of parameters, in millions.
        limit: u64,
    },
    /// More parameters than this machine's memory can hold.
    #[error(
        "`model` would have about {millions} million parameters, which take {needed} of memory \
         with their gradients and the optimiser's means, but {available} can be had; lower \
         {sizes}, or make room (other programs, the limit of this process or container)"
    )]
    NoMemory {
        /// Approximate number of parameters, in millions.
        millions: u64,
        /// Memory that training needs for parameters, gradients and moments.
        needed: Bytes,
        /// Memory available.
        available: Bytes,
        /// Settings that decide the number of parameters.
        sizes: &'static str,
    },
    /// Text longer than the model's table of positions.
    #[error(
        "the longest text of the data needs {needed} positions, but `model.longest` lets the \
         model learn {longest}; raise it to {needed}, leave long texts out, or choose \
         `model.positions=sinusoidal`, which has no end"
    )]
    TooLong {
        /// Number of tokens of the longest source, or of the longest target with BOS.
        needed: usize,
        /// Number of rows of the table of positions.
        longest: usize,
    },
    /// Precision in which the device does not compute.
    #[error(
        "`training.precision` is \"{name}\", which this device does not compute in; take \"f32\", \
         or another device"
    )]
    Precision {
        /// Name of the precision in a configuration.
        name: &'static str,
    },
    /// Setting that may not change when a run resumes.
    #[error(
        "`{key}` is {found} in this run and cannot become {asked} on the way; leave it as it is, \
         or begin another run with it"
    )]
    Fixed {
        /// Key of the setting.
        key: String,
        /// Value of the setting in the run.
        found: String,
        /// Value of the setting as asked for.
        asked: String,
    },
    /// Loss or gradient norm that is NaN or infinite. The step was not taken.
    #[error(
        "the {what} of step {step} is not a finite number, so the run stopped before that step; \
         lower `training.optimizer.learning_rate`, lengthen the warm-up or lower \
         `training.clip_norm`, and start again"
    )]
    Diverged {
        /// Number of the step that was not taken, from 1.
        step: u64,
        /// `loss` or `gradient`.
        what: &'static str,
    },
    /// Parameter or moment that is NaN or infinite, so that no checkpoint is written.
    #[error(
        "after step {step} the tensor `{name}` holds numbers that are NaN or infinite, so there is \
         no checkpoint of that step; go on from the one before with a lower \
         `training.optimizer.learning_rate` or a lower `training.clip_norm`"
    )]
    Overflowed {
        /// Number of steps taken.
        step: u64,
        /// Name of the tensor in the checkpoint.
        name: String,
    },
    /// Number of processes by which the batches of a step cannot be divided.
    #[error("{}", uneven(*accumulate, *processes))]
    Uneven {
        /// Number of batches of a step.
        accumulate: usize,
        /// Number of processes.
        processes: usize,
    },
    /// Model that carries its state from batch to batch, so that processes cannot share the
    /// batches.
    #[error(
        "`model.architecture` is recurrent_lm, which carries its state from batch to batch, so that \
         {processes} processes cannot share a step; train it with one process, or choose \
         `model.architecture=transformer_lm`"
    )]
    CarriesState {
        /// Number of processes.
        processes: usize,
    },
    /// Processes that are not at the same place of the same run.
    #[error(
        "process {rank} has {what} than process 0; start all processes with the same command, files \
         and checkpoint"
    )]
    Unlike {
        /// Rank of the first process that differs.
        rank: usize,
        /// Description of the difference.
        what: &'static str,
    },
    /// Processes whose parameters have drifted apart.
    #[error(
        "before step {step} process {rank} has other parameters than process 0, so the run stopped; \
         processors of different kinds may compute different digits: start all processes on \
         machines of one kind, and go on from the last checkpoint"
    )]
    Apart {
        /// Number of the step that was not taken.
        step: u64,
        /// Rank of the first process that differs.
        rank: usize,
    },
    /// Failure of the device.
    #[error("the device failed: {0}; start again from the last checkpoint")]
    Device(#[from] ExecutionError),
}

fn uneven(accumulate: usize, processes: usize) -> String {
    let fits: Vec<String> = (1..=accumulate)
        .filter(|size| accumulate.is_multiple_of(*size))
        .map(|size| size.to_string())
        .collect();
    format!(
        "`training.accumulate` is {accumulate}, the batches of a step, which {processes} processes \
         cannot share evenly; begin a run with `training.accumulate={processes}`, {} or another \
         multiple of {processes}, or take {} of processes",
        2 * processes,
        match &fits[..] {
            [only] => format!("the number {only}"),
            several => format!("one of the numbers {}", several.join(", ")),
        },
    )
}

/// Reason why a text cannot be translated.
#[derive(Debug, thiserror::Error)]
pub enum TranslationError {
    /// Text without tokens.
    #[error("there is nothing to translate; type a sentence in the source language")]
    Empty,
    /// Model that is a reader, which does not translate.
    #[error(
        "the model is a reader, which translates nothing: ask it a question about a passage, by \
         `strata answer`"
    )]
    Asked,
    /// Text that is not the earlier lines of a poem, for a model that continues poems.
    #[error(
        "the model goes on from lines of a poem: give it the first one by `strata poem --first`"
    )]
    NoLines,
    /// Text that is not a poem's plan, for a model that writes poems by a plan.
    #[error(
        "the model translates nothing: it writes poems; tell it what one is about by `strata poem \
         TEXT`"
    )]
    Planned,
    /// Text of more tokens than the model accepts.
    #[error("the text has {tokens} tokens, but at most {limit} can be {done}; shorten it")]
    TooLong {
        /// Number of tokens of the text.
        tokens: usize,
        /// Largest number of tokens.
        limit: usize,
        /// Participle for the model's work on the text: `translated`, `read`, ….
        done: &'static str,
    },
    /// Failure of the device.
    #[error("the device failed: {0}")]
    Device(#[from] ExecutionError),
}

/// Reason why a checkpoint cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// File whose end is missing.
    #[error(
        "the checkpoint is truncated: {expected} bytes are announced, {found} are there; copy it \
         again, or take an older one"
    )]
    Truncated {
        /// Expected length in bytes, as far as it is known.
        expected: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// File of some other kind.
    #[error("this is not a checkpoint: it is no .safetensors file ({reason}); name another file")]
    NotSafetensors {
        /// Message of the safetensors reader.
        reason: String,
    },
    /// A `.safetensors` file that another program wrote.
    #[error(
        "this .safetensors file was not written by Strata (it has no `strata` entry), so it has \
         no experiment to go on with; name another file"
    )]
    Foreign,
    /// A file written by a later version of this program.
    #[error(
        "the checkpoint has format {found}, and this program reads up to {supported}; update \
         Strata"
    )]
    Newer {
        /// Format of the file.
        found: u64,
        /// Latest format that this program reads.
        supported: u64,
    },
    /// Damaged file: unreadable metadata, or parts that contradict each other.
    #[error("the checkpoint is damaged: {reason}; take an older one")]
    Damaged {
        /// Description of the damage.
        reason: String,
    },
    /// Tensor that the model needs and the file lacks.
    #[error("the checkpoint lacks the tensor `{name}` of shape {expected:?}; take an older one")]
    MissingTensor {
        /// Name of the tensor in the file.
        name: String,
        /// Shape of the tensor in the model.
        expected: Vec<usize>,
    },
    /// Tensor that the model does not have.
    #[error("the checkpoint has a tensor `{name}` that its model has no place for")]
    ExtraTensor {
        /// Name of the tensor in the file.
        name: String,
    },
    /// Tensor of another shape or type than the model's.
    #[error(
        "the tensor `{name}` of the checkpoint is {found}, but its model needs F32 {expected:?}"
    )]
    TensorShape {
        /// Name of the tensor in the file.
        name: String,
        /// Shape of the tensor in the model.
        expected: Vec<usize>,
        /// Type and shape of the tensor in the file.
        found: String,
    },
    /// Tensor with elements that are NaN, infinite, or negative second moments.
    #[error(
        "the tensor `{name}` of the checkpoint holds {count} numbers that are NaN, infinite or \
         impossible, so it can neither translate nor train; take an older one"
    )]
    NotFinite {
        /// Name of the tensor in the file.
        name: String,
        /// Number of invalid elements.
        count: usize,
    },
    /// Checkpoint of another experiment than the one asked for.
    #[error(
        "the checkpoint belongs to another experiment: `{key}` is {found} there, but {expected} \
         was asked for; drop that setting, or start without the checkpoint"
    )]
    OtherExperiment {
        /// First key that differs.
        key: String,
        /// Value of the setting in the checkpoint.
        found: String,
        /// Value of the setting as asked for.
        expected: String,
    },
    /// Model to begin with whose settings differ from the run's.
    #[error(
        "a run cannot begin with this model: `{key}` is {found} in it, but {expected} was asked for; ask \
         for {found}, or leave `--from` out"
    )]
    OtherModel {
        /// First key that differs.
        key: String,
        /// Value of the setting in the model.
        found: String,
        /// Value of the setting as asked for.
        expected: String,
    },
    /// Data of the task that have changed since training.
    #[error(
        "the data have changed since the checkpoint was written ({what}), so training cannot go \
         on exactly; bring the old data back, or start anew"
    )]
    DataChanged {
        /// Description of the difference.
        what: String,
    },
    /// Data to measure a model on that are not those from which it has learned.
    #[error(
        "these are not the data that the model has learned from ({what}), so that it is not known what was \
         held out of them; name those (`task.source=…`), or measure a model on other files by \
         `strata eval --source`"
    )]
    OtherData {
        /// Description of the difference.
        what: String,
    },
    /// Task whose vocabularies are not those of the model that is to be measured on the task.
    #[error(
        "the task with these settings has other tokens than the model has learned; change only settings \
         that keep the tokens"
    )]
    OtherVocabulary,
    /// Checkpoint of another run than the ones it is to be averaged with.
    #[error(
        "it has no mean with the checkpoints before it: {difference}; average checkpoints of one run, \
         and let models of several decide together by `--model A,B` of `strata translate` or \
         `strata eval`"
    )]
    NoMean {
        /// Description of the difference.
        difference: String,
    },
    /// Mean of checkpoints, which has no optimiser and cannot resume training.
    #[error(
        "this is the mean of checkpoints (of the steps {}), which can translate but not train on; \
         go on from one of them",
        listed(steps)
    )]
    Averaged {
        /// Steps of the averaged checkpoints.
        steps: Vec<u64>,
    },
    /// Error from setting up the checkpoint's experiment.
    #[error("the experiment of the checkpoint cannot be set up: {0}")]
    Experiment(#[from] TrainingError),
}

impl CheckpointError {
    /// Error of a checkpoint that is to be averaged with those of a run that began with other
    /// parameters.
    pub fn of_other_beginning() -> Self {
        let difference = "its run began with the parameters of another model (`--from`) than that of the \
                          first, and the mean of two beginnings is no model";
        Self::NoMean {
            difference: difference.to_owned(),
        }
    }
}

fn listed(steps: &[u64]) -> String {
    let steps: Vec<String> = steps.iter().map(u64::to_string).collect();
    steps.join(", ")
}
