//! An update by tensor operations, of several parameters in a row: a handful of kernels for all of
//! them, and those that put them into the row and take them out, some at a time.

use burn::tensor::Tensor;
use strata_kernels::{apart, in_a_row};

use super::Rates;

/// Parameters, flat, and the moments of them all after an update.
pub(super) fn update(
    parameters: Vec<Tensor<1>>,
    gradient: Tensor<1>,
    moments: Option<[Tensor<1>; 2]>,
    rates: Rates,
) -> (Vec<Tensor<1>>, [Tensor<1>; 2]) {
    let [beta_1, beta_2] = rates.betas;
    let lengths: Vec<usize> = parameters.iter().map(|it| it.dims()[0]).collect();
    let gradient = times(gradient, rates.scale);
    let first = gradient.clone() * (1.0 - beta_1);
    let second = gradient.square() * (1.0 - beta_2);
    let (first, second) = match moments {
        None => (first, second),
        Some([before_1, before_2]) => (before_1 * beta_1 + first, before_2 * beta_2 + second),
    };
    let change = first.clone() / (second.clone().sqrt() + rates.epsilon) * rates.rate;
    let updated = times(in_a_row(parameters), rates.decay) - change;
    (apart(updated, &lengths), [first, second])
}

fn times(numbers: Tensor<1>, factor: f64) -> Tensor<1> {
    if factor == 1.0 {
        numbers
    } else {
        numbers * factor
    }
}
