//! The lines of a text, or the pairs of a parallel corpus, one after the other.

use std::path::{Path, PathBuf};

use strata_tasks::{Columns, Shape};

use crate::data::lines::{Line, Lines};
use crate::error::{DataError, Error};

/// Lines that are looked at to see what a file is.
const LOOKED_AT: usize = 100;

const BARS: &[u8] = b"|||";

/// How the sentences of a corpus lie in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text, a sentence or paragraph per line.
    Text(PathBuf),
    /// Source and target in two columns.
    Columns(PathBuf, Separator),
    /// Source and target in two files, line by line.
    Sides(PathBuf, PathBuf),
}

/// What stands between two columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `source TAB target`, or these of several columns.
    Tab(Columns),
    /// `source ||| target`, as aligned corpora have it.
    Bars,
}

impl Separator {
    /// Its name for people.
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

/// A line of text, or a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its line, from 1.
    pub number: u64,
    /// The text, or the source.
    pub source: &'a [u8],
    /// The target; `None` in a text, and where a line has no second column.
    pub target: Option<&'a [u8]>,
    /// Whether source and target end as lines do on Windows.
    pub has_return: [bool; 2],
}

/// The entries of a part, read one after the other.
pub struct Entries {
    source: Lines,
    target: Option<Lines>,
    separator: Option<Separator>,
}

impl Form {
    /// What a single file is, by its first lines.
    ///
    /// # Errors
    /// If it cannot be read.
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

    /// How its files are read, where that is not plain: a sentence each.
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

    /// Its files.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Self::Text(path) | Self::Columns(path, _) => vec![path],
            Self::Sides(source, target) => vec![source, target],
        }
    }

    /// True if there are two sides.
    pub fn is_parallel(&self) -> bool {
        !matches!(self, Self::Text(_))
    }

    /// Begins to read.
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
            // The rest of the longer file is only counted.
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

    /// Lines of source and target file.
    pub fn line_counts(&self) -> (u64, Option<u64>) {
        (self.source.count(), self.target.as_ref().map(Lines::count))
    }

    /// Bytes of source and target file, unpacked.
    pub fn bytes(&self) -> [u64; 2] {
        [
            self.source.bytes,
            self.target.as_ref().map_or(0, |lines| lines.bytes),
        ]
    }

    /// Whether source and target file begin with a byte order mark.
    pub fn marks(&self) -> [bool; 2] {
        [
            self.source.has_mark,
            self.target.as_ref().is_some_and(|lines| lines.has_mark),
        ]
    }

    /// Refuses sides of different length; to be asked at the end.
    ///
    /// # Errors
    /// Says both lengths.
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

/// The first lines of a file; what is not UTF-8 in them is told elsewhere.
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
