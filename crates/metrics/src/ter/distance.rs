//! Edit distance between hypothesis and reference, computed near the diagonal, with the edits of
//! the shortest path.

use std::rc::Rc;

/// Number of cells of a row that are computed on either side of the diagonal, as in Tercom.
const BEAM: usize = 25;

/// Edit of the hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Keeps a word.
    Keep,
    /// Replaces a word by another.
    Substitute,
    /// Inserts a word of the reference.
    Insert,
    /// Deletes a word.
    Delete,
}

/// Distance up to a cell, and the last edit of the path to the cell.
type Cell = (u32, Edit);

/// Cells of a row that are in the beam.
#[derive(Debug)]
struct Row {
    /// Column of the first cell.
    start: usize,
    cells: Vec<Option<Cell>>,
}

impl Row {
    /// Returns the cell of a column; `None` outside of the beam.
    fn at(&self, column: usize) -> Option<Cell> {
        *self.cells.get(column.checked_sub(self.start)?)?
    }
}

/// Distances of all prefixes of a hypothesis from all prefixes of a reference.
#[derive(Clone, Debug)]
pub struct Distances {
    /// Rows, shared with the distances of hypotheses with the same beginning.
    rows: Vec<Rc<Row>>,
    /// Number of words of the reference.
    length: usize,
}

impl Distances {
    /// Computes the distances of the empty hypothesis.
    pub fn new(reference: &[u32]) -> Self {
        let cells = (0..=reference.len() as u32).map(|at| Some((at, Edit::Insert)));
        let row = Row {
            start: 0,
            cells: cells.collect(),
        };
        Self {
            rows: vec![Rc::new(row)],
            length: reference.len(),
        }
    }

    /// Computes the distances of a hypothesis of the same length, whose first `same` words are the
    /// same.
    pub fn changed(&self, same: usize, hypothesis: &[u32], reference: &[u32]) -> Self {
        let mut changed = Self {
            rows: self.rows[..=same].to_vec(),
            length: self.length,
        };
        changed.complete(hypothesis, reference);
        changed
    }

    /// Computes the rows that are missing.
    pub fn complete(&mut self, hypothesis: &[u32], reference: &[u32]) {
        let ratio = match hypothesis.len() {
            0 => 1.0,
            length => reference.len() as f64 / length as f64,
        };
        let beam = if (BEAM as f64) < ratio / 2.0 {
            (ratio / 2.0 + BEAM as f64).ceil() as usize
        } else {
            BEAM
        };
        for row in self.rows.len()..=hypothesis.len() {
            let diagonal = (row as f64 * ratio).floor() as usize;
            let start = diagonal.saturating_sub(beam);
            let end = if row == hypothesis.len() {
                reference.len() + 1
            } else {
                (reference.len() + 1).min(diagonal + beam)
            };
            let above = &self.rows[row - 1];
            let mut cells: Vec<Option<Cell>> = Vec::with_capacity(end.saturating_sub(start));
            for column in start..end {
                let delete = above.at(column).map(|(cost, _)| (cost + 1, Edit::Delete));
                let Some(left) = column.checked_sub(1) else {
                    cells.push(delete);
                    continue;
                };
                let (cost, edit) = if hypothesis[row - 1] == reference[left] {
                    (0, Edit::Keep)
                } else {
                    (1, Edit::Substitute)
                };
                let replace = above.at(left).map(|(before, _)| (before + cost, edit));
                let insert = cells.last().copied().flatten();
                let insert = insert.map(|(cost, _)| (cost + 1, Edit::Insert));
                // Of equal distances the first edit is taken.
                let edits = [replace, delete, insert].into_iter().flatten();
                cells.push(edits.min_by_key(|(cost, _)| *cost));
            }
            self.rows.push(Rc::new(Row { start, cells }));
        }
    }

    /// Distance of the whole hypothesis.
    pub fn last(&self) -> u32 {
        let cell = self.rows.last().and_then(|row| row.at(self.length));
        cell.map_or(u32::MAX, |(cost, _)| cost)
    }

    /// Returns the edits that turn the hypothesis into the reference, from the beginning.
    pub fn edits(&self) -> Vec<Edit> {
        let (mut row, mut column) = (self.rows.len() - 1, self.length);
        let mut edits = Vec::new();
        while (row > 0 || column > 0)
            && let Some((_, edit)) = self.rows[row].at(column)
        {
            edits.push(edit);
            row -= usize::from(edit != Edit::Insert);
            column -= usize::from(edit != Edit::Delete);
        }
        edits.reverse();
        edits
    }
}
