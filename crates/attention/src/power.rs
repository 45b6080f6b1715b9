//! Powers of an attention matrix times values, Aᴺ V, in as few products as possible.

use burn::tensor::Tensor;

use crate::host;

/// How far the rows of Aᴹ may differ, as the sum over the columns of the largest difference, to
/// count as equal: what rounding alone makes of them.
const EQUAL: f32 = 1e-6;

/// How far a row's sum may be off 1.
const STOCHASTIC: f32 = 1e-5;

/// `attentionⁿ · values`, by repeated application or by squaring, whichever multiplies less.
///
/// # Shapes
/// - attention `[B, H, S, S]`, values `[B, H, S, D]` → `[B, H, S, D]`
pub(crate) fn apply_power(attention: &Tensor<4>, values: Tensor<4>, n: usize) -> Tensor<4> {
    let [_, _, s, d] = values.dims();
    if n == 0 {
        return values;
    }
    let squarings = n.ilog2() as usize;
    let applied = n * d;
    let squared = squarings * s + n.count_ones() as usize * d;
    if applied <= squared {
        return (0..n).fold(values, |values, _| attention.clone().matmul(values));
    }
    // Where the rows have become equal after M ≤ N/2 applications, all further ones are for free.
    let worth_asking = squarings > 3 && host::is_host(&values.device());
    let half = worth_asking.then(|| squarings - 1);
    let (mut powers, mut result, mut left) = (vec![attention.clone()], values.clone(), n);
    loop {
        let power = powers[powers.len() - 1].clone(); // A^(2^i)
        if half == Some(powers.len() - 1)
            && let Some(row) = stationary(&power)
        {
            return apply_stationary(&powers, values, row);
        }
        if left & 1 == 1 {
            result = power.clone().matmul(result);
        }
        left >>= 1;
        if left == 0 {
            return result;
        }
        powers.push(power.clone().matmul(power));
    }
}

/// The one row that all rows of a power are equal to, `[B, H, 1, S]`, if they are equal.
fn stationary(power: &Tensor<4>) -> Option<Tensor<4>> {
    let power = power.clone().detach();
    let (highest, lowest) = (power.clone().max_dim(2), power.min_dim(2));
    let differences = (highest.clone() - lowest).sum_dim(3).max();
    // An item of padding alone has rows of zeros: they stay so.
    let sums = highest.clone().sum_dim(3);
    let seeing = sums.clone().greater_elem(0.0).float();
    let off = ((sums - 1.0).abs() * seeing).max();
    (host::read(differences)? <= EQUAL && host::read(off)? <= STOCHASTIC).then_some(highest)
}

/// Aᴺ V where the rows of Aᴹ, N ≥ 2M, are all π: each row is πᵀ V.
///
/// Its gradient for A is that of Aᴺ V as well, up to what a softmax does not see. That is
/// Σ_k (Aᵀ)^{N−1−k} G (Aᵏ V)ᵀ. From k = M on Aᵏ V has equal rows, which gives every column of A
/// the same gradient, and the softmax that made A passes nothing of this on. Below,
/// (Aᵀ)^{N−1−k} G is π (1ᵀ G), so that what is left is π (1ᵀ G) Wᵀ with W = Σ_{k<M} Aᵏ V: the
/// gradient of πᵀ A W for fixed π and W.
fn apply_stationary(powers: &[Tensor<4>], values: Tensor<4>, row: Tensor<4>) -> Tensor<4> {
    let [_, _, s, _] = values.dims();
    let below = powers.len() - 1;
    // W doubles its terms with each power: Σ_{k<2m} = (1 + Aᵐ) Σ_{k<m}.
    let visited = powers[..below]
        .iter()
        .fold(values.clone().detach(), |sum, power| {
            sum.clone() + power.clone().detach().matmul(sum)
        });
    let step = row.clone().matmul(powers[0].clone()); // πᵀ A
    let change = step.clone() - step.detach(); // 0, with a gradient
    let context = row.matmul(values) + change.matmul(visited);
    context.repeat_dim(2, s)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::activation::softmax;
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::ParamInit;

    /// Value and gradients of Aⁿ V, for scores of this size.
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
        // Small scores mix fast, large ones slowly.
        for scale in [0.1, 1.0, 4.0, 12.0] {
            for n in [1, 2, 3, 7, 16, 17, 63, 64, 100, 1000] {
                let expected = power(n, scale, FloatDType::F64, one_by_one);
                let found = power(n, scale, FloatDType::F32, apply_power);
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
    fn rows_that_are_not_equal_or_lose_weight_are_not_stationary() {
        let device = Device::flex();
        let matrix = |rows: [[f32; 2]; 2]| Tensor::<4>::from_data([[rows]], &device);
        assert!(stationary(&matrix([[0.4, 0.6], [0.4, 0.6]])).is_some());
        assert!(stationary(&matrix([[0.0, 0.0], [0.0, 0.0]])).is_some());
        assert!(stationary(&matrix([[0.4, 0.6], [0.5, 0.5]])).is_none());
        assert!(stationary(&matrix([[0.4, 0.5], [0.4, 0.5]])).is_none());
    }
}
