//! Linear attention (Katharopoulos et al. 2020): features of queries and keys instead of a softmax.
//!
//! context_t = φ(h_t)ᵀ Σ_s φ(g_s) v_sᵀ / φ(h_t)ᵀ Σ_s φ(g_s), φ(x) = elu(x) + 1. Both sums are the
//! same for all queries, so that the cost grows with T + S instead of T · S. Under a causal mask
//! the sums run over s ≤ t: in training chunk by chunk, in decoding one position at a time from a
//! state whose size does not grow.
//!
//! A weight is φ(h_t)ᵀ φ(g_s) over its row's sum; weights are computed only when they are read.

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use crate::attend::{Attend, Build, Configure};
use crate::memory::State;
use crate::product::product;
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, ConfigError, ForcedRows, Mask, Memory, Muted,
    ParamInit, PreparedKeys, Score, ScoreKind, Site, SoftWeights, Widths,
};

/// Number of positions of one chunk of the causal pass. Within a chunk weights are computed, from
/// chunk to chunk sums.
const CHUNK: usize = 64;

/// Smallest sum of a row of weights. A row with a smaller sum is masked, or has vanishing features
/// (all below e⁻³⁴), and gets weights 0. The gradient divides by the square of the sum, which F32
/// could not hold for a smaller number.
const LEAST: f64 = 1e-15;

settings! {
    /// Settings of linear attention: none.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct LinearAttentionConfig {}
}

/// Name and help text of linear attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "linear",
        title: "Linear",
        help: "Features of queries and keys instead of a softmax: its cost grows with the length, not with its square.",
        formula: "(φ(h)ᵀ Σ φ(g) vᵀ) / (φ(h)ᵀ Σ φ(g)), φ(x) = elu(x) + 1",
        source: "Katharopoulos et al. 2020, 3.2",
    },
    settings: LinearAttentionConfig::SETTINGS,
};

impl Configure for LinearAttentionConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        None
    }

    fn check(&self, _: Site, widths: Widths) -> Result<(), ConfigError> {
        if widths.query == widths.keys {
            return Ok(());
        }
        Err(ConfigError::new(format!(
            "linear attention multiplies features of queries and keys, so both need one width, not {} and {}: choose equal widths, or another mechanism",
            widths.query, widths.keys
        )))
    }

    /// Returns 0: linear attention never computes with pairs of query and key.
    fn passes(&self) -> u64 {
        0
    }
}

impl Build for LinearAttentionConfig {
    type Built = LinearAttention;

    fn init(&self, site: Site, _: Widths, _: usize, _: &mut ParamInit) -> LinearAttention {
        LinearAttention {
            causal: site == Site::DecoderSelf,
            forced: ForcedRows::default(),
        }
    }
}

/// Linear attention: features of queries and keys instead of a softmax. Has no parameters.
#[derive(Module, Debug)]
pub struct LinearAttention {
    #[module(skip)]
    causal: bool,
    #[module(skip)]
    forced: ForcedRows,
}

/// Feature map φ(x) = elu(x) + 1, which is above 0.
fn features(x: Tensor<4>) -> Tensor<4> {
    // Masks x > 0 before the exponential: exp(x) may overflow there, and ∞ · 0 makes its gradient
    // NaN. (No clamps: burn 0.22's can make NaN on WebGPU.)
    let above = x.clone().greater_elem(0.0);
    x.clone().mask_fill(above, 0.0).exp() + relu(x)
}

/// Appends a column of ones to the values, `[B, H, S, D_v + 1]`, so that one sum Σ φ(g) vᵀ also
/// yields the normaliser Σ φ(g).
fn with_ones(values: Tensor<4>) -> Tensor<4> {
    let [b, h, s, _] = values.dims();
    let ones = Tensor::ones([b, h, s, 1], &values.device());
    Tensor::cat(vec![values, ones], 3)
}

/// Divides weighted sums `[B, H, T, D_v + 1]` by their last column, the sum of the row's weights.
/// Returns `[B, H, T, D_v]`.
fn normalised(sums: Tensor<4>) -> Tensor<4> {
    let [.., width] = sums.dims();
    let total = sums.clone().narrow(3, width - 1, 1); // [B, H, T, 1]
    sums.narrow(3, 0, width - 1) / or_one(total)
}

/// Replaces sums below [`LEAST`] by 1, so that dividing by them is safe.
fn or_one(total: Tensor<4>) -> Tensor<4> {
    let none = total.clone().lower_elem(LEAST);
    total.mask_fill(none, 1.0)
}

/// Features of the keys, 0 for keys that no query may see.
fn visible_features(keys: Tensor<4>, mask: &Mask) -> Tensor<4> {
    let keys = features(keys);
    match mask.visible() {
        // Under a causal mask the last query sees every key that is not padding.
        Some(visible) => {
            let last = visible.dims()[2] - 1;
            keys * visible.narrow(2, last, 1).swap_dims(2, 3) // [B, H, S, D] · [B or 1, 1, S, 1]
        }
        None => keys,
    }
}

/// Attention weights `[B, H, T, S]` of queries and keys given by their features.
fn weights(query: Tensor<4>, keys: Tensor<4>, mask: &Mask) -> Tensor<4> {
    let products = product(query, keys.swap_dims(2, 3)); // [B, H, T, S]
    let products = match mask.visible() {
        Some(visible) => products * visible,
        None => products,
    };
    products.clone() / or_one(products.sum_dim(3))
}

/// Computes φ(h_t)ᵀ Σ_{s ≤ t} φ(g_s) v_sᵀ for every t, chunk by chunk.
///
/// # Shapes
/// - query and keys `[B, H, T, D]`, values `[B, H, T, D_v + 1]` → `[B, H, T, D_v + 1]`
fn causal_sums(query: Tensor<4>, keys: Tensor<4>, values: Tensor<4>) -> Tensor<4> {
    let [b, h, t, d] = query.dims();
    let [.., width] = values.dims();
    let device = query.device();
    let size = CHUNK.min(t);
    let (chunks, padded) = (t.div_ceil(size), t.next_multiple_of(size));
    let in_chunks = |rows: Tensor<4>, width: usize| {
        let rows = if padded > t {
            let zeros = Tensor::zeros([b, h, padded - t, width], &device);
            Tensor::cat(vec![rows, zeros], 2)
        } else {
            rows
        };
        rows.reshape([b * h, chunks, size, width]) // [B·H, n, C, ·]
    };
    let (query, keys) = (in_chunks(query, d), in_chunks(keys, d));
    let values = in_chunks(values, width);
    // Within a chunk: φ(h_t)ᵀ φ(g_s) for s ≤ t, times the values.
    let products = query.clone().matmul(keys.clone().swap_dims(2, 3)); // [B·H, n, C, C]
    let inside = products.tril(0).matmul(values.clone()); // [B·H, n, C, D_v + 1]
    let sums = match chunks {
        1 => inside,
        _ => {
            // From earlier chunks: φ(h_t)ᵀ times the cumulated sum of φ(g) vᵀ.
            let own = keys.swap_dims(2, 3).matmul(values); // [B·H, n, D, D_v + 1]
            let none = Tensor::zeros([b * h, 1, d, width], &device);
            let before = own.cumsum(1).narrow(1, 0, chunks - 1); // [B·H, n − 1, D, D_v + 1]
            inside + query.matmul(Tensor::cat(vec![none, before], 1)) // [B·H, n, C, D_v + 1]
        }
    };
    sums.reshape([b, h, padded, width]).narrow(2, 0, t) // [B, H, T, D_v + 1]
}

impl Attend for LinearAttention {
    fn score(&self) -> Option<&Score> {
        None
    }

    /// Returns true: sums over many positions lose too many digits in 16 bits.
    fn needs_f32(&self) -> bool {
        true
    }

    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        let keys = visible_features(keys, &mask);
        let sees_alike = mask.queries() == 1;
        let sums = || product(keys.clone().swap_dims(2, 3), with_ones(values.clone()));
        Memory {
            state: sees_alike.then(|| State::Sums(sums())),
            ..Memory::prepared(PreparedKeys::of(keys), values, mask)
        }
    }

    fn mute(&mut self, muted: &Muted) {
        self.forced = muted.rows.clone();
    }

    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let query = features(query);
        let (keys, mask) = (memory.keys.tensor(), memory.mask.clone());
        let ([b, h, t, _], [.., s, _]) = (query.dims(), keys.dims());
        let sums = match &memory.state {
            // The sums hold no weights that could be set by hand.
            _ if !self.forced.is_empty() => None,
            Some(State::Sums(sums)) => Some(product(query.clone(), sums.clone())),
            _ if self.causal && t == s => {
                let values = with_ones(memory.values.clone());
                Some(causal_sums(query.clone(), keys.clone(), values))
            }
            // While decoding, each query has keys of its own.
            _ => None,
        };
        // Without sums, weights are computed for every query and key, at a cost of T·S.
        let Some(sums) = sums else {
            let weights = self.forced.apply(weights(query, keys, &mask), &mask, first);
            let context = product(weights.clone(), memory.values.clone()); // [B, H, T, D_v]
            return output(context, SoftWeights::Known(weights));
        };
        let lazy = move || weights(query, keys, &mask);
        output(normalised(sums), SoftWeights::lazy([b, h, t, s], lazy))
    }

    fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let (query, key) = (features(query), features(key));
        let [b, h, t, _] = query.dims();
        let forced_value = (!self.forced.is_empty()).then(|| value.clone());
        // Recurrent form: S_t = S_{t−1} + φ(g_t) [v_t, 1]ᵀ, context_t = φ(h_t)ᵀ S_t, normalised.
        let own = key.clone().swap_dims(2, 3) * with_ones(value); // [B, H, D, D_v + 1]
        let sums = match cache.sums.take() {
            Some(sums) => sums + own,
            None => own,
        };
        cache.sums = Some(sums.clone());
        cache.history.push(key);
        if let Some(value) = forced_value {
            let mask = Mask::none();
            let weights = weights(query, cache.history.keys(), &mask);
            let weights = self.forced.apply(weights, &mask, cache.position);
            let context = product(weights.clone(), cache.push_value(0, value));
            return output(context, SoftWeights::Known(weights));
        }
        let context = normalised(product(query.clone(), sums)); // [B, H, 1, D_v]
        let history = cache.history.clone();
        let lazy = move || weights(query, history.keys(), &Mask::none());
        let dims = [b, h, t, cache.position + 1];
        output(context, SoftWeights::lazy(dims, lazy))
    }
}

fn output(context: Tensor<4>, weights: SoftWeights) -> AttentionOutput {
    AttentionOutput::new(context, AttentionWeights::Single(weights))
}

#[cfg(test)]
mod tests;
