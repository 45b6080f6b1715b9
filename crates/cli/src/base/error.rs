//! Errors of all commands, each a sentence that says what is wrong, where, and what to do.
//!
//! - here: errors of any kind; `config`: of settings; `data`: of corpora; `process`: of several
//!   processes that train a run

mod config;
mod data;
mod process;

use std::io;
use std::path::{Path, PathBuf};

use burn::tensor::ExecutionError;
use strata_metrics::MetricError;
use strata_poems::PoemError;
use strata_tasks::TaskError;
use strata_text::{TextError, path_advice};
use strata_training::workload::WorkloadError;
use strata_training::{CheckpointError, TrainingError, TranslationError};

use crate::display::format::counted;

pub use config::ConfigError;
pub use data::DataError;
pub use process::ProcessError;

/// Advice on a folder that cannot be written.
pub const NAME_ANOTHER: &str = "name a folder that can be written with `--out`";

/// Error that ends a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error in the configuration file or a `key=value`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An experiment that cannot be trained.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// An error in the data of a task.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A text that cannot be read or cut into tokens.
    #[error(transparent)]
    Text(#[from] TextError),
    /// An error in a corpus or its download.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An error of the processes that train a run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// An error in a collection of poems, or in a model of poems.
    #[error(transparent)]
    Poem(#[from] PoemError),
    /// A poem that cannot be written as the user asks.
    #[error("{0}")]
    Poetry(String),
    /// A measure that cannot be computed.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Hypotheses and references that differ in their number of lines.
    #[error(
        "{reference} has {} and {hypotheses} has {lines}; line n of the one \
         must be what line n of the other should have been",
        counted(*reference_lines as u64, "line")
    )]
    UnequalLines {
        /// File of the references.
        reference: PathBuf,
        /// Number of lines of the references.
        reference_lines: usize,
        /// Name of the hypotheses.
        hypotheses: String,
        /// Number of lines of the hypotheses.
        lines: usize,
    },
    /// A line that is longer than any sentence.
    #[error(
        "{name}, line {line}: it is longer than {mebibytes} MiB; each sentence must have a line of \
         its own"
    )]
    LongLine {
        /// Name of the text that contains the line.
        name: String,
        /// Line number, from 1.
        line: usize,
        /// Limit in MiB.
        mebibytes: usize,
    },
    /// A file of hypotheses without any lines.
    #[error("{name}: there is nothing to score; it must have a sentence on each line")]
    NothingToScore {
        /// Name of the hypotheses.
        name: String,
    },
    /// A checkpoint that cannot be used.
    #[error("{path}: {source}")]
    Checkpoint {
        /// The checkpoint file.
        path: PathBuf,
        /// Error in the checkpoint.
        source: CheckpointError,
    },
    /// A file without receipts.
    #[error(
        "{path}: there is no receipt; name a file of progress in lessons, in which a step has \
         trained a model, or what `strata receipt --of RUN` prints"
    )]
    NoReceipt {
        /// The file.
        path: PathBuf,
    },
    /// A changed setting that a run cannot take over when it is resumed.
    #[error("{path}: {source}")]
    InRun {
        /// The checkpoint of the run.
        path: PathBuf,
        /// Error in the change.
        source: TrainingError,
    },
    /// A workload in a file of definitions that cannot be run.
    #[error("{path}: {source}")]
    Workload {
        /// The file of definitions.
        path: PathBuf,
        /// Error in the workload.
        source: WorkloadError,
    },
    /// A built-in workload that cannot be run.
    #[error(transparent)]
    KnownWorkload(WorkloadError),
    /// A file that cannot be read.
    #[error("{path}: {}", reading(path, reason))]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// A file or folder that cannot be written.
    #[error("{path}: the {what} cannot be written ({}); {advice}", writing(reason))]
    Write {
        /// Path of the file or folder.
        path: PathBuf,
        /// Kind of the file or folder, such as `model`.
        what: &'static str,
        /// Error of the operating system.
        reason: io::Error,
        /// Advice to the user.
        advice: String,
    },
    /// A folder that contains another run.
    #[error(
        "{folder}: this folder already holds a run, which is not overwritten; name another one \
         with `--out`, or go on with that run by `--resume {folder}`"
    )]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// A run to which another process is writing.
    #[error(
        "{folder}: {who}; end that first (Ctrl-C there saves), or write into another folder with \
         `--out`"
    )]
    Busy {
        /// Folder of the run.
        folder: PathBuf,
        /// The process that writes the run, and since when.
        who: String,
    },
    /// A path without a run that could be resumed.
    #[error(
        "{path}: there is no run to go on with, neither a checkpoint nor an `experiment.toml`; name \
         a checkpoint, or the folder of a run"
    )]
    NoRun {
        /// The given path.
        path: PathBuf,
    },
    /// Data that are no longer at the path in a run's settings.
    #[error("`{key}`: {path} {places}; {advice}")]
    NotThere {
        /// The setting with the path.
        key: String,
        /// Path of the data in the settings.
        path: PathBuf,
        /// Places where the data were looked for.
        places: String,
        /// Advice to the user.
        advice: String,
    },
    /// A setting that is no path, for a command that only accepts paths.
    #[error(
        "a model that is measured keeps its settings; only the paths of its data may be said anew, \
         for example `task.source=…`"
    )]
    OnlyPaths,
    /// A device for which this program was not built.
    #[cfg_attr(
        all(
            feature = "flex",
            feature = "cuda",
            feature = "wgpu",
            feature = "vulkan"
        ),
        expect(dead_code, reason = "every device is there")
    )]
    #[error(
        "this program was built without `{name}`; build it with `cargo build --release --bin \
         strata --features {name}`, or leave out `--device {name}` to compute on the processor"
    )]
    DeviceNotBuilt {
        /// Name of the device, and of the feature that builds it.
        name: &'static str,
    },
    /// A device that does not start.
    #[cfg_attr(
        not(any(feature = "cuda", feature = "wgpu", feature = "vulkan")),
        allow(dead_code)
    )]
    #[error(
        "the device `{name}` cannot be started ({reason}); check its driver, or leave out \
         `--device {name}` to compute on the processor"
    )]
    DeviceMissing {
        /// Name of the device.
        name: &'static str,
        /// Message of the device's driver.
        reason: String,
    },
    /// A device that failed while computing.
    #[error("the device failed: {0}; try again, or compute on the processor")]
    Device(#[from] ExecutionError),
    /// A text that cannot be translated.
    #[error(transparent)]
    Translation(#[from] TranslationError),
    /// A line of the input that cannot be translated.
    #[error("standard input, line {line}: {reason}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Reason, a sentence.
        reason: String,
    },
    /// An impossible combination of search options.
    #[error("{0}")]
    Search(String),
    /// Hand-made word alignments that cannot be read.
    #[error("{path}: {source}")]
    Alignment {
        /// File of the links.
        path: PathBuf,
        /// Error in the file of links, or in that of sentences.
        source: MetricError,
    },
    /// An error of the session, which is a sentence already.
    #[error("{0}")]
    Session(String),
    /// A name of no setting, mechanism or option.
    #[error("there is no mechanism, setting or option `{name}`; {advice}")]
    NothingToExplain {
        /// The given name.
        name: String,
        /// Names that may have been meant.
        advice: String,
    },
    /// An unknown preset.
    #[error(
        "there is no preset `{name}`; {meant}there are {names} (`strata config --presets` says more)"
    )]
    NoPreset {
        /// The given name.
        name: String,
        /// Question whether a similar name was meant; empty if there is none.
        meant: String,
        /// Names of all presets.
        names: String,
    },
    /// A run to resume that has taken all its steps.
    #[error(
        "{path}: all steps of the run are taken ({step} of {steps}); raise `training.steps` to go on, \
         for example with `training.steps={more}`"
    )]
    NothingLeft {
        /// The checkpoint.
        path: PathBuf,
        /// Number of steps taken.
        step: u64,
        /// Number of steps asked for.
        steps: u64,
        /// A larger number of steps, as an example.
        more: u64,
    },
    /// A run to be continued whose folder contains another run.
    #[error(
        "{folder}: the run in this folder is not the one asked for: {differences}; name another \
         folder with `--out`, or remove this one"
    )]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// Differences in settings, data or program, in words.
        differences: String,
    },
    /// A run to be resumed that early stopping has ended.
    #[error(
        "{path}: the run ended after step {step}, for {patience} validations brought no better \
         one; go on with more patience, for example `training.patience={}`, or without an end, \
         `training.patience=0`", patience.saturating_mul(2)
    )]
    NoHope {
        /// The checkpoint.
        path: PathBuf,
        /// Number of steps taken.
        step: u64,
        /// Number of validations without improvement that the run allows.
        patience: u64,
    },
    /// A run whose best checkpoints should be averaged, but that keeps none.
    #[error(
        "{path}: this run keeps no checkpoints of its best validations; train it with \
         `training.keep_best=5`, or name checkpoint files"
    )]
    NothingKept {
        /// The folder of the run.
        path: PathBuf,
    },
    /// An output file that exists, and is not overwritten.
    #[error("{path}: there is such a file already, which is not overwritten; name another one")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// An output that would overwrite an input.
    #[error(
        "{path}: this file is read here ({input}), so it is not written over; name another one \
         with `{option}`"
    )]
    OntoInput {
        /// The output.
        path: PathBuf,
        /// The option that names the output.
        option: &'static str,
        /// Description of the input.
        input: String,
    },
    /// Standard output that is redirected into an input.
    #[error(
        "standard output goes into the very file that is read ({input}), which the shell has \
         opened for it; send it into another file (and look whether the first is still whole)"
    )]
    PrintedOnto {
        /// Description of the input.
        input: String,
    },
    /// A thread that could not be started.
    #[error(
        "a thread for {purpose} cannot be started ({reason}); end other programs, or raise the limits \
         on processes (`ulimit -u`) and memory (`ulimit -v`)"
    )]
    NoThread {
        /// Work that the thread would have done.
        purpose: &'static str,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// Files that contain no sentence pair which can be measured.
    #[error(
        "{path}: no sentence pair can be measured; each needs text on both sides, and not more \
         tokens than the model reads"
    )]
    NothingToMeasure {
        /// The source file.
        path: PathBuf,
    },
}

impl Error {
    /// Returns a function that makes the error of a file that cannot be read.
    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Read { path, reason }
    }

    /// Returns a function that makes the error of a run's folder, or a file in it, that cannot be
    /// written.
    pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Write {
            path,
            what: "folder",
            reason,
            advice: NAME_ANOTHER.to_owned(),
        }
    }

    /// Makes the error of text that could not be printed.
    pub fn unprinted(reason: io::Error) -> Self {
        Self::Write {
            path: "standard output".into(),
            what: "text that this command prints",
            reason,
            advice: "make room where it goes, and run the command again".to_owned(),
        }
    }

    /// Returns a function that makes the error of a workload; `path` is its file, `None` if it is
    /// built in.
    pub fn workload(path: Option<&Path>) -> impl FnOnce(WorkloadError) -> Self {
        let path = path.map(Path::to_owned);
        move |source| match path {
            Some(path) => Self::Workload { path, source },
            None => Self::KnownWorkload(source),
        }
    }

    /// Returns a function that makes the error of a checkpoint that cannot be used.
    pub fn checkpoint(path: &Path) -> impl FnOnce(CheckpointError) -> Self {
        let path = path.to_owned();
        move |source| Self::Checkpoint { path, source }
    }
}

fn writing(reason: &io::Error) -> String {
    match reason.kind() {
        io::ErrorKind::FileTooLarge => {
            format!("{reason}: the limit of `ulimit -f`, or of the disk")
        }
        _ => reason.to_string(),
    }
}

fn reading(path: &Path, reason: &io::Error) -> String {
    match reason.kind() {
        io::ErrorKind::NotFound => format!("there is no such file; {}", path_advice(path)),
        io::ErrorKind::NotADirectory => format!(
            "there is no such file, since a part of its path is a file and no folder; {}",
            path_advice(path)
        ),
        io::ErrorKind::IsADirectory => "this is a folder; name a file in it".to_owned(),
        io::ErrorKind::InvalidData => {
            "it is not UTF-8; convert it (for example with iconv)".to_owned()
        }
        _ => format!("it cannot be read ({reason}); check its permissions and its disk"),
    }
}
