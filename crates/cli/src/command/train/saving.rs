//! Writes the checkpoints of a run. If writing fails, the run goes on and tries again later; at its
//! end it falls back to the folder for temporary files.

use std::env;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pollster::block_on;
use strata_session::protocol::Command;
use strata_training::write_atomically;

use super::run::Run;
use crate::base::error::Error;
use crate::base::interrupt::{self, Rescue, Stage};
use crate::base::peak_memory;
use crate::display::format::{path as shown, significant};
use crate::run::appended::AppendedFile;
use crate::run::lock::Lock;

/// Time after which a failed checkpoint is written again.
const PATIENCE: Duration = Duration::from_secs(30);
/// Duration of a step from which on the state before each step is kept, for a second Ctrl-C to
/// save.
const LONG: Duration = Duration::from_millis(300);

/// Most parameters of a model of which such a second copy is kept.
const MOST_PARAMETERS: usize = 30_000_000;

impl Run {
    /// Writes a checkpoint, unless the last one is of the present step. If writing fails, warns,
    /// and the run goes on.
    pub(super) fn save(&mut self) -> Result<(), Error> {
        if self.is_saved() {
            return Ok(());
        }
        let had_failed = self.unwritten.checkpoint.is_some();
        self.send(Command::Save)?;
        if !had_failed
            && let Some(failure) =
                self.failure("the run goes on and tries again: make room on the disk")
        {
            self.progress.warn(&format!("warning: {failure}"));
        }
        Ok(())
    }

    /// Writes the final checkpoint, to another folder if need be.
    ///
    /// # Errors
    /// If the checkpoint could not be written to the run's folder.
    pub(super) fn save_final(&mut self) -> Result<(), Error> {
        if !self.is_saved() {
            self.send(Command::Save)?;
        }
        let measured = self.flush_measures(
            "make room on the disk; the model is saved, but what was measured last is lost",
        );
        self.progress.finish();
        if self.is_saved() {
            return measured;
        }
        let advice = match self.save_elsewhere() {
            Some(place) => format!(
                "step {} is saved as {} instead: make room on the disk, move that file to {} and \
                 go on with `{}`",
                self.trainer().step_count(),
                shown(&place),
                shown(&self.folder.checkpoint()),
                self.resume_command()
            ),
            None if self.saved.is_some() => {
                format!(
                    "make room on the disk, and go on with `{}`",
                    self.resume_command()
                )
            }
            None => "make room on the disk, or name another folder with `--out`".to_owned(),
        };
        Err(self.failure(&advice).unwrap_or(Error::Session(advice)))
    }

    fn is_saved(&self) -> bool {
        self.saved == Some(self.trainer().step_count())
    }

    /// True if it is time to write a failed checkpoint again.
    pub(super) fn is_to_try_again(&self) -> bool {
        let failed = self.unwritten.checkpoint.as_ref();
        failed.is_some_and(|(when, ..)| when.elapsed() > PATIENCE)
    }

    /// Writes a checkpoint if the last validation is among the best, and removes checkpoints that
    /// no longer are.
    pub(super) fn keep_best(&mut self) -> Result<(), Error> {
        if self.trainer().experiment().training.keep_best == 0 {
            return Ok(());
        }
        if self.is_to_keep(self.trainer().step_count()) {
            self.save_anew()?;
        }
        let kept = &self.trainer().standing().kept;
        let steps: Vec<u64> = kept.iter().map(|kept| kept.step).collect();
        if let Err(reason) = self.folder.keep_best(&steps) {
            self.progress.warn(&format!(
                "warning: {}: checkpoints that are no longer among the best cannot be removed \
                 ({reason}).",
                shown(self.folder.path())
            ));
        }
        Ok(())
    }

    /// Writes a checkpoint even if there is one of this step, which has just become one of the
    /// best.
    fn save_anew(&mut self) -> Result<(), Error> {
        self.saved = self.saved.filter(|_| !self.is_saved());
        self.save()
    }

    fn is_to_keep(&self, step: u64) -> bool {
        let kept = &self.trainer().standing().kept;
        kept.iter().any(|kept| kept.step == step) && !self.folder.best(step).exists()
    }

    /// Writes a checkpoint to the folder.
    pub(super) fn write(&mut self, step: u64, checkpoint: &[u8]) {
        self.bring_folder_back();
        let path = self.folder.checkpoint();
        let is_to_keep = self.is_to_keep(step);
        // Metrics come first: a checkpoint is resumed with all lines up to its step.
        self.write_measures();
        let written = interrupt::write(step, || {
            // The best checkpoint comes first: the last one names the best ones, which must exist
            // then.
            if is_to_keep {
                let best = self.folder.best(step);
                let written = self.folder.write_best(step, checkpoint);
                written.map_err(|reason| (best, reason))?;
            }
            write_atomically(&path, checkpoint).map_err(|reason| (path, reason))
        });
        match written {
            Ok(()) => {
                self.saved = Some(step);
                peak_memory::saved(step);
                self.processes.saved(step);
                self.unwritten.checkpoint = None;
                self.set_end_message();
            }
            Err((path, reason)) => {
                self.unwritten.checkpoint = Some((Instant::now(), path, reason));
            }
        }
    }

    /// Writes the checkpoint to the system's folder for temporary files, which may be on another
    /// disk.
    fn save_elsewhere(&mut self) -> Option<PathBuf> {
        let step = self.trainer().step_count();
        let file = block_on(self.trainer().checkpoint()).ok()?;
        let place = rescue_in(&env::temp_dir(), step).ok()?;
        if write_atomically(&place, &file).is_err() {
            drop(fs::remove_file(&place));
            return None;
        }
        Some(place)
    }

    /// Returns the error of the failed checkpoint, if any.
    fn failure(&mut self, then: &str) -> Option<Error> {
        let (when, path, reason) = self.unwritten.checkpoint.take()?;
        let again = io::Error::new(reason.kind(), reason.to_string());
        self.unwritten.checkpoint = Some((when, path.clone(), again));
        let advice = match self.saved {
            Some(step) => format!("the one of step {step} is untouched; {then}"),
            None => then.to_owned(),
        };
        Some(Error::Write {
            path,
            what: "checkpoint",
            reason,
            advice,
        })
    }

    /// Writes metrics and events. What cannot be written waits in memory, of which the user is
    /// warned once.
    pub(super) fn write_measures(&mut self) {
        let advice = "they are kept in memory until there is room: make some on the disk";
        match self.flush_measures(advice) {
            Ok(()) => self.unwritten.measures = false,
            Err(failure) => {
                if !std::mem::replace(&mut self.unwritten.measures, true) {
                    self.progress.warn(&format!("warning: {failure}"));
                }
            }
        }
    }

    fn flush_measures(&mut self, advice: &str) -> Result<(), Error> {
        let flush = |file: &mut AppendedFile, what| {
            file.flush().map_err(|reason| Error::Write {
                path: file.path().to_owned(),
                what,
                reason,
                advice: advice.to_owned(),
            })
        };
        let metrics = flush(self.log.file(), "metrics");
        let events = flush(self.events.file(), "events");
        metrics.and(events)
    }

    /// Restores the folder and its files if the user has removed the folder.
    fn bring_folder_back(&mut self) {
        let is_gone = !self.folder.path().exists();
        if is_gone {
            let made = fs::create_dir_all(self.folder.path());
            if made.is_err() {
                return;
            }
            // Another process may have begun a run there.
            match Lock::take(self.folder.path()) {
                Ok(mut lock) => {
                    drop(lock.counts_from(self.lock.folder().map(Path::to_owned)));
                    self.lock = lock;
                }
                Err(failure) => return self.progress.warn(&format!("warning: {failure}")),
            }
            let experiment = self.trainer().experiment().clone();
            drop(self.folder.describe(&experiment));
            self.saved = None;
        }
        let brought = [self.log.file(), self.events.file()].map(AppendedFile::bring_back);
        if is_gone {
            let whole = brought.iter().all(Result::is_ok);
            self.progress.warn(&format!(
                "warning: {} was removed; it is made again, {}.",
                shown(self.folder.path()),
                if whole {
                    "with all metrics"
                } else {
                    "without the metrics up to here"
                }
            ));
        }
    }

    /// Returns the error of a run whose loss or gradient is NaN or infinite. It names an earlier
    /// checkpoint if there is one, since a model without a loss has none at another learning rate
    /// either.
    pub(super) fn diverged(&mut self, reason: &str) -> Error {
        // The other processes have the same loss, and end by themselves.
        self.processes.go_apart(false);
        self.progress.finish();
        drop(self.flush_measures(""));
        let earlier = self.saved.filter(|_| !self.is_saved());
        let kept = match earlier {
            Some(step) => format!(
                "the checkpoint of step {step} is as it was: go on from it at a lower rate, for \
                 example `{} training.optimizer.learning_rate={}`",
                self.resume_command(),
                significant(self.trainer().experiment().training.optimizer.learning_rate / 10.0),
            ),
            None => match self.save_final() {
                Ok(()) => format!(
                    "the state before that step is kept in {}",
                    shown(&self.folder.checkpoint())
                ),
                Err(failure) => format!("the state before that step is lost, for {failure}"),
            },
        };
        Error::Session(format!("{reason}; {kept}"))
    }

    /// Sets the message for an end of the program: what is saved, and how to resume.
    pub(super) fn set_end_message(&self) {
        interrupt::enter(Stage::Run(match self.saved {
            Some(step) => format!(
                "The run is saved up to step {step}; what came after it is lost. Go on with:\n  {}",
                self.resume_command()
            ),
            None => "Nothing of the run was saved.".to_owned(),
        }));
    }

    /// Keeps a snapshot of the present state if the next step, or the validation after it, may take
    /// too long for a user who wants to end.
    pub(super) fn keep_snapshot(&mut self) -> Result<(), Error> {
        let step = self.trainer().step_count();
        let training = &self.trainer().experiment().training;
        let due = |every: u64| every > 0 && (step + 1).is_multiple_of(every);
        let validates =
            due(training.validate_every) || due(training.bleu_every) || step + 1 >= training.steps;
        let is_needed = (validates || self.last_step_duration > LONG) && !self.is_saved();
        if !is_needed || self.trainer().parameters() > MOST_PARAMETERS {
            interrupt::keep(None);
            return Ok(());
        }
        // The metrics must have all lines up to this step: on `Train` the session reports all its
        // steps.
        self.send(Command::Train)?;
        let snapshot = self.trainer().snapshot();
        let (place, resume_command) = (self.folder.checkpoint(), self.resume_command());
        let so_far = self.saved;
        let save = Box::new(move || {
            let file = block_on(snapshot.into_file()).map_err(|error| error.to_string());
            let written = file.and_then(|file| {
                write_atomically(&place, &file).map_err(|error| error.to_string())
            });
            match (written, so_far) {
                (Ok(()), _) => {
                    format!(
                        "Ended at once and saved after step {step}. Go on with:\n  {resume_command}"
                    )
                }
                (Err(reason), Some(saved)) => format!(
                    "Ended at once; step {step} could not be saved ({reason}). Go on from step \
                     {saved} with:\n  {resume_command}"
                ),
                (Err(reason), None) => {
                    format!("Ended at once; step {step} could not be saved ({reason}).")
                }
            }
        });
        interrupt::keep(Some(Rescue { step, save }));
        Ok(())
    }
}

/// Creates a file for a checkpoint in a folder that other runs and programs write to as well.
///
/// # Errors
/// If the folder cannot be written.
fn rescue_in(folder: &Path, step: u64) -> io::Result<PathBuf> {
    let name = format!("strata-{}-step-{step}", std::process::id());
    let mut number = 1_u64;
    loop {
        let place = match number {
            1 => folder.join(format!("{name}.safetensors")),
            several => folder.join(format!("{name}-{several}.safetensors")),
        };
        match OpenOptions::new().write(true).create_new(true).open(&place) {
            Ok(_) => return Ok(place),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_rescued_checkpoint_has_a_file_of_its_own() {
        let folder = env::temp_dir().join(format!("strata-rescue-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let places: Vec<PathBuf> = (0..3).map(|_| rescue_in(&folder, 6).unwrap()).collect();
        let other = rescue_in(&folder, 7).unwrap();
        let count = fs::read_dir(&folder).unwrap().count();
        let nowhere = rescue_in(&folder.join("nowhere"), 6);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(count, 4);
        assert!(!places.contains(&other));
        assert!(nowhere.is_err());
    }
}
