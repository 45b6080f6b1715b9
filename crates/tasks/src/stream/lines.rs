//! A text, or a parallel corpus in the form of [`ParallelText`](strata_text::ParallelText), line by line,
//! without having it in memory as a whole.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use strata_text::{
    Columns, EXAMINED_LINES, OpenedFile, TextError, TextReader, ends_in_returns, expanded,
    not_utf8, open_file, progress, remark_on_shape,
};

use crate::{FilesConfig, TaskError};

/// Length of the longest line in bytes; a longer one belongs to a file without line ends.
const LONGEST_LINE: u64 = 16 << 20;
/// Number of bytes between two reports of progress.
const REPORT_EVERY: u64 = 1 << 20;

/// A text, line by line.
pub(crate) struct TextLines(Lines);

impl TextLines {
    /// Opens the file; `what` names the work in reports of progress.
    pub(crate) fn open(path: &Path, what: &'static str) -> Result<Self, TaskError> {
        Lines::open(path, &Meter::of(what, [Some(path), None])).map(Self)
    }

    /// Returns the next line without its line end, or `None` at the end of the text.
    pub(crate) fn next_line(&mut self) -> Result<Option<&str>, TaskError> {
        if self.0.advance()? {
            self.0.text().map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A parallel corpus, line by line.
pub(super) struct PairLines {
    source: Lines,
    /// Lines of the target; `None` if both sides are columns of one file.
    target: Option<Lines>,
    columns: Columns,
    remarks: Vec<String>,
}

impl PairLines {
    /// Opens the files; `what` names the work in reports of progress.
    pub(super) fn open(
        source: &Path,
        target: Option<&Path>,
        what: &'static str,
    ) -> Result<Self, TaskError> {
        let meter = Meter::of(what, [Some(source), target]);
        let name = |path: &Path| path.display().to_string();
        let first = first_lines(source)?;
        let first = || first.iter().map(String::as_str);
        let columns = match target {
            Some(_) => Columns::default(),
            None => Columns::of(&name(source), first())?,
        };
        let mut remarks = columns.remarks().to_vec();
        if let Some(target) = target {
            remarks.extend(remark_on_shape(&name(source), first()));
            let other = first_lines(target)?;
            let other = other.iter().map(String::as_str);
            remarks.extend(remark_on_shape(&name(target), other));
        }
        Ok(Self {
            columns,
            remarks,
            source: Lines::open(source, &meter)?,
            target: match target {
                Some(target) => Some(Lines::open(target, &meter)?),
                None => None,
            },
        })
    }

    /// Opens the training corpus of a task.
    pub(super) fn open_corpus(config: &FilesConfig, what: &'static str) -> Result<Self, TaskError> {
        Self::open(&config.source, config.target.as_deref(), what)
    }

    /// Notes on how the files are read.
    pub(super) fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the next pair as written, or `None` at the end of the corpus.
    pub(super) fn next_pair(&mut self) -> Result<Option<(&str, &str)>, TaskError> {
        let Some(target) = &mut self.target else {
            if !self.source.advance()? {
                return Ok(None);
            }
            let Lines { path, number, .. } = &self.source;
            let name = path.display().to_string();
            let text = self.source.text()?;
            return Ok(Some(self.columns.pair(&name, *number, text)?));
        };
        match (self.source.advance()?, target.advance()?) {
            (true, true) => Ok(Some((self.source.text()?, target.text()?))),
            (false, false) => Ok(None),
            _ => {
                while self.source.advance()? {}
                while target.advance()? {}
                Err(TextError::UnequalLines {
                    source_name: self.source.name(),
                    source_lines: self.source.number,
                    target_name: target.name(),
                    target_lines: target.number,
                }
                .into())
            }
        }
    }
}

/// First result of `look` for the pairs of a corpus, in the order of its lines.
pub(crate) fn find_pair<T>(
    source: &Path,
    target: Option<&Path>,
    look: &mut dyn FnMut((&str, &str)) -> Option<T>,
) -> Result<Option<T>, TaskError> {
    let mut lines = PairLines::open(source, target, "Comparing lengths")?;
    while let Some(pair) = lines.next_pair()? {
        if let Some(found) = look(pair) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

struct Lines {
    path: PathBuf,
    reader: TextReader<'static>,
    /// Bytes of the present line, without its line end.
    bytes: Vec<u8>,
    /// Number of the present line, from 1; 0 before the first.
    number: usize,
    /// True if an earlier line has letters that are not ASCII, in UTF-8.
    is_utf8: bool,
}

impl Lines {
    fn open(path: &Path, meter: &Rc<Meter>) -> Result<Self, TaskError> {
        if expanded(path).is_dir() {
            let path = path.to_owned();
            return Err(TextError::Folder { path }.into());
        }
        let file = open_file(path).map_err(|reason| TextError::unread(path, reason))?;
        let metered = Metered {
            file,
            meter: Rc::clone(meter),
        };
        let plain = BufReader::with_capacity(1 << 16, metered);
        Ok(Self {
            path: path.to_owned(),
            reader: TextReader::new(&path.display().to_string(), plain)?,
            bytes: Vec::new(),
            number: 0,
            is_utf8: false,
        })
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the next line; returns false at the end.
    fn advance(&mut self) -> Result<bool, TaskError> {
        self.is_utf8 |= !self.bytes.is_ascii();
        self.bytes.clear();
        let mut limited = (&mut self.reader).take(LONGEST_LINE);
        let read = limited.read_until(b'\n', &mut self.bytes);
        let read = read.map_err(|reason| TextError::of_reading(&self.name(), reason))?;
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
        if self.number == 1 && ends_in_returns(&self.bytes) && self.is_over()? {
            return Err(TextError::Returns { name: self.name() }.into());
        }
        if self.bytes.ends_with(b"\n") {
            self.bytes.pop();
            if self.bytes.ends_with(b"\r") {
                self.bytes.pop();
            }
        }
        Ok(true)
    }

    fn is_over(&mut self) -> Result<bool, TaskError> {
        let rest = self.reader.fill_buf().map(<[u8]>::is_empty);
        Ok(rest.map_err(|reason| TextError::of_reading(&self.name(), reason))?)
    }

    fn text(&self) -> Result<&str, TaskError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let valid = error.valid_up_to();
            let is_utf8 = self.is_utf8 || !self.bytes[..valid].is_ascii();
            let place = (self.number, valid + 1);
            let fault = &self.bytes[valid..];
            not_utf8(&self.name(), place, fault, &self.bytes, is_utf8).into()
        })
    }
}

/// Returns the first lines of a text.
pub(super) fn first_lines(path: &Path) -> Result<Vec<String>, TaskError> {
    let mut lines = Lines::open(path, &Meter::silent())?;
    let mut first = Vec::new();
    while first.len() < EXAMINED_LINES && lines.advance()? {
        first.push(lines.text()?.to_owned());
    }
    Ok(first)
}

/// Reports how much of some files has been read.
struct Meter {
    what: &'static str,
    total: u64,
    read: Cell<u64>,
    told: Cell<u64>,
}

impl Meter {
    /// Creates a meter without reports, for a file that is examined before it is read.
    fn silent() -> Rc<Self> {
        Rc::new(Self {
            what: "",
            total: 0,
            read: Cell::new(0),
            told: Cell::new(0),
        })
    }

    fn of(what: &'static str, files: [Option<&Path>; 2]) -> Rc<Self> {
        let size = |path: &Path| std::fs::metadata(expanded(path)).map_or(0, |it| it.len());
        Rc::new(Self {
            what,
            total: files.into_iter().flatten().map(size).sum(),
            read: Cell::new(0),
            told: Cell::new(0),
        })
    }
}

struct Metered {
    file: OpenedFile,
    meter: Rc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let meter = &self.meter;
        let read = meter.read.get() + count as u64;
        meter.read.set(read);
        let is_silent = meter.what.is_empty();
        if !is_silent && (read >= meter.told.get() + REPORT_EVERY || count == 0) {
            meter.told.set(read);
            progress::report(meter.what, Some(read as f64 / meter.total.max(1) as f64));
        }
        Ok(count)
    }
}
