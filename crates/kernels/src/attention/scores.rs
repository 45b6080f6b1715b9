//! Weights softmax(c · Q Kᵀ + mask) of one head of one item, forward and backward.

use std::ops::Range;

use burn::backend::flex::FlexTensor;

use super::heads::one;
use super::softmax;
use crate::attention::MASKED_SCORE;
use crate::host::{dims, numbers};
use crate::product::{Matrix, MatrixMut};
use crate::vector::vectorised;

/// Scale of the scores, and the mask to add to them.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    /// Additive mask, `[B or 1, 1, T or 1, S]`, contiguous.
    mask: FlexTensor,
    scale: f32,
}

impl Scores {
    /// Creates scores with an additive mask `[B or 1, 1, T or 1, S]` and a scale.
    ///
    /// # Panics
    /// If heads have different masks.
    pub fn new(mask: &FlexTensor, scale: f32) -> Self {
        let [_, heads, _, _] = dims(mask);
        assert_eq!(heads, 1, "heads of a mask");
        Self {
            mask: mask.to_contiguous(),
            scale,
        }
    }

    /// Returns a function from the index of a query of an item to the query's row of the mask.
    fn mask<'a>(&'a self, item: usize) -> impl Fn(usize) -> &'a [f32] {
        let [items, _, queries, s] = dims(&self.mask);
        let mask = numbers(&self.mask);
        let first = if items > 1 { item * queries } else { 0 };
        move |query| {
            let row = first + if queries > 1 { query } else { 0 };
            &mask[row * s..][..s]
        }
    }

    /// Turns a query's products with keys into scores, in place.
    #[inline(always)]
    fn score(&self, products: &mut [f32], mask: &[f32]) {
        for (x, mask) in products.iter_mut().zip(mask) {
            *x = *x * self.scale + mask;
        }
    }

    /// Computes the weights `[T, S]` of an item's queries `[T, D]` for the keys `[S, D]`.
    pub fn weights(&self, item: usize, query: Matrix, keys: Matrix, weights: &mut [f32]) {
        let s = keys.height();
        one(MatrixMut::new(weights, s), query, keys.transposed());
        let mask = self.mask(item);
        let rows = weights.chunks_exact_mut(s.max(1)).enumerate();
        vectorised(
            #[inline(always)]
            || {
                for (query, scores) in rows {
                    self.score(scores, mask(query));
                    softmax::forward(scores);
                }
            },
        );
    }

    /// True if all of these keys are masked for all of these queries of an item.
    pub fn hides(&self, item: usize, queries: &Range<usize>, keys: &Range<usize>) -> bool {
        let mask = self.mask(item);
        let all = |query| {
            mask(query)[keys.clone()]
                .iter()
                .all(|x| *x <= MASKED_SCORE / 2.0)
        };
        queries.clone().all(all)
    }

    /// Turns the products of some queries and keys of an item into scores, in place.
    pub fn of_products(
        &self,
        item: usize,
        queries: &Range<usize>,
        keys: &Range<usize>,
        products: &mut [f32],
    ) {
        let mask = self.mask(item);
        let rows = products.chunks_exact_mut(keys.len()).zip(queries.clone());
        vectorised(
            #[inline(always)]
            || {
                for (row, query) in rows {
                    self.score(row, &mask(query)[keys.clone()]);
                }
            },
        );
    }

    /// Turns the gradient of the weights into the gradient of Q Kᵀ, in place.
    pub fn backward(&self, gradient: &mut [f32], weights: &[f32], s: usize) {
        let rows = gradient.chunks_exact_mut(s.max(1));
        vectorised(
            #[inline(always)]
            || {
                for (row, weights) in rows.zip(weights.chunks_exact(s.max(1))) {
                    softmax::backward(row, weights);
                    row.iter_mut().for_each(|x| *x *= self.scale);
                }
            },
        );
    }

    /// Like [`backward`](Self::backward) for some of the keys, given Σ weights ∘ gradient over all
    /// keys of each query.
    pub fn backward_of_some(&self, gradient: &mut [f32], weights: &[f32], sums: &[f32]) {
        let keys = weights.len() / sums.len();
        let rows = gradient
            .chunks_exact_mut(keys)
            .zip(weights.chunks_exact(keys));
        vectorised(
            #[inline(always)]
            || {
                for ((row, weights), sum) in rows.zip(sums) {
                    for (x, weight) in row.iter_mut().zip(weights) {
                        *x = (*x - sum) * weight * self.scale;
                    }
                }
            },
        );
    }
}
