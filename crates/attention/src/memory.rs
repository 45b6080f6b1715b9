//! State of a mechanism between calls: prepared keys and values, and the positions so far.

mod draws;
mod history;

use burn::tensor::{Device, Int, Tensor};

use crate::pyramid_level::Levels;
use crate::{Mask, PreparedKeys, Score, SoftWeights, alibi_bias};
pub use draws::Draws;
use history::History;

/// Keys and values, prepared once for any number of queries.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) keys: PreparedKeys,
    /// Values, `[B, H, S, D_v]`. For multilevel cross-attention by the chain `keys`: the values
    /// after the levels from key to key.
    pub(crate) values: Tensor<4>,
    /// Further state that some mechanisms keep.
    pub(crate) state: Option<State>,
    pub(crate) mask: Mask,
    /// Random draws of hard attention; `None` if it takes the best key.
    pub(crate) draws: Option<Draws>,
}

/// State that some mechanisms keep beside keys, values and mask.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// A_kk of multilevel cross-attention, `[B, H, S, S]`.
    Step(SoftWeights),
    /// All levels of a pyramid, of which keys and values are the leaves.
    Pyramid(Levels),
    /// Σ φ(g) vᵀ and Σ φ(g) of linear attention, `[B, H, D, D_v + 1]`.
    Sums(Tensor<4>),
}

impl State {
    fn select(&self, rows: &Tensor<1, Int>) -> Self {
        match self {
            Self::Step(step) => Self::Step(step.select(rows)),
            Self::Pyramid(levels) => Self::Pyramid(levels.select(rows)),
            Self::Sums(sums) => Self::Sums(sums.clone().select(0, rows.clone())),
        }
    }
}

impl Memory {
    /// Prepares the keys for the score function; values and mask stay unchanged.
    pub(crate) fn new(score: &Score, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Self {
        Self::prepared(score.prepare(keys), values, mask)
    }

    /// Takes keys that are prepared already.
    pub(crate) fn prepared(keys: PreparedKeys, values: Tensor<4>, mask: Mask) -> Self {
        Self {
            keys,
            values,
            state: None,
            mask,
            draws: None,
        }
    }

    /// Sets the random draws by which hard attention picks keys in training. Without draws it takes
    /// the best key and learns nothing.
    #[must_use]
    pub fn with_draws(self, draws: Option<&Draws>) -> Self {
        Self {
            draws: draws.cloned(),
            ..self
        }
    }

    /// Selects items of the batch, `[rows]`, in any order; an item may repeat.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let take = |of: &Tensor<4>| of.clone().select(0, rows.clone());
        Self {
            draws: self.draws.clone(),
            keys: self.keys.select(rows),
            values: take(&self.values),
            state: self.state.as_ref().map(|state| state.select(rows)),
            mask: self.mask.select(rows),
        }
    }
}

/// Keys, values and further state of the positions so far, of one attention of the decoder.
#[derive(Clone, Debug, Default)]
pub struct CausalCache {
    /// Number of positions so far.
    pub(crate) position: usize,
    /// Queries so far, `[B, H, t, D_h]`, if a later position needs them again.
    pub(crate) queries: Option<Tensor<4>>,
    /// Keys so far, for each level that has keys of its own.
    pub(crate) keys: Vec<PreparedKeys>,
    /// Values so far of each level, `[B, H, t, D_v]`.
    pub(crate) values: Vec<Tensor<4>>,
    /// Rows so far of A, for each level that has an A of its own: row r is `[B, H, 1, r + 1]`.
    pub(crate) rows: Vec<Vec<Tensor<4>>>,
    /// [`State::Sums`] over the positions so far.
    pub(crate) sums: Option<Tensor<4>>,
    /// Keys so far of linear attention, which needs them only to show weights.
    pub(crate) history: History,
    /// Number of heads of a layer with ALiBi; `None` for other positions.
    pub(crate) alibi: Option<usize>,
}

impl CausalCache {
    /// Selects items of the batch, `[rows]`, in any order; an item may repeat.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let take = |of: &Tensor<4>| of.clone().select(0, rows.clone());
        Self {
            position: self.position,
            alibi: self.alibi,
            queries: self.queries.as_ref().map(take),
            sums: self.sums.as_ref().map(take),
            history: self.history.select(rows),
            keys: self.keys.iter().map(|keys| keys.select(rows)).collect(),
            values: self.values.iter().map(take).collect(),
            rows: self
                .rows
                .iter()
                .map(|level| level.iter().map(take).collect())
                .collect(),
        }
    }

    /// Mask of the present position's row in causal self-attention: every key so far is visible.
    /// Contains ALiBi's bias if the layer has one.
    pub(crate) fn mask(&self, device: &Device) -> Mask {
        let bias = |heads| alibi_bias(heads, self.position, [1, self.position + 1], device);
        match self.alibi.map(bias) {
            Some(bias) => Mask::none().and_bias(bias), // [1, H, 1, t + 1]
            None => Mask::none(),
        }
    }

    /// Appends the key of the present position to a level's keys, and returns all of them.
    pub(crate) fn push_key(&mut self, level: usize, key: PreparedKeys) -> PreparedKeys {
        let keys = match self.keys.get(level) {
            Some(keys) => keys.clone().append(key),
            None => key,
        };
        replace_or_push(&mut self.keys, level, keys.clone());
        keys
    }

    /// Appends the row of the present position to a level's A.
    pub(crate) fn push_row(&mut self, level: usize, row: Tensor<4>) {
        if level == self.rows.len() {
            self.rows.push(Vec::new());
        }
        self.rows[level].push(row);
    }

    /// Appends the value of the present position to a level's values, and returns all of them.
    pub(crate) fn push_value(&mut self, level: usize, value: Tensor<4>) -> Tensor<4> {
        let values = match self.values.get(level) {
            Some(values) => Tensor::cat(vec![values.clone(), value], 2),
            None => value,
        };
        replace_or_push(&mut self.values, level, values.clone());
        values
    }
}

fn replace_or_push<T>(levels: &mut Vec<T>, level: usize, item: T) {
    if level < levels.len() {
        levels[level] = item;
    } else {
        levels.push(item);
    }
}
