//! Masks: the keys that a query may see.

use burn::tensor::activation::softmax;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use strata_kernels::attention::MASKED_SCORE;

/// Mask of the keys that a query may see. Made on the host, once for a batch, and shared by every
/// layer.
///
/// A fully masked row gets weights 0 and so context 0, forward and backward.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// Term to add to scores: [`MASKED_SCORE`] for a hidden key, and for a visible key 0 or a bias
    /// ([`and_bias`](Self::and_bias)); `[B or 1, 1 or H, T or 1, S]`.
    additive: Option<Tensor<4>>,
    /// 1 for rows that see a key, 0 for rows that see none, `[B or 1, 1, T or 1, 1]`. `None` if
    /// every row sees a key.
    has_key: Option<Tensor<4>>,
}

impl Mask {
    /// Mask by which every query sees every key.
    pub fn none() -> Self {
        Self::default()
    }

    /// Hides padded keys: `padding[b * keys + s]` is true where key `s` of item `b` is padding.
    pub fn padding(padding: &[bool], keys: usize, device: &Device) -> Self {
        Self::from_hidden(padding.len() / keys.max(1), 1, keys, device, |b, _, s| {
            padding[b * keys + s]
        })
    }

    /// Hides key `s` from query `t` when `s > t`.
    pub fn causal(queries: usize, keys: usize, device: &Device) -> Self {
        Self::from_hidden(1, queries, keys, device, |_, t, s| s > t)
    }

    /// Hides what [`causal`](Self::causal) or [`padding`](Self::padding) hide.
    pub fn causal_padding(padding: &[bool], queries: usize, keys: usize, device: &Device) -> Self {
        let batch = padding.len() / keys.max(1);
        Self::from_hidden(batch, queries, keys, device, |b, t, s| {
            s > t || padding[b * keys + s]
        })
    }

    fn from_hidden(
        batch: usize,
        queries: usize,
        keys: usize,
        device: &Device,
        hidden: impl Fn(usize, usize, usize) -> bool,
    ) -> Self {
        let mut additive = vec![0.0f32; batch * queries * keys];
        let mut has_key = vec![0.0f32; batch * queries];
        for (row, values) in additive.chunks_mut(keys.max(1)).enumerate() {
            for (s, value) in values.iter_mut().enumerate() {
                if hidden(row / queries, row % queries, s) {
                    *value = MASKED_SCORE;
                } else {
                    has_key[row] = 1.0;
                }
            }
        }
        let any_hidden = additive.contains(&MASKED_SCORE);
        let any_without = has_key.contains(&0.0);
        Self {
            additive: any_hidden.then(|| {
                Tensor::from_data(TensorData::new(additive, [batch, 1, queries, keys]), device)
            }),
            has_key: any_without.then(|| {
                Tensor::from_data(TensorData::new(has_key, [batch, 1, queries, 1]), device)
            }),
        }
    }

    /// Combines this mask with a causal one: also hides key `s` from the query at position
    /// `first + t` if `s > first + t`. Padding must be at the end.
    pub(crate) fn and_causal(
        &self,
        first: usize,
        queries: usize,
        keys: usize,
        device: &Device,
    ) -> Self {
        let causal = Self::from_hidden(1, queries, keys, device, |_, t, s| s > first + t);
        Self {
            additive: match (self.additive.clone(), causal.additive) {
                (Some(additive), Some(causal)) => Some(additive + causal),
                (additive, causal) => additive.or(causal),
            },
            // With padding at the end, an item that has a key at all has one at position 0, which
            // every query sees.
            has_key: self.has_key.clone(),
        }
    }

    /// Restricts this mask to the first `keys` keys. Padding must be at the end.
    pub(crate) fn first_keys(&self, keys: usize) -> Self {
        Self {
            additive: self
                .additive
                .clone()
                .map(|additive| additive.narrow(3, 0, keys)),
            has_key: self.has_key.clone(),
        }
    }

    /// Also hides the keys that `hidden` marks with 1, `[B or 1, 1 or H, T, S]`.
    pub(crate) fn and_hidden(&self, hidden: Tensor<4>) -> Self {
        let additive = hidden.mul_scalar(MASKED_SCORE);
        let additive = match &self.additive {
            Some(own) => own.clone() + additive,
            None => additive,
        };
        Self {
            has_key: Some(visible(additive.clone()).max_dim(3)), // [B or 1, 1 or H, T, 1]
            additive: Some(additive),
        }
    }

    /// Also adds `bias` `[1, H, T, S]` to the scores, which hides no key.
    pub(crate) fn and_bias(&self, bias: Tensor<4>) -> Self {
        Self {
            additive: Some(match &self.additive {
                // A hidden key stays at `MASKED_SCORE`, from which no bias is seen in F32.
                Some(additive) => additive.clone() + bias,
                None => bias,
            }),
            has_key: self.has_key.clone(),
        }
    }

    /// Selects items of the batch, `[rows]`.
    pub(crate) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let take = |of: &Tensor<4>| match of.dims()[0] {
            // One mask serves every item.
            1 => of.clone(),
            _ => of.clone().select(0, rows.clone()),
        };
        Self {
            additive: self.additive.as_ref().map(take),
            has_key: self.has_key.as_ref().map(take),
        }
    }

    /// Counts the keys, of `keys`, that each query sees: `[B or 1, 1, T or 1, 1]`.
    pub(crate) fn count_visible(&self, keys: usize, device: &Device) -> Tensor<4> {
        match &self.additive {
            Some(additive) => visible(additive.clone()).sum_dim(3), // [B or 1, 1, T or 1, 1]
            None => Tensor::full([1, 1, 1, 1], keys as f32, device),
        }
    }

    /// Extends this mask of `keys` keys by hidden keys to `length` keys.
    pub(crate) fn pad_keys(&self, keys: usize, length: usize, device: &Device) -> Self {
        if keys == length {
            return self.clone();
        }
        let known = match &self.additive {
            Some(additive) => additive.clone(),
            None => Tensor::zeros([1, 1, 1, keys], device),
        };
        let [b, h, t, _] = known.dims();
        let hidden = Tensor::full([b, h, t, length - keys], MASKED_SCORE, device);
        Self {
            additive: Some(Tensor::cat(vec![known, hidden], 3)), // [B, H, T, length]
            has_key: self.has_key.clone(),
        }
    }

    /// Mask over blocks of `size` keys: a block is visible if one of its keys is.
    pub(crate) fn blocks(&self, size: usize) -> Self {
        let additive = self.additive.as_ref().map(|additive| {
            let [b, h, t, keys] = additive.dims();
            let members = additive.clone().reshape([b, h, t, keys / size, size]); // [B, H, T, n, size]
            members.max_dim(4).squeeze_dim(4) // [B, H, T, n]
        });
        Self {
            additive,
            has_key: self.has_key.clone(),
        }
    }

    /// Mask over summaries of these keys, given the term to add to their scores,
    /// `[B, 1 or H, 1, n]`. A row that sees a key sees its summary.
    pub(crate) fn of_summaries(&self, additive: Tensor<4>) -> Self {
        Self {
            additive: Some(additive),
            has_key: self.has_key.clone(),
        }
    }

    /// Number of queries T of the mask, or 1 if all queries share one row.
    pub(crate) fn queries(&self) -> usize {
        self.additive
            .as_ref()
            .map_or(1, |additive| additive.dims()[2])
    }

    /// Term to add to scores, `[B or 1, 1 or H, T or 1, S]`; `None` if every key is visible.
    pub(crate) fn additive(&self) -> Option<Tensor<4>> {
        self.additive.clone()
    }

    /// Term to add to the scores of `keys`; all 0 if every key is visible.
    pub(crate) fn additive_for(&self, keys: &Tensor<4>) -> Tensor<4> {
        let none = || Tensor::zeros([1, 1, 1, keys.dims()[2]], &keys.device());
        self.additive().unwrap_or_else(none)
    }

    /// Concatenates the additive masks of several runs of keys: `[B or 1, 1 or H, T or 1, Σ S]`.
    pub(crate) fn side_by_side<'a>(
        masks: impl Iterator<Item = (&'a Self, usize)> + Clone,
        device: &Device,
    ) -> Tensor<4> {
        let known = masks.clone().filter_map(|(mask, _)| mask.additive.as_ref());
        let shape = known.fold([1; 3], |[b, h, t], additive| {
            let [items, heads, rows, _] = additive.dims();
            [b.max(items), h.max(heads), t.max(rows)]
        });
        if masks.clone().all(|(mask, _)| mask.additive.is_none()) {
            let keys = masks.map(|(_, keys)| keys).sum();
            return Tensor::zeros([1, 1, 1, keys], device);
        }
        let [b, h, t] = shape;
        let additive = masks.map(|(mask, keys)| match &mask.additive {
            Some(additive) => additive.clone().expand([b, h, t, keys]),
            None => Tensor::zeros([b, h, t, keys], device),
        });
        Tensor::cat(additive.collect(), 3)
    }

    /// Returns 1 for a visible key and 0 for a masked one, `[B or 1, 1 or H, T or 1, S]`; `None` if
    /// every key is visible.
    pub(crate) fn visible(&self) -> Option<Tensor<4>> {
        self.additive.clone().map(visible)
    }

    /// Returns 1 for rows that see a key, 0 for fully masked rows; `None` if every row sees a key.
    pub(crate) fn has_key(&self) -> Option<Tensor<4>> {
        self.has_key.clone()
    }

    /// Adds the mask to `scores` `[B, H, T, S]`: hidden keys fall far below all others. The result
    /// is F32.
    pub fn hide(&self, scores: Tensor<4>) -> Tensor<4> {
        let scores = scores.cast(DType::F32);
        match &self.additive {
            Some(additive) => scores + additive.clone(),
            None => scores,
        }
    }

    /// Softmax of `scores` `[B, H, T, S]` over the visible keys. Computes in F32 and returns the
    /// type of the scores.
    pub fn softmax(&self, scores: Tensor<4>) -> Tensor<4> {
        let dtype = scores.dtype();
        self.wide_softmax(self.hide(scores)).cast(dtype)
    }

    fn wide_softmax(&self, scores: Tensor<4>) -> Tensor<4> {
        if let Some(weights) = strata_kernels::attention::softmax(&scores) {
            return weights;
        }
        let weights = softmax(scores, 3);
        match &self.has_key {
            Some(has_key) => weights * has_key.clone(),
            None => weights,
        }
    }
}

/// Returns 1 where a key is visible, 0 where it is masked, for the additive mask.
fn visible(additive: Tensor<4>) -> Tensor<4> {
    additive.greater_elem(MASKED_SCORE / 2.0).float()
}
