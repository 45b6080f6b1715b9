//! Masks: the keys that a query may see.

use burn::tensor::activation::softmax;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use strata_kernels::attention::MASKED_SCORE;

/// Mask of the keys that a query may see: made on the host, once for a batch, and shared by every
/// layer.
///
/// A fully masked row gets weights 0 and so context 0, forward and backward.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// 0 where visible, [`MASKED_SCORE`] where not: `[B or 1, 1, T or 1, S]`.
    additive: Option<Tensor<4>>,
    /// 1 for rows that see a key, 0 for rows that see none: `[B or 1, 1, T or 1, 1]`.
    /// Absent where every row sees a key.
    has_key: Option<Tensor<4>>,
}

impl Mask {
    /// Every query sees every key.
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

    /// Both [`causal`](Self::causal) and [`padding`](Self::padding).
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

    /// This mask, which besides hides key `s` from the query at position `first + t` when
    /// `s > first + t`. Padding must be at the end.
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
            // With padding at the end, an item that has a key at all has one at position 0.
            has_key: self.has_key.clone(),
        }
    }

    /// This mask for the first `keys` keys alone. Padding must be at the end.
    pub(crate) fn first_keys(&self, keys: usize) -> Self {
        Self {
            additive: self
                .additive
                .clone()
                .map(|additive| additive.narrow(3, 0, keys)),
            has_key: self.has_key.clone(),
        }
    }

    /// Masks also what `hidden` marks with 1, `[B or 1, 1 or H, T, S]`.
    pub(crate) fn and_hidden(&self, hidden: Tensor<4>) -> Self {
        let additive = hidden.mul_scalar(MASKED_SCORE);
        let additive = match &self.additive {
            Some(own) => own.clone() + additive,
            None => additive,
        };
        Self {
            has_key: Some(visible(additive.clone()).max_dim(3)),
            additive: Some(additive),
        }
    }

    /// Selects items of the batch, `[rows]`.
    pub(crate) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let take = |of: &Tensor<4>| match of.dims()[0] {
            // It is that of every item.
            1 => of.clone(),
            _ => of.clone().select(0, rows.clone()),
        };
        Self {
            additive: self.additive.as_ref().map(take),
            has_key: self.has_key.as_ref().map(take),
        }
    }

    /// Number of `keys` keys that each query sees: `[B or 1, 1, T or 1, 1]`.
    pub(crate) fn count_visible(&self, keys: usize, device: &Device) -> Tensor<4> {
        match &self.additive {
            Some(additive) => visible(additive.clone()).sum_dim(3),
            None => Tensor::full([1, 1, 1, 1], keys as f32, device),
        }
    }

    /// This mask for keys followed by hidden ones, `length` in all.
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
            additive: Some(Tensor::cat(vec![known, hidden], 3)),
            has_key: self.has_key.clone(),
        }
    }

    /// The mask of blocks of `size` keys: a block is visible if one of its keys is.
    pub(crate) fn blocks(&self, size: usize) -> Self {
        let additive = self.additive.as_ref().map(|additive| {
            let [b, h, t, keys] = additive.dims();
            let members = additive.clone().reshape([b, h, t, keys / size, size]);
            members.max_dim(4).squeeze_dim(4)
        });
        Self {
            additive,
            has_key: self.has_key.clone(),
        }
    }

    /// The mask of summaries of these keys, from the term that it adds to scores,
    /// `[B, 1 or H, 1, n]`: a row that sees a key sees its summary.
    pub(crate) fn of_summaries(&self, additive: Tensor<4>) -> Self {
        Self {
            additive: Some(additive),
            has_key: self.has_key.clone(),
        }
    }

    /// T, or 1 where it is the same for every query.
    pub(crate) fn queries(&self) -> usize {
        self.additive
            .as_ref()
            .map_or(1, |additive| additive.dims()[2])
    }

    /// Additive mask, `[B or 1, 1 or H, T or 1, S]`; `None` if every key is visible.
    pub(crate) fn additive(&self) -> Option<Tensor<4>> {
        self.additive.clone()
    }

    /// Additive mask, all 0 if every key is visible.
    pub(crate) fn additive_for(&self, keys: &Tensor<4>) -> Tensor<4> {
        let none = || Tensor::zeros([1, 1, 1, keys.dims()[2]], &keys.device());
        self.additive().unwrap_or_else(none)
    }

    /// Concatenates the additive masks of several runs of keys:
    /// `[B or 1, 1 or H, T or 1, Σ S]`.
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

    /// 1 for a visible key and 0 for a masked one, `[B or 1, 1 or H, T or 1, S]`; `None` if every
    /// key is visible.
    pub(crate) fn visible(&self) -> Option<Tensor<4>> {
        self.additive.clone().map(visible)
    }

    /// 1 for rows that see a key, 0 for fully masked rows; `None` if every row sees one.
    pub(crate) fn has_key(&self) -> Option<Tensor<4>> {
        self.has_key.clone()
    }

    /// `scores` `[B, H, T, S]` in F32, far below all others where a key is hidden.
    pub fn hide(&self, scores: Tensor<4>) -> Tensor<4> {
        let scores = scores.cast(DType::F32);
        match &self.additive {
            Some(additive) => scores + additive.clone(),
            None => scores,
        }
    }

    /// Softmax of `scores` `[B, H, T, S]` over the keys that the mask leaves visible; in F32, and
    /// then of the type of the scores.
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

/// 1 where a key is visible, 0 where it is masked.
fn visible(additive: Tensor<4>) -> Tensor<4> {
    additive.greater_elem(MASKED_SCORE / 2.0).float()
}
