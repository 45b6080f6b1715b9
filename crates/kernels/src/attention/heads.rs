//! Common parts of CPU kernels that go through a batch head by head.

use std::ops::Range;

use burn::backend::flex::FlexTensor;

use crate::buffer::zeroed_chunks;
use crate::host::tensor;
use crate::product::{Matrix, MatrixMut, Output, product};

/// Part of a tensor `[B, H, T, D]` that belongs to one item of the batch, to be written.
pub(super) struct ItemPlace<'a> {
    numbers: &'a mut [f32],
    heads: usize,
    /// Width of a row of a head, D.
    width: usize,
}

impl ItemPlace<'_> {
    /// Splits the item into parts of `rows` rows, each with its range of rows.
    pub fn parts(&mut self, rows: usize) -> impl Iterator<Item = (Range<usize>, ItemPlace<'_>)> {
        let (heads, width) = (self.heads, self.width);
        let row = (heads * width).max(1);
        let parts = self.numbers.chunks_mut(rows * row).enumerate();
        parts.map(move |(at, numbers)| {
            let first = at * rows;
            let part = ItemPlace {
                heads,
                width,
                numbers,
            };
            (first..first + part.numbers.len() / row, part)
        })
    }

    /// Returns the rows of a head, `[T, D]`, to write to.
    pub fn head(&mut self, head: usize) -> MatrixMut<'_> {
        // Without rows the offset of a head lies beyond the end.
        let numbers = self.numbers.get_mut(head * self.width..);
        MatrixMut::new(numbers.unwrap_or_default(), self.heads * self.width)
    }
}

/// Creates tensors of these shapes, `[B, H, T, D]`, and lets `fill` write the zeroed items on all
/// threads. Also returns the result of `fill` for each item. In memory the tensors are
/// `[B, T, H, D]`, so that joining the heads copies nothing.
pub(super) fn filled<const N: usize, R: Send>(
    shapes: [[usize; 4]; N],
    fill: impl Fn(usize, [ItemPlace; N]) -> R + Sync + Send,
) -> ([FlexTensor; N], Vec<R>) {
    let items = shapes.first().map_or(0, |[items, ..]| *items);
    let sizes = shapes.map(|[items, heads, rows, width]| {
        let item = heads * rows * width;
        [items * item, item]
    });
    let (numbers, results) = zeroed_chunks(items, sizes, |item, parts| {
        let mut shapes = shapes.iter();
        let places = parts.map(|numbers| {
            let [_, heads, _, width] = *shapes.next().expect("as many shapes as parts");
            ItemPlace {
                numbers,
                heads,
                width,
            }
        });
        fill(item, places)
    });
    let mut shapes = shapes.into_iter();
    let tensors = numbers.map(|numbers| {
        let [b, h, t, d] = shapes.next().expect("as many shapes as tensors");
        tensor(numbers, [b, t, h, d]).transpose(1, 2)
    });
    (tensors, results)
}

/// Writes `left · right` to `place`.
pub(super) fn one(place: MatrixMut, left: Matrix, right: Matrix) {
    product(place, Output::Overwrite, left, right);
}

/// Adds `left · right` to `place`.
pub(super) fn add(place: MatrixMut, left: Matrix, right: Matrix) {
    product(place, Output::Accumulate, left, right);
}
