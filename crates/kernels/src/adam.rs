//! AdamW (Loshchilov and Hutter 2019, algorithm 2): gradient, moments and parameters in one pass.

#[cfg(feature = "cube")]
mod cube;

use burn::tensor::Tensor;

use crate::threads::{CHUNK, on_threads};
use crate::vector::vectorised;

/// What is the same for all numbers of a step. The corrections of the moments' bias are part of
/// `rate` and `epsilon`.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    /// What the gradient is multiplied by.
    pub scale: f32,
    /// What a parameter is multiplied by before its update.
    pub decay: f32,
    /// β₁ and 1 − β₁.
    pub first: [f32; 2],
    /// β₂ and 1 − β₂.
    pub second: [f32; 2],
    /// η √(1 − β₂ᵗ) / (1 − β₁ᵗ).
    pub rate: f32,
    /// ε √(1 − β₂ᵗ).
    pub epsilon: f32,
}

/// Parameters and moments after an update, by the device they are on. All have the same length, and no
/// gradient.
pub fn adamw_of_tensors(
    parameters: Tensor<1>,
    gradient: Tensor<1>,
    [first, second]: [Tensor<1>; 2],
    step: &AdamStep,
) -> (Tensor<1>, [Tensor<1>; 2]) {
    #[cfg(feature = "cube")]
    if [&parameters, &gradient, &first, &second]
        .into_iter()
        .all(crate::on_card)
    {
        return cube::update(parameters, gradient, [first, second], *step);
    }
    let gradient = gradient * step.scale;
    let first = first * step.first[0] + gradient.clone() * step.first[1];
    let second = second * step.second[0] + gradient.square() * step.second[1];
    let change = first.clone() / (second.clone().sqrt() + step.epsilon) * step.rate;
    (parameters * step.decay - change, [first, second])
}

/// Updates parameters and moments that are plain numbers. All have the same length.
pub fn adamw(parameters: &mut [f32], moments: [&mut [f32]; 2], gradient: &[f32], step: &AdamStep) {
    let [first, second] = moments;
    let parts = parameters
        .chunks_mut(CHUNK)
        .zip(first.chunks_mut(CHUNK))
        .zip(second.chunks_mut(CHUNK))
        .zip(gradient.chunks(CHUNK));
    on_threads(parts, |(((parameters, first), second), gradient)| {
        vectorised(
            #[inline(always)]
            || update(parameters, [first, second], gradient, step),
        );
    });
}

#[inline(always)]
fn update(
    parameters: &mut [f32],
    [first, second]: [&mut [f32]; 2],
    gradient: &[f32],
    step: &AdamStep,
) {
    let numbers = parameters.iter_mut().zip(first).zip(second).zip(gradient);
    for (((parameter, first), second), &gradient) in numbers {
        let gradient = gradient * step.scale;
        *first = *first * step.first[0] + gradient * step.first[1];
        *second = *second * step.second[0] + gradient * gradient * step.second[1];
        let change = *first / (second.sqrt() + step.epsilon) * step.rate;
        *parameter = *parameter * step.decay - change;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Distribution, Tolerance};

    use super::*;
    use crate::devices::devices;

    #[test]
    fn tensors_are_updated_as_plain_numbers_are() {
        let step = AdamStep {
            scale: 0.7,
            decay: 0.99,
            first: [0.9, 0.1],
            second: [0.999, 0.001],
            rate: 0.03,
            epsilon: 1e-4,
        };
        for length in [1, 4, 63, 1000] {
            let host = Device::flex();
            let draw = |low| {
                let numbers = Distribution::Uniform(low, 1.0);
                Tensor::<1>::random([length], numbers, &host).into_data()
            };
            let [parameters, gradient, first, second] = [-1.0, -1.0, -1.0, 0.0].map(draw);
            let [mut expected, mut of_first, mut of_second] =
                [&parameters, &first, &second].map(|it| it.clone().try_to_vec::<f32>().unwrap());
            adamw(
                &mut expected,
                [&mut of_first, &mut of_second],
                gradient.as_slice().unwrap(),
                &step,
            );
            for device in devices().into_iter().map(Device::inner) {
                let [parameters, gradient, first, second] =
                    [&parameters, &gradient, &first, &second]
                        .map(|it| Tensor::<1>::from_data(it.clone(), &device));
                let (found, [first, second]) =
                    adamw_of_tensors(parameters, gradient, [first, second], &step);
                for (found, expected) in
                    [(found, &expected), (first, &of_first), (second, &of_second)]
                {
                    let expected = Tensor::<1>::from_floats(&expected[..], &host).into_data();
                    let near = Tolerance::<f32>::rel_abs(1e-5, 1e-6);
                    found.into_data().assert_approx_eq(&expected, near);
                }
            }
        }
    }
}
