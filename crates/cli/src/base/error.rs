//! Errors of all commands, each a sentence that says what is wrong, where, and what to do.
//!
//! - here: errors of any kind; `config`: of settings; `data`: of corpora

mod config;
mod data;

use std::io;
use std::path::{Path, PathBuf};

use burn::tensor::ExecutionError;
use strata_metrics::MetricError;
use strata_poems::PoemError;
use strata_tasks::{TaskError, path_advice};
use strata_training::workload::WorkloadError;
use strata_training::{CheckpointError, TrainingError, TranslationError};

use crate::display::format::counted;

pub use config::ConfigError;
pub use data::DataError;

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
    /// An error in a corpus or its download.
    #[error(transparent)]
    Data(#[from] DataError),
    /// An error in a collection of poems, or in a model of them.
    #[error(transparent)]
    Poem(#[from] PoemError),
    /// A poem that cannot be written as it was asked for.
    #[error("{0}")]
    Poetry(String),
    /// A measure that cannot be computed.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Hypotheses and references with different numbers of lines.
    #[error(
        "{reference} has {} and {hypotheses} has {lines}; line n of the one \
         must be what line n of the other should have been",
        counted(*reference_lines as u64, "line")
    )]
    UnequalLines {
        /// The file of references.
        reference: PathBuf,
        /// Number of its lines.
        reference_lines: usize,
        /// Name of the hypotheses.
        hypotheses: String,
        /// Number of their lines.
        lines: usize,
    },
    /// A line that is too long for a sentence.
    #[error(
        "{name}, line {line}: it is longer than {mebibytes} MiB; each sentence must have a line of \
         its own"
    )]
    LongLine {
        /// Name of the text with the line.
        name: String,
        /// Line number, from 1.
        line: usize,
        /// Limit in MiB.
        mebibytes: usize,
    },
    /// An empty file of hypotheses.
    #[error("{name}: there is nothing to score; it must have a sentence on each line")]
    NothingToScore {
        /// Name of the hypotheses.
        name: String,
    },
    /// A checkpoint that cannot be used.
    #[error("{path}: {source}")]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Error of the checkpoint.
        source: CheckpointError,
    },
    /// A change of a setting that a run cannot make when it is resumed.
    #[error("{path}: {source}")]
    InRun {
        /// The checkpoint of the run.
        path: PathBuf,
        /// Error of the change.
        source: TrainingError,
    },
    /// A workload of a file that cannot be run.
    #[error("{path}: {source}")]
    Workload {
        /// The file of definitions.
        path: PathBuf,
        /// Error of the workload.
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
        /// Error of the system.
        reason: io::Error,
    },
    /// A file or folder that cannot be written.
    #[error("{path}: the {what} cannot be written ({}); {advice}", writing(reason))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Kind of the file or folder.
        what: &'static str,
        /// Error of the system.
        reason: io::Error,
        /// Advice.
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
    /// A run that another process writes.
    #[error(
        "{folder}: {who}; end that first (Ctrl-C there saves), or write into another folder with \
         `--out`"
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// The process that writes it, and since when.
        who: String,
    },
    /// A path without a run to resume.
    #[error(
        "{path}: there is no run to go on with, neither a checkpoint nor an `experiment.toml`; name \
         a checkpoint, or the folder of a run"
    )]
    NoRun {
        /// The given path.
        path: PathBuf,
    },
    /// Data that are no longer where a run's settings say.
    #[error("`{key}`: {path} {places}; {advice}")]
    NotThere {
        /// The setting.
        key: String,
        /// Their path in the settings.
        path: PathBuf,
        /// Places where they were sought.
        places: String,
        /// Advice.
        advice: String,
    },
    /// Another setting than a path, where a command accepts only paths.
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
        /// Message of its driver.
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
        /// Line number, from 1.
        line: usize,
        /// Reason, as a sentence.
        reason: String,
    },
    /// An impossible combination of search options.
    #[error("{0}")]
    Search(String),
    /// Hand-made word alignments that cannot be read.
    #[error("{path}: {source}")]
    Alignment {
        /// The file of links.
        path: PathBuf,
        /// Error in the files.
        source: MetricError,
    },
    /// A sentence of the session.
    #[error("{0}")]
    Session(String),
    /// An unknown name of a setting, mechanism or option.
    #[error("there is no mechanism, setting or option `{name}`; {advice}")]
    NothingToExplain {
        /// The given name.
        name: String,
        /// Suggestion.
        advice: String,
    },
    /// An unknown preset.
    #[error(
        "there is no preset `{name}`; {meant}there are {names} (`strata config --presets` says more)"
    )]
    NoPreset {
        /// The given name.
        name: String,
        /// Question whether a similar one was meant, or nothing.
        meant: String,
        /// Names of all presets.
        names: String,
    },
    /// A run to resume that has taken all its steps.
    #[error(
        "{path}: the run has taken {step} steps, and {steps} were asked for; raise them to go on, \
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
    /// A run that is in the folder of another one.
    #[error(
        "{folder}: the run in this folder is not the one asked for: {differences}; name another \
         folder with `--out`, or remove this one"
    )]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// Settings, data or program that differ, in words.
        differences: String,
    },
    /// A run to resume that was stopped early.
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
        /// Number of validations without improvement that are allowed.
        patience: u64,
    },
    /// A run without kept checkpoints to average.
    #[error(
        "{path}: this run keeps no checkpoints of its best validations; train it with \
         `training.keep_best=5`, or name checkpoint files"
    )]
    NothingKept {
        /// The folder of the run.
        path: PathBuf,
    },
    /// An existing file, which is not overwritten.
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
        /// The option that names it.
        option: &'static str,
        /// The input.
        input: String,
    },
    /// Standard output that is redirected to an input.
    #[error(
        "standard output goes into the very file that is read ({input}), which the shell has \
         opened for it; send it into another file (and look whether the first is still whole)"
    )]
    PrintedOnto {
        /// The input.
        input: String,
    },
    /// `--tui` without a terminal.
    #[error(
        "`--tui` needs a terminal for its input and output, and there is none; leave it out to get \
         lines for a log"
    )]
    NoTerminal,
    /// `--tui` in a run of several processes.
    #[error("`--tui` shows a run of one process; leave it out where several train")]
    NoViewOfSeveral,
    /// `--cards` without NVIDIA's.
    #[error(
        "`--cards {cards}` trains on NVIDIA cards; add `--device cuda`, or share a run of processors \
         by `--processes {cards}`"
    )]
    CardsOfOtherDevice {
        /// Cards asked for.
        cards: usize,
    },
    /// `--cards` in one of several processes.
    #[error(
        "`--cards {cards}` is for a single process, and a launcher of MPI started several, each of which \
         takes a card of its own; leave it out"
    )]
    CardsOfSeveral {
        /// Cards asked for.
        cards: usize,
    },
    /// More cards than there are.
    #[cfg(feature = "cuda")]
    #[error("`--cards {cards}`: this machine has {there}; ask for as many at most")]
    FewerCards {
        /// Cards asked for.
        cards: usize,
        /// Cards of this machine.
        there: usize,
    },
    /// NCCL does not add.
    #[error(
        "the cards cannot add their gradients by NCCL ({reason}); install NVIDIA's library `libnccl.so`, \
         or train by `--processes` with a program that has MPI"
    )]
    NoNccl {
        /// Reason that the library or its driver gives.
        reason: String,
    },
    /// Several processes in a program without MPI.
    #[error(
        "this program was built without MPI, by which {processes} processes train one run; build it \
         with `cargo build --release --package strata-cli --features mpi` where MPICH or Open MPI \
         and libclang are installed"
    )]
    MpiNotBuilt {
        /// Processes asked for.
        processes: usize,
    },
    /// A thread that could not be started.
    #[error(
        "a thread for {purpose} cannot be started ({reason}); end other programs, or raise the limits \
         on processes (`ulimit -u`) and memory (`ulimit -v`)"
    )]
    NoThread {
        /// Work of the thread.
        purpose: &'static str,
        /// Error of the system.
        reason: io::Error,
    },
    /// `mpiexec` does not run.
    #[error(
        "`mpiexec`, which starts several processes, cannot be run ({reason}); install the MPI that \
         this program was built with (MPICH or Open MPI), or put its folder on the PATH"
    )]
    NoLauncher {
        /// Error of the system.
        reason: io::Error,
    },
    /// `--processes` inside of a run that a launcher started with another number.
    #[error(
        "`--processes {asked}` was asked for, but {started} processes were started; leave it out \
         under a launcher of MPI"
    )]
    StartedOtherwise {
        /// Processes asked for.
        asked: usize,
        /// Processes of the run.
        started: usize,
    },
    /// A process that cannot share a run with process 0.
    #[error(
        "process {rank} has {what} than process 0; start all processes with the same program and \
         arguments"
    )]
    OtherProcess {
        /// First process that differs.
        rank: usize,
        /// The difference.
        what: &'static str,
    },
    /// An error of one of several processes.
    #[error("process {rank} on {host}: {reason}")]
    OfProcess {
        /// The process.
        rank: usize,
        /// Its host.
        host: String,
        /// Its error.
        reason: String,
    },
    /// A process that ended without a word, and with it all others.
    #[error("{what}, so that all processes ended; {left}")]
    ProcessEnded {
        /// Process and end.
        what: String,
        /// State of the run that is left, and how to go on.
        left: String,
    },
    /// A terminal that cannot be drawn on.
    #[error("the terminal cannot be drawn on ({reason}); leave out `--tui`")]
    Terminal {
        /// Error of the system.
        reason: io::Error,
    },
    /// Files without a pair that can be measured.
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
    /// Error of a file that cannot be read.
    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Read { path, reason }
    }

    /// Error of a run's folder, or of a file in it, that cannot be written.
    pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |reason| Self::Write {
            path,
            what: "folder",
            reason,
            advice: NAME_ANOTHER.to_owned(),
        }
    }

    /// Error of text that could not be printed.
    pub fn unprinted(reason: io::Error) -> Self {
        Self::Write {
            path: "standard output".into(),
            what: "text that this command prints",
            reason,
            advice: "make room where it goes, and run the command again".to_owned(),
        }
    }

    /// Error of a workload that cannot be run; `path` is its file, `None` if it is built in.
    pub fn workload(path: Option<&Path>) -> impl FnOnce(WorkloadError) -> Self {
        let path = path.map(Path::to_owned);
        move |source| match path {
            Some(path) => Self::Workload { path, source },
            None => Self::KnownWorkload(source),
        }
    }

    /// Error of a checkpoint that cannot be used.
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
        io::ErrorKind::IsADirectory => "this is a folder; name a file in it".to_owned(),
        io::ErrorKind::InvalidData => {
            "it is not UTF-8; convert it (for example with iconv)".to_owned()
        }
        _ => format!("it cannot be read ({reason}); check its permissions and its disk"),
    }
}
