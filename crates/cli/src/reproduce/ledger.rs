//! `done.json` in the folder of a run: its commands that have come to their end, in order, with
//! what they measured.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use strata_training::write_atomically;

use super::plan::Run;
use crate::error::Error;

/// A command that has come to its end.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Entry {
    words: Vec<String>,
    /// JSON of an evaluation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measured: Option<Json>,
}

/// The commands of a run that are done.
pub struct Ledger {
    path: PathBuf,
    done: Vec<Entry>,
}

impl Ledger {
    /// Reads the ledger of a run: its commands up to the first that is planned otherwise. A file
    /// that cannot be read counts as none, and its commands are run again.
    pub fn of(run: &Run<'_>) -> Self {
        let path = run.folder.join("done.json");
        let read = fs::read(&path).ok();
        let read = read.and_then(|bytes| serde_json::from_slice::<Vec<Entry>>(&bytes).ok());
        let mut done = read.unwrap_or_default();
        let planned = run.invocations.iter().zip(&done);
        let same = planned.take_while(|(planned, done)| planned.words == done.words);
        done.truncate(same.count());
        Self { path, done }
    }

    /// Number of commands that are done.
    pub fn count(&self) -> usize {
        self.done.len()
    }

    /// Notes the next command as done.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note(&mut self, words: &[String], measured: Option<Json>) -> Result<(), Error> {
        self.done.push(Entry {
            words: words.to_vec(),
            measured,
        });
        let text = serde_json::to_string_pretty(&self.done).expect("a ledger is plain data");
        write_atomically(&self.path, text.as_bytes()).map_err(Error::unwritable(&self.path))
    }

    /// Results of the command at this place.
    pub fn measured(&self, at: usize) -> Option<&Json> {
        self.done.get(at)?.measured.as_ref()
    }
}
