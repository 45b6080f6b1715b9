//! State of a run in training.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use strata_session::Session;
use strata_session::protocol::Validation;

use crate::display::progress::Progress;
use crate::display::summary::Effort;
use crate::run::lock::Lock;
use crate::run::log::Log;
use crate::run::processes::Processes;
use crate::run::run_folder::RunFolder;
use crate::run::tensorboard::EventFile;

/// A run: its session, its files and its display.
pub struct Run {
    pub session: Session,
    pub folder: RunFolder,
    /// Lock that keeps other processes from writing the run.
    pub lock: Lock,
    pub log: Log,
    pub events: EventFile,
    pub progress: Progress,
    pub effort: Effort,
    pub validation: Option<Validation>,
    /// Step of the last checkpoint in the folder.
    pub saved: Option<u64>,
    /// Writes that have failed.
    pub unwritten: Unwritten,
    /// Duration of the last step, including the handling of its events.
    pub last_step_duration: Duration,
    /// True if the run should stop before the next step.
    pub stops: bool,
    /// The processes that train the run.
    pub processes: &'static Processes,
    /// Hosts that the user named for the processes.
    pub hosts: Option<String>,
    /// True if the run is part of a larger command, which prints a summary of its own.
    pub is_part: bool,
    /// Step after which the run ends before its last step.
    pub cut_after: Option<u64>,
    /// True if the run prints JSON.
    pub prints_json: bool,
}

/// Writes that have failed.
#[derive(Default)]
pub struct Unwritten {
    /// The last checkpoint that could not be written: time, path, and error.
    pub checkpoint: Option<(Instant, PathBuf, io::Error)>,
    /// True if the user was told that metrics wait in memory.
    pub measures: bool,
}
