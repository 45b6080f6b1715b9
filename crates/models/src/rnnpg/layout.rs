//! Place of the lines in a source: a mark, then each line behind a separator.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::Tokens;

/// Characters of a line that there are.
pub(crate) const LENGTHS: [usize; 2] = [5, 7];

/// Most lines of a source: the fourth follows.
const MOST_LINES: usize = 3;

/// Lines of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Layout {
    /// Characters of each, m.
    pub length: usize,
    /// Their number, i.
    pub lines: usize,
}

impl Layout {
    /// Layout of a source of this many tokens: no two have the same number. `None` of any other
    /// source.
    fn of(tokens: usize) -> Option<Self> {
        let layouts = LENGTHS
            .into_iter()
            .flat_map(|length| (1..=MOST_LINES).map(move |lines| Self { length, lines }));
        layouts
            .into_iter()
            .find(|it| tokens == 1 + it.lines * (it.length + 1))
    }

    /// Layout of each source. One that is no poem has no lines: what follows does not depend on it.
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

    /// Line `line` of these rows, `[R, m]`.
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
