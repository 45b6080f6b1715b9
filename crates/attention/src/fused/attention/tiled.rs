//! On the CPU where no cache holds the weights of an item: tile by tile, of some queries and some keys, so
//! that they are never all there. What is kept of each query's softmax is its highest score and the sum,
//! from which the way back computes a tile's weights again (FlashAttention: Dao et al. 2022; Dao 2023).

use std::ops::Range;

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use strata_kernels::host::{dims, tensor};
use strata_kernels::node::Derivative;
use strata_kernels::product::{Matrix, Place, in_rows};
use strata_kernels::threads::{on_threads, sum_of};
use strata_kernels::vector::{exp, fold, highest, sum_over, vectorised};

use super::host::Inputs;
use crate::fused::heads::{ItemPlace, add, filled, one};
use crate::mask::HIDDEN;

/// Queries of a tile.
const QUERIES: usize = 256;

/// Keys of a tile.
const KEYS: usize = 256;

/// Into how many jobs the keys of few items are parted on the way back.
const JOBS: usize = 8;

/// What is kept of the softmax of each query of a tile: its weights are `share` · exp(score − `highest`).
#[derive(Clone, Debug)]
struct Softmax {
    highest: Vec<f32>,
    /// One by the sum of the exponentials; 0 where all keys are hidden.
    share: Vec<f32>,
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    inputs: Inputs,
    context: FlexTensor,
    /// Of each item's tiles of queries, of each of their heads.
    softmaxes: Vec<Vec<Vec<Softmax>>>,
}

impl Seen {
    /// The context, and what the backward pass needs of it.
    pub fn new(inputs: Inputs) -> (FlexTensor, Self) {
        let ([b, h, t, _], [_, _, s, width]) = (dims(&inputs.query), dims(&inputs.values));
        let ([context], softmaxes) = filled([[b, h, t, width]], |item, [mut context]| {
            let places = (0..h).flat_map(|head| ranges(0..s, KEYS).map(move |keys| (head, keys)));
            // Laid out once for all queries.
            let keys = on_threads(places, |(head, keys)| {
                columns(&inputs.keys, item, head, &keys)
            });
            let tiles = s.div_ceil(KEYS);
            on_threads(context.parts(QUERIES), |(queries, mut context)| {
                let head = |head: usize| {
                    let keys = &keys[head * tiles..][..tiles];
                    inputs.attend([item, head], &queries, keys, context.head(head))
                };
                (0..h).map(head).collect()
            })
        });
        let seen = Self {
            inputs,
            context: context.clone(),
            softmaxes,
        };
        (context, seen)
    }
}

impl Inputs {
    /// The context of some queries for all keys, of which the tiles are laid out in columns.
    fn attend(
        &self,
        [item, head]: [usize; 2],
        queries: &Range<usize>,
        tiles: &[Vec<f32>],
        mut context: Place,
    ) -> Softmax {
        let [query, values] = [&self.query, &self.values].map(|it| Matrix::of(it, &[item, head]));
        let query = query.rows(queries.start, queries.len());
        let [s, width] = values.shape();
        let mut found = Softmax {
            highest: vec![f32::NEG_INFINITY; queries.len()],
            share: vec![0.0; queries.len()],
        };
        let mut tile = vec![0.0; queries.len() * KEYS.min(s)];
        for (keys, laid_out) in ranges(0..s, KEYS).zip(tiles) {
            if self.scores.hides(item, queries, &keys) {
                continue;
            }
            let tile = &mut tile[..queries.len() * keys.len()];
            let right = Matrix::new(laid_out, [query.shape()[1], keys.len()]);
            one(Place::new(tile, keys.len()), query, right);
            self.scores.of_products(item, queries, &keys, tile);
            let rows = tile.chunks_exact_mut(keys.len());
            let softmaxes = found.highest.iter_mut().zip(&mut found.share);
            vectorised(
                #[inline(always)]
                || {
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
            let weights = Matrix::new(tile, [queries.len(), keys.len()]);
            add(
                context.again(),
                weights,
                values.rows(keys.start, keys.len()),
            );
        }
        let softmaxes = found.highest.iter().zip(&mut found.share);
        for (row, (most, share)) in softmaxes.enumerate() {
            *share = if *most <= HIDDEN / 2.0 {
                0.0
            } else {
                1.0 / *share
            };
            let context = context.row(row, width).iter_mut();
            context.for_each(|x| *x *= *share);
        }
        found
    }
}

impl Derivative<Flex, 3> for Seen {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let of_context = in_rows(gradient);
        let tensors = [&self.inputs.keys, &self.inputs.values];
        let ([b, h, t, d], [_, _, s, _]) = (dims(&self.inputs.query), dims(&self.inputs.keys));
        // By the number of items, not of threads: the result would depend on it.
        let part = s.div_ceil(JOBS.div_ceil(b.max(1))).next_multiple_of(KEYS);
        let ([keys, values], queries) =
            filled(tensors.map(dims), |item, [mut keys, mut values]| {
                let along = |head: usize| {
                    let of = |it| Matrix::of(it, &[item, head]);
                    along(of(&of_context), of(&self.context))
                };
                let along: Vec<Vec<f32>> = (0..h).map(along).collect();
                let parts = keys.parts(part).zip(values.parts(part));
                let queries = on_threads(parts, |((range, keys), (_, values))| {
                    self.of_part(item, &of_context, &along, &range, [keys, values])
                });
                sum_of(queries, t * h * d)
            });
        let queries = tensor(queries.concat(), [b, t, h, d]).transpose(1, 2);
        [Some(queries), Some(keys), Some(values)]
    }
}

impl Seen {
    /// The gradients of some keys and their values, and what these add to those of all queries, `[T, H, D]`.
    fn of_part(
        &self,
        item: usize,
        of_context: &FlexTensor,
        along: &[Vec<f32>],
        part: &Range<usize>,
        [mut of_keys, mut of_values]: [ItemPlace; 2],
    ) -> Vec<f32> {
        let Inputs {
            query,
            keys,
            values,
            scores,
            ..
        } = &self.inputs;
        let [_, h, t, d] = dims(query);
        let mut of_queries = vec![0.0; t * h * d];
        let room = QUERIES.min(t) * KEYS.min(part.len());
        let [mut weights, mut of_scores] = [vec![0.0; room], vec![0.0; room]];
        for head in 0..h {
            let of = |it, range: &Range<usize>| {
                Matrix::of(it, &[item, head]).rows(range.start, range.len())
            };
            for range in ranges(part.clone(), KEYS) {
                let [key_columns, value_columns] =
                    [keys, values].map(|it| columns(it, item, head, &range));
                let turned = |numbers, of: &FlexTensor| {
                    let [_, _, _, width] = dims(of);
                    Matrix::new(numbers, [width, range.len()])
                };
                let first = range.start - part.start;
                for (at, queries) in ranges(0..t, QUERIES).enumerate() {
                    if scores.hides(item, &queries, &range) {
                        continue;
                    }
                    let size = [queries.len(), range.len()];
                    let [query, of_context] = [query, of_context].map(|it| of(it, &queries));
                    let weights = &mut weights[..queries.len() * range.len()];
                    one(
                        Place::new(weights, range.len()),
                        query,
                        turned(&key_columns, keys),
                    );
                    scores.of_products(item, &queries, &range, weights);
                    self.softmaxes[item][at][head].weights(weights);
                    let of_scores = &mut of_scores[..weights.len()];
                    one(
                        Place::new(of_scores, range.len()),
                        of_context,
                        turned(&value_columns, values),
                    );
                    scores.backward_of_some(of_scores, weights, &along[head][queries.clone()]);
                    let [weights, of_scores] = [weights, of_scores].map(|it| Matrix::new(it, size));
                    let mut values = of_values.head(head);
                    add(values.from_row(first), weights.transposed(), of_context);
                    let mut keys_place = of_keys.head(head);
                    add(keys_place.from_row(first), of_scores.transposed(), query);
                    let mut queries_place = Place::new(&mut of_queries[head * d..], h * d);
                    add(
                        queries_place.from_row(queries.start),
                        of_scores,
                        of(keys, &range),
                    );
                }
            }
        }
        of_queries
    }
}

impl Softmax {
    /// In place of the scores of its queries their weights.
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

/// These, so many at a time.
fn ranges(of: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = of.end;
    of.step_by(length)
        .map(move |first| first..(first + length).min(end))
}

/// Some rows of a head, `[D, rows]`: column by column, as products take them fastest.
fn columns(of: &FlexTensor, item: usize, head: usize, rows: &Range<usize>) -> Vec<f32> {
    let rows = Matrix::of(of, &[item, head]).rows(rows.start, rows.len());
    rows.transposed().copied()
}

/// Σ left ∘ right of each row.
fn along(left: Matrix, right: Matrix) -> Vec<f32> {
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
