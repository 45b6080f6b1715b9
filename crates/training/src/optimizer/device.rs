//! An update by tensor operations, of several parameters in a row: a handful of kernels for all of
//! them, and two more for each, which put it into the row and take it out.

use burn::tensor::Tensor;

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

/// One after the other; one alone is not copied.
pub(super) fn in_a_row(parts: Vec<Tensor<1>>) -> Tensor<1> {
    match <[Tensor<1>; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => Tensor::cat(parts, 0),
    }
}

/// What [`in_a_row`] put together.
fn apart(row: Tensor<1>, lengths: &[usize]) -> Vec<Tensor<1>> {
    if lengths.len() == 1 {
        return vec![row];
    }
    let part = |start: &mut usize, &length: &usize| {
        let part = row.clone().narrow(0, *start, length);
        *start += length;
        Some(part)
    };
    lengths.iter().scan(0, part).collect()
}
