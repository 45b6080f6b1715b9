//! Linear layer on slices of numbers, on all threads. Bias and rectifier are applied to each part
//! of the product while the part is in the cache.

use crate::product::{Matrix, in_parts};
use crate::threads::{SINGLE_THREADED, par_map, sum_of};
use crate::vector::vectorised;

/// Linear layer and its input.
#[derive(Clone, Copy)]
pub struct Layer<'a> {
    /// Input, `[rows, D]`.
    pub x: Matrix<'a>,
    /// Weight, `[D, E]`.
    pub weight: Matrix<'a>,
}

impl Layer<'_> {
    /// Computes the output x W + b, `[rows, E]`, rectified if `rectified`; `bias` is `[E]`, or
    /// empty for none.
    pub fn forward(&self, bias: &[f32], rectified: bool) -> Vec<f32> {
        let Self { x, weight } = *self;
        let ([rows, inner], [_, width]) = (x.shape(), weight.shape());
        if rows > part(rows) || rows * inner * width < LARGE || SINGLE_THREADED {
            let layer = (x, weight, part(rows));
            let ([y], _) = in_parts([layer], |_, _, y| finish(y, bias, rectified));
            return y;
        }
        let columns = width.div_ceil(16).max(64);
        let parts = par_map((0..width).step_by(columns), |first| {
            let weight = weight.columns(first, columns.min(width - first));
            let bias = bias.chunks(columns).nth(first / columns);
            let finish = |_, _, y: &mut [f32]| finish(y, bias.unwrap_or_default(), rectified);
            let ([y], _) = in_parts([(x, weight, rows)], finish);
            y
        });
        let mut y = Vec::with_capacity(rows * width);
        for row in 0..rows {
            for part in &parts {
                let width = part.len() / rows;
                y.extend_from_slice(&part[row * width..][..width]);
            }
        }
        y
    }

    /// Computes the gradients of x `[rows, D]`, weight `[D, E]` and bias `[E]`, given the gradient
    /// of the output before the rectifier, `[rows, E]`. Those that are not `wanted` are empty.
    pub fn gradients(&self, gradient: Matrix, wanted: [bool; 3]) -> [Vec<f32>; 3] {
        let [wants_x, wants_weight, wants_bias] = wanted;
        let ([rows, width], inner) = (gradient.shape(), self.x.shape()[1]);
        let transposed_copy = wants_x
            .then(|| transposed_copy(self.weight, rows))
            .flatten();
        let transposed_copy = match &transposed_copy {
            None => self.weight.transposed(),
            Some(transposed_copy) => Matrix::new(transposed_copy, [width, inner]),
        };
        let some = |rows, is_wanted| if is_wanted { rows } else { 0 };
        let of_rows = (
            gradient.rows(0, some(rows, wants_x)),
            transposed_copy,
            part(rows),
        );
        let x = self.x.transposed().rows(0, some(inner, wants_weight)); // [D, rows]
        let of_weight = (x, gradient, block(inner));
        let sums = |first: usize| columns(gradient.rows(first, part(rows).min(rows - first)));
        let (found, of_parts) = in_parts([of_rows, of_weight], |pair, first, _| {
            (pair == 0 && wants_bias).then(|| sums(first))
        });
        let [of_x, of_weight] = found;
        let of_bias = match (wants_bias, wants_x) {
            (false, _) => Vec::new(),
            (true, true) => sum_of(of_parts.into_iter().flatten(), width),
            (true, false) => sum_of(par_map((0..rows).step_by(part(rows)), sums), width),
        };
        [of_x, of_weight, of_bias]
    }
}

/// Transposes the weight into contiguous memory, if that pays for a product with this many rows.
/// Otherwise the product rearranges the weight itself, slowly, once for each part of the rows.
fn transposed_copy(weight: Matrix, rows: usize) -> Option<Vec<f32>> {
    const ROWS: usize = 64;
    const MANY: usize = 1 << 15;
    let [inner, width] = weight.shape();
    if SINGLE_THREADED || rows * width < MANY || weight.steps()[1] != 1 {
        return None;
    }
    let mut transposed_copy = vec![0.0; inner * width];
    let parts = transposed_copy
        .chunks_mut((ROWS * inner).max(1))
        .enumerate();
    par_map(parts, |(at, place)| {
        let rows = place.len() / inner;
        weight
            .transposed()
            .rows(at * ROWS, rows)
            .transpose_into(place);
    });
    Some(transposed_copy)
}

/// Adds the bias, if any, to rows of a product, and rectifies them if `rectified`.
fn finish(y: &mut [f32], bias: &[f32], rectified: bool) {
    vectorised(
        #[inline(always)]
        || {
            if !bias.is_empty() {
                for row in y.chunks_exact_mut(bias.len()) {
                    for (y, bias) in row.iter_mut().zip(bias) {
                        *y += bias;
                    }
                }
            }
            if rectified {
                for y in y {
                    // NaN stays NaN: it is not below 0.
                    *y = if *y < 0.0 { 0.0 } else { *y };
                }
            }
        },
    );
}

/// Sums all rows by partial sums over 128 rows each, which keeps rounding errors small.
fn columns(matrix: Matrix) -> Vec<f32> {
    const ROWS: usize = 128;
    let [rows, width] = matrix.shape();
    let part = |first: usize| matrix.rows(first, ROWS.min(rows - first)).column_sums();
    sum_of((0..rows).step_by(ROWS).map(part), width)
}

/// Number of multiplications from which threads share a product, however few rows it has.
const LARGE: usize = 1 << 20;

/// Number of rows that one thread works on at a time. For each such part a product reads the whole
/// weight.
fn part(rows: usize) -> usize {
    if SINGLE_THREADED {
        return rows.max(1);
    }
    rows.div_ceil(16).max(128)
}

/// Number of rows of a weight's gradient (columns of x) that one thread works on at a time. For
/// each such part the thread reads the whole output gradient.
fn block(inner: usize) -> usize {
    if SINGLE_THREADED {
        return inner.max(1);
    }
    inner.div_ceil(4).max(32)
}
