//! Layout of the lines in a source: a mark, then each line behind a separator.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::Tokens;

/// Numbers of characters that a line can have.
pub(crate) const LENGTHS: [usize; 2] = [5, 7];

/// Largest number of lines of a source; the fourth line is written.
const MOST_LINES: usize = 3;

/// Layout of the lines in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Layout {
    /// Number of characters per line, m (5 or 7).
    pub length: usize,
    /// Number of lines, i.
    pub lines: usize,
}

impl Layout {
    /// Layout of a source of this many tokens, which determine it; `None` if no layout has this
    /// number.
    fn of(tokens: usize) -> Option<Self> {
        let layouts = LENGTHS
            .into_iter()
            .flat_map(|length| (1..=MOST_LINES).map(move |lines| Self { length, lines }));
        layouts
            .into_iter()
            .find(|it| tokens == 1 + it.lines * (it.length + 1))
    }

    /// Layout of each source. A source that is not a poem has no lines, so that the next line does
    /// not depend on it.
    pub fn of_rows(source: &Tokens) -> Vec<Self> {
        let none = Self {
            length: LENGTHS[1],
            lines: 0,
        };
        let lengths = source.lengths().into_iter();
        lengths
            .map(|tokens| Self::of(tokens).unwrap_or(none))
            .collect()
    }

    /// Reads line `line` of these rows, `[R, m]`.
    pub fn line(
        self,
        source: &Tokens,
        rows: &[usize],
        line: usize,
        device: &Device,
    ) -> Tensor<2, Int> {
        let start = 2 + line * (self.length + 1);
        let of_row = |&row: &usize| &source.row(row)[start..start + self.length];
        let ids: Vec<i32> = rows.iter().flat_map(of_row).map(|&id| id as i32).collect();
        Tensor::from_data(TensorData::new(ids, [rows.len(), self.length]), device)
    }
}
