//! Aᴺ V and its gradients for one matrix in the processor's cache: what [`crate::power`] does with
//! tensors of many.

use strata_kernels::product::{Matrix, Place};
use strata_kernels::vector::sum_over;

use super::heads::{add, one};
use crate::power::{FEW_LEVELS, repetitions, squaring_pays};

/// How a power was applied, for the way back.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// By products, which are done again.
    Products,
    /// All rows of Aᴹ are one row.
    Converged {
        /// That row, π.
        row: Vec<f32>,
        /// M.
        after: usize,
    },
}

/// A matrix whose rows sum to 1 (those that see nothing to 0), to be applied N times.
pub(super) struct Power<'a> {
    /// `[S, S]`; of one level `[T, S]`.
    pub attention: &'a [f32],
    /// S.
    pub size: usize,
    /// N.
    pub levels: usize,
    /// D_v.
    pub width: usize,
}

/// What a power is applied to and gives back, `[S, D_v]`, and where a gradient goes to.
pub(super) struct Gradients<'a> {
    pub of_context: Matrix<'a>,
    pub of_attention: &'a mut [f32],
    pub of_values: Place<'a>,
}

impl Power<'_> {
    /// Aᴺ V.
    pub fn apply(&self, values: Matrix, mut context: Place) -> Way {
        if self.levels == 1 {
            one(context, self.first(), values);
            return Way::Products;
        }
        let squares = match self.squares() {
            Ok(squares) => squares,
            Err(Way::Converged { row, after }) => {
                let mut shared = vec![0.0; self.width];
                let row_of_one = Matrix::new(&row, [1, self.size]);
                one(Place::new(&mut shared, self.width), row_of_one, values);
                for at in 0..self.size {
                    context.row(at, self.width).copy_from_slice(&shared);
                }
                return Way::Converged { row, after };
            }
            Err(way) => return way,
        };
        let mut visited = self.visited(&squares, values);
        let last = visited.pop().unwrap_or_default();
        for (row, numbers) in last.chunks_exact(self.width.max(1)).enumerate() {
            context.row(row, self.width).copy_from_slice(numbers);
        }
        Way::Products
    }

    /// Gradients of A and V.
    pub fn gradients(&self, way: &Way, values: Matrix, found: Gradients) {
        let Gradients {
            of_context,
            of_attention,
            mut of_values,
        } = found;
        let (size, width) = (self.size, self.width);
        if self.levels == 1 {
            let place = Place::new(of_attention, size);
            one(place, of_context, values.transposed());
            one(of_values, self.first().transposed(), of_context);
            return;
        }
        if let Way::Converged { row, after } = way {
            self.gradients_of_row(row, *after, values, of_context, of_attention);
            let shared = of_context.column_sums();
            for (at, share) in row.iter().enumerate() {
                let place = of_values.row(at, width);
                for (found, x) in place.iter_mut().zip(&shared) {
                    *found = share * x;
                }
            }
            return;
        }
        let squares = self.squares().unwrap_or_default();
        let visited = self.visited(&squares, values);
        let mut of_powers = vec![vec![0.0; size * size]; squares.len() + 1];
        let mut gradient = of_context.copied();
        for (step, power) in self.steps(&squares).into_iter().enumerate().rev() {
            let reached = Matrix::new(&gradient, [size, width]);
            let before = match step {
                0 => values,
                _ => Matrix::new(&visited[step - 1], [size, width]),
            };
            let place = Place::new(&mut of_powers[power], size);
            add(place, reached, before.transposed());
            let mut next = vec![0.0; size * width];
            let applied = self.power(&squares, power).transposed();
            one(Place::new(&mut next, width), applied, reached);
            gradient = next;
        }
        for at in (1..of_powers.len()).rev() {
            let (below, above) = of_powers.split_at_mut(at);
            let root = self.power(&squares, at - 1);
            let above = Matrix::new(&above[0], [size, size]);
            let below = &mut below[at - 1];
            add(Place::new(below, size), root.transposed(), above);
            add(Place::new(below, size), above, root.transposed());
        }
        of_attention.copy_from_slice(&of_powers[0]);
        for (at, numbers) in gradient.chunks_exact(width.max(1)).enumerate() {
            of_values.row(at, width).copy_from_slice(numbers);
        }
    }

    /// A², A⁴, … as far as they are needed; an error where all rows of one are equal.
    fn squares(&self) -> Result<Vec<Vec<f32>>, Way> {
        let (size, levels) = (self.size, self.levels);
        let pays = squaring_pays(size, self.width, levels);
        let asks = pays || levels >= FEW_LEVELS;
        let mut squares: Vec<Vec<f32>> = Vec::new();
        for i in 0..levels.ilog2() as usize {
            let last = self.power(&squares, i);
            if asks
                && i >= 2
                && 4 << i <= levels
                && let Some(repetitions) = repetitions(self.left(&squares[i - 1]))
                && 2 * (repetitions << i) <= levels
            {
                return Err(self.converged(&squares[i - 1], repetitions, i));
            }
            if !pays && (i >= 2 || !asks) {
                return Ok(Vec::new());
            }
            let mut square = vec![0.0; size * size];
            one(Place::new(&mut square, size), last, last);
            squares.push(square);
        }
        Ok(squares)
    }

    /// What rows of a power do not share: 1 less the lowest numbers of all columns.
    fn left(&self, power: &[f32]) -> f32 {
        let (first, rest) = power.split_at(self.size);
        let mut lowest = first.to_vec();
        for row in rest.chunks_exact(self.size) {
            for (lowest, &x) in lowest.iter_mut().zip(row) {
                *lowest = if x < *lowest { x } else { *lowest };
            }
        }
        1.0 - lowest.iter().sum::<f32>()
    }

    fn converged(&self, power: &[f32], repetitions: usize, i: usize) -> Way {
        let power_of_rows = Matrix::new(power, [self.size, self.size]);
        let mut row = power[..self.size].to_vec();
        for _ in 1..repetitions {
            let mut next = vec![0.0; self.size];
            let place = Place::new(&mut next, self.size);
            one(place, Matrix::new(&row, [1, self.size]), power_of_rows);
            row = next;
        }
        Way::Converged {
            row,
            after: repetitions << i,
        }
    }

    fn first(&self) -> Matrix<'_> {
        let rows = self.attention.len() / self.size.max(1);
        Matrix::new(self.attention, [rows, self.size])
    }

    /// A to the power 2ⁱ.
    fn power<'b>(&'b self, squares: &'b [Vec<f32>], i: usize) -> Matrix<'b> {
        match i {
            0 => self.first(),
            _ => Matrix::new(&squares[i - 1], [self.size, self.size]),
        }
    }

    /// Which powers of two are applied, one after the other.
    fn steps(&self, squares: &[Vec<f32>]) -> Vec<usize> {
        if squares.is_empty() {
            return vec![0; self.levels];
        }
        let places = 0..=squares.len();
        places.filter(|i| self.levels >> i & 1 == 1).collect()
    }

    /// What each step makes of V.
    fn visited(&self, squares: &[Vec<f32>], values: Matrix) -> Vec<Vec<f32>> {
        let (size, width) = (self.size, self.width);
        let mut visited: Vec<Vec<f32>> = Vec::new();
        for power in self.steps(squares) {
            let mut next = vec![0.0; size * width];
            let before = match visited.last() {
                Some(last) => Matrix::new(last, [size, width]),
                None => values,
            };
            one(
                Place::new(&mut next, width),
                self.power(squares, power),
                before,
            );
            visited.push(next);
        }
        visited
    }

    /// The gradient of A where each row of the context is πᵀ V: see [`crate::power`].
    fn gradients_of_row(
        &self,
        row: &[f32],
        after: usize,
        values: Matrix,
        of_context: Matrix,
        of_attention: &mut [f32],
    ) {
        let size = self.size;
        let shared = of_context.column_sums();
        let mut term = vec![0.0; size]; // Aᵏ V (1ᵀ G)
        let column = Matrix::new(&shared, [self.width, 1]);
        one(Place::new(&mut term, 1), values, column);
        let mut sum = term.clone();
        for _ in 1..after {
            let rows = self.attention.chunks_exact(size);
            term = rows.map(|row| sum_over(row, &term, |a, b| a * b)).collect();
            for (sum, term) in sum.iter_mut().zip(&term) {
                *sum += term;
            }
        }
        for (found, share) in of_attention.chunks_exact_mut(size).zip(row) {
            for (found, x) in found.iter_mut().zip(&sum) {
                *found = share * x;
            }
        }
    }
}
