//! Softmax attention, the step that most mechanisms consist of.

use std::sync::{Arc, LazyLock};

use burn::tensor::{Int, Tensor};
use strata_kernels::attention::dot_attention;

use crate::power::apply_power;
use crate::product::product;
use crate::{DotScore, ForcedRows, Mask, PreparedKeys, Score};

/// Weights of a softmax attention, `[B, H, T, S]`.
#[derive(Clone, Debug)]
pub enum SoftWeights {
    /// Weights that were computed with the context.
    Known(Tensor<4>),
    /// Weights of a dot product that the context did not need; computed when they are shown.
    Dot {
        /// Score function hᵀg.
        score: DotScore,
        /// Queries, `[B, H, T, D]`.
        query: Tensor<4>,
        /// Keys, `[B, H, S, D]`.
        keys: PreparedKeys,
        /// Keys that each query saw.
        mask: Mask,
    },
    /// Weights that the mechanism computes when they are shown.
    Lazy {
        /// Shape of the weights, `[B, H, T, S]`.
        dims: [usize; 4],
        /// Weights, computed when first read and then kept.
        weights: Lazy<Tensor<4>>,
    },
}

/// Value that is computed when first read, and then kept.
pub(crate) type Lazy<T> = Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>;

/// Delays a computation until its result is read.
pub(crate) fn lazy<T>(compute: impl FnOnce() -> T + Send + 'static) -> Lazy<T> {
    Arc::new(LazyLock::new(Box::new(compute)))
}

impl SoftWeights {
    /// Delays the weights `[B, H, T, S]` until they are read.
    pub fn lazy(dims: [usize; 4], weights: impl FnOnce() -> Tensor<4> + Send + 'static) -> Self {
        let weights = lazy(weights);
        Self::Lazy { dims, weights }
    }

    /// Shape of the weights, `[B, H, T, S]`. Computes no weights.
    pub fn dims(&self) -> [usize; 4] {
        match self {
            Self::Known(weights) => weights.dims(),
            Self::Dot { query, keys, .. } => {
                let [b, h, t, _] = query.dims();
                [b, h, t, keys.tensor().dims()[2]]
            }
            Self::Lazy { dims, .. } => *dims,
        }
    }

    /// Selects items of the batch, `[rows]`, in any order; an item may repeat.
    pub(crate) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        match self {
            Self::Known(weights) => Self::Known(weights.clone().select(0, rows.clone())),
            Self::Dot {
                score,
                query,
                keys,
                mask,
            } => Self::Dot {
                score: score.clone(),
                query: query.clone().select(0, rows.clone()),
                keys: keys.select(rows),
                mask: mask.select(rows),
            },
            Self::Lazy { dims, weights } => {
                let ([_, h, t, s], [b]) = (*dims, rows.dims());
                let (weights, rows) = (Arc::clone(weights), rows.clone());
                Self::lazy([b, h, t, s], move || {
                    Tensor::clone(&weights).select(0, rows)
                })
            }
        }
    }

    /// Returns the weights, and computes them if they are not known.
    pub fn tensor(&self) -> Tensor<4> {
        match self {
            Self::Known(weights) => weights.clone(),
            Self::Dot {
                score,
                query,
                keys,
                mask,
            } => mask.softmax(score.forward(query.clone(), keys.tensor())),
            Self::Lazy { weights, .. } => Tensor::clone(weights),
        }
    }
}

/// Rows whose weights are set by hand, and the position of the first query.
pub(crate) type Forcing<'a> = (&'a ForcedRows, usize);

/// Computes context = Σ weights_i · v_i, where weights = softmax of f(h, g_i) over the visible
/// keys, or as `forcing` sets them.
///
/// # Shapes
/// - query `[B, H, T, D_h]`, values `[B, H, S, D_v]` → context `[B, H, T, D_v]`
pub(crate) fn attend(
    score: &Score,
    query: Tensor<4>,
    keys: &PreparedKeys,
    values: Tensor<4>,
    mask: &Mask,
    forcing: Forcing<'_>,
) -> (Tensor<4>, SoftWeights) {
    attend_levels(score, query, keys, values, mask, forcing, 1)
}

/// Attends `levels` times with the context fed back as values. Returns Aᴺ V, N = `levels`, and A.
/// With several levels there must be as many queries as keys.
pub(crate) fn attend_levels(
    score: &Score,
    query: Tensor<4>,
    keys: &PreparedKeys,
    values: Tensor<4>,
    mask: &Mask,
    forcing: Forcing<'_>,
    levels: usize,
) -> (Tensor<4>, SoftWeights) {
    let (forced, _) = forcing;
    // The kernel computes the context alone; the weights follow when they are read.
    if let Score::Dot(score) = score
        && forced.is_empty()
        && let scale = score.scale(query.dims()[3]) as f32
        && let inputs = [&query, &keys.tensor(), &values]
        && let Some(context) = dot_attention(inputs, mask.additive(), scale, levels)
    {
        let weights = SoftWeights::Dot {
            score: score.clone(),
            query,
            keys: keys.clone(),
            mask: mask.clone(),
        };
        return (context, weights);
    }
    let weights = weigh(score, query, keys, mask, forcing); // [B, H, T, S]
    let context = match levels {
        1 => product(weights.clone(), values),
        _ => apply_power(&weights, values, levels, true),
    };
    (context, SoftWeights::Known(weights))
}

/// Computes the weights `[B, H, T, S]`: softmax of f(h, g_i) over the visible keys, or what
/// `forcing` sets.
///
/// # Shapes
/// - query `[B, H, T, D_h]`
pub(crate) fn weigh(
    score: &Score,
    query: Tensor<4>,
    keys: &PreparedKeys,
    mask: &Mask,
    (forced, first): Forcing<'_>,
) -> Tensor<4> {
    let weights = mask.softmax(score.relative(query, keys)); // [B, H, T, S]
    forced.apply(weights, mask, first)
}
