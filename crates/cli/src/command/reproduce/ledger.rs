//! `done.json` in the folder of a run: its finished commands, in order, with their results, the
//! program that executed them, and digests of the files that they read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use strata_text::expanded;
use strata_training::write_atomically;

use super::invocation::Invocation;
use super::planned::Run;
use super::provenance::today;
use crate::base::error::Error;
use crate::base::program::Program;
use crate::run::origin;
use crate::run::run_folder::{RunFolder, last_checkpoint};

/// A finished command.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Entry {
    words: Vec<String>,
    /// Results of an evaluation, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measured: Option<Json>,
    /// Program that executed the command; `date` is the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Program>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Digests of the files that the command read, by their place among its words; for a model that
    /// it measured, the digest of the last checkpoint.
    #[serde(default)]
    read: BTreeMap<usize, String>,
}

impl Entry {
    /// True if the entry is of this command, by a program that computes as this one, with the
    /// present files.
    fn is_of(&self, invocation: &Invocation) -> bool {
        self.words == invocation.words
            && self.program.as_ref().is_some_and(Program::computes_as_now)
            && self.read == read_by(&invocation.words)
    }
}

/// Returns digests of the files that a command names, by their place among its words. Outputs,
/// which the command writes itself, are left out.
fn read_by(words: &[String]) -> BTreeMap<usize, String> {
    let is_output = |at: usize| {
        let before = at.checked_sub(1).map(|at| words[at].as_str());
        matches!(before, Some("--out" | "--output"))
    };
    let digest = |(at, word): (usize, &String)| {
        let path = word.split_once('=').map_or(word.as_str(), |it| it.1);
        let mut path = expanded(Path::new(path)).into_owned();
        if path.is_dir() {
            path = RunFolder::at(&path)?.checkpoint();
        }
        Some((at, origin::digest(&path).ok()??))
    };
    let words = words.iter().enumerate();
    words
        .filter(|(at, _)| !is_output(*at))
        .filter_map(digest)
        .collect()
}

/// The finished commands of a run.
pub struct Ledger {
    path: PathBuf,
    done: Vec<Entry>,
}

impl Ledger {
    /// Reads the ledger of a run: its commands up to the first that is planned otherwise, or that
    /// was executed by another program or with other data. A file that cannot be read counts as
    /// empty, and the commands are run again.
    pub fn of(run: &Run<'_>) -> Self {
        let path = run.folder.join("done.json");
        let read = fs::read(&path).ok();
        let read = read.and_then(|bytes| serde_json::from_slice::<Vec<Entry>>(&bytes).ok());
        let mut done = read.unwrap_or_default();
        let planned = run.invocations.iter().zip(&done);
        let same = planned.take_while(|(planned, done)| done.is_of(planned));
        done.truncate(same.count());
        // What was trained must be there to be measured.
        let is_measured = done.len() == run.invocations.len();
        let folder = RunFolder::at(&run.folder);
        let last = folder.and_then(|it| last_checkpoint(&it).ok().flatten());
        if run.trains() && !is_measured && last.is_none() {
            done.clear();
        }
        Self { path, done }
    }

    /// Returns the number of finished commands.
    pub fn count(&self) -> usize {
        self.done.len()
    }

    /// True if all commands of the run are finished.
    pub fn is_whole(&self, run: &Run<'_>) -> bool {
        self.count() == run.invocations.len()
    }

    /// Records the next command as finished.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn note(&mut self, words: &[String], measured: Option<Json>) -> Result<(), Error> {
        self.done.push(Entry {
            words: words.to_vec(),
            measured,
            program: Some(Program::present()),
            date: Some(today()),
            read: read_by(words),
        });
        let text = serde_json::to_string_pretty(&self.done).expect("a ledger is plain data");
        write_atomically(&self.path, text.as_bytes()).map_err(Error::unwritable(&self.path))
    }

    /// Returns the programs that executed the commands, each once.
    pub fn programs(&self) -> Vec<Program> {
        let mut programs: Vec<Program> = Vec::new();
        for program in self.done.iter().filter_map(|it| it.program.as_ref()) {
            if !programs.contains(program) {
                programs.push(program.clone());
            }
        }
        programs
    }

    /// Returns the day of the last command.
    pub fn date(&self) -> Option<&str> {
        self.done.last()?.date.as_deref()
    }

    /// Returns the results of the command at this place.
    pub fn measured(&self, at: usize) -> Option<&Json> {
        self.done.get(at)?.measured.as_ref()
    }
}
