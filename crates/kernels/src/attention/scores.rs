//! Scores c · Q Kᵀ + mask of some queries and keys of one head of one item, and their gradients.

use std::ops::Range;

use burn::backend::flex::FlexTensor;

use crate::attention::MASKED_SCORE;
use crate::host::{dims, numbers};
use crate::vector::vectorised;

/// Scale of the scores, and the mask to add to them.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    /// Additive mask, `[B or 1, H or 1, T or 1, S]`, contiguous.
    mask: FlexTensor,
    scale: f32,
}

impl Scores {
    /// Creates scores with an additive mask `[B or 1, H or 1, T or 1, S]` and a scale.
    pub fn new(mask: &FlexTensor, scale: f32) -> Self {
        Self {
            mask: mask.to_contiguous(),
            scale,
        }
    }

    /// Returns a function from the index of a query, of a head of an item, to the query's row of the
    /// mask.
    fn mask<'a>(&'a self, [item, head]: [usize; 2]) -> impl Fn(usize) -> &'a [f32] {
        let [items, heads, queries, s] = dims(&self.mask);
        let mask = numbers(&self.mask);
        // An axis of length 1 serves every index.
        let at = |index: usize, length: usize| if length > 1 { index } else { 0 };
        let first = (at(item, items) * heads + at(head, heads)) * queries;
        move |query| {
            let row = first + at(query, queries);
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

    /// True if all of these keys are masked for all of these queries of a head of an item.
    pub fn hides(&self, place: [usize; 2], queries: &Range<usize>, keys: &Range<usize>) -> bool {
        let mask = self.mask(place);
        let all = |query| {
            mask(query)[keys.clone()]
                .iter()
                .all(|x| *x <= MASKED_SCORE / 2.0)
        };
        queries.clone().all(all)
    }

    /// Turns the products of some queries and keys of a head of an item into scores, in place.
    pub fn of_products(
        &self,
        place: [usize; 2],
        queries: &Range<usize>,
        keys: &Range<usize>,
        products: &mut [f32],
    ) {
        let mask = self.mask(place);
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

    /// Turns the gradient of the weights of some keys into the gradient of Q Kᵀ, in place, given
    /// Σ weights ∘ gradient over all keys of each query.
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
