//! Dot-product attention on the CPU for weights that do not fit into the cache (FlashAttention: Dao
//! et al. 2022; Dao 2023). It goes tile by tile through some queries and some keys, so that the
//! whole `[T, S]` never exists. Each query keeps the highest score and the sum of its softmax, from
//! which the backward pass computes a tile's weights again.

use std::ops::Range;

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;

use super::host::Inputs;
use crate::attention::MASKED_SCORE;
use crate::attention::heads::{ItemPlace, add, filled};
use crate::attention::scores::Scores;
use crate::host::{dims, tensor};
use crate::node::Derivative;
use crate::product::{Matrix, MatrixMut, contiguous_rows, product_of};
use crate::threads::{par_map, sum_of};
use crate::vector::{exp, fold, highest, sum_over, vectorised};

/// Number of queries in a tile.
const QUERIES: usize = 256;

/// Number of keys in a tile.
const KEYS: usize = 256;

/// Number of jobs into which the backward pass splits the keys of a small batch.
const JOBS: usize = 8;

/// Softmax statistics of each query of a tile: weight = `share` · exp(score − `highest`).
#[derive(Clone, Debug)]
struct Softmax {
    highest: Vec<f32>,
    /// Inverse of Σ exp(score − `highest`); 0 if all keys are masked.
    share: Vec<f32>,
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    inputs: Inputs,
    scores: Scores,
    context: FlexTensor,
    /// Softmax statistics by item, tile of queries, and head.
    softmaxes: Vec<Vec<Vec<Softmax>>>,
}

/// Computes the context, and the state to save for the backward pass.
pub(super) fn context(inputs: Inputs) -> (FlexTensor, Saved) {
    let ([b, h, t, _], [_, _, s, width]) = (dims(&inputs.query), dims(&inputs.values));
    let scores = Scores::new(&inputs.mask, inputs.scale);
    let ([context], softmaxes) = filled([[b, h, t, width]], |item, [mut context]| {
        let places = (0..h).flat_map(|head| ranges(0..s, KEYS).map(move |keys| (head, keys)));
        // Transpose the keys once for all queries.
        let columns = par_map(places, |(head, keys)| {
            let all = Matrix::of(&inputs.keys, &[item, head]);
            all.rows(keys.start, keys.len()).transposed().copied() // [D, keys]
        });
        let tiles = s.div_ceil(KEYS);
        par_map(context.parts(QUERIES), |(queries, mut context)| {
            let head = |head: usize| {
                let columns = &columns[head * tiles..][..tiles];
                inputs.attend(&scores, [item, head], &queries, columns, context.head(head))
            };
            (0..h).map(head).collect()
        })
    });
    let saved = Saved {
        inputs,
        scores,
        context: context.clone(),
        softmaxes,
    };
    (context, saved)
}

impl Inputs {
    /// Computes the context of some queries by online softmax; `columns` are the keys of each tile,
    /// transposed, `[D, keys]`.
    fn attend(
        &self,
        scores: &Scores,
        [item, head]: [usize; 2],
        queries: &Range<usize>,
        columns: &[Vec<f32>],
        mut context: MatrixMut,
    ) -> Softmax {
        let [query, values] = [&self.query, &self.values].map(|it| Matrix::of(it, &[item, head]));
        let query = query.rows(queries.start, queries.len());
        let [s, width] = values.shape();
        let mut most = vec![f32::NEG_INFINITY; queries.len()];
        let mut sums = vec![0.0; queries.len()];
        for (keys, columns) in ranges(0..s, KEYS).zip(columns) {
            if scores.hides([item, head], queries, &keys) {
                continue;
            }
            let columns = Matrix::new(columns, [query.shape()[1], keys.len()]);
            let mut tile = product_of(query, columns); // [queries, keys]
            scores.of_products([item, head], queries, &keys, &mut tile);
            let rows = tile.chunks_exact_mut(keys.len());
            let softmaxes = most.iter_mut().zip(&mut sums);
            vectorised(
                #[inline(always)]
                || {
                    // Online softmax: a new highest score scales the sums so far by exp(old − new).
                    for (row, (scores, (most, sum))) in rows.zip(softmaxes).enumerate() {
                        let before = *most;
                        let here = highest(scores);
                        *most = if here > before { here } else { before };
                        for x in scores.iter_mut() {
                            *x = exp(*x - *most);
                        }
                        let kept = exp(before - *most);
                        *sum = *sum * kept + fold(scores, 0.0, |a, b| a + b);
                        if kept != 1.0 {
                            let context = context.row(row, width).iter_mut();
                            context.for_each(|x| *x *= kept);
                        }
                    }
                },
            );
            let weights = Matrix::new(&tile, [queries.len(), keys.len()]);
            add(
                context.reborrow(),
                weights,
                values.rows(keys.start, keys.len()),
            );
        }
        // Rows whose keys are all masked get weights 0.
        let share = |(most, sum): (&f32, f32)| {
            if *most <= MASKED_SCORE / 2.0 {
                0.0
            } else {
                1.0 / sum
            }
        };
        let found = Softmax {
            share: most.iter().zip(sums).map(share).collect(),
            highest: most,
        };
        for (row, share) in found.share.iter().enumerate() {
            let context = context.row(row, width).iter_mut();
            context.for_each(|x| *x *= share);
        }
        found
    }
}

impl Derivative<Flex, 3> for Saved {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let of_context = contiguous_rows(gradient);
        let tensors = [&self.inputs.keys, &self.inputs.values];
        let ([b, h, t, d], [_, _, s, _]) = (dims(&self.inputs.query), dims(&self.inputs.keys));
        // The number of parts depends on the number of items, not of threads, on which no result
        // may depend.
        let part = s.div_ceil(JOBS.div_ceil(b.max(1))).next_multiple_of(KEYS);
        let ([keys, values], queries) =
            filled(tensors.map(dims), |item, [mut keys, mut values]| {
                let item = Item::new(&self, &of_context, item);
                let parts = keys.parts(part).zip(values.parts(part));
                let queries = par_map(parts, |((range, keys), (_, values))| {
                    item.part(&range, [keys, values])
                });
                sum_of(queries, t * h * d)
            });
        let queries = tensor(queries.concat(), [b, t, h, d]).transpose(1, 2); // [B, H, T, D]
        [Some(queries), Some(keys), Some(values)]
    }
}

/// Backward pass of one item of the batch.
struct Item<'a> {
    saved: &'a Saved,
    item: usize,
    of_context: &'a FlexTensor,
    /// Σ weight · gradient of weight over all keys, which equals Σ context · gradient of context,
    /// for each head and query.
    sums: Vec<Vec<f32>>,
}

impl<'a> Item<'a> {
    fn new(saved: &'a Saved, of_context: &'a FlexTensor, item: usize) -> Self {
        let [_, heads, _, _] = dims(of_context);
        let sums = |head: usize| {
            let [context, gradient] =
                [&saved.context, of_context].map(|it| Matrix::of(it, &[item, head]));
            row_sums(context, gradient)
        };
        Self {
            saved,
            item,
            of_context,
            sums: (0..heads).map(sums).collect(),
        }
    }

    /// Views some rows of a head.
    fn rows(&self, of: &'a FlexTensor, head: usize, rows: &Range<usize>) -> Matrix<'a> {
        Matrix::of(of, &[self.item, head]).rows(rows.start, rows.len())
    }

    /// Computes the gradients of some keys and values, and these keys' part of the gradients of all
    /// queries, `[T, H, D]`.
    fn part(&self, part: &Range<usize>, [mut of_keys, mut of_values]: [ItemPlace; 2]) -> Vec<f32> {
        let Saved { inputs, scores, .. } = self.saved;
        let Inputs {
            query,
            keys,
            values,
            ..
        } = inputs;
        let [_, heads, t, d] = dims(query);
        let mut of_queries = vec![0.0; t * heads * d];
        for head in 0..heads {
            let rows = |of, range: &Range<usize>| self.rows(of, head, range);
            let mut of_query = MatrixMut::new(&mut of_queries[head * d..], heads * d);
            let [mut of_keys, mut of_values] =
                [&mut of_keys, &mut of_values].map(|it| it.head(head));
            for range in ranges(part.clone(), KEYS) {
                let columns = [keys, values].map(|it| rows(it, &range).transposed().copied());
                let first = range.start - part.start;
                for (at, queries) in ranges(0..t, QUERIES).enumerate() {
                    if scores.hides([self.item, head], &queries, &range) {
                        continue;
                    }
                    // dV += Wᵀ dO, dK += dSᵀ Q, dQ += dS K
                    let tile = self.tile(head, (at, &queries), &range, &columns);
                    let [weights, of_scores] = tile
                        .each_ref()
                        .map(|it| Matrix::new(it, [queries.len(), range.len()]));
                    let of_context = rows(self.of_context, &queries);
                    add(of_values.from_row(first), weights.transposed(), of_context);
                    let query = rows(query, &queries);
                    add(of_keys.from_row(first), of_scores.transposed(), query);
                    let keys = rows(keys, &range);
                    add(of_query.from_row(queries.start), of_scores, keys);
                }
            }
        }
        of_queries
    }

    /// Computes the weights of a tile and the gradient of its scores. `columns` are the tile's keys
    /// and values, transposed, `[D, keys]`.
    fn tile(
        &self,
        head: usize,
        (at, queries): (usize, &Range<usize>),
        keys: &Range<usize>,
        columns: &[Vec<f32>; 2],
    ) -> [Vec<f32>; 2] {
        let Saved {
            inputs,
            scores,
            softmaxes,
            ..
        } = self.saved;
        let product = |left, columns: &[f32]| {
            let left = self.rows(left, head, queries);
            let [_, width] = left.shape();
            product_of(left, Matrix::new(columns, [width, keys.len()]))
        };
        let [of_keys, of_values] = columns;
        let mut weights = product(&inputs.query, of_keys); // [queries, keys]
        scores.of_products([self.item, head], queries, keys, &mut weights);
        softmaxes[self.item][at][head].weights(&mut weights);
        let mut of_scores = product(self.of_context, of_values); // [queries, keys]
        let sums = &self.sums[head][queries.clone()];
        scores.backward_of_some(&mut of_scores, &weights, sums);
        [weights, of_scores]
    }
}

impl Softmax {
    /// Turns scores of the queries into weights, in place.
    fn weights(&self, scores: &mut [f32]) {
        let rows = scores.chunks_exact_mut(scores.len() / self.share.len());
        vectorised(
            #[inline(always)]
            || {
                for ((row, most), share) in rows.zip(&self.highest).zip(&self.share) {
                    for x in row {
                        *x = exp(*x - most) * share;
                    }
                }
            },
        );
    }
}

/// Splits a range into ranges of `length`, the last of which may be shorter.
fn ranges(of: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = of.end;
    of.step_by(length)
        .map(move |first| first..(first + length).min(end))
}

/// Sums left ∘ right over each row.
fn row_sums(left: Matrix, right: Matrix) -> Vec<f32> {
    let mut sums = vec![0.0; left.height()];
    vectorised(
        #[inline(always)]
        || {
            for (row, sum) in sums.iter_mut().enumerate() {
                *sum = sum_over(left.row(row), right.row(row), |a, b| a * b);
            }
        },
    );
    sums
}
