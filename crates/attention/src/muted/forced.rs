//! Rows of attention whose weights are set by hand instead of computed, to see what depends on
//! them. The context of such a row is the product of the set weights and the values.

use burn::tensor::{Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::Mask;

/// Weights to set for a row. Masked keys get weight 0; a row for which the mask hides all wanted
/// keys keeps its computed weights.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum GivenWeights {
    /// The same weight for each key that the mask shows to the row.
    Uniform,
    /// All weight on the key at the row's own position.
    Diagonal,
    /// All weight on the key of this index, counted from 0.
    Key(usize),
}

/// Row, or several rows, whose weights are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedRow {
    /// Head, counted from 0; `None` for all heads.
    pub head: Option<usize>,
    /// Position of the query, counted from 0; `None` for all positions.
    pub row: Option<usize>,
    /// Weights to set for the row.
    pub to: GivenWeights,
}

/// Rows whose weights are set by hand; of two entries for the same row the later one counts. Empty
/// by default, and then without any cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForcedRows(Vec<ForcedRow>);

impl From<Vec<ForcedRow>> for ForcedRows {
    fn from(rows: Vec<ForcedRow>) -> Self {
        Self(rows)
    }
}

impl ForcedRows {
    /// Empty list: all weights are computed.
    pub(crate) const NONE: &'static Self = &Self(Vec::new());

    /// True if no row's weights are set by hand.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the weights `[B, H, T, S]` of the rows that are set by hand. The queries are at the
    /// positions from `first` on.
    pub(crate) fn apply(&self, weights: Tensor<4>, mask: &Mask, first: usize) -> Tensor<4> {
        if self.is_empty() {
            return weights;
        }
        let [b, h, t, s] = weights.dims();
        let device = weights.device();
        let wanted = TensorData::new(self.wanted([h, t, s], first), [1, h, t, s]);
        let wanted = Tensor::<4>::from_data(wanted, &device);
        let given = match mask.visible() {
            Some(visible) => wanted * visible,
            None => wanted,
        }; // [1 or B, H, T, S]
        let total = given.clone().sum_dim(3); // [1 or B, H, T, 1]
        let is_given = total.clone().greater_elem(0.0).expand([b, h, t, s]);
        let given = (given / total.clamp_min(1.0)).expand([b, h, t, s]);
        weights
            .clone()
            .mask_where(is_given, given.cast(weights.dtype()))
    }

    /// Returns 1 for each key that a forced row is to see and 0 elsewhere, `[H, T, S]`, row-major.
    fn wanted(&self, [h, t, s]: [usize; 3], first: usize) -> Vec<f32> {
        let mut wanted = vec![0.0; h * t * s];
        for (at, places) in wanted.chunks_mut(s.max(1)).enumerate() {
            let (head, row) = (at / t, first + at % t);
            let is_it = |forced: &&ForcedRow| {
                forced.head.is_none_or(|it| it == head) && forced.row.is_none_or(|it| it == row)
            };
            match self.0.iter().rfind(is_it).map(|forced| forced.to) {
                Some(GivenWeights::Uniform) => places.fill(1.0),
                Some(GivenWeights::Diagonal) => set(places, row),
                Some(GivenWeights::Key(key)) => set(places, key),
                None => {}
            }
        }
        wanted
    }
}

fn set(places: &mut [f32], key: usize) {
    if let Some(place) = places.get_mut(key) {
        *place = 1.0;
    }
}
