//! Aᴺ V and its gradients for one matrix in the processor's cache: what [`crate::power`] does with
//! tensors of many.

use std::iter;

use strata_kernels::product::{Matrix, Place};
use strata_kernels::vector::{sum_over, vectorised};

use super::heads::{add, one};
use crate::power::{FEW_LEVELS, repetitions, squaring_pays};

/// How a power was applied, for the way back.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// A², A⁴, … as far as they were needed.
    squares: Vec<Vec<f32>>,
    /// Where the last of them has converged.
    converged: Option<Converged>,
}

/// All rows of Pʳ are one row, where P is the last square of a [`Way`].
#[derive(Clone, Debug)]
struct Converged {
    /// That row, π.
    row: Vec<f32>,
    /// r.
    repetitions: usize,
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
            return Way::default();
        }
        let way = self.way();
        if let Some(Converged { row, .. }) = &way.converged {
            let mut shared = vec![0.0; self.width];
            let row_of_one = Matrix::new(row, [1, self.size]);
            one(Place::new(&mut shared, self.width), row_of_one, values);
            for at in 0..self.size {
                context.row(at, self.width).copy_from_slice(&shared);
            }
            return way;
        }
        let mut visited = self.visited(&way.squares, values);
        let last = visited.pop().unwrap_or_default();
        for (row, numbers) in last.chunks_exact(self.width.max(1)).enumerate() {
            context.row(row, self.width).copy_from_slice(numbers);
        }
        way
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
        let squares = &way.squares;
        if let Some(converged) = &way.converged {
            let shared = of_context.column_sums();
            self.gradient_of_row(converged, squares, values, &shared, of_attention);
            for (at, share) in converged.row.iter().enumerate() {
                let place = of_values.row(at, width);
                for (found, x) in place.iter_mut().zip(&shared) {
                    *found = share * x;
                }
            }
            return;
        }
        let visited = self.visited(squares, values);
        let mut of_powers = vec![vec![0.0; size * size]; squares.len() + 1];
        let mut gradient = of_context.copied();
        for (step, power) in self.steps(squares).into_iter().enumerate().rev() {
            let reached = Matrix::new(&gradient, [size, width]);
            let before = match step {
                0 => values,
                _ => Matrix::new(&visited[step - 1], [size, width]),
            };
            let place = Place::new(&mut of_powers[power], size);
            add(place, reached, before.transposed());
            let mut next = vec![0.0; size * width];
            let applied = self.power(squares, power).transposed();
            one(Place::new(&mut next, width), applied, reached);
            gradient = next;
        }
        for at in (1..of_powers.len()).rev() {
            let (below, above) = of_powers.split_at_mut(at);
            let root = self.power(squares, at - 1);
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

    /// A², A⁴, … as far as they are needed, or until all rows of one are equal.
    fn way(&self) -> Way {
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
                let row = self.row_of(&squares[i - 1], repetitions);
                let converged = Some(Converged { row, repetitions });
                return Way { squares, converged };
            }
            if !pays && (i >= 2 || !asks) {
                return Way::default();
            }
            let mut square = vec![0.0; size * size];
            one(Place::new(&mut square, size), last, last);
            squares.push(square);
        }
        Way {
            squares,
            converged: None,
        }
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

    /// A row of this power, applied so often.
    fn row_of(&self, power: &[f32], repetitions: usize) -> Vec<f32> {
        let power_of_rows = Matrix::new(power, [self.size, self.size]);
        let mut row = power[..self.size].to_vec();
        for _ in 1..repetitions {
            let mut next = vec![0.0; self.size];
            let place = Place::new(&mut next, self.size);
            one(place, Matrix::new(&row, [1, self.size]), power_of_rows);
            row = next;
        }
        row
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

    /// The gradient of A where each row of the context is πᵀ V: see [`crate::power`]. `shared` is
    /// the sum of the rows of the context's gradient, 1ᵀ G.
    fn gradient_of_row(
        &self,
        converged: &Converged,
        squares: &[Vec<f32>],
        values: Matrix,
        shared: &[f32],
        of_attention: &mut [f32],
    ) {
        let size = self.size;
        let mut sum = vec![0.0; size]; // Σ Aᵏ V (1ᵀ G), which doubles its terms with each power.
        let column = Matrix::new(shared, [self.width, 1]);
        one(Place::new(&mut sum, 1), values, column);
        let (last, below) = squares.split_last().expect("a square has converged");
        for power in iter::once(self.attention).chain(below.iter().map(Vec::as_slice)) {
            let next = applied(power, &sum);
            add_to(&mut sum, &next);
        }
        let mut term = sum.clone();
        for _ in 1..converged.repetitions {
            term = applied(last, &term);
            add_to(&mut sum, &term);
        }
        for (found, share) in of_attention.chunks_exact_mut(size).zip(&converged.row) {
            for (found, x) in found.iter_mut().zip(&sum) {
                *found = share * x;
            }
        }
    }
}

/// A square matrix times a column.
fn applied(matrix: &[f32], column: &[f32]) -> Vec<f32> {
    let mut found = vec![0.0; column.len()];
    vectorised(
        #[inline(always)]
        || {
            for (found, row) in found.iter_mut().zip(matrix.chunks_exact(column.len())) {
                *found = sum_over(row, column, |a, b| a * b);
            }
        },
    );
    found
}

fn add_to(sum: &mut [f32], terms: &[f32]) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += term;
    }
}
