//! Aᴺ V and its gradients for a single matrix in the processor's cache. For whole batches
//! `strata-attention` does the same with tensors.

use super::{FEW_LEVELS, repetitions, squarings};
use crate::attention::heads::{add, one};
use crate::product::{Matrix, MatrixMut, product_of};
use crate::vector::{fold, vectorised};

/// Powers by which Aᴺ was applied, saved for the backward pass. Empty if A itself was applied N
/// times.
#[derive(Clone, Debug, Default)]
pub(in crate::attention) struct AppliedPower {
    /// Transposed powers (A²)ᵀ, (A⁴)ᵀ, … as far as needed. Transposed, a power is the right side of
    /// products, with contiguous rows.
    squares: Vec<Vec<f32>>,
    /// Common row of the limit, if the last square has converged.
    converged: Option<Converged>,
}

/// The common row of Pʳ, where P is the last square of an [`AppliedPower`].
#[derive(Clone, Debug)]
struct Converged {
    /// Row π that all rows of Pʳ equal.
    row: Vec<f32>,
    /// Number r of repetitions of P.
    repetitions: usize,
}

/// Power Aᴺ of a matrix whose rows sum to 1 (fully masked rows to 0).
pub(in crate::attention) struct Power<'a> {
    /// Matrix A, `[S, S]`; with one level `[T, S]`.
    pub attention: Matrix<'a>,
    /// Number of keys, S.
    pub size: usize,
    /// Number of levels, N.
    pub levels: usize,
    /// Width of the values, D_v.
    pub width: usize,
}

/// Gradient of the context `[S, D_v]`, and places for the gradients of Aᵀ `[S, S]` and of V `[S, D_v]`.
pub(in crate::attention) struct Gradients<'a> {
    pub of_context: Matrix<'a>,
    pub of_transposed: MatrixMut<'a>,
    pub of_values: MatrixMut<'a>,
}

impl Power<'_> {
    /// Writes Aᴺ V to `context`. Returns the powers that the backward pass needs.
    pub fn apply(&self, values: Matrix, mut context: MatrixMut) -> AppliedPower {
        if self.levels == 1 {
            one(context, self.attention, values);
            return AppliedPower::default();
        }
        let powers = self.powers();
        if let Some(Converged { row, .. }) = &powers.converged {
            // All rows of Aᴺ are π, and so all rows of the context are πᵀ V.
            let shared = product_of(Matrix::new(row, [1, self.size]), values); // [1, D_v]
            for at in 0..self.size {
                context.row(at, self.width).copy_from_slice(&shared);
            }
            return powers;
        }
        let steps = self.steps(&powers.squares);
        let (&last, before) = steps.split_last().expect("N is at least 1");
        let visited = self.visited(&powers.squares, before, values);
        let values = self.last_of(&visited, values);
        one(context, self.power(&powers.squares, last), values);
        powers
    }

    /// Writes the gradients of A and V.
    pub fn gradients(&self, powers: &AppliedPower, values: Matrix, found: Gradients) {
        let Gradients {
            of_context,
            mut of_transposed,
            mut of_values,
        } = found;
        let (size, width) = (self.size, self.width);
        if self.levels == 1 {
            one(of_transposed, values, of_context.transposed());
            one(of_values, self.attention.transposed(), of_context);
            return;
        }
        let squares = &powers.squares;
        if let Some(converged) = &powers.converged {
            // Converged: the gradient of V is π (1ᵀ G), the same G summed over all rows.
            let shared = of_context.column_sums(); // [D_v]
            self.gradient_of_row(converged, squares, values, &shared, of_transposed);
            for (at, share) in converged.row.iter().enumerate() {
                let place = of_values.row(at, width);
                for (found, x) in place.iter_mut().zip(&shared) {
                    *found = share * x;
                }
            }
            return;
        }
        let mut steps = self.steps(squares);
        let mut visited = self.visited(squares, &steps[..steps.len() - 1], values);
        let mut reached = of_context.copied();
        let mut next = vec![0.0; size * width];
        // A step context = P · before gives dP += G · beforeᵀ and d before = Pᵀ G. The gradient of
        // the highest power comes first, and goes down to that of A by P = R R: dR = Rᵀ dP + dP Rᵀ.
        let mut of_power = vec![0.0; size * size];
        let mut of_root = vec![0.0; size * size];
        for power in (0..=squares.len()).rev() {
            let transposed = self.power(squares, power).transposed();
            while steps.pop_if(|step| *step == power).is_some() {
                let gradient = Matrix::new(&reached, [size, width]);
                let before = self.last_of(&visited, values).transposed();
                add(MatrixMut::new(&mut of_power, size), gradient, before);
                visited.pop();
                if steps.is_empty() {
                    one(of_values.reborrow(), transposed, gradient);
                } else {
                    one(MatrixMut::new(&mut next, width), transposed, gradient);
                    std::mem::swap(&mut reached, &mut next);
                }
            }
            if power > 0 {
                let root = self.power(squares, power - 1).transposed();
                let above = Matrix::new(&of_power, [size, size]);
                one(MatrixMut::new(&mut of_root, size), root, above);
                add(MatrixMut::new(&mut of_root, size), above, root);
                std::mem::swap(&mut of_power, &mut of_root);
            }
        }
        let columns = Matrix::new(&of_power, [size, size]).transposed().copied();
        for (at, column) in columns.chunks_exact(size.max(1)).enumerate() {
            of_transposed.row(at, size).copy_from_slice(column);
        }
    }

    /// Computes A², A⁴, … as far as needed, or until all rows of a power are equal.
    fn powers(&self) -> AppliedPower {
        let (size, levels) = (self.size, self.levels);
        let needed = squarings(size, self.width, levels);
        let asks = levels >= FEW_LEVELS || needed >= 2;
        let mut squares: Vec<Vec<f32>> = Vec::new();
        loop {
            let i = squares.len();
            if asks
                && i >= 2
                && 4 << i <= levels
                && let Some(repetitions) = repetitions(self.left(&squares[i - 1]))
                && 2 * (repetitions << i) <= levels
            {
                let row = self.row_of(&squares[i - 1], repetitions);
                return AppliedPower {
                    squares,
                    converged: Some(Converged { row, repetitions }),
                };
            }
            if i >= needed && (i >= 2 || !asks) {
                squares.truncate(needed);
                return AppliedPower {
                    squares,
                    ..AppliedPower::default()
                };
            }
            let last = self.power(&squares, i).transposed();
            squares.push(product_of(last, last));
        }
    }

    /// Part of a power that its rows do not share: 1 − Σ of the minima of its columns. `power` is
    /// transposed, so that its rows are these columns.
    fn left(&self, power: &[f32]) -> f32 {
        let lowest = |column| fold(column, f32::INFINITY, |a, b| if b < a { b } else { a });
        vectorised(
            #[inline(always)]
            || 1.0 - power.chunks_exact(self.size).map(lowest).sum::<f32>(),
        )
    }

    /// Computes a row of the `repetitions`-th power of P, given Pᵀ.
    fn row_of(&self, power: &[f32], repetitions: usize) -> Vec<f32> {
        let row = power.iter().step_by(self.size).copied().collect();
        let power = Matrix::new(power, [self.size, self.size]);
        (1..repetitions).fold(row, |row, _| applied(power.transposed(), &row))
    }

    /// Returns A^(2ⁱ).
    fn power<'b>(&'b self, squares: &'b [Vec<f32>], i: usize) -> Matrix<'b> {
        match i {
            0 => self.attention,
            _ => Matrix::new(&squares[i - 1], [self.size, self.size]).transposed(),
        }
    }

    /// Exponents i of the powers A^(2ⁱ) to apply one after the other; the highest power is applied
    /// as often as it fits.
    fn steps(&self, squares: &[Vec<f32>]) -> Vec<usize> {
        let top = squares.len();
        let mut steps: Vec<usize> = (0..top).filter(|i| self.levels >> i & 1 == 1).collect();
        steps.resize(steps.len() + (self.levels >> top), top);
        steps
    }

    /// Returns V after each of these steps.
    fn visited(&self, squares: &[Vec<f32>], steps: &[usize], values: Matrix) -> Vec<Vec<f32>> {
        let mut visited: Vec<Vec<f32>> = Vec::with_capacity(steps.len());
        for &power in steps {
            let before = self.last_of(&visited, values);
            visited.push(product_of(self.power(squares, power), before));
        }
        visited
    }

    fn last_of<'b>(&self, visited: &'b [Vec<f32>], values: Matrix<'b>) -> Matrix<'b> {
        match visited.last() {
            Some(last) => Matrix::new(last, [self.size, self.width]),
            None => values,
        }
    }

    /// Writes the gradient of A if each row of the context is πᵀ V (see [`repetitions`]). `shared`
    /// is 1ᵀ G, the sum of the rows of the context's gradient.
    fn gradient_of_row(
        &self,
        converged: &Converged,
        squares: &[Vec<f32>],
        values: Matrix,
        shared: &[f32],
        mut of_transposed: MatrixMut,
    ) {
        // Σ_k Aᵏ V (1ᵀ G)ᵀ: each power doubles the number of terms.
        let mut sum = product_of(values, Matrix::new(shared, [self.width, 1])); // [S, 1]
        for power in 0..squares.len() {
            let next = applied(self.power(squares, power).transposed(), &sum);
            add_to(&mut sum, &next);
        }
        let last = self.power(squares, squares.len()).transposed();
        let mut term = sum.clone();
        for _ in 1..converged.repetitions {
            term = applied(last, &term);
            add_to(&mut sum, &term);
        }
        for (at, x) in sum.iter().enumerate() {
            let place = of_transposed.row(at, self.size);
            for (found, share) in place.iter_mut().zip(&converged.row) {
                *found = share * x;
            }
        }
    }
}

/// Multiplies a row by a square matrix.
fn applied(matrix: Matrix, row: &[f32]) -> Vec<f32> {
    product_of(Matrix::new(row, [1, row.len()]), matrix)
}

fn add_to(sum: &mut [f32], terms: &[f32]) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += term;
    }
}
