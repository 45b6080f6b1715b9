//! Statistics of attention weights: how sharp each level of each head is, and where it points.
//!
//! Only real tokens count: a row of padding, a padded key and a row without any visible key are left
//! out. A row that does not sum to 1 (local attention with a Gaussian, rows fed back) is divided by
//! its sum first.

use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::{AttentionWeights, Site};

/// Largest number of levels that are measured: of more levels, the first ones and the last.
const MOST_LEVELS: usize = 16;

/// Largest number of weights of a level, B·H·T·S. Larger sites are not measured.
const MOST_WEIGHTS: usize = 1 << 26;

/// Sums that each level of each head has on the device.
const SUMS: usize = 7;

/// Measure of the weights of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeightMeasure {
    /// [`LevelStatistics::entropy`]
    Entropy,
    /// [`LevelStatistics::peak`]
    Peak,
    /// [`LevelStatistics::diagonal`]
    Diagonal,
    /// [`LevelStatistics::previous`]
    Previous,
    /// [`LevelStatistics::permutation`]
    Permutation,
    /// [`HeadStatistics::effective_depth`], which belongs to no single level.
    EffectiveDepth,
}

impl WeightMeasure {
    /// All measures, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Entropy,
        Self::Peak,
        Self::Diagonal,
        Self::Previous,
        Self::Permutation,
        Self::EffectiveDepth,
    ];

    /// Name of the measure in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Entropy => "entropy",
            Self::Peak => "peak",
            Self::Diagonal => "diagonal",
            Self::Previous => "previous",
            Self::Permutation => "permutation",
            Self::EffectiveDepth => "effective_depth",
        }
    }

    /// Smallest change that counts as a jump ([`jump`]): half a nat, a fifth of the weight, half a
    /// level.
    pub fn least_jump(self) -> f64 {
        match self {
            Self::Entropy | Self::EffectiveDepth => 0.5,
            Self::Peak | Self::Diagonal | Self::Previous | Self::Permutation => 0.2,
        }
    }
}

/// Statistics of one level of a head, means over all rows of a batch that count. `None` where no row
/// counts, or where a weight is NaN or infinite.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelStatistics {
    /// Level, counted from 1.
    pub level: usize,
    /// Mean entropy of a row, −Σ a·ln a, in nats: 0 if a row has all weight on one key, ln S if all
    /// of S keys have the same weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Mean of the largest weight of a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<f64>,
    /// Mean weight on the diagonal: of T queries and S keys, query i (counted from 0) is level with
    /// key ⌊(i + ½)·S/T⌋. In self-attention this key is the token itself; in cross-attention, the
    /// key at the same relative position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagonal: Option<f64>,
    /// Mean weight of a token on the token before, over all rows but the first; `None` in
    /// cross-attention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<f64>,
    /// Agreement with a permutation: share of the keys to which exactly one row points. A row points
    /// to the key with the largest weight, and to none if several keys share the largest weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permutation: Option<f64>,
}

/// Statistics of a head.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct HeadStatistics {
    /// Statistics of each level; of more than 16 levels, of the first 15 and of the last.
    pub levels: Vec<LevelStatistics>,
    /// Mean effective depth of a row, Σ i·shareᵢ over the levels i; `None` unless the mechanism
    /// mixes its levels by learned shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_depth: Option<f64>,
}

/// Numbers of tokens of each item of a batch without padding, `[B]`. Padding is at the end.
#[derive(Clone, Debug)]
pub struct Lengths {
    /// Number of queries of each item; 0 for an absent item.
    pub queries: Vec<usize>,
    /// Number of keys of each item.
    pub keys: Vec<usize>,
}

/// Statistics of a site that are still on the device.
#[derive(Clone, Debug)]
pub struct PendingStatistics {
    /// For each head: the sums of each level, and the sum of the effective depths.
    numbers: Tensor<1>,
    heads: usize,
    /// Levels that are measured, counted from 1.
    levels: Vec<usize>,
    mixes: bool,
    /// Number of queries and of keys in the batch.
    counts: [usize; 2],
}

/// Masks and indices of a batch, on the device.
struct Places {
    /// 1 for a query, 0 for padding, `[B, 1, T, 1]`.
    queries: Tensor<4>,
    /// 1 for a query that has a token before, `[B, 1, T, 1]`; 0 everywhere in cross-attention.
    with_previous: Tensor<4>,
    /// 1 for a key, 0 for padding, `[B, 1, 1, S]`.
    keys: Tensor<4>,
    /// Key on the diagonal, `[B, H, T, 1]`.
    diagonal: Tensor<4, Int>,
    /// Key before the one on the diagonal, `[B, H, T, 1]`.
    previous: Tensor<4, Int>,
}

impl PendingStatistics {
    /// Measures the weights of a site. `None` if the lengths are not those of the weights' batch, or
    /// if there are more weights than can be measured in passing (2²⁶ a level).
    pub fn of(weights: &AttentionWeights, site: Site, lengths: &Lengths) -> Option<Self> {
        let [b, h, t, s] = weights.dims();
        let fits = lengths.queries.len() == b && lengths.keys.len() == b;
        if !fits || b * h * t * s == 0 || b * h * t * s > MOST_WEIGHTS {
            return None;
        }
        let lengths = lengths.within(t, s);
        let levels = measured_levels(weights.levels());
        let (mut sums, mut places) = (Vec::new(), None);
        each_level(weights, &levels, |level| {
            let of = || Places::of(&lengths, site, [b, h, t, s], &level.device());
            sums.push(places.get_or_insert_with(of).sums(level));
        });
        let places = places?;
        if let Some(mix) = weights.mix() {
            sums.push(places.depths(mix.clone().cast(DType::F32), [b, h, t]));
        }
        Some(Self {
            numbers: Tensor::cat(sums, 1).flatten(0, 1),
            heads: h,
            levels,
            mixes: weights.mix().is_some(),
            counts: [lengths.queries.iter().sum(), lengths.keys.iter().sum()],
        })
    }

    /// Numbers to read from the device, for [`read`](Self::read).
    pub fn numbers(&self) -> Tensor<1> {
        self.numbers.clone()
    }

    /// Number of the [`numbers`](Self::numbers).
    pub fn count(&self) -> usize {
        self.heads * self.columns()
    }

    fn columns(&self) -> usize {
        self.levels.len() * SUMS + usize::from(self.mixes)
    }

    /// Computes the statistics of each head from the numbers that were read.
    ///
    /// # Panics
    /// If there are fewer than [`count`](Self::count) numbers.
    pub fn read(&self, numbers: &[f32]) -> Vec<HeadStatistics> {
        let numbers = &numbers[..self.count()];
        numbers
            .chunks(self.columns())
            .map(|of_head| self.head(of_head))
            .collect()
    }

    fn head(&self, numbers: &[f32]) -> HeadStatistics {
        let [queries, keys] = self.counts;
        let (sums, depths) = numbers.split_at(self.levels.len() * SUMS);
        let levels = self.levels.iter().zip(sums.as_chunks::<SUMS>().0);
        HeadStatistics {
            levels: levels
                .map(|(&level, sums)| LevelStatistics::of(level, *sums, keys))
                .collect(),
            effective_depth: depths.first().and_then(|&sum| mean(sum, queries as f32)),
        }
    }
}

impl LevelStatistics {
    fn of(level: usize, sums: [f32; SUMS], keys: usize) -> Self {
        let [
            entropy,
            peak,
            diagonal,
            previous,
            permutation,
            rows,
            with_previous,
        ] = sums;
        // Comparisons with NaN are false, so that other sums look whole where a weight is NaN.
        if mean(entropy, rows).and(mean(peak, rows)).is_none() {
            return Self {
                level,
                ..Self::default()
            };
        }
        Self {
            level,
            entropy: mean(entropy, rows),
            peak: mean(peak, rows),
            diagonal: mean(diagonal, rows),
            previous: mean(previous, with_previous),
            permutation: mean(permutation, keys as f32),
        }
    }

    /// Value of a measure; `None` if there is none.
    pub fn get(&self, measure: WeightMeasure) -> Option<f64> {
        match measure {
            WeightMeasure::Entropy => self.entropy,
            WeightMeasure::Peak => self.peak,
            WeightMeasure::Diagonal => self.diagonal,
            WeightMeasure::Previous => self.previous,
            WeightMeasure::Permutation => self.permutation,
            WeightMeasure::EffectiveDepth => None,
        }
    }
}

impl Lengths {
    /// Cuts lengths to the `t` queries and `s` keys that the weights have. An item without queries
    /// or keys has neither.
    fn within(&self, t: usize, s: usize) -> Self {
        let pairs = self.queries.iter().zip(&self.keys);
        let pairs = pairs.map(|(&queries, &keys)| match (queries.min(t), keys.min(s)) {
            (0, _) | (_, 0) => (0, 0),
            pair => pair,
        });
        let (queries, keys) = pairs.unzip();
        Self { queries, keys }
    }
}

impl Places {
    fn of(lengths: &Lengths, site: Site, [b, h, t, s]: [usize; 4], device: &Device) -> Self {
        let mask = |lengths: &[usize], first: usize, columns: usize| -> Vec<f32> {
            let of = |&length: &usize| {
                (0..columns).map(move |at| f32::from(u8::from((first..length).contains(&at))))
            };
            lengths.iter().flat_map(of).collect()
        };
        let rows = |first| {
            let data = TensorData::new(mask(&lengths.queries, first, t), [b, 1, t, 1]);
            Tensor::<4>::from_data(data, device)
        };
        let first = if site.is_self() { 1 } else { t };
        let keys = TensorData::new(mask(&lengths.keys, 0, s), [b, 1, 1, s]);
        let index = |back: usize| {
            let of = |(&queries, &keys): (&usize, &usize)| {
                (0..t).map(move |at| {
                    let level_with = diagonal(at, queries, keys);
                    level_with.saturating_sub(back).min(s - 1) as i32
                })
            };
            let pairs = lengths.queries.iter().zip(&lengths.keys);
            let data = TensorData::new(pairs.flat_map(of).collect::<Vec<_>>(), [b, 1, t, 1]);
            Tensor::<4, Int>::from_data(data, device).repeat_dim(1, h)
        };
        Self {
            queries: rows(0),
            with_previous: rows(first),
            keys: Tensor::from_data(keys, device),
            diagonal: index(0),
            previous: index(1),
        }
    }

    /// Sums over the rows of a level, `[B, H, T, S]` → `[H, SUMS]`.
    fn sums(&self, level: Tensor<4>) -> Tensor<2> {
        let weights = level.cast(DType::F32) * self.keys.clone();
        let [_, h, _, _] = weights.dims();
        let sums = weights.clone().sum_dim(3); // [B, H, T, 1]
        let rows = sums.clone().greater_elem(0.0).float() * self.queries.clone();
        // Rows of padding and rows without keys are 0 below by `rows`; no sum divides by 0.
        let shares = weights.clone() / sums.clamp_min(f32::MIN_POSITIVE);
        let logarithms = shares.clone().clamp_min(f32::MIN_POSITIVE).log();
        let entropy = -(shares.clone() * logarithms).sum_dim(3);
        let on = |keys: &Tensor<4, Int>| shares.clone().gather(3, keys.clone());
        let with_previous = rows.clone() * self.with_previous.clone();
        // A row with several largest weights points to no key.
        let largest = weights.clone().equal(weights.max_dim(3)).float();
        let alone = largest.clone().sum_dim(3).equal_elem(1.0).float() * rows.clone();
        let pointed = (largest * alone).sum_dim(2); // [B, H, 1, S]
        let once = pointed.equal_elem(1.0).float() * self.keys.clone();
        let sums = [
            entropy * rows.clone(),
            shares.clone().max_dim(3) * rows.clone(),
            on(&self.diagonal) * rows.clone(),
            on(&self.previous) * with_previous.clone(),
            once,
            rows,
            with_previous,
        ];
        let of_head = |rows: Tensor<4>| rows.sum_dim(0).sum_dim(2).sum_dim(3).reshape([h, 1]);
        Tensor::cat(sums.map(of_head).to_vec(), 1)
    }

    /// Sum of the effective depths of all queries: shares `[B or 1, H or 1, T or 1, N]` → `[H, 1]`.
    fn depths(&self, mix: Tensor<4>, [b, h, t]: [usize; 3]) -> Tensor<2> {
        let [_, _, _, n] = mix.dims();
        let levels: Vec<f32> = (1..=n).map(|level| level as f32).collect();
        let levels = Tensor::from_data(TensorData::new(levels, [1, 1, 1, n]), &mix.device());
        let depths = (mix * levels).sum_dim(3).expand([b, h, t, 1]) * self.queries.clone();
        depths.sum_dim(0).sum_dim(2).reshape([h, 1])
    }
}

/// Key with which query `at` of `queries` queries is level, of `keys` keys: ⌊(at + ½)·keys/queries⌋.
fn diagonal(at: usize, queries: usize, keys: usize) -> usize {
    (2 * at + 1) * keys / (2 * queries.max(1))
}

/// Mean of `count` numbers; `None` if there are none, or if one is NaN or infinite.
fn mean(sum: f32, count: f32) -> Option<f64> {
    (count > 0.0 && sum.is_finite()).then(|| f64::from(sum) / f64::from(count))
}

/// Levels to measure of `levels` levels.
fn measured_levels(levels: usize) -> Vec<usize> {
    if levels <= MOST_LEVELS {
        return (1..=levels).collect();
    }
    (1..MOST_LEVELS).chain([levels]).collect()
}

/// Calls `with` for the effective weights of each of these levels, counted from 1 and in ascending
/// order. A level is made of the level below, so that N levels cost N products.
fn each_level(weights: &AttentionWeights, levels: &[usize], mut with: impl FnMut(Tensor<4>)) {
    let step = match weights {
        AttentionWeights::Power { attention, .. } => Some(attention.tensor()),
        AttentionWeights::Chain { step, .. } => Some(step.tensor()),
        _ => None,
    };
    let above = |level: usize, below: Tensor<4>| match (weights, &step) {
        (_, Some(step)) => below.matmul(step.clone()),
        (AttentionWeights::Feedback { step, .. }, None) => step.clone().matmul(below),
        (AttentionWeights::Hierarchy { own, chained, .. }, None) if *chained => {
            own.all()[level - 1].tensor().matmul(below)
        }
        _ => weights.level(level),
    };
    let mut below: Option<(usize, Tensor<4>)> = None;
    for &level in levels {
        let here = match below.take() {
            Some((last, below)) if last + 1 == level => above(level, below),
            _ => weights.level(level),
        };
        with(here.clone());
        below = Some((level, here));
    }
}

/// Jump of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Step of the first value after the jump.
    pub step: u64,
    /// Size of the change, at least 0.
    pub change: f64,
}

/// Finds the jump of a curve of (step, value) pairs: the value before which the curve changes most.
///
/// The change at a validation is the difference between the mean of this and the next value and the
/// mean of the two values before, so that a single outlier counts half. It is a jump if it is at
/// least `least` ([`WeightMeasure::least_jump`]); of equal changes, the first. `None` if there is no
/// jump, or if there are fewer than 3 values.
pub fn jump(curve: &[(u64, f64)], least: f64) -> Option<Jump> {
    if curve.len() < 3 {
        return None;
    }
    let mean = |part: &[(u64, f64)]| part.iter().map(|it| it.1).sum::<f64>() / part.len() as f64;
    let mut found: Option<Jump> = None;
    for (at, &(step, _)) in curve.iter().enumerate().skip(1) {
        let before = mean(&curve[at.saturating_sub(2)..at]);
        let after = mean(&curve[at..(at + 2).min(curve.len())]);
        let change = (after - before).abs();
        if change >= least && found.is_none_or(|found| change > found.change) {
            found = Some(Jump { step, change });
        }
    }
    found
}
