//! Part of the texts in one direction, which a job reads from the first word to the last, and back.

use std::ops::Range;

use crate::product::{Matrix, MatrixMut, Output, product, product_of};
use crate::recurrent::cell::Cell;
use crate::threads::SINGLE_THREADED;
use crate::vector::vectorised;

/// Number of texts of a job.
const TEXTS: usize = if SINGLE_THREADED { 64 } else { 16 };

/// Number of steps whose rows are fetched, or put back, text by text.
const STEPS: usize = 8;

/// Sizes of a layer and lengths of its texts.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub texts: usize,
    pub words: usize,
    pub directions: usize,
    /// Width of the state, H.
    pub width: usize,
    pub lengths: Vec<usize>,
}

/// Texts `first..first + count` in one direction.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub direction: usize,
    first: usize,
    count: usize,
}

/// Values that a job keeps of its steps for the backward pass.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// Gates of all steps, `[S, texts, G·H]`.
    gates: Vec<f32>,
    /// States of all steps, `[S + 1, texts, ·]`; the initial states are 0.
    states: Vec<f32>,
    /// Further values of all steps for the backward pass, `[S, texts, ·]`.
    kept: Vec<f32>,
}

impl Sizes {
    pub fn parts(&self) -> Vec<Part> {
        let part = |direction: usize| {
            (0..self.texts).step_by(TEXTS).map(move |first| Part {
                direction,
                first,
                count: TEXTS.min(self.texts - first),
            })
        };
        (0..self.directions).flat_map(part).collect()
    }

    /// Place of the word that a text's step reads: in the backward direction the last word comes
    /// first. Padding is read after the text in both directions.
    fn place(&self, direction: usize, text: usize, step: usize) -> usize {
        match self.lengths[text] {
            length if direction == 1 && step < length => length - 1 - step,
            _ => step,
        }
    }

    /// Index of the row of the word that a step reads, in `[B, S, directions]`.
    fn row(&self, part: Part, step: usize, at: usize) -> usize {
        let text = part.first + at;
        let place = self.place(part.direction, text, step);
        (text * self.words + place) * self.directions + part.direction
    }

    fn is_real(&self, part: Part, step: usize, at: usize) -> bool {
        step < self.lengths[part.first + at]
    }

    /// Collects the rows of each part, step by step, `[S, texts]`.
    pub fn rows_of<'a>(&self, numbers: &'a mut [f32], width: usize) -> Vec<Vec<&'a mut [f32]>> {
        let mut rows: Vec<Option<&mut [f32]>> =
            numbers.chunks_exact_mut(width.max(1)).map(Some).collect();
        let mut of_part = |part: Part| -> Vec<&'a mut [f32]> {
            let places = (0..self.words).flat_map(|step| (0..part.count).map(move |at| (step, at)));
            let row = |(step, at)| rows[self.row(part, step, at)].take();
            places
                .map(row)
                .map(|it| it.expect("each row is in one part"))
                .collect()
        };
        self.parts().into_iter().map(&mut of_part).collect()
    }

    /// Ranges of steps whose rows a job fetches together: rows of a text are adjacent in memory,
    /// rows of a step far apart.
    fn stretches(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + use<> {
        let words = self.words;
        let stretches = 0..words.div_ceil(STEPS);
        stretches.map(move |at| at * STEPS..words.min((at + 1) * STEPS))
    }

    pub fn read<C: Cell>(
        &self,
        part: Part,
        inputs: &[f32],
        [weights, bias]: [&[f32]; 2],
        mut read: Vec<&mut [f32]>,
    ) -> Steps {
        let (h, n) = (self.width, part.count);
        let (columns, width, kept_width) = (C::GATES * h, C::STATE * h, C::KEPT * h);
        let mut gates = vec![0.0; self.words * n * columns];
        let mut states = vec![0.0; (self.words + 1) * n * width];
        let mut kept = vec![0.0; self.words * n * kept_width];
        let mut products = vec![0.0; n * columns];
        for stretch in self.stretches() {
            for at in 0..n {
                for step in stretch.clone() {
                    let x = &inputs[self.row(part, step, at) * columns..][..columns];
                    gates[(step * n + at) * columns..][..columns].copy_from_slice(x);
                }
            }
            for step in stretch.clone() {
                let (past, present) = states.split_at_mut((step + 1) * n * width);
                let past = &past[step * n * width..];
                if step > 0 {
                    product(
                        MatrixMut::new(&mut products, columns),
                        Output::Overwrite,
                        Matrix::strided(past, [n, h], [width, 1]),
                        Matrix::new(weights, [h, columns]),
                    );
                }
                vectorised(
                    #[inline(always)]
                    || {
                        for at in 0..n {
                            let row = step * n + at;
                            C::forward(
                                h,
                                &products[at * columns..][..columns],
                                bias,
                                &past[at * width..][..width],
                                [
                                    &mut gates[row * columns..][..columns],
                                    &mut kept[row * kept_width..][..kept_width],
                                    &mut present[at * width..][..width],
                                ],
                            );
                        }
                    },
                );
            }
            for at in 0..n {
                for step in stretch.clone().filter(|&step| self.is_real(part, step, at)) {
                    let state = &states[((step + 1) * n + at) * width..][..h];
                    read[step * n + at].copy_from_slice(state);
                }
            }
        }
        Steps {
            gates,
            states,
            kept,
        }
    }

    /// Computes the gradients of the weights and of the last gate's products for some texts in one
    /// direction. Writes the gradients of x to `of_inputs`, one row each.
    pub fn back<C: Cell>(
        &self,
        part: Part,
        transposed: Matrix,
        gradient: &[f32],
        mut of_inputs: Vec<&mut [f32]>,
        saved: &Steps,
    ) -> [Vec<f32>; 2] {
        let (h, n) = (self.width, part.count);
        let (columns, width, kept_width) = (C::GATES * h, C::STATE * h, C::KEPT * h);
        let mut of_products = vec![0.0; self.words * n * columns];
        // Buffers for the rows of one range of steps.
        let (mut of_gates, mut of_states) =
            (vec![0.0; STEPS * n * columns], vec![0.0; STEPS * n * h]);
        let (mut by_product, mut carried) = (vec![0.0; n * h], vec![0.0; n * h]);
        for stretch in self.stretches().rev() {
            let place = |step: usize, at: usize| (step - stretch.start) * n + at;
            for at in 0..n {
                for step in stretch.clone() {
                    let row = &mut of_states[place(step, at) * h..][..h];
                    if self.is_real(part, step, at) {
                        let of_word = &gradient[self.row(part, step, at) * h..][..h];
                        row.copy_from_slice(of_word);
                    } else {
                        row.fill(0.0)
                    }
                }
            }
            for step in stretch.clone().rev() {
                vectorised(
                    #[inline(always)]
                    || {
                        for at in 0..n {
                            let (row, place) = (step * n + at, place(step, at));
                            C::backward(
                                h,
                                [
                                    &saved.gates[row * columns..][..columns],
                                    &saved.kept[row * kept_width..][..kept_width],
                                    &saved.states[row * width..][..width],
                                    &saved.states[(row + n) * width..][..width],
                                ],
                                [&of_states[place * h..][..h], &by_product[at * h..][..h]],
                                [
                                    &mut of_gates[place * columns..][..columns],
                                    &mut of_products[row * columns..][..columns],
                                    &mut carried[at * h..][..h],
                                ],
                            );
                        }
                    },
                );
                if step > 0 {
                    let of_step = &of_products[step * n * columns..];
                    product(
                        MatrixMut::new(&mut by_product, h),
                        Output::Overwrite,
                        Matrix::new(of_step, [n, columns]),
                        transposed,
                    );
                }
            }
            for at in 0..n {
                for step in stretch.clone() {
                    let found = &of_gates[place(step, at) * columns..][..columns];
                    of_inputs[step * n + at].copy_from_slice(found);
                }
            }
        }
        let rows = self.words * n;
        let before = Matrix::strided(&saved.states, [rows, h], [width, 1]);
        let of_products = Matrix::new(&of_products, [rows, columns]);
        let of_last = of_products.columns(columns - h, h).column_sums();
        [product_of(before.transposed(), of_products), of_last]
    }
}
