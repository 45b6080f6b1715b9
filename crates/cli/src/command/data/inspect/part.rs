//! Statistics of a part of a corpus: the training part, or a held-out part.

use serde::Serialize;
use strata_text::{Segmenter, TokenUnit};

use super::entries::{CorpusLayout, Entries, Entry};
use super::faults::Fault;
use super::overlap::{Sentences, Shared, is_blank};
use super::ratios::{Ratios, RatiosReport};
use super::side::{Side, SideReport};
use crate::base::error::Error;

/// Running statistics of a part of a corpus.
pub struct Part {
    name: String,
    layout: CorpusLayout,
    entries: u64,
    /// Numbers of lines of source and target file.
    lines: (u64, Option<u64>),
    empty: u64,
    sides: Vec<Side>,
    ratios: Ratios,
    sentences: Sentences,
    marks: [bool; 2],
    /// True if the part was compared with the training part.
    is_compared: bool,
    /// Remarks on how the part's files are read.
    notes: Vec<String>,
}

/// Statistics of a part of a corpus.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct PartReport {
    /// Name of the part: `train`, `validation`, `test`, or the catalogue's name.
    pub part: String,
    /// True if the part has two sides.
    pub is_parallel: bool,
    /// Number of lines, or pairs.
    pub entries: u64,
    /// Numbers of lines of source and target; `None` if both have as many.
    pub unequal_lines: Option<(u64, u64)>,
    /// Number of entries with an empty side.
    pub empty: u64,
    /// Number of entries that repeat an earlier entry.
    pub repeats: u64,
    /// True if repeats and overlap are exact, not estimated from a sample.
    pub repeats_are_exact: bool,
    /// Statistics of source and target, or of the text.
    pub sides: Vec<SideReport>,
    /// Ratios of target to source length.
    pub ratios: Option<RatiosReport>,
    /// Overlap with the training part.
    pub overlap: Option<Overlap>,
    /// Files that begin with a byte order mark, which is removed.
    pub byte_order_marks: Vec<String>,
    /// Remarks on how the files are read, if that is not obvious.
    pub notes: Vec<String>,
}

/// Overlap of a part with the training part.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Overlap of whole lines or pairs.
    pub entries: Shared,
    /// Overlap of sources.
    pub sources: Shared,
    /// Overlap of targets.
    pub targets: Shared,
}

impl Part {
    /// Returns empty statistics of a part.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(
        name: &str,
        layout: &CorpusLayout,
        segmenters: &[(TokenUnit, Segmenter); 2],
    ) -> Result<Self, Error> {
        let sides = if layout.is_parallel() { 2 } else { 1 };
        let segmenters = segmenters.iter().take(sides).cloned();
        Ok(Self {
            name: name.to_owned(),
            notes: layout.notes()?,
            layout: layout.clone(),
            entries: 0,
            lines: (0, None),
            empty: 0,
            sides: segmenters.map(|(level, it)| Side::new(level, it)).collect(),
            ratios: Ratios::default(),
            sentences: Sentences::default(),
            marks: [false; 2],
            is_compared: false,
        })
    }

    /// Counts an entry of the part.
    pub fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        let is_empty = is_blank(entry.source) || entry.target.is_some_and(is_blank);
        self.empty += u64::from(is_empty);
        if let [source, target] = &mut self.sides[..] {
            let read = source.add(entry.number, entry.source, entry.has_return[0]);
            match entry.target {
                Some(text) => {
                    let written = target.add(entry.number, text, entry.has_return[1]);
                    self.ratios.add(entry.number, read, written);
                }
                None => target.fault(Fault::NoTarget, entry.number),
            }
        } else {
            self.sides[0].add(entry.number, entry.source, entry.has_return[0]);
        }
        self.sentences.add(entry);
    }

    /// Counts an entry of the training part as overlap if this part has it, too.
    pub fn meet(&mut self, entry: &Entry) {
        self.is_compared = true;
        self.sentences.meet(entry);
    }

    /// Adds the totals that are known only at the end of the files.
    pub fn end(&mut self, entries: &Entries) {
        self.lines = entries.line_counts();
        self.marks = entries.marks();
        for (side, bytes) in self.sides.iter_mut().zip(entries.bytes()) {
            side.bytes = bytes;
        }
    }

    /// Returns the statistics so far.
    pub fn report(&self) -> PartReport {
        let files: Vec<String> = self
            .layout
            .files()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let sides = self.sides.iter().enumerate().map(|(index, side)| {
            let file = files.get(index).unwrap_or(&files[0]);
            let name = match (self.layout.is_parallel(), index) {
                (false, _) => "text",
                (true, 0) => "source",
                (true, _) => "target",
            };
            side.report(file.clone(), name)
        });
        let [entries, sources, targets] = self.sentences.shared();
        let marked = files.iter().zip(self.marks).filter(|(_, mark)| *mark);
        PartReport {
            part: self.name.clone(),
            is_parallel: self.layout.is_parallel(),
            entries: self.entries,
            unequal_lines: match self.lines {
                (source, Some(target)) if source != target => Some((source, target)),
                _ => None,
            },
            empty: self.empty,
            repeats: self.sentences.repeats(),
            repeats_are_exact: self.sentences.are_exact(),
            sides: sides.collect(),
            ratios: self.ratios.report(),
            overlap: self.is_compared.then_some(Overlap {
                entries,
                sources,
                targets,
            }),
            byte_order_marks: marked.map(|(file, _)| file.clone()).collect(),
            notes: self.notes.clone(),
        }
    }
}
