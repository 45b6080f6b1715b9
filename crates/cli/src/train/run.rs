//! What a run holds while it is trained.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use strata_session::Session;
use strata_session::protocol::Validation;

use crate::lock::Lock;
use crate::log::Log;
use crate::progress::Progress;
use crate::run_folder::RunFolder;
use crate::summary::Effort;
use crate::tensorboard::EventFile;

/// A run: the session, and what it leaves behind.
pub struct Run {
    pub session: Session,
    pub folder: RunFolder,
    /// Nobody else writes the run.
    pub lock: Lock,
    pub log: Log,
    pub events: EventFile,
    pub progress: Progress,
    pub effort: Effort,
    pub validation: Option<Validation>,
    /// The step of the checkpoint in the folder.
    pub saved: Option<u64>,
    /// What could not be written.
    pub unwritten: Unwritten,
    /// What the last step took, with all that followed from it.
    pub last_turn: Duration,
    /// True if it is to stop before the next step.
    pub stops: bool,
}

/// What could not be written.
#[derive(Default)]
pub struct Unwritten {
    /// The last checkpoint that failed: when, where, and what the system says.
    pub checkpoint: Option<(Instant, PathBuf, io::Error)>,
    /// True if it was said that metrics wait in memory.
    pub measures: bool,
}
