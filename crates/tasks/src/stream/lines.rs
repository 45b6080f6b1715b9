//! A text line by line, and a parallel corpus, of the form of [`ParallelText`](crate::ParallelText),
//! without holding it in memory.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

use super::progress::tell;
use crate::parallel_text::GZIP_MAGIC;
use crate::{FilesConfig, TaskError};

/// No line of a corpus is longer: it would be a file without line ends.
const LONGEST_LINE: u64 = 16 << 20;
/// Bytes between two reports.
const REPORT_EVERY: u64 = 1 << 20;

/// One text line by line.
pub(super) struct TextLines(Lines);

impl TextLines {
    /// Opens the file; `what` says to a watcher why it is read.
    pub(super) fn open(path: &Path, what: &'static str) -> Result<Self, TaskError> {
        Lines::open(path, &Meter::of(what, [Some(path), None])).map(Self)
    }

    /// The next line, without its end.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, TaskError> {
        match self.0.advance()? {
            true => self.0.text().map(Some),
            false => Ok(None),
        }
    }
}

/// A parallel corpus line by line.
pub(super) struct PairLines {
    source: Lines,
    /// None if both stand in columns.
    target: Option<Lines>,
}

impl PairLines {
    /// Opens the files; `what` says to a watcher why they are read.
    pub(super) fn open(
        source: &Path,
        target: Option<&Path>,
        what: &'static str,
    ) -> Result<Self, TaskError> {
        let meter = Meter::of(what, [Some(source), target]);
        Ok(Self {
            source: Lines::open(source, &meter)?,
            target: match target {
                Some(target) => Some(Lines::open(target, &meter)?),
                None => None,
            },
        })
    }

    /// Opens the corpus of a task.
    pub(super) fn open_corpus(config: &FilesConfig, what: &'static str) -> Result<Self, TaskError> {
        Self::open(&config.source, config.target.as_deref(), what)
    }

    /// The next pair, both sides as they were written.
    pub(super) fn next_pair(&mut self) -> Result<Option<(&str, &str)>, TaskError> {
        let Some(target) = &mut self.target else {
            return self.source.next_columns();
        };
        match (self.source.advance()?, target.advance()?) {
            (true, true) => Ok(Some((self.source.text()?, target.text()?))),
            (false, false) => Ok(None),
            _ => {
                while self.source.advance()? {}
                while target.advance()? {}
                Err(TaskError::UnequalLines {
                    source_name: self.source.name(),
                    source_lines: self.source.number,
                    target_name: target.name(),
                    target_lines: target.number,
                })
            }
        }
    }
}

struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    /// The present line, without its end.
    bytes: Vec<u8>,
    /// Counted from 1; 0 before the first.
    number: usize,
    packed: bool,
}

impl Lines {
    fn open(path: &Path, meter: &Rc<Meter>) -> Result<Self, TaskError> {
        if path.is_dir() {
            return Err(TaskError::Folder {
                path: path.to_owned(),
            });
        }
        let file = File::open(path).map_err(|reason| TaskError::unread(path, reason))?;
        let metered = Metered {
            file,
            meter: Rc::clone(meter),
        };
        let mut plain = BufReader::with_capacity(1 << 16, metered);
        let start = plain.fill_buf();
        let start = start.map_err(|reason| TaskError::unread(path, reason))?;
        let packed =
            path.extension().is_some_and(|it| it == "gz") || start.starts_with(&GZIP_MAGIC);
        let reader: Box<dyn BufRead> = if packed {
            Box::new(BufReader::with_capacity(
                1 << 16,
                MultiGzDecoder::new(plain),
            ))
        } else {
            Box::new(plain)
        };
        Ok(Self {
            path: path.to_owned(),
            reader,
            bytes: Vec::new(),
            number: 0,
            packed,
        })
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads one more line, if there is one.
    fn advance(&mut self) -> Result<bool, TaskError> {
        self.bytes.clear();
        let mut limited = self.reader.as_mut().take(LONGEST_LINE);
        let read = limited.read_until(b'\n', &mut self.bytes);
        let read = read.map_err(|reason| match self.packed {
            true => TaskError::BrokenGzip {
                name: self.path.display().to_string(),
                reason: reason.to_string(),
            },
            false => TaskError::unread(&self.path, reason),
        })?;
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        if read as u64 == LONGEST_LINE {
            return Err(TaskError::LongLine {
                name: self.name(),
                line: self.number,
                mebibytes: LONGEST_LINE >> 20,
            });
        }
        if self.bytes.ends_with(b"\n") {
            self.bytes.pop();
            if self.bytes.ends_with(b"\r") {
                self.bytes.pop();
            }
        }
        if self.number == 1 && self.bytes.starts_with("\u{feff}".as_bytes()) {
            self.bytes.drain(..3);
        }
        Ok(true)
    }

    fn text(&self) -> Result<&str, TaskError> {
        std::str::from_utf8(&self.bytes).map_err(|error| TaskError::NotUtf8 {
            name: self.name(),
            line: self.number,
            byte: error.valid_up_to() + 1,
        })
    }

    /// The next line in two columns.
    fn next_columns(&mut self) -> Result<Option<(&str, &str)>, TaskError> {
        if !self.advance()? {
            return Ok(None);
        }
        let content = self.text()?;
        let mut columns = content.split('\t');
        let source = columns.next().unwrap_or_default();
        match columns.next() {
            Some(target) => Ok(Some((source, target))),
            None if content.trim().is_empty() => Ok(Some((source, ""))),
            None => Err(TaskError::NoTab {
                name: self.name(),
                line: self.number,
            }),
        }
    }
}

/// Tells a watcher how much of some files is read.
struct Meter {
    what: &'static str,
    total: u64,
    read: Cell<u64>,
    told: Cell<u64>,
}

impl Meter {
    fn of(what: &'static str, files: [Option<&Path>; 2]) -> Rc<Self> {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |it| it.len());
        Rc::new(Self {
            what,
            total: files.into_iter().flatten().map(size).sum(),
            read: Cell::new(0),
            told: Cell::new(0),
        })
    }
}

struct Metered {
    file: File,
    meter: Rc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let meter = &self.meter;
        let read = meter.read.get() + count as u64;
        meter.read.set(read);
        if read >= meter.told.get() + REPORT_EVERY || count == 0 {
            meter.told.set(read);
            tell(meter.what, read as f64 / meter.total.max(1) as f64);
        }
        Ok(count)
    }
}
