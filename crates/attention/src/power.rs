//! Powers of an attention matrix times values, Aᴺ V, in as few products as possible.

use burn::tensor::Tensor;
use strata_kernels::attention::power::{FEW_LEVELS, repetitions, squarings};

use crate::host;
use crate::product::product;

/// Computes the first n powers: `values`, A · `values`, …, Aⁿ⁻¹ · `values`.
///
/// # Shapes
/// - attention `[B, H, S, S]`, values `[B, H, S, D]`
pub(crate) fn powers(attention: &Tensor<4>, values: Tensor<4>, n: usize) -> Vec<Tensor<4>> {
    let mut powers = vec![values];
    for below in 0..n.saturating_sub(1) {
        powers.push(product(attention.clone(), powers[below].clone()));
    }
    powers
}

/// Computes `attentionⁿ · values` by repeated application or by squaring, whichever multiplies
/// less. Stops early if powers of the matrix have converged. `stochastic` says that rows are known
/// to sum to 1 (or to 0, in fully masked rows).
///
/// # Shapes
/// - attention `[B, H, S, S]`, values `[B, H, S, D]` → `[B, H, S, D]`
pub(crate) fn apply_power(
    attention: &Tensor<4>,
    values: Tensor<4>,
    n: usize,
    stochastic: bool,
) -> Tensor<4> {
    let [_, _, s, d] = values.dims();
    let needed = squarings(s, d, n);
    // Testing for convergence reads a number from the device, which pays for many levels on the
    // host.
    let asking_pays = stochastic && n >= FEW_LEVELS && host::is_host(&values.device());
    let mut powers = vec![attention.clone()]; // A^(2^i)
    // Square A while that saves products. Stop at a power whose rows are equal (up to few
    // repetitions): further powers change nothing.
    loop {
        let i = powers.len() - 1;
        if asking_pays
            && i >= 2
            && 4 << i <= n
            && let Some(repetitions) = repetitions_to_equal_rows(&powers[i])
            && 2 * (repetitions << i) <= n
        {
            return apply_converged(&powers, repetitions, values);
        }
        if i >= needed && (i >= 2 || !asking_pays) {
            break;
        }
        powers.push(powers[i].clone().matmul(powers[i].clone()));
    }
    powers.truncate(needed + 1);
    let highest = &powers[needed];
    // Aᴺ V by the bits of n: apply A^(2^i) for each bit i below the highest power, then the highest
    // power as often as it fits.
    let low = (0..needed).filter(|i| n >> i & 1 == 1);
    let values = low.fold(values, |values, i| powers[i].clone().matmul(values));
    (0..n >> needed).fold(values, |values, _| highest.clone().matmul(values))
}

/// Number j such that all rows of Pʲ are equal up to rounding, for a power P of A whose rows sum to
/// 1; `None` if j is large.
///
/// Let 1 − δ be the sum over all columns of the column's minimum, the part that all rows share. Two
/// rows of P differ by 2 δ at most, and those of Pʲ by 2 δʲ (Doeblin 1938).
fn repetitions_to_equal_rows(power: &Tensor<4>) -> Option<usize> {
    let shared = || power.clone().detach().min_dim(2).sum_dim(3).min();
    repetitions(1.0 - host::read(&power.device(), shared)?)
}

/// Computes Aᴺ V if all rows of Aᴹ are one row π, M = 2ⁱ · `repetitions`, N ≥ 2M: each row is πᵀ V.
///
/// The gradient for A is that of Aᴺ V as well, up to a part that no softmax passes on. In full it
/// is Σ_k (Aᵀ)^{N−1−k} G (Aᵏ V)ᵀ. For k ≥ M, Aᵏ V has equal rows, so that every column of A gets
/// the same gradient, and the softmax that made A passes nothing of it on. For k < M, (Aᵀ)^{N−1−k}
/// G is π (1ᵀ G), which leaves π (1ᵀ G) Wᵀ with W = Σ_{k<M} Aᵏ V: the gradient of πᵀ A W for fixed
/// π and W.
fn apply_converged(powers: &[Tensor<4>], repetitions: usize, values: Tensor<4>) -> Tensor<4> {
    let [_, _, s, _] = values.dims();
    let fixed = |power: &Tensor<4>| power.clone().detach();
    let (last, below) = powers.split_last().expect("A itself is a power");
    let last = fixed(last);
    let row = last.clone().narrow(2, 0, 1); // [B, H, 1, S]
    let row = (1..repetitions).fold(row, |row, _| row.matmul(last.clone())); // π
    // W doubles its terms with each power: Σ_{k<2m} = (1 + Aᵐ) Σ_{k<m}.
    let first = values.clone().detach();
    let terms = below
        .iter()
        .fold(first, |sum, power| sum.clone() + fixed(power).matmul(sum));
    let (visited, _) = (1..repetitions).fold((terms.clone(), terms), |(sum, terms), _| {
        let next = last.clone().matmul(terms);
        (sum + next.clone(), next)
    });
    let step = row.clone().matmul(powers[0].clone()); // πᵀ A
    let change = step.clone() - step.detach(); // 0, with a gradient
    let context = row.matmul(values) + change.matmul(visited);
    context.repeat_dim(2, s) // [B, H, S, D]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::activation::softmax;
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::ParamInit;

    /// Returns the value and the gradients of Aⁿ V, for scores of this size.
    fn power(n: usize, scale: f64, precision: FloatDType, apply: Apply) -> [TensorData; 3] {
        let device = Device::flex().autodiff();
        let init = &mut ParamInit::new(5, &device);
        let draw = |init: &mut ParamInit, columns, scale| {
            let drawn = init.uniform([2, 2, 6, columns], scale).val();
            Tensor::from_inner(drawn.inner().cast(precision)).require_grad()
        };
        let (scores, values) = (draw(init, 6, scale), draw(init, 3, 1.0));
        let loss_weights = draw(init, 3, 1.0);
        let attention = softmax(scores.clone(), 3);
        let result = apply(&attention, values.clone(), n);
        let gradients = (result.clone() * loss_weights).sum().backward();
        [
            result.into_data(),
            scores.grad(&gradients).unwrap().into_data(),
            values.grad(&gradients).unwrap().into_data(),
        ]
    }

    type Apply = fn(&Tensor<4>, Tensor<4>, usize) -> Tensor<4>;

    fn one_by_one(attention: &Tensor<4>, values: Tensor<4>, n: usize) -> Tensor<4> {
        (0..n).fold(values, |values, _| attention.clone().matmul(values))
    }

    #[test]
    fn every_way_gives_the_product_and_its_gradients() {
        // Attention of small scores mixes fast, of large ones slowly.
        for scale in [0.1, 1.0, 4.0, 12.0] {
            for n in [1, 2, 3, 7, 16, 17, 63, 64, 100, 1000] {
                let expected = power(n, scale, FloatDType::F64, one_by_one);
                let found = power(n, scale, FloatDType::F32, |attention, values, n| {
                    apply_power(attention, values, n, true)
                });
                for (found, expected) in found.iter().zip(&expected) {
                    let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    // Rounding adds up over the products.
                    let tolerance = f64::max(1e-5, 1e-7 * n as f64);
                    assert!(worst < tolerance, "N = {n}, scores up to {scale}: {worst}");
                }
            }
        }
    }

    #[test]
    fn rows_that_are_not_equal_soon_or_see_nothing_do_not_converge() {
        let device = Device::flex();
        let repetitions = |rows: [[f32; 2]; 2]| {
            repetitions_to_equal_rows(&Tensor::<4>::from_data([[rows]], &device))
        };
        assert_eq!(repetitions([[0.25, 0.75], [0.25, 0.75]]), Some(1));
        // δ = 0.01: 2 · 0.01⁴ < 1e-7.
        assert_eq!(repetitions([[0.4, 0.6], [0.41, 0.59]]), Some(4));
        assert_eq!(repetitions([[1.0, 0.0], [0.0, 1.0]]), None);
        assert_eq!(repetitions([[0.9, 0.1], [0.1, 0.9]]), None);
        assert_eq!(repetitions([[0.0, 0.0], [0.4, 0.6]]), None);
        assert_eq!(repetitions([[0.0, 0.0], [0.0, 0.0]]), None);
    }
}
