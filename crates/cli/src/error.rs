//! What can go wrong, each said in a sentence: what, where, what to do.
//!
//! - here: all of it; `config`: settings; `data`: corpora

mod config;
mod data;

use std::io;
use std::path::{Path, PathBuf};

use burn::tensor::ExecutionError;
use strata_metrics::MetricError;
use strata_tasks::{TaskError, path_advice};
use strata_training::workload::WorkloadError;
use strata_training::{CheckpointError, TrainingError, TranslationError};

use crate::format::counted;

pub use config::ConfigError;
pub use data::DataError;

/// Advice on a folder that cannot be written.
pub const NAME_ANOTHER: &str = "name a folder that can be written with `--out`";

/// Why a command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configuration file or a `key=value`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The experiment makes no sense.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// A corpus.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A corpus of the catalogue, or what is in one.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A measure that cannot be taken.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Files that do not belong together.
    #[error(
        "{reference} has {} and {hypotheses} has {lines}; line n of the one \
         must be what line n of the other should have been",
        counted(*reference_lines as u64, "line")
    )]
    UnequalLines {
        /// The file of references.
        reference: PathBuf,
        /// Its lines.
        reference_lines: usize,
        /// What is scored.
        hypotheses: String,
        /// Its lines.
        lines: usize,
    },
    /// A line that is no sentence.
    #[error(
        "{name}, line {line}: it is longer than {mebibytes} MiB; each sentence must have a line of \
         its own"
    )]
    LongLine {
        /// What has the line.
        name: String,
        /// Counted from 1.
        line: usize,
        /// What is allowed.
        mebibytes: usize,
    },
    /// Nothing to score.
    #[error("{name}: there is nothing to score; it must have a sentence on each line")]
    NothingToScore {
        /// What should have been scored.
        name: String,
    },
    /// A checkpoint that cannot be used.
    #[error("{path}: {source}")]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CheckpointError,
    },
    /// A change that a run does not take on the way.
    #[error("{path}: {source}")]
    InRun {
        /// The checkpoint of the run.
        path: PathBuf,
        /// What is wrong with the change.
        source: TrainingError,
    },
    /// A workload of a file that cannot be run.
    #[error("{path}: {source}")]
    Workload {
        /// The file of definitions.
        path: PathBuf,
        /// What is wrong.
        source: WorkloadError,
    },
    /// A workload that is built in, and cannot be run.
    #[error(transparent)]
    KnownWorkload(WorkloadError),
    /// A file that cannot be read.
    #[error("{path}: {}", reading(path, reason))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A file or folder that cannot be written.
    #[error("{path}: the {what} cannot be written ({reason}); {advice}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What the system says.
        reason: io::Error,
        /// What to do.
        advice: String,
    },
    /// A folder that holds another run.
    #[error(
        "{folder}: this folder already holds a run, which is not overwritten; name another one \
         with `--out`, or go on with that run by `--resume {folder}`"
    )]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that another process writes.
    #[error(
        "{folder}: {who}; end that first (Ctrl-C there saves), or write into another folder with \
         `--out`"
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// Who writes it, and since when.
        who: String,
    },
    /// Nothing to go on with.
    #[error(
        "{path}: there is no run to go on with, neither a checkpoint nor an `experiment.toml`; name \
         a checkpoint, or the folder of a run"
    )]
    NoRun {
        /// What was named.
        path: PathBuf,
    },
    /// Data that are no longer where a run was told of them.
    #[error("`{key}`: {path} {places}; {advice}")]
    NotThere {
        /// The setting.
        key: String,
        /// Where they were.
        path: PathBuf,
        /// Where they were sought.
        places: String,
        /// What to do.
        advice: String,
    },
    /// Another setting where only paths may be said.
    #[error(
        "a model that is measured keeps its settings; only the paths of its data may be said anew, \
         for example `task.source=…`"
    )]
    OnlyPaths,
    /// A device that this program was built without.
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
        /// The device, and the feature of its name.
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
        /// The device.
        name: &'static str,
        /// What its driver says.
        reason: String,
    },
    /// The device failed while computing.
    #[error("the device failed: {0}; try again, or compute on the processor")]
    Device(#[from] ExecutionError),
    /// A text that cannot be translated.
    #[error(transparent)]
    Translation(#[from] TranslationError),
    /// A line of the input that cannot be translated.
    #[error("standard input, line {line}: {reason}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// A sentence.
        reason: String,
    },
    /// A search that cannot be made.
    #[error("{0}")]
    Search(String),
    /// Hand-made word alignments that cannot be read.
    #[error("{path}: {source}")]
    Alignment {
        /// The file of links.
        path: PathBuf,
        /// What is wrong.
        source: MetricError,
    },
    /// Everything that a session says by itself.
    #[error("{0}")]
    Session(String),
    /// A name that nothing has that can be set.
    #[error("there is no mechanism, setting or option `{name}`; {advice}")]
    NothingToExplain {
        /// What was typed.
        name: String,
        /// What may have been meant.
        advice: String,
    },
    /// A preset that there is not.
    #[error(
        "there is no preset `{name}`; {meant}there are {names} (`strata config --presets` says more)"
    )]
    NoPreset {
        /// What was typed.
        name: String,
        /// A question whether another one was meant, or nothing.
        meant: String,
        /// Those that there are.
        names: String,
    },
    /// A run that was told to go on, but is at its end.
    #[error(
        "{path}: the run has taken {step} steps, and {steps} were asked for; raise them to go on, \
         for example with `training.steps={more}`"
    )]
    NothingLeft {
        /// The checkpoint.
        path: PathBuf,
        /// Steps taken.
        step: u64,
        /// Steps asked for.
        steps: u64,
        /// A number of steps with something left to do.
        more: u64,
    },
    /// A run that ended early.
    #[error(
        "{path}: the run ended after step {step}, for {patience} validations brought no better \
         one; go on with more patience, for example `training.patience={}`, or without an end, \
         `training.patience=0`", patience.saturating_mul(2)
    )]
    NoHope {
        /// The checkpoint.
        path: PathBuf,
        /// Steps taken.
        step: u64,
        /// Validations without a better one that were allowed.
        patience: u64,
    },
    /// A folder without what should be averaged.
    #[error(
        "{path}: this run keeps no checkpoints of its best validations; train it with \
         `training.keep_best=5`, or name checkpoint files"
    )]
    NothingKept {
        /// The folder of the run.
        path: PathBuf,
    },
    /// A file that is not overwritten.
    #[error("{path}: there is such a file already, which is not overwritten; name another one")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// An output that would take the place of what is read.
    #[error(
        "{path}: this file is read here ({input}), so it is not written over; name another one \
         with `{option}`"
    )]
    OntoInput {
        /// The output.
        path: PathBuf,
        /// What names it.
        option: &'static str,
        /// The input.
        input: String,
    },
    /// A shell that was told to write into what is read.
    #[error(
        "standard output goes into the very file that is read ({input}), which the shell has \
         opened for it; send it into another file (and look whether the first is still whole)"
    )]
    PrintedOnto {
        /// The input.
        input: String,
    },
    /// A view without a terminal.
    #[error(
        "`--tui` needs a terminal for its input and output, and there is none; leave it out to get \
         lines for a log"
    )]
    NoTerminal,
    /// A terminal that refuses.
    #[error("the terminal cannot be drawn on ({reason}); leave out `--tui`")]
    Terminal {
        /// What the system says.
        reason: io::Error,
    },
    /// Nothing in the files can be measured.
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
    /// A file that cannot be read.
    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Read { path, reason }
    }

    /// A folder of a run, or a file in it, that cannot be written.
    pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Write {
            path,
            what: "folder",
            reason,
            advice: NAME_ANOTHER.to_owned(),
        }
    }

    /// Text that could not be printed.
    pub fn unprinted(reason: io::Error) -> Self {
        Self::Write {
            path: "standard output".into(),
            what: "text that this command prints",
            reason,
            advice: "make room where it goes, and run the command again".to_owned(),
        }
    }

    /// A workload that cannot be run; `path` is that of its file, if it is of one.
    pub fn workload(path: Option<&Path>) -> impl FnOnce(WorkloadError) -> Self {
        let path = path.map(Path::to_owned);
        move |source| match path {
            Some(path) => Self::Workload { path, source },
            None => Self::KnownWorkload(source),
        }
    }

    /// A checkpoint that cannot be used.
    pub fn checkpoint(path: &Path) -> impl FnOnce(CheckpointError) -> Self {
        let path = path.to_owned();
        move |source| Self::Checkpoint { path, source }
    }
}

fn reading(path: &Path, reason: &io::Error) -> String {
    match reason.kind() {
        io::ErrorKind::NotFound => format!("there is no such file; {}", path_advice(path)),
        io::ErrorKind::IsADirectory => "this is a folder; name a file in it".to_owned(),
        io::ErrorKind::InvalidData => {
            "it is not UTF-8; convert it (for example with iconv)".to_owned()
        }
        _ => format!("it cannot be read ({reason}); check its permissions and its disk"),
    }
}
