//! Common parts of recurrent layers on the CPU: products of each gate and direction, and rows of a
//! step, on all threads.

use burn::backend::flex::FlexTensor;
use burn::tensor::Shape;

use crate::host::{dims, numbers, tensor};
use crate::product::{Matrix, MatrixMut, Output, product};
use crate::threads::{par_map, rows_of};
use crate::vector::vectorised;

/// Sizes of a recurrent layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    gates: usize,
    directions: usize,
    /// Number of items of the batch, B.
    items: usize,
    /// Width of the state, H.
    width: usize,
}

impl Sizes {
    /// Reads the sizes of a layer from its inputs `[S, directions, B, gates·H]`.
    pub(crate) fn of(inputs: &FlexTensor, gates: usize) -> Self {
        let [_, directions, items, columns] = dims(inputs);
        Self {
            gates,
            directions,
            items,
            width: columns / gates,
        }
    }

    /// Allocates a buffer for the products of all gates in a step, `[gates, directions, B, H]`.
    pub(crate) fn room(self) -> Vec<f32> {
        vec![0.0; self.gates * self.of_gate()]
    }

    /// Number of elements of one gate in a step, `[directions, B, H]`.
    fn of_gate(self) -> usize {
        self.directions * self.items * self.width
    }

    /// Writes the products h U of a step, gate by gate, with h from before the step.
    ///
    /// # Shapes
    /// - initial h `[directions, B, H]`; the states before this step `[…, directions, B, state]`,
    ///   each of which begins with h
    /// - weights `[directions, H, gates·H]`, products `[gates, directions, B, H]`
    pub(crate) fn forward(
        self,
        [first, past]: [&[f32]; 2],
        state: usize,
        weights: &[f32],
        products: &mut [f32],
    ) {
        let Self { items, width, .. } = self;
        let columns = self.gates * width;
        let (hidden, state) = match past.len().checked_sub(self.directions * items * state) {
            Some(last) if !past.is_empty() => (&past[last..], state),
            _ => (first, width),
        };
        self.each(products, [items, width], |gate, direction| {
            let hidden = &hidden[direction * items * state..];
            let weights = &weights[direction * width * columns + gate * width..];
            (
                Matrix::strided(hidden, [items, width], [state, 1]),
                Matrix::strided(weights, [width, width], [columns, 1]),
            )
        });
    }

    /// Writes the gradient of h in a step, gate by gate: the gradient of the gate's h U, times Uᵀ.
    /// The gradient of h is the sum over the gates.
    ///
    /// # Shapes
    /// - gradient of h U `[directions, B, gates·H]`, transposed weights `[directions, gates·H, H]`,
    ///   result `[gates, directions, B, H]`
    pub(crate) fn backward(self, of_products: &[f32], transposed: &[f32], found: &mut [f32]) {
        let Self {
            gates,
            items,
            width,
            ..
        } = self;
        let columns = gates * width;
        self.each(found, [items, width], |gate, direction| {
            let of_products = &of_products[direction * items * columns + gate * width..];
            let transposed = &transposed[(direction * gates + gate) * width * width..];
            (
                Matrix::strided(of_products, [items, width], [columns, 1]),
                Matrix::new(transposed, [width, width]),
            )
        });
    }

    /// Computes the gradient of the weights, Σ hᵀ · gradient of h U over the steps:
    /// `[1, directions, H, gates·H]`.
    ///
    /// # Shapes
    /// - initial h `[1, directions, B, H]`, states `[S, directions, B, H or more]` that begin with
    ///   h
    /// - gradient of h U `[S, directions, B, gates·H]`
    pub(crate) fn of_weights(
        self,
        first: &FlexTensor,
        states: &FlexTensor,
        of_products: &FlexTensor,
    ) -> FlexTensor {
        let Self {
            gates,
            directions,
            items,
            width,
        } = self;
        let columns = gates * width;
        let [steps, _, _, state] = dims(states);
        let rows = steps * items;
        let mut before = Vec::with_capacity(rows * directions * width);
        before.extend_from_slice(numbers(first));
        let known = numbers(states).chunks_exact(state.max(1));
        for state in known.take((steps - 1) * directions * items) {
            before.extend_from_slice(&state[..width]);
        }
        let of_directions = |all: FlexTensor| all.permute(&[1, 0, 2, 3]).to_contiguous();
        let before = of_directions(tensor(before, [steps, directions, items, width])); // [directions, S, B, H]
        let of_products = of_directions(of_products.clone()); // [directions, S, B, gates·H]
        let mut found = vec![0.0; gates * directions * width * width];
        self.each(&mut found, [width, width], |gate, direction| {
            let before = &numbers(&before)[direction * rows * width..];
            let of_products = &numbers(&of_products)[direction * rows * columns + gate * width..];
            (
                Matrix::new(before, [rows, width]).transposed(),
                Matrix::strided(of_products, [rows, width], [columns, 1]),
            )
        });
        let found = tensor(found, [gates, directions, width, width]);
        let found = found.permute(&[1, 2, 0, 3]).to_contiguous(); // [directions, H, gates, H]
        found.reshape(Shape::from([1, directions, width, columns]))
    }

    /// Returns each gate's block of `[gates, directions, B, H]` and the row width H, as
    /// [`each_row`] reads them.
    pub(crate) fn blocks<const N: usize>(self, of_gates: &[f32]) -> [(&[f32], usize); N] {
        std::array::from_fn(|gate| (&of_gates[gate * self.of_gate()..], self.width))
    }

    /// Sums over the gates, `[directions, B, H]`.
    pub(crate) fn sum(self, of_gates: &[f32]) -> Vec<f32> {
        Matrix::new(of_gates, [self.gates, self.of_gate()]).column_sums()
    }

    /// Writes a product for each gate and direction, `[gates, directions, rows, columns]`.
    fn each<'a>(
        self,
        found: &mut [f32],
        [rows, columns]: [usize; 2],
        pair: impl Fn(usize, usize) -> (Matrix<'a>, Matrix<'a>) + Sync + Send,
    ) {
        let jobs = found.chunks_mut((rows * columns).max(1)).enumerate();
        par_map(jobs, |(at, found)| {
            let (left, right) = pair(at / self.directions, at % self.directions);
            product(
                MatrixMut::new(found, columns),
                Output::Overwrite,
                left,
                right,
            );
        });
    }
}

/// Calls `work` for every row, on all threads: with the index of the row, the slices to read (from
/// the row's beginning on), and the rows to write. `read` and `write` hold each slice with its row
/// width.
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
    par_map(parts, |(part, mut write)| {
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

/// Splits a row into `N` parts of `width` elements.
#[inline(always)]
pub(crate) fn parts<const N: usize>(row: &[f32], width: usize) -> [&[f32]; N] {
    // The width is captured by value: the compiler does not vectorise with a length behind a
    // reference.
    std::array::from_fn(move |part| &row[part * width..][..width])
}

/// Splits the next `count` elements off `rest`.
#[inline(always)]
fn next<'a>(rest: &mut &'a mut [f32], count: usize) -> &'a mut [f32] {
    rest.split_off_mut(..count)
        .expect("there are numbers for each row")
}
