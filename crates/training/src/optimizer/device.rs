//! An update on a graphics card, of several parameters in a row: one kernel for all of them, and those
//! that put them into the row and take them out, some at a time.

use burn::tensor::Tensor;
use strata_kernels::{AdamStep, adamw_of_tensors, apart, in_a_row};

/// Parameters, flat, and the moments of them all after an update.
pub(super) fn update(
    parameters: Vec<Tensor<1>>,
    gradient: Tensor<1>,
    moments: Option<[Tensor<1>; 2]>,
    step: &AdamStep,
) -> (Vec<Tensor<1>>, [Tensor<1>; 2]) {
    let lengths: Vec<usize> = parameters.iter().map(|it| it.dims()[0]).collect();
    let moments = moments.unwrap_or_else(|| [gradient.zeros_like(), gradient.zeros_like()]);
    let (updated, moments) = adamw_of_tensors(in_a_row(parameters), gradient, moments, step);
    (apart(updated, &lengths), moments)
}
