//! A linear layer of plain numbers, on all threads: products whose results are finished while they are in
//! the cache.

use std::iter;

use crate::product::{Before, Matrix, Place, product};
use crate::threads::{ALONE, on_threads, sum_of};
use crate::vector::vectorised;

/// A layer and what goes into it.
#[derive(Clone, Copy)]
pub struct Layer<'a> {
    /// `[rows, D]`
    pub x: Matrix<'a>,
    /// `[D, E]`
    pub weight: Matrix<'a>,
}

impl Layer<'_> {
    /// What comes out, `[rows, E]`, of a bias `[E]` or, of none, `[]`; rectified, if it shall be.
    pub fn forward(&self, bias: &[f32], rectified: bool) -> Vec<f32> {
        let Self { x, weight } = *self;
        let ([rows, inner], [_, width]) = (x.shape(), weight.shape());
        let mut y = vec![0.0; rows * width];
        if rows > part(rows) || rows * inner * width < LARGE || ALONE {
            let part = part(rows);
            let parts = y.chunks_mut((part * width).max(1)).enumerate();
            on_threads(parts, |(at, y)| {
                let x = x.rows(at * part, y.len() / width.max(1));
                layer(y, x, weight, bias, rectified);
            });
        } else {
            let columns = width.div_ceil(16).max(64);
            let firsts = (0..width).step_by(columns);
            let parts = on_threads(firsts, |first| {
                let count = columns.min(width - first);
                let mut y = vec![0.0; rows * count];
                let bias = bias.get(first..first + count).unwrap_or_default();
                layer(&mut y, x, weight.columns(first, count), bias, rectified);
                y
            });
            for (at, row) in y.chunks_exact_mut(width).enumerate() {
                for (row, part) in row.chunks_mut(columns).zip(&parts) {
                    row.copy_from_slice(&part[at * row.len()..][..row.len()]);
                }
            }
        }
        y
    }

    /// Gradients of x `[rows, D]`, the weight `[D, E]` and the bias `[E]`, of that of what came out,
    /// `[rows, E]`, before it was rectified; nothing where they are not wanted.
    ///
    /// # Panics
    /// If in the rows of the gradient the numbers are not side by side.
    pub fn gradients(&self, gradient: Matrix, wanted: [bool; 3]) -> [Vec<f32>; 3] {
        let [wants_x, wants_weight, wants_bias] = wanted;
        let ([rows, width], inner) = (gradient.shape(), self.x.shape()[1]);
        let room = |count, wanted| vec![0.0; if wanted { count } else { 0 }];
        let mut of_x = room(rows * inner, wants_x);
        let mut of_weight = room(inner * width, wants_weight);
        let turned = wants_x.then(|| turned(self.weight, rows)).flatten();
        let turned = match &turned {
            None => self.weight.transposed(),
            Some(turned) => Matrix::new(turned, [width, inner]),
        };
        // Of x there may be nothing to find.
        let places = of_x
            .chunks_mut((part(rows) * inner).max(1))
            .map(Some)
            .chain(iter::repeat_with(|| None))
            .map(Option::unwrap_or_default);
        let is_looked_at = wants_x || wants_bias;
        let firsts = (0..if is_looked_at { rows } else { 0 }).step_by(part(rows));
        let of_rows = firsts.zip(places).map(|(first, of_x)| Work::Rows {
            gradient: gradient.rows(first, part(rows).min(rows - first)),
            of_x,
        });
        let weights = of_weight
            .chunks_mut((block(inner) * width).max(1))
            .enumerate();
        let weights = weights.map(|(at, of_weight)| Work::Weight {
            first: at * block(inner),
            of_weight,
        });
        let sums = on_threads(of_rows.chain(weights), |work| match work {
            Work::Rows { gradient, of_x } => {
                if wants_x {
                    let place = Place::new(of_x, inner);
                    product(place, Before::Gone, gradient, turned);
                }
                wants_bias.then(|| columns(gradient))
            }
            Work::Weight { first, of_weight } => {
                let count = of_weight.len() / width.max(1);
                let x = self.x.transposed().rows(first, count);
                let place = Place::new(of_weight, width);
                product(place, Before::Gone, x, gradient);
                None
            }
        });
        let of_bias = match wants_bias {
            true => sum_of(sums.into_iter().flatten(), width),
            false => Vec::new(),
        };
        [of_x, of_weight, of_bias]
    }
}

/// The transposed weight, laid out for a product with so many rows, where this takes less time than it saves:
/// a product would lay it out itself, again for each part of the rows, and slowly.
fn turned(weight: Matrix, rows: usize) -> Option<Vec<f32>> {
    const ROWS: usize = 64;
    const MANY: usize = 1 << 15;
    let [inner, width] = weight.shape();
    if ALONE || rows * width < MANY || weight.transposed().steps()[0] != 1 {
        return None;
    }
    let mut turned = vec![0.0; inner * width];
    let parts = turned.chunks_mut((ROWS * inner).max(1)).enumerate();
    on_threads(parts, |(at, place)| {
        let rows = place.len() / inner;
        weight.transposed().rows(at * ROWS, rows).turn_into(place);
    });
    Some(turned)
}

/// What one thread does on the way back.
enum Work<'a> {
    /// Rows of the gradient: those of x, if they are wanted, and their sum for the bias.
    Rows {
        gradient: Matrix<'a>,
        of_x: &'a mut [f32],
    },
    /// Rows of the weight's gradient, from this one on.
    Weight {
        first: usize,
        of_weight: &'a mut [f32],
    },
}

/// Some rows or columns of what comes out, on this thread.
fn layer(y: &mut [f32], x: Matrix, weight: Matrix, bias: &[f32], rectified: bool) {
    let [_, width] = weight.shape();
    let mut before = Before::Gone;
    if !bias.is_empty() {
        before = Before::Added;
        for row in y.chunks_exact_mut(width) {
            row.copy_from_slice(bias);
        }
    }
    product(Place::new(y, width), before, x, weight);
    if rectified {
        vectorised(
            #[inline(always)]
            || {
                for y in y.iter_mut() {
                    // NaN stays NaN.
                    *y = if *y < 0.0 { 0.0 } else { *y };
                }
            },
        );
    }
}

/// The sum of rows: of sums of so many, whose rounding does not grow with all of them.
fn columns(matrix: Matrix) -> Vec<f32> {
    const ROWS: usize = 128;
    let [rows, width] = matrix.shape();
    let part = |first: usize| {
        let mut sums = vec![0.0; width];
        vectorised(
            #[inline(always)]
            || {
                for row in first..rows.min(first + ROWS) {
                    for (sum, x) in sums.iter_mut().zip(matrix.row(row)) {
                        *sum += x;
                    }
                }
            },
        );
        sums
    };
    sum_of((0..rows).step_by(ROWS).map(part), width)
}

/// Multiplications that threads share however few rows there are.
const LARGE: usize = 1 << 20;

/// Rows that one thread works on at a time: a product takes the whole weight in hand for them.
fn part(rows: usize) -> usize {
    if ALONE {
        return rows.max(1);
    }
    rows.div_ceil(16).max(128)
}

/// Rows of a weight's gradient, columns of x, that one thread works on at a time: for them it
/// takes the whole gradient in hand.
fn block(inner: usize) -> usize {
    if ALONE {
        return inner;
    }
    inner.div_ceil(4).max(32)
}
