//! softmax(c · Q Kᵀ + mask) of one head of one item, and back.

use burn::backend::flex::FlexTensor;
use strata_kernels::host::{dims, numbers};
use strata_kernels::product::{Matrix, Place};
use strata_kernels::vector::vectorised;

use super::heads::one;
use super::softmax;

/// What scores are multiplied by, and what is added to them.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    /// `[B or 1, 1, T or 1, S]`, contiguous.
    hidden: FlexTensor,
    scale: f32,
}

impl Scores {
    /// # Panics
    /// If the mask of one head is not that of another.
    pub fn new(hidden: &FlexTensor, scale: f32) -> Self {
        let [_, heads, _, _] = dims(hidden);
        assert_eq!(heads, 1, "heads of a mask");
        Self {
            hidden: hidden.to_contiguous(),
            scale,
        }
    }

    /// The weights `[T, S]` of the queries `[T, D]` of an item for its keys `[S, D]`.
    pub fn weights(&self, item: usize, query: Matrix, keys: Matrix, weights: &mut [f32]) {
        let [items, _, queries, s] = dims(&self.hidden);
        one(Place::new(weights, s), query, keys.transposed());
        let hidden = numbers(&self.hidden);
        let first = if items > 1 { item * queries } else { 0 };
        let rows = weights.chunks_exact_mut(s.max(1)).enumerate();
        vectorised(
            #[inline(always)]
            || {
                for (row, scores) in rows {
                    let at = first + if queries > 1 { row } else { 0 };
                    for (score, hidden) in scores.iter_mut().zip(&hidden[at * s..][..s]) {
                        *score = *score * self.scale + hidden;
                    }
                    softmax::forward(scores);
                }
            },
        );
    }

    /// In place of the gradient of such weights that of Q Kᵀ.
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
}
