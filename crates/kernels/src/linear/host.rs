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
        let [of_x, of_weight, _] = wanted;
        if let Some(y) = &self.rectified {
            rectify(&mut gradient, y);
        }
        self.gradients(&gradient, of_x, of_weight)
    }
}

fn forward(x: &FlexTensor, weight: &FlexTensor, bias: &FlexTensor, rectified: bool) -> FlexTensor {
    let ([rows, _], [_, width]) = (dims(x), dims(weight));
    let (bias, weight) = (numbers(bias), Matrix::of(weight, &[]));
    let mut y = vec![0.0; rows * width];
    let part = part(rows);
    let parts = y.chunks_mut((part * width).max(1)).enumerate();
    on_threads(parts, |(at, y)| {
        for row in y.chunks_exact_mut(width) {
            row.copy_from_slice(bias);
        }
        let x = Matrix::of(x, &[]).rows(at * part, y.len() / width.max(1));
        let place = Place::new(y, width);
        product(place, Before::Added, x, weight);
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
    });
    tensor(y, [rows, width])
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
        gradient: &'a [f32],
        of_x: &'a mut [f32],
    },
    /// Rows of the weight's gradient, from this one on.
    Weight {
        first: usize,
        of_weight: &'a mut [f32],
    },
}

impl Seen {
    /// Gradients of x and of the weight, if they are wanted, and of the bias.
    fn gradients(
        &self,
        gradient: &FlexTensor,
        wants_x: bool,
        wants_weight: bool,
    ) -> [Option<FlexTensor>; 3] {
        let ([rows, width], [_, inner]) = (dims(gradient), dims(&self.x));
        let room = |count, wanted| vec![0.0; if wanted { count } else { 0 }];
        let mut of_x = room(rows * inner, wants_x);
        let mut of_weight = room(inner * width, wants_weight);
        let (x, weight) = (Matrix::of(&self.x, &[]), Matrix::of(&self.weight, &[]));
        let all = numbers(gradient);
        // Of x there may be nothing to find.
        let places = of_x
            .chunks_mut((part(rows) * inner).max(1))
            .map(Some)
            .chain(iter::repeat_with(|| None))
            .map(Option::unwrap_or_default);
        let of_rows = all.chunks((part(rows) * width).max(1)).zip(places);
        let of_rows = of_rows.map(|(gradient, of_x)| Work::Rows { gradient, of_x });
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
                    let gradient = Matrix::new(gradient, [gradient.len() / width.max(1), width]);
                    let place = Place::new(of_x, inner);
                    product(place, Before::Gone, gradient, weight.transposed());
                }
                Some(columns(gradient, width))
            }
            Work::Weight { first, of_weight } => {
                let count = of_weight.len() / width.max(1);
                let x = x.transposed().rows(first, count);
                let place = Place::new(of_weight, width);
                product(place, Before::Gone, x, Matrix::new(all, [rows, width]));
                None
            }
        });
        let of_bias = sum_of(sums.into_iter().flatten(), width);
        [
            wants_x.then(|| tensor(of_x, [rows, inner])),
            wants_weight.then(|| tensor(of_weight, [inner, width])),
            Some(tensor(of_bias, [width])),
        ]
    }
}

/// The sum of rows: of sums of so many, whose rounding does not grow with all of them.
fn columns(rows: &[f32], width: usize) -> Vec<f32> {
    const ROWS: usize = 128;
    let part = |rows: &[f32]| {
        let mut sums = vec![0.0; width];
        vectorised(
            #[inline(always)]
            || {
                for row in rows.chunks_exact(width) {
                    for (sum, x) in sums.iter_mut().zip(row) {
                        *sum += x;
                    }
                }
            },
        );
        sums
    };
    sum_of(rows.chunks((ROWS * width).max(1)).map(part), width)
}

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
