//! Weights softmax(c · Q Kᵀ + mask) of one head of one item, forward and backward, with the queries
//! side by side in memory.
//!
//! A row of the transposed weights `[S, T]` has the weights of one key for all queries. Highest
//! scores and sums of 16 queries are then columns of registers: nothing is reduced across a
//! register, and no loop is as short as a row of a few keys. Rows of 32 keys take a fifth of the
//! time of the form that goes query by query.
//!
//! Rows are [`room`] elements apart, so that every register is full. The elements behind the last
//! query are computed like all others, and nobody reads them.

use std::borrow::Cow;
use std::sync::Arc;

use burn::backend::flex::FlexTensor;

use super::heads::one;
use super::softmax;
use crate::attention::MASKED_SCORE;
use crate::host::{dims, numbers};
use crate::product::{Matrix, MatrixMut};
use crate::vector::{exp, vectorised};

/// Number of queries in a column of registers.
const WIDE: usize = 16;
/// Number of queries in the last column, where half of the wide one would be empty.
const NARROW: usize = 8;

/// Distance of the rows of transposed weights of `t` queries. A single query has no neighbour, so
/// that its weights are a row.
pub(super) fn room(t: usize) -> usize {
    match t {
        0 | 1 => t,
        _ => t.next_multiple_of(NARROW),
    }
}

/// Views transposed weights as `[T, S]`.
pub(super) fn weights_of(numbers: &[f32], [t, s]: [usize; 2]) -> Matrix<'_> {
    Matrix::strided(numbers, [s, t], [room(t), 1]).transposed()
}

/// Scale of the scores, and the mask to add to them.
#[derive(Clone, Debug)]
pub(super) struct TransposedScores {
    /// Additive mask, `[B or 1, H or 1, T or 1, S]`, contiguous.
    mask: FlexTensor,
    /// The mask transposed, `[H or 1, S, room]`, if all items share a mask with a row for each query.
    shared: Option<Arc<[f32]>>,
    scale: f32,
}

impl TransposedScores {
    /// Creates scores with an additive mask `[B or 1, H or 1, T or 1, S]` and a scale.
    pub fn new(mask: &FlexTensor, scale: f32) -> Self {
        let mask = mask.to_contiguous();
        let [items, _, queries, _] = dims(&mask);
        let shared = (items == 1 && queries > 1).then(|| transposed(&mask, 0).into());
        Self {
            mask,
            shared,
            scale,
        }
    }

    /// Returns the scores of all heads of an item, for which the mask is transposed once.
    pub fn of_item(&self, item: usize) -> ItemScores<'_> {
        let [items, heads, queries, s] = dims(&self.mask);
        let mask = match &self.shared {
            Some(shared) => Cow::Borrowed(&**shared),
            None if queries > 1 => Cow::Owned(transposed(&self.mask, item)),
            None => {
                let item = if items > 1 { item } else { 0 };
                Cow::Borrowed(&numbers(&self.mask)[item * heads * s..][..heads * s])
            }
        };
        ItemScores {
            mask,
            heads,
            is_for_each_query: queries > 1,
            scale: self.scale,
        }
    }
}

/// Transposes an item's mask, `[H, T, S]` → `[H, S, room]`.
fn transposed(mask: &FlexTensor, item: usize) -> Vec<f32> {
    let [_, heads, t, s] = dims(mask);
    let step = room(t);
    let mut transposed = vec![0.0; heads * s * step];
    for (head, place) in transposed.chunks_exact_mut((s * step).max(1)).enumerate() {
        let rows = Matrix::of(mask, &[item, head]);
        let columns = rows.transposed().copied();
        let columns = columns.chunks_exact(t);
        for (place, column) in place.chunks_exact_mut(step).zip(columns) {
            place[..t].copy_from_slice(column);
        }
    }
    transposed
}

/// Scores of all heads of an item.
pub(super) struct ItemScores<'a> {
    /// Additive mask, `[H or 1, S, room]` or `[H or 1, S]`.
    mask: Cow<'a, [f32]>,
    /// Number of masks, H or 1.
    heads: usize,
    is_for_each_query: bool,
    scale: f32,
}

impl ItemScores<'_> {
    /// Computes the transposed weights `[S, room]` of the queries `[T, D]` of a head for the keys
    /// `[S, D]`.
    pub fn weights(&self, head: usize, query: Matrix, keys: Matrix, weights: &mut [f32]) {
        if weights.is_empty() {
            return;
        }
        let step = room(query.height());
        one(MatrixMut::new(weights, step), keys, query.transposed());
        let of_head = self.mask.len() / self.heads;
        let head = if self.heads > 1 { head } else { 0 };
        let mask = &self.mask[head * of_head..][..of_head];
        let (scale, is_for_each_query) = (self.scale, self.is_for_each_query);
        vectorised(
            #[inline(always)]
            || {
                if step == 1 {
                    for (x, mask) in weights.iter_mut().zip(mask) {
                        *x = *x * scale + mask;
                    }
                    softmax::forward(weights);
                } else if is_for_each_query {
                    columns_forward(weights, step, scale, Term::OfPairs(mask));
                } else {
                    columns_forward(weights, step, scale, Term::OfKeys(mask));
                }
            },
        );
    }

    /// Turns the gradient of the transposed weights `[S, room]` of `t` queries into the gradient of
    /// K Qᵀ, in place.
    pub fn backward(&self, gradient: &mut [f32], weights: &[f32], t: usize) {
        let (step, scale) = (room(t), self.scale);
        vectorised(
            #[inline(always)]
            || {
                if step <= 1 {
                    softmax::backward(gradient, weights);
                    gradient.iter_mut().for_each(|x| *x *= scale);
                    return;
                }
                for first in (0..step).step_by(WIDE) {
                    if step - first >= WIDE {
                        column_backward::<WIDE>(gradient, weights, [step, first], scale);
                    } else {
                        column_backward::<NARROW>(gradient, weights, [step, first], scale);
                    }
                }
            },
        );
    }
}

/// Term of the mask that is added to the scores of a head.
#[derive(Clone, Copy)]
enum Term<'a> {
    /// The same for all queries, `[S]`.
    OfKeys(&'a [f32]),
    /// One for each query, `[S, room]`.
    OfPairs(&'a [f32]),
}

/// Turns products K Qᵀ, in rows of `step`, into weights.
#[inline(always)]
fn columns_forward(weights: &mut [f32], step: usize, scale: f32, term: Term) {
    for first in (0..step).step_by(WIDE) {
        if step - first >= WIDE {
            column_forward::<WIDE>(weights, [step, first], scale, term);
        } else {
            column_forward::<NARROW>(weights, [step, first], scale, term);
        }
    }
}

/// Turns the products of `L` queries from `first` on into weights.
#[inline(always)]
fn column_forward<const L: usize>(
    weights: &mut [f32],
    [step, first]: [usize; 2],
    scale: f32,
    term: Term,
) {
    /// Number of keys whose exponentials are summed apart, which keeps rounding errors small.
    const KEYS: usize = 32;
    let mut most = [f32::NEG_INFINITY; L];
    // A query with NaN among its scores is not a masked query: `most` ignores NaN.
    let mut not_a_number = [0.0; L];
    for (key, row) in weights.chunks_exact_mut(step).enumerate() {
        let row = of_row_mut::<L>(row, first);
        let term: [f32; L] = match term {
            Term::OfKeys(mask) => [mask[key]; L],
            Term::OfPairs(mask) => *of_row(&mask[key * step..], first),
        };
        for lane in 0..L {
            let x = row[lane] * scale + term[lane];
            row[lane] = x;
            most[lane] = if x > most[lane] { x } else { most[lane] };
            not_a_number[lane] = if x.is_nan() { x } else { not_a_number[lane] };
        }
    }
    let mut sums = [0.0; L];
    for rows in weights.chunks_mut(KEYS * step) {
        let mut part = [0.0; L];
        for row in rows.chunks_exact_mut(step) {
            let row = of_row_mut::<L>(row, first);
            for lane in 0..L {
                row[lane] = exp(row[lane] - most[lane]);
                part[lane] += row[lane];
            }
        }
        for lane in 0..L {
            sums[lane] += part[lane];
        }
    }
    let is_masked: [bool; L] = std::array::from_fn(|lane| {
        most[lane] <= MASKED_SCORE / 2.0 && !not_a_number[lane].is_nan()
    });
    let whole = sums.map(|sum| 1.0 / sum);
    for row in weights.chunks_exact_mut(step) {
        let row = of_row_mut::<L>(row, first);
        for lane in 0..L {
            let x = row[lane] * whole[lane];
            row[lane] = if is_masked[lane] { 0.0 } else { x };
        }
    }
}

/// Turns the gradient g of the weights w of `L` queries from `first` on into the gradient of their
/// products: (g − Σ w ∘ g) ∘ w · scale.
#[inline(always)]
fn column_backward<const L: usize>(
    gradient: &mut [f32],
    weights: &[f32],
    [step, first]: [usize; 2],
    scale: f32,
) {
    let mut sums = [0.0; L];
    let pairs = gradient.chunks_exact(step).zip(weights.chunks_exact(step));
    for (g, w) in pairs {
        let (g, w) = (of_row::<L>(g, first), of_row::<L>(w, first));
        for lane in 0..L {
            sums[lane] += g[lane] * w[lane];
        }
    }
    let pairs = gradient
        .chunks_exact_mut(step)
        .zip(weights.chunks_exact(step));
    for (g, w) in pairs {
        let (g, w) = (of_row_mut::<L>(g, first), of_row::<L>(w, first));
        for lane in 0..L {
            g[lane] = (g[lane] - sums[lane]) * w[lane] * scale;
        }
    }
}

/// The `L` elements of a row from `first` on.
#[inline(always)]
fn of_row<const L: usize>(row: &[f32], first: usize) -> &[f32; L] {
    row[first..].first_chunk().expect("rows have room")
}

/// The `L` elements of a row from `first` on, to be written.
#[inline(always)]
fn of_row_mut<const L: usize>(row: &mut [f32], first: usize) -> &mut [f32; L] {
    row[first..].first_chunk_mut().expect("rows have room")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tensor;
    use crate::vector::highest;

    /// Weights `[T, S]` by the formula in F64, and whether all keys of a query are masked.
    fn expected(
        products: &[f32],
        mask: impl Fn(usize, usize) -> f32,
        [t, s]: [usize; 2],
    ) -> Vec<f64> {
        let mut weights = Vec::with_capacity(t * s);
        for query in 0..t {
            let score = |key: usize| {
                let x = f64::from(products[query * s + key]) * 0.5;
                x + f64::from(mask(query, key))
            };
            let most = (0..s).map(score).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = (0..s).map(|key| (score(key) - most).exp()).sum();
            let share = if most <= f64::from(MASKED_SCORE) / 2.0 {
                0.0
            } else {
                1.0 / sum
            };
            weights.extend((0..s).map(|key| (score(key) - most).exp() * share));
        }
        weights
    }

    fn drawn(count: usize, phase: f32) -> Vec<f32> {
        (0..count)
            .map(|i| (i as f32 * 0.73 + phase).sin() * 3.0)
            .collect()
    }

    /// Masks of every kind: none, one for all queries with the last key hidden, and one for each
    /// query of each head, by which the first query sees nothing.
    fn masks([heads, t, s]: [usize; 3]) -> [FlexTensor; 3] {
        let mut padding = vec![0.0; 2 * s];
        padding[s - 1] = MASKED_SCORE;
        let hidden = |place: usize| {
            let (query, key) = (place / s % t, place % s);
            if query == 0 || key > query {
                MASKED_SCORE
            } else {
                -0.1 * (query - key) as f32
            }
        };
        [
            tensor(vec![0.0; s], [1, 1, 1, s]),
            tensor(padding, [2, 1, 1, s]),
            tensor(
                (0..2 * heads * t * s).map(hidden).collect(),
                [2, heads, t, s],
            ),
        ]
    }

    #[test]
    fn weights_and_gradients_are_those_of_the_formula_for_all_sizes() {
        let heads = 2;
        for (t, s) in [
            (1, 1),
            (1, 40),
            (2, 1),
            (7, 5),
            (8, 8),
            (9, 33),
            (16, 16),
            (24, 70),
            (33, 3),
        ] {
            for mask in masks([heads, t, s]) {
                let scores = TransposedScores::new(&mask, 0.5);
                let [items, mask_heads, queries, _] = dims(&mask);
                for (item, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let (query, keys) = (drawn(t * 4, item as f32), drawn(s * 4, head as f32));
                    let [query, keys] =
                        [(&query, t), (&keys, s)].map(|(it, rows)| Matrix::new(it, [rows, 4]));
                    let products = crate::product::product_of(query, keys.transposed());
                    let term = |query: usize, key: usize| {
                        let row = (item % items * mask_heads + head % mask_heads) * queries;
                        numbers(&mask)[(row + query % queries) * s + key]
                    };
                    let expected = expected(&products, term, [t, s]);
                    let mut weights = vec![0.0; s * room(t)];
                    let item = scores.of_item(item);
                    item.weights(head, query, keys, &mut weights);
                    let found = weights_of(&weights, [t, s]).copied();
                    for (found, expected) in found.iter().zip(&expected) {
                        assert!(
                            (f64::from(*found) - expected).abs() < 1e-6,
                            "{t}, {s}: {found}, {expected}"
                        );
                    }
                    // The gradient of Σ probe ∘ weights.
                    let probe = drawn(t * s, 0.2);
                    let mut gradient = vec![0.0; s * room(t)];
                    for (at, x) in probe.iter().enumerate() {
                        gradient[at % s * room(t) + at / s] = *x;
                    }
                    item.backward(&mut gradient, &weights, t);
                    let found = weights_of(&gradient, [t, s]).copied();
                    for query in 0..t {
                        let row = &expected[query * s..][..s];
                        let probe = &probe[query * s..][..s];
                        let sum: f64 = row.iter().zip(probe).map(|(w, g)| w * f64::from(*g)).sum();
                        for key in 0..s {
                            let slope = row[key] * (f64::from(probe[key]) - sum) * 0.5;
                            assert!(
                                (f64::from(found[query * s + key]) - slope).abs() < 2e-6,
                                "{t}, {s}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn nan_stays_with_its_query() {
        let (t, s) = (9, 5);
        let scores = TransposedScores::new(&tensor(vec![0.0; s], [1, 1, 1, s]), 1.0);
        let mut query = drawn(t, 0.0);
        query[3] = f32::NAN;
        let keys = drawn(s, 1.0);
        let mut weights = vec![0.0; s * room(t)];
        let [query, keys] = [(&query, t), (&keys, s)].map(|(it, rows)| Matrix::new(it, [rows, 1]));
        scores.of_item(0).weights(0, query, keys, &mut weights);
        let rows = weights_of(&weights, [t, s]).copied();
        for (query, row) in rows.chunks_exact(s).enumerate() {
            assert_eq!(row.iter().all(|x| x.is_nan()), query == 3);
            assert!(
                query == 3 || (row.iter().sum::<f32>() - 1.0).abs() < 1e-6 && highest(row) <= 1.0
            );
        }
    }
}
