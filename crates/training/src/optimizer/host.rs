//! An update on the CPU: one pass over gradient, moments and parameter.

use burn::tensor::{Tensor, TensorData};
use strata_kernels::{AdamStep, adamw};

/// A parameter and its moments after an update; all are flat.
///
/// Tensors in the host's memory are handed over as they are, without a copy, if nobody else has
/// them: the moments are updated in their place.
pub(super) fn update(
    parameter: Tensor<1>,
    gradient: Tensor<1>,
    moments: Option<[Tensor<1>; 2]>,
    step: &AdamStep,
) -> (Tensor<1>, [Tensor<1>; 2]) {
    let device = parameter.device();
    let count = parameter.dims()[0];
    let mut parameter = parameter.into_data();
    let gradient = gradient.into_data();
    let zeros = || TensorData::new(vec![0f32; count], [count]);
    let [mut first, mut second] = match moments {
        Some(moments) => moments.map(Tensor::into_data),
        None => [zeros(), zeros()],
    };
    adamw(
        numbers(&mut parameter),
        [numbers(&mut first), numbers(&mut second)],
        gradient.as_slice().expect("gradients are F32"),
        step,
    );
    let [parameter, first, second] =
        [parameter, first, second].map(|data| Tensor::from_data(data, &device));
    (parameter, [first, second])
}

fn numbers(data: &mut TensorData) -> &mut [f32] {
    data.as_mut_slice().expect("parameters and moments are F32")
}
