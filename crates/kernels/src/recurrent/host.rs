//! On the CPU: products with the state before, and rows of a step on all threads.

use burn::backend::flex::FlexTensor;
use burn::backend::flex::ops::matmul::matmul;
use burn::tensor::Shape;

use crate::host::{dims, numbers, tensor};
use crate::threads::{on_threads, rows_of};
use crate::vector::vectorised;

/// h before a step · weights: `[1, directions, B, columns]`.
///
/// # Shapes
/// - h at first `[1, directions, B, H]`, states `[S, directions, B, H or more]`, h first of all
pub(crate) fn product(
    first: &FlexTensor,
    states: &FlexTensor,
    step: usize,
    weights: &FlexTensor,
) -> FlexTensor {
    let hidden = match step {
        0 => first.clone(),
        _ => {
            let h = dims::<4>(first)[3];
            states.narrow(0, step - 1, 1).narrow(3, 0, h)
        }
    };
    matmul(hidden, weights.clone())
}

/// The gradient of the weights, Σ over the steps of hᵀ · that of the products, as one product:
/// `[1, directions, H, columns]`.
///
/// # Shapes
/// - those of [`product`]; the products' gradients `[S, directions, B, columns]`
pub(crate) fn of_weights(
    first: &FlexTensor,
    states: &FlexTensor,
    of_products: &FlexTensor,
) -> FlexTensor {
    let [s, directions, b, columns] = dims(of_products);
    let ([_, _, _, h], [_, _, _, width]) = (dims::<4>(first), dims::<4>(states));
    let mut before = Vec::with_capacity(s * directions * b * h);
    before.extend_from_slice(numbers(first));
    let known = numbers(states).chunks_exact(width.max(1));
    for state in known.take((s - 1) * directions * b) {
        before.extend_from_slice(&state[..h]);
    }
    let rows = |all: FlexTensor, width| {
        let of_directions = all.permute(&[1, 0, 2, 3]).to_contiguous();
        of_directions.reshape(Shape::from([1, directions, s * b, width]))
    };
    let before = rows(tensor(before, [s, directions, b, h]), h);
    matmul(before.transpose(2, 3), rows(of_products.clone(), columns))
}

/// Works on every row of some numbers, on all threads: on its index, what it reads, which begins
/// where the row does, and what it writes. Of everything it says how far it is from row to row.
pub(crate) fn each_row<const R: usize, const W: usize>(
    rows: usize,
    read: [(&[f32], usize); R],
    mut write: [(&mut [f32], usize); W],
    work: impl Fn(usize, [&[f32]; R], [&mut [f32]; W]) + Sync + Send,
) {
    let widest = write.iter().map(|(_, width)| *width).max();
    let part = rows_of(widest.unwrap_or_default());
    let parts = (0..rows).step_by(part).map(|first| {
        let part = first..rows.min(first + part);
        let write = write.each_mut();
        let write = write.map(|(rest, width)| (next(rest, part.len() * *width), *width));
        (part, write)
    });
    on_threads(parts, |(part, mut write)| {
        vectorised(
            #[inline(always)]
            || {
                for row in part {
                    let read = read.map(|(numbers, width)| &numbers[row * width..]);
                    let write = write.each_mut();
                    work(row, read, write.map(|(rest, width)| next(rest, *width)));
                }
            },
        );
    });
}

/// What a row has side by side, of so many numbers each.
#[inline(always)]
pub(crate) fn parts<const N: usize>(row: &[f32], width: usize) -> [&[f32]; N] {
    // By value: of a length that is behind a reference the compiler knows too little to vectorise.
    std::array::from_fn(move |part| &row[part * width..][..width])
}

/// So many numbers, taken from the rest.
#[inline(always)]
fn next<'a>(rest: &mut &'a mut [f32], count: usize) -> &'a mut [f32] {
    rest.split_off_mut(..count)
        .expect("there are numbers for each row")
}
