//! A lock by which only one process writes a run: `process.json` names the process, and is locked
//! for as long as the process runs.
//!
//! The system releases a file lock with the process, however the process ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::base::error::Error;
use crate::base::output::warn;
use crate::display::format::{duration, path as shown};

/// Name of the locked file in a run's folder.
const FILE: &str = "process.json";

/// Contents of the locked file.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Process id of the process that writes the run, or that was the last to do so.
    process: u32,
    /// Unix time in seconds at which the process began.
    began: u64,
    /// Folder to which the paths of the run's data are relative.
    #[serde(default)]
    pub folder: Option<PathBuf>,
}

/// Lock on the folder of a run, held by this process until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    record: Record,
}

impl Lock {
    /// Locks a folder, which must exist.
    ///
    /// # Errors
    /// If another process holds the lock, or the file cannot be written.
    pub fn take(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::unwritable(folder))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(folder)),
            Err(TryLockError::Error(error)) => warn(&format!(
                "warning: {} cannot be locked ({error}); see to it that no other process trains \
                 into it.",
                shown(folder)
            )),
        }
        let before = record(folder).unwrap_or_default();
        let mut lock = Self {
            file,
            record: Record {
                process: std::process::id(),
                began: now(),
                ..before
            },
        };
        lock.write().map_err(Error::unwritable(&path))?;
        Ok(lock)
    }

    /// Records the folder to which the paths of the run's data are relative.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn counts_from(&mut self, folder: Option<PathBuf>) -> io::Result<()> {
        self.record.folder = folder;
        self.write()
    }

    /// Returns the folder to which the paths of the run's data are relative, if it is known.
    pub fn folder(&self) -> Option<&Path> {
        self.record.folder.as_deref()
    }

    fn write(&mut self) -> io::Result<()> {
        // A folder whose name is not Unicode is not recorded.
        let text = serde_json::to_string(&self.record).or_else(|_| {
            self.record.folder = None;
            serde_json::to_string(&self.record)
        })?;
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(format!("{text}\n").as_bytes())
    }
}

/// Reads the record of the process that writes a run, or that was the last to do so.
pub fn record(run: &Path) -> Option<Record> {
    let text = fs::read_to_string(run.join(FILE)).ok()?;
    serde_json::from_str(&text).ok()
}

fn busy(folder: &Path) -> Error {
    let who = match record(folder) {
        Some(Record { process, began, .. }) => format!(
            "process {process} has been writing this run for {}",
            duration(now().saturating_sub(began) as f64)
        ),
        None => "another process is writing this run".to_owned(),
    };
    Error::Busy {
        folder: folder.to_owned(),
        who,
    }
}

/// Returns the Unix time in seconds.
fn now() -> u64 {
    let passed: Duration = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    passed.as_secs()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_folder_is_taken_once_and_free_again_afterwards() {
        let folder = std::env::temp_dir().join(format!("strata-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut lock = Lock::take(&folder).unwrap();
        lock.counts_from(Some("/data".into())).unwrap();
        let refused = Lock::take(&folder).unwrap_err().to_string();
        drop(lock);
        let again = Lock::take(&folder).unwrap();
        let counts_from = again.folder().map(Path::to_owned);
        fs::remove_dir_all(&folder).unwrap();
        // On Windows a locked file cannot be read, so the process is not named.
        let who = if cfg!(windows) {
            "another process".to_owned()
        } else {
            format!("process {} has been writing", std::process::id())
        };
        assert!(refused.contains(&who), "{refused}");
        assert_eq!(counts_from, Some("/data".into()));
    }

    #[test]
    fn a_folder_that_is_not_there_cannot_be_taken() {
        let refused = Lock::take(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(refused.to_string().contains("/nowhere/at/all"), "{refused}");
    }
}
