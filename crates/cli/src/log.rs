//! `metrics.jsonl`: one JSON object per step and per validation.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_session::protocol::{StepMetrics, Validation};
use strata_training::write_atomically;

use crate::error::Failure;

/// A line of the file.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Record<'a> {
    Step(&'a StepMetrics),
    Validation(&'a Validation),
}

/// The part of a line that says when it was.
#[derive(Deserialize)]
struct Place {
    step: u64,
}

/// The metrics file of a run, open for more.
pub struct Log {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Log {
    /// Begins the file; what an earlier part of the run wrote up to step `from` stays. Later
    /// lines are of steps that were taken after the last checkpoint, and will be taken again.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn open(path: &Path, from: u64) -> Result<Self, Failure> {
        if path.exists() {
            let text = fs::read_to_string(path).map_err(Failure::reading(path))?;
            let kept = up_to(&text, from);
            if kept.len() < text.len() {
                write_atomically(path, kept.as_bytes()).map_err(unwritable(path))?;
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = BufWriter::new(file.map_err(unwritable(path))?);
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Writes steps, at once for whoever watches the file.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn steps(&mut self, steps: &[StepMetrics]) -> Result<(), Failure> {
        for step in steps {
            self.write(&Record::Step(step))?;
        }
        self.flush()
    }

    /// Writes a validation.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn validation(&mut self, validation: &Validation) -> Result<(), Failure> {
        self.write(&Record::Validation(validation))
    }

    /// Hands all lines to the system.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.file.flush().map_err(unwritable(&self.path))
    }

    fn write(&mut self, record: &Record<'_>) -> Result<(), Failure> {
        let line = serde_json::to_string(record).expect("metrics are plain data");
        writeln!(self.file, "{line}").map_err(unwritable(&self.path))
    }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    move |reason| Failure::Write {
        path,
        what: "metrics",
        reason,
        advice: "make room on the disk, and go on from the last checkpoint".to_owned(),
    }
}

/// The lines of steps up to `step`. A line that was cut off ends them.
fn up_to(text: &str, step: u64) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let place = serde_json::from_str::<Place>(line);
        if !line.ends_with('\n') || place.is_ok_and(|place| place.step > step) {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_after_the_checkpoint_are_cut_off() {
        let text =
            "{\"step\":1}\n{\"step\":2}\n{\"step\":2,\"kind\":\"validation\"}\n{\"step\":3}\n";
        assert_eq!(up_to(text, 2), &text[..text.len() - 11]);
        assert_eq!(up_to(text, 3), text);
        assert_eq!(up_to(text, 0), "");
        // Killed in the middle of a line.
        assert_eq!(up_to("{\"step\":1}\n{\"ste", 9), "{\"step\":1}\n");
    }
}
