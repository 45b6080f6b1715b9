//! `metrics.jsonl`: a JSON object for each step, each validation and each measurement of the
//! attention weights.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use strata_session::protocol::{StepReport, Telemetry, Validation};
use strata_training::write_atomically;

use crate::base::error::Error;
use crate::base::output::print;
use crate::run::appended::AppendedFile;

/// A line of `metrics.jsonl`.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Record<'a> {
    Step(&'a StepReport),
    Validation(&'a Validation),
    Telemetry(&'a Telemetry),
}

/// The field of a line that holds its step.
#[derive(Deserialize)]
struct Place {
    step: u64,
}

/// The metrics file of a run, open for appending.
pub struct Log {
    file: AppendedFile,
    /// True if each line is printed, too.
    prints: bool,
}

impl Log {
    /// Opens the file, and keeps the lines of an earlier part of the run up to step `from`. Later
    /// lines are removed: their steps came after the last checkpoint, and will be taken again. New
    /// lines are printed, too, if `prints` is true.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(path: &Path, from: u64, prints: bool) -> Result<Self, Error> {
        if path.exists() {
            let bytes = fs::read(path).map_err(Error::reading(path))?;
            let kept = up_to(&bytes, from);
            if kept.len() < bytes.len() {
                write_atomically(path, kept).map_err(unwritable(path))?;
            }
        }
        let file = AppendedFile::open(path).map_err(unwritable(path))?;
        Ok(Self { file, prints })
    }

    /// Appends a line for each step.
    pub fn steps(&mut self, steps: &[StepReport]) {
        for step in steps {
            self.add(&Record::Step(step));
        }
    }

    /// Appends a line for a validation.
    pub fn validation(&mut self, validation: &Validation) {
        self.add(&Record::Validation(validation));
    }

    /// Appends a line for a measurement of the attention weights.
    pub fn telemetry(&mut self, telemetry: &Telemetry) {
        self.add(&Record::Telemetry(telemetry));
    }

    /// Returns the underlying file.
    pub fn file(&mut self) -> &mut AppendedFile {
        &mut self.file
    }

    fn add(&mut self, record: &Record<'_>) {
        let line = serde_json::to_string(record).expect("metrics are plain data");
        self.file.add(format!("{line}\n").as_bytes());
        if self.prints {
            print(&line);
        }
    }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |reason| Error::Write {
        path,
        what: "metrics",
        reason,
        advice: "make room on the disk, and go on from the last checkpoint".to_owned(),
    }
}

/// Returns the lines of steps up to `step`, and none after a truncated line.
fn up_to(text: &[u8], step: u64) -> &[u8] {
    let mut end = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let place = serde_json::from_slice::<Place>(line);
        if !line.ends_with(b"\n") || place.is_ok_and(|place| place.step > step) {
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
            b"{\"step\":1}\n{\"step\":2}\n{\"step\":2,\"kind\":\"validation\"}\n{\"step\":3}\n";
        assert_eq!(up_to(text, 2), &text[..text.len() - 11]);
        assert_eq!(up_to(text, 3), text);
        assert_eq!(up_to(text, 0), b"");
        // The process was killed in the middle of a line.
        assert_eq!(up_to(b"{\"step\":1}\n{\"ste", 9), b"{\"step\":1}\n");
        // A malformed line must not keep a run from going on.
        let strange = b"{\"step\":1}\n\xff\n{\"step\":2}\n";
        assert_eq!(up_to(strange, 2), strange);
        assert_eq!(up_to(strange, 1), &strange[..strange.len() - 11]);
    }
}
