//! Linear layer on slices of numbers, on all threads. Bias and rectifier are applied to each part
//! of the product while the part is in the cache.

use crate::product::{Block, Blocks, Matrix, in_blocks};
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
        let blocks = Blocks {
            left: x,
            right: weight,
            block: block([rows, inner, width]),
        };
        let finish = |_, [_, first]: [usize; 2], block: Block| {
            finish(block, bias.get(first..).unwrap_or_default(), rectified);
        };
        let ([y], _) = in_blocks([blocks], finish);
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
        let of_x = Blocks {
            left: gradient.rows(0, some(rows, wants_x)),
            right: transposed_copy,
            block: block([rows, width, inner]),
        };
        let of_weight = Blocks {
            left: self.x.transposed().rows(0, some(inner, wants_weight)), // [D, rows]
            right: gradient,
            block: block_of_weight([inner, width]),
        };
        let down = of_x.block[0];
        let sums = |first: usize| columns(gradient.rows(first, down.min(rows - first)));
        let (found, of_parts) = in_blocks([of_x, of_weight], |pair, [first, column], _| {
            (pair == 0 && column == 0 && wants_bias).then(|| sums(first))
        });
        let [of_x, of_weight] = found;
        let of_bias = match (wants_bias, wants_x) {
            (false, _) => Vec::new(),
            (true, true) => sum_of(of_parts.into_iter().flatten(), width),
            (true, false) => sum_of(par_map((0..rows).step_by(down), sums), width),
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

/// Adds the bias, if any, to the rows of a block, and rectifies them if `rectified`. `bias` begins
/// at the first column of the block.
fn finish(mut block: Block, bias: &[f32], rectified: bool) {
    vectorised(
        #[inline(always)]
        || {
            for row in block.rows() {
                for (y, bias) in row.iter_mut().zip(bias) {
                    *y += bias;
                }
                if rectified {
                    for y in row {
                        // NaN stays NaN: it is not below 0.
                        *y = if *y < 0.0 { 0.0 } else { *y };
                    }
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
/// Width from which a product is cut into blocks of columns, too.
const BROAD: usize = 256;
/// Number of blocks side by side of a broad product.
const BESIDE: usize = 4;

/// Number of rows and of columns of `[rows, inner] · [inner, width]` that one thread works on at a
/// time. For each block the product packs the block's columns of the right matrix, a weight. So the
/// blocks of a broad weight have few columns and many rows: the weight is packed less often, while
/// there are as many blocks.
fn block([rows, inner, width]: [usize; 3]) -> [usize; 2] {
    if SINGLE_THREADED {
        return [rows.max(1), width.max(1)];
    }
    let part = rows.div_ceil(16).max(128);
    if rows <= part {
        let is_shared = rows * inner * width >= LARGE;
        let across = if is_shared {
            width.div_ceil(16).max(64)
        } else {
            width
        };
        return [rows.max(1), across.max(1)];
    }
    if width < BROAD {
        return [part, width.max(1)];
    }
    [BESIDE * part, width.div_ceil(BESIDE).next_multiple_of(16)]
}

/// Number of rows (columns of x) and of columns of a weight's gradient `[D, E]` that one thread works
/// on at a time. For each block the product packs the block's columns of the output's gradient.
fn block_of_weight([inner, width]: [usize; 2]) -> [usize; 2] {
    if SINGLE_THREADED {
        return [inner.max(1), width.max(1)];
    }
    if inner >= BROAD && width >= BROAD {
        return [inner.div_ceil(2), width.div_ceil(2).next_multiple_of(16)];
    }
    [inner.div_ceil(4).max(32), width.max(1)]
}
