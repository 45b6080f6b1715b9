//! State of a mechanism between its uses: prepared keys and values, the positions so far.

use burn::tensor::{Int, Tensor};

use crate::linear::History;
use crate::pyramid::Levels;
use crate::{Draws, Mask, PreparedKeys, Score, SoftWeights};

/// Keys and values prepared once, for any number of queries.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) keys: PreparedKeys,
    /// `[B, H, S, D_v]`; of multilevel cross-attention: after the levels from key to key.
    pub(crate) values: Tensor<4>,
    /// Further state of some mechanisms.
    pub(crate) state: Option<State>,
    pub(crate) mask: Mask,
    /// Random draws of hard attention; `None` if it takes the best key.
    pub(crate) draws: Option<Draws>,
}

/// State of some mechanisms beside keys, values and mask.
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
    /// Keys as the score function wants them; values and mask as they are.
    pub(crate) fn new(score: &Score, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Self {
        Self::prepared(score.prepare(keys), values, mask)
    }

    /// Keys that are prepared already.
    pub(crate) fn prepared(keys: PreparedKeys, values: Tensor<4>, mask: Mask) -> Self {
        Self {
            keys,
            values,
            state: None,
            mask,
            draws: None,
        }
    }

    /// For training: hard attention takes a key by `draws`. Without any it takes the best one, and
    /// has nothing to learn from.
    #[must_use]
    pub fn with_draws(self, draws: Option<&Draws>) -> Self {
        Self {
            draws: draws.cloned(),
            ..self
        }
    }

    /// Selects items of the batch, `[rows]`, in any order and as often as wanted.
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

/// Cache of an attention of the decoder: the positions so far.
#[derive(Clone, Debug, Default)]
pub struct CausalCache {
    /// Number of positions so far.
    pub(crate) position: usize,
    /// Their queries, `[B, H, t, D_h]`, where a later position needs them again.
    pub(crate) queries: Option<Tensor<4>>,
    /// Keys of each level that has keys of its own.
    pub(crate) keys: Vec<PreparedKeys>,
    /// Values of each level, `[B, H, t, D_v]`.
    pub(crate) values: Vec<Tensor<4>>,
    /// For each level that has an A of its own, its rows so far: row r is `[B, H, 1, r + 1]`.
    pub(crate) rows: Vec<Vec<Tensor<4>>>,
    /// [`State::Sums`] over the positions so far.
    pub(crate) sums: Option<Tensor<4>>,
    /// Keys so far of a mechanism that reads them for its weights alone.
    pub(crate) history: History,
}

impl CausalCache {
    /// Selects items of the batch, `[rows]`, in any order and as often as wanted.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let take = |of: &Tensor<4>| of.clone().select(0, rows.clone());
        Self {
            position: self.position,
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

    /// Appends the key of the present position to those of a level, and returns all.
    pub(crate) fn push_key(&mut self, level: usize, key: PreparedKeys) -> PreparedKeys {
        let keys = match self.keys.get(level) {
            Some(keys) => keys.clone().append(key),
            None => key,
        };
        replace_or_push(&mut self.keys, level, keys.clone());
        keys
    }

    /// Appends the present position's row of a level's A.
    pub(crate) fn push_row(&mut self, level: usize, row: Tensor<4>) {
        if level == self.rows.len() {
            self.rows.push(Vec::new());
        }
        self.rows[level].push(row);
    }

    /// Appends the value of the present position to those of a level, and returns all.
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
