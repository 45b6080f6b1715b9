//! On the CPU: products whose results are finished while they are in the cache, on all threads.

use std::iter;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::kernel::LinearOfRows;
use crate::host::{contiguous, dims, numbers, numbers_mut, tensor};
use crate::node::{Derivative, record};
use crate::product::{Before, Matrix, Place, product, unflipped};
use crate::threads::{ALONE, CHUNK, on_threads, sum_of};
use crate::vector::vectorised;

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Seen {
    x: FlexTensor,
    weight: FlexTensor,
    /// What came out, where it was rectified.
    rectified: Option<FlexTensor>,
}

impl LinearOfRows for Flex {
    fn linear_of_rows(
        x: FlexTensor,
        weight: FlexTensor,
        bias: FlexTensor,
        rectified: bool,
    ) -> FlexTensor {
        forward(
            &unflipped(x),
            &unflipped(weight),
            &bias.to_contiguous(),
            rectified,
        )
    }
}

impl<C: CheckpointStrategy> LinearOfRows for Autodiff<Flex, C> {
    fn linear_of_rows(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        rectified: bool,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), weight.node(), bias.node()];
        let x = unflipped(x.into_primitive());
        let weight = unflipped(weight.into_primitive());
        let bias = bias.into_primitive().to_contiguous();
        let y = forward(&x, &weight, &bias, rectified);
        let seen = Seen {
            x,
            weight,
            rectified: rectified.then(|| y.clone()),
        };
        record::<Flex, C, _, _>(nodes, seen, y)
    }
}

impl Derivative<Flex, 3> for Seen {
    fn backward(self, gradient: FlexTensor, wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let mut gradient = contiguous(gradient);
        let [of_x, of_weight, of_bias] = wanted;
        if let Some(y) = &self.rectified {
            rectify(&mut gradient, y);
        }
        let shape @ [rows, width] = dims(&gradient);
        let [inner, _] = dims(&self.weight);
        let layer = Layer {
            x: Matrix::of(&self.x, &[]),
            weight: Matrix::of(&self.weight, &[]),
        };
        let gradient = Matrix::new(numbers(&gradient), shape);
        let [found_of_x, found_of_weight, found_of_bias] = match few_that_count(gradient) {
            None => layer.gradients(gradient, wanted),
            Some(few) => {
                let [x, gradient] = [layer.x, gradient].map(|it| it.picked(few.iter().copied()));
                let layer = Layer {
                    x: Matrix::new(&x, [few.len(), inner]),
                    ..layer
                };
                let gradient = Matrix::new(&gradient, [few.len(), width]);
                let [of_few, of_weight, of_bias] = layer.gradients(gradient, wanted);
                let all = if of_x { rows * inner } else { 0 };
                [spread_out(&of_few, &few, inner, all), of_weight, of_bias]
            }
        };
        [
            of_x.then(|| tensor(found_of_x, [rows, inner])),
            of_weight.then(|| tensor(found_of_weight, [inner, width])),
            of_bias.then(|| tensor(found_of_bias, [width])),
        ]
    }
}

fn forward(x: &FlexTensor, weight: &FlexTensor, bias: &FlexTensor, rectified: bool) -> FlexTensor {
    let ([rows, inner], [_, width]) = (dims(x), dims(weight));
    let (x, weight, bias) = (Matrix::of(x, &[]), Matrix::of(weight, &[]), numbers(bias));
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
    tensor(y, [rows, width])
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

/// The gradient of what was not rectified yet.
fn rectify(gradient: &mut FlexTensor, y: &FlexTensor) {
    let parts = numbers_mut(gradient)
        .chunks_mut(CHUNK)
        .zip(numbers(y).chunks(CHUNK));
    on_threads(parts, |(gradient, y)| {
        vectorised(
            #[inline(always)]
            || {
                for (g, &y) in gradient.iter_mut().zip(y) {
                    *g = if y > 0.0 { *g } else { 0.0 };
                }
            },
        );
    });
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

/// What the gradients are made of, beside that of the outcome.
#[derive(Clone, Copy)]
struct Layer<'a> {
    x: Matrix<'a>,
    weight: Matrix<'a>,
}

impl Layer<'_> {
    /// Gradients of x, the weight and the bias; nothing where they are not wanted.
    fn gradients(&self, gradient: Matrix, wanted: [bool; 3]) -> [Vec<f32>; 3] {
        let [wants_x, wants_weight, wants_bias] = wanted;
        let ([rows, width], inner) = (gradient.shape(), self.x.shape()[1]);
        let room = |count, wanted| vec![0.0; if wanted { count } else { 0 }];
        let mut of_x = room(rows * inner, wants_x);
        let mut of_weight = room(inner * width, wants_weight);
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
                    product(place, Before::Gone, gradient, self.weight.transposed());
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

/// Which rows have a number other than 0, if these are few: the others add nothing to any gradient.
/// So it is of padding, and of what no query of an attention chose.
fn few_that_count(gradient: Matrix) -> Option<Vec<usize>> {
    let rows = gradient.shape()[0];
    let most = rows - rows / 4;
    let mut few = Vec::new();
    for row in 0..rows {
        if gradient.row(row).iter().any(|x| *x != 0.0) {
            few.push(row);
            if few.len() >= most {
                return None;
            }
        }
    }
    Some(few)
}

/// These rows at their places among others of zeros, so many numbers in all.
fn spread_out(few: &[f32], places: &[usize], width: usize, all: usize) -> Vec<f32> {
    let mut all = vec![0.0; all];
    for (row, place) in few.chunks_exact(width.max(1)).zip(places) {
        all[place * width..][..width].copy_from_slice(row);
    }
    all
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
        return rows;
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
