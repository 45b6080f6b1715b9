//! Event files for TensorBoard, beside `metrics.jsonl`: curves of every step and validation.
//!
//! A file is a sequence of TFRecords: the length of the data as 8 bytes and its masked CRC-32C, the
//! data and their masked CRC-32C. The data are the Protocol Buffers message `Event`; the needed
//! part of it is encoded by hand:
//!
//! ```text
//! Event      { double wall_time = 1; int64 step = 2;
//!              string file_version = 3; Summary summary = 5; SessionLog session_log = 7; }
//! Summary    { repeated Value value = 1; }   Value { string tag = 1; float simple_value = 2; }
//! SessionLog { SessionStatus status = 1; }   START = 1
//! ```
//!
//! A resumed run begins another file, whose first event names the step from which on earlier files
//! are out of date.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use strata_session::protocol::{StepReport, Telemetry, Validation};
use strata_training::Metric;

use crate::base::error::Error;
use crate::run::appended::AppendedFile;

/// Part of the name of every event file.
pub const MARK: &str = "events.out.tfevents.";

/// An event file, open for appending.
pub struct EventFile(AppendedFile);

impl EventFile {
    /// Creates a file in `folder` for a run that has taken `from` steps.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(folder: &Path, from: u64) -> Result<Self, Error> {
        let now = now();
        let path = free_name(folder, now).map_err(unwritable(folder))?;
        let mut file = AppendedFile::open(&path).map_err(unwritable(&path))?;
        file.add(&record(&event(now, 0, &text(3, "brain.Event:2"))));
        if from > 0 {
            file.add(&record(&restart(now, from + 1)));
        }
        file.flush().map_err(unwritable(&path))?;
        Ok(Self(file))
    }

    /// Adds events for steps.
    pub fn steps(&mut self, steps: &[StepReport]) {
        for step in steps {
            let seconds = (step.milliseconds / 1000.0).max(1e-9);
            let values = [
                ("training/loss", step.loss),
                ("training/accuracy", step.accuracy),
                ("training/learning_rate", step.learning_rate),
                ("training/gradient_norm", step.gradient_norm),
                ("training/tokens_per_second", step.tokens as f64 / seconds),
            ];
            self.add(&event(now(), step.step, &summary(&values)));
        }
    }

    /// Adds events for a validation.
    pub fn validation(&mut self, validation: &Validation) {
        let unspelt = match validation.unspelt_tokens() {
            0 => "",
            _ => "_without_unknown_words",
        };
        let tag = |(metric, value): (Metric, f64)| {
            let note = match metric {
                Metric::BitsPerCharacter => unspelt,
                _ => "",
            };
            (format!("validation/{}{note}", metric.key()), value)
        };
        let values: Vec<(String, f64)> = Metric::measured(validation).map(tag).collect();
        self.add(&event(now(), validation.step, &summary(&values)));
    }

    /// Adds an event for a measurement of the attention weights, with a tag for each number:
    /// `attention/encoder.0.self/head_1/level_2/entropy`.
    pub fn telemetry(&mut self, telemetry: &Telemetry) {
        let numbers = telemetry.numbers().into_iter();
        let values: Vec<(String, f64)> = numbers
            .map(|(name, value)| (format!("attention/{}", name.key()), value))
            .collect();
        if !values.is_empty() {
            self.add(&event(now(), telemetry.step, &summary(&values)));
        }
    }

    /// Returns the underlying file.
    pub fn file(&mut self) -> &mut AppendedFile {
        &mut self.0
    }

    fn add(&mut self, event: &[u8]) {
        self.0.add(&record(event));
    }
}

/// Returns a free name that sorts after those of earlier event files, since readers go by the order
/// of names.
fn free_name(folder: &Path, now: f64) -> io::Result<PathBuf> {
    let mut others = 0;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        others += usize::from(name.to_string_lossy().starts_with(MARK));
    }
    Ok(folder.join(format!("{MARK}{:010}.{others:04}.strata", now as u64)))
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |reason| Error::Write {
        path,
        what: "event file",
        reason,
        advice: "make room on the disk, and go on from the last checkpoint".to_owned(),
    }
}

/// Returns the Unix time in seconds.
fn now() -> f64 {
    // A clock set before 1970 is wrong, but no reason not to train.
    let passed = SystemTime::now().duration_since(UNIX_EPOCH);
    passed.unwrap_or_default().as_secs_f64()
}

/// Returns a TFRecord of `data`.
fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let mut record = length.to_vec();
    record.extend(masked_checksum(&length).to_le_bytes());
    record.extend(data);
    record.extend(masked_checksum(data).to_le_bytes());
    record
}

fn event(wall_time: f64, step: u64, what: &[u8]) -> Vec<u8> {
    let mut event = vec![1 << 3 | 1];
    event.extend(wall_time.to_le_bytes());
    if step > 0 {
        event.push(2 << 3);
        event.extend(varint(step));
    }
    event.extend(what);
    event
}

/// Returns the event that marks earlier files as out of date from `step` on.
fn restart(wall_time: f64, step: u64) -> Vec<u8> {
    event(wall_time, step, &message(7, &[1 << 3, 1]))
}

fn summary(values: &[(impl AsRef<str>, f64)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (tag, value) in values {
        let mut field = text(1, tag.as_ref());
        field.push(2 << 3 | 5);
        field.extend((*value as f32).to_le_bytes());
        all.extend(message(1, &field));
    }
    message(5, &all)
}

fn text(field: u8, text: &str) -> Vec<u8> {
    message(field, text.as_bytes())
}

/// Encodes a length-delimited field.
fn message(field: u8, bytes: &[u8]) -> Vec<u8> {
    let mut message = vec![field << 3 | 2];
    message.extend(varint(bytes.len() as u64));
    message.extend(bytes);
    message
}

/// Encodes a variable-length integer: seven bits per byte, the low bits first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn masked_checksum(bytes: &[u8]) -> u32 {
    checksum(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Returns the CRC-32C (Castagnoli et al. 1993), bit by bit, which is fast enough for so few bytes.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |state: u32, &byte| {
        (0..8).fold(state ^ u32::from(byte), |state, _| {
            (state >> 1) ^ if state & 1 == 1 { 0x82f6_3b78 } else { 0 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_castagnolis() {
        // Test vectors of RFC 3720, B.4.
        assert_eq!(checksum(&[0; 32]), 0x8a91_36aa);
        assert_eq!(checksum(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(checksum(b"123456789"), 0xe306_9283);
    }

    /// Compares with records by TensorBoard 2.21's own writer.
    #[test]
    fn records_are_those_of_tensorboard() {
        let hex = |event: Vec<u8>| -> String {
            let record = record(&event);
            record.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        assert_eq!(
            hex(event(1.5, 0, &text(3, "brain.Event:2"))),
            "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c"
        );
        assert_eq!(
            hex(event(1.5, 300, &summary(&[("a/b", 0.25)]))),
            "1a00000000000000129bd82d09000000000000f83f10ac022a0c0a0a0a03612f62150000803ef9cde7ed"
        );
        assert_eq!(
            hex(restart(1.5, 6)),
            "0f000000000000006d532b0909000000000000f83f10063a0208019517399e"
        );
    }
}
