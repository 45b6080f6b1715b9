//! Reads the lines of a text, or the pairs of a parallel corpus, one after the other.

use std::path::{Path, PathBuf};

use strata_text::{Columns, Shape};

use crate::base::error::{DataError, Error};
use crate::command::data::lines::{Line, Lines};

/// Number of lines from which the layout of a file is recognised.
const LOOKED_AT: usize = 100;

const BARS: &[u8] = b"|||";

/// Files and columns of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorpusLayout {
    /// Text, with a sentence or paragraph on each line.
    Text(PathBuf),
    /// Source and target in two columns.
    Columns(PathBuf, Separator),
    /// Source and target in two files, line by line.
    Sides(PathBuf, PathBuf),
}

/// Separator between two columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `source TAB target`, or two chosen columns of several.
    Tab(Columns),
    /// `source ||| target`, as in aligned corpora.
    Bars,
}

impl Separator {
    /// Name of the separator in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tab(_) => "TAB",
            Self::Bars => "|||",
        }
    }

    fn split<'a>(&self, line: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        match self {
            Self::Tab(columns) => columns.split(line).map(|[source, target]| (source, target)),
            Self::Bars => {
                let mut places = line.windows(BARS.len());
                let place = places.position(|window| window == BARS)?;
                Some((&line[..place], &line[place + BARS.len()..]))
            }
        }
    }
}

/// A line of a text, or a sentence pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Line number, from 1.
    pub number: u64,
    /// The line of a text, or the source of a pair.
    pub source: &'a [u8],
    /// The target; `None` for a text, or if the line has no second column.
    pub target: Option<&'a [u8]>,
    /// Two flags: true if the source, or the target, ends in a carriage return, as on Windows.
    pub has_return: [bool; 2],
}

/// The entries of a part, read one after the other.
pub struct Entries {
    source: Lines,
    target: Option<Lines>,
    separator: Option<Separator>,
}

impl CorpusLayout {
    /// Recognises the layout of a single file by its first lines.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let lines = first_lines(path)?;
        let first = lines.iter().find(|line| !line.trim().is_empty());
        let has = |separator: &str| first.is_some_and(|line| line.contains(separator));
        let path = path.to_owned();
        Ok(if has("|||") {
            Self::Columns(path, Separator::Bars)
        } else if has("\t") {
            let name = path.display().to_string();
            let columns = Columns::of(&name, lines.iter().map(String::as_str))?;
            Self::Columns(path, Separator::Tab(columns))
        } else {
            Self::Text(path)
        })
    }

    /// Returns remarks on how the files are read, if that is not obvious.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn notes(&self) -> Result<Vec<String>, Error> {
        if let Self::Columns(_, Separator::Tab(columns)) = self {
            return Ok(columns.remarks().to_vec());
        }
        let mut notes = Vec::new();
        for file in self.files() {
            let lines = first_lines(file)?;
            let shape = Shape::of(lines.iter().map(String::as_str));
            if let Some(shape) = shape.filter(|shape| *shape != Shape::Bars) {
                notes.push(format!("{} looks like {}.", file.display(), shape.what()));
            }
        }
        Ok(notes)
    }

    /// Returns the paths of the files.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Self::Text(path) | Self::Columns(path, _) => vec![path],
            Self::Sides(source, target) => vec![source, target],
        }
    }

    /// True if the corpus has two sides.
    pub fn is_parallel(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// Opens the files.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn entries(&self) -> Result<Entries, Error> {
        Ok(match self {
            Self::Text(path) => Entries {
                source: Lines::open(path)?,
                target: None,
                separator: None,
            },
            Self::Columns(path, separator) => Entries {
                source: Lines::open(path)?,
                target: None,
                separator: Some(separator.clone()),
            },
            Self::Sides(source, target) => Entries {
                source: Lines::open(source)?,
                target: Some(Lines::open(target)?),
                separator: None,
            },
        })
    }
}

impl Entries {
    /// The next entry; `None` at the end of the shorter file.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn next(&mut self) -> Result<Option<Entry<'_>>, Error> {
        let has_source = self.source.advance()?;
        let has_target = match &mut self.target {
            Some(target) => target.advance()?,
            None => has_source,
        };
        if !(has_source && has_target) {
            // Only the number of the further lines of the longer file is needed.
            while has_source && self.source.advance()? {}
            if let Some(target) = &mut self.target {
                while has_target && target.advance()? {}
            }
            return Ok(None);
        }
        let target = self.target.as_ref().map(Lines::line);
        Ok(Some(entry(
            self.source.line(),
            target,
            self.separator.as_ref(),
        )))
    }

    /// Returns the numbers of lines read so far, of source and target file.
    pub fn line_counts(&self) -> (u64, Option<u64>) {
        (self.source.count(), self.target.as_ref().map(Lines::count))
    }

    /// Returns the numbers of bytes read so far, of source and target file, decompressed.
    pub fn bytes(&self) -> [u64; 2] {
        [
            self.source.bytes,
            self.target.as_ref().map_or(0, |lines| lines.bytes),
        ]
    }

    /// Returns two flags: true if the source, or the target, file begins with a byte order mark.
    pub fn marks(&self) -> [bool; 2] {
        [
            self.source.has_mark,
            self.target.as_ref().is_some_and(|lines| lines.has_mark),
        ]
    }

    /// Checks, at the end, that both files have the same number of lines.
    ///
    /// # Errors
    /// If the numbers differ; the message has both.
    pub fn check_ends(&self) -> Result<(), DataError> {
        match (&self.target, self.line_counts()) {
            (Some(target), (source_lines, Some(target_lines))) if source_lines != target_lines => {
                Err(DataError::UnequalLines {
                    source_path: self.source.path().to_owned(),
                    source_lines,
                    target_path: target.path().to_owned(),
                    target_lines,
                })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the first lines of a file; invalid UTF-8 is replaced here, and reported elsewhere.
fn first_lines(path: &Path) -> Result<Vec<String>, Error> {
    let mut lines = Lines::open(path)?;
    let mut first = Vec::new();
    while first.len() < LOOKED_AT
        && let Some(line) = lines.next()?
    {
        first.push(String::from_utf8_lossy(line.bytes).into_owned());
    }
    Ok(first)
}

fn entry<'a>(
    source: Line<'a>,
    target: Option<Line<'a>>,
    separator: Option<&Separator>,
) -> Entry<'a> {
    let columns = separator.and_then(|it| it.split(source.bytes));
    let (text, other) = match (columns, target) {
        (Some((source, target)), _) => (source, Some(target)),
        (None, target) => (source.bytes, target.map(|line| line.bytes)),
    };
    let target_return = target.map_or(source.has_return, |line| line.has_return);
    Entry {
        number: source.number,
        source: text,
        target: other,
        has_return: [source.has_return, target_return],
    }
}
