//! AdamW (Loshchilov and Hutter 2019, algorithm 2): gradient, moments and parameters in one pass.

#[cfg(feature = "cube")]
mod cube;
pub(crate) mod naive;

use burn::tensor::Tensor;

use crate::threads::{CHUNK, par_map};
use crate::vector::vectorised;

/// Scalars of one AdamW step that all parameters share. `rate` and `epsilon` include the bias
/// corrections of the moments.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    /// Factor of the gradient, for clipping and to undo the loss scale.
    pub scale: f32,
    /// Factor of a parameter before its update, for weight decay.
    pub decay: f32,
    /// Factors of the first moment and of the new gradient, β₁ and 1 − β₁.
    pub first: [f32; 2],
    /// Factors of the second moment and of the new squared gradient, β₂ and 1 − β₂.
    pub second: [f32; 2],
    /// Step size η √(1 − β₂ᵗ) / (1 − β₁ᵗ).
    pub rate: f32,
    /// Term of the denominator, ε √(1 − β₂ᵗ).
    pub epsilon: f32,
}

/// Updates parameters and moments by one AdamW step. `moments` is `None` before the first step. All
/// tensors have the same length and no gradient.
///
/// On the CPU, tensors that are not shared are updated in place, without a copy.
pub fn adamw(
    parameters: Tensor<1>,
    gradient: Tensor<1>,
    moments: Option<[Tensor<1>; 2]>,
    step: &AdamStep,
) -> (Tensor<1>, [Tensor<1>; 2]) {
    let [first, second] = moments.unwrap_or_else(|| [gradient.zeros_like(), gradient.zeros_like()]);
    if crate::on_cpu(&gradient) {
        return in_place(parameters, gradient, [first, second], step);
    }
    #[cfg(feature = "cube")]
    if crate::on_gpu(&gradient) {
        return cube::update(parameters, gradient, [first, second], *step);
    }
    naive::adamw(parameters, gradient, [first, second], step)
}

/// Updates on the CPU, in place.
fn in_place(
    parameters: Tensor<1>,
    gradient: Tensor<1>,
    [first, second]: [Tensor<1>; 2],
    step: &AdamStep,
) -> (Tensor<1>, [Tensor<1>; 2]) {
    let device = parameters.device();
    let gradient = gradient.into_data();
    let mut all = [parameters, first, second].map(Tensor::into_data);
    let [parameters, first, second] = all
        .each_mut()
        .map(|data| data.as_mut_slice::<f32>().expect("parameters are F32"));
    let gradient: &[f32] = gradient.as_slice().expect("gradients are F32");
    let parts = parameters
        .chunks_mut(CHUNK)
        .zip(first.chunks_mut(CHUNK))
        .zip(second.chunks_mut(CHUNK))
        .zip(gradient.chunks(CHUNK));
    par_map(parts, |(((parameters, first), second), gradient)| {
        vectorised(
            #[inline(always)]
            || update(parameters, [first, second], gradient, step),
        );
    });
    let [parameters, first, second] = all.map(|data| Tensor::from_data(data, &device));
    (parameters, [first, second])
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
    use burn::tensor::{Device, Tolerance};

    use super::*;
    use crate::testing::{Draws, devices};

    #[test]
    fn every_device_updates_as_the_formula_does() {
        let step = AdamStep {
            scale: 0.7,
            decay: 0.99,
            first: [0.9, 0.1],
            second: [0.999, 0.001],
            rate: 0.03,
            epsilon: 1e-4,
        };
        for device in devices().into_iter().map(Device::inner) {
            // The last length spans several chunks on the CPU.
            for length in [1, 4, 63, 1000, 2 * CHUNK + 3] {
                let mut draws = Draws::new(3, &device);
                let [parameters, gradient, first] = [(); 3].map(|()| draws.uniform([length], 1.0));
                let second = draws.uniform([length], 1.0).abs();
                let zeros = || Tensor::zeros([length], &device);
                for moments in [None, Some([first, second])] {
                    let before = moments.clone().unwrap_or_else(|| [zeros(), zeros()]);
                    let (expected, [first, second]) =
                        naive::adamw(parameters.clone(), gradient.clone(), before, &step);
                    let expected = [expected, first, second];
                    let (found, [first, second]) =
                        adamw(parameters.clone(), gradient.clone(), moments, &step);
                    for (found, expected) in [found, first, second].into_iter().zip(expected) {
                        let near = Tolerance::<f32>::rel_abs(1e-5, 1e-6);
                        let expected = expected.into_data();
                        found.into_data().assert_approx_eq(&expected, near);
                    }
                }
            }
        }
    }

    /// Compares with algorithm 2 of the paper in 64 bits.
    #[test]
    fn a_number_is_updated_by_the_definition() {
        let step = AdamStep {
            scale: 0.5,
            decay: 0.9,
            first: [0.9, 0.1],
            second: [0.99, 0.01],
            rate: 0.1,
            epsilon: 0.01,
        };
        let of = |number: f32| Tensor::<1>::from_floats([number], &Device::flex());
        let (found, [first, second]) = adamw(of(2.0), of(3.0), Some([of(-0.4), of(0.25)]), &step);
        let first_moment = 0.9 * -0.4 + 0.1 * 1.5;
        let second_moment: f64 = 0.99 * 0.25 + 0.01 * 1.5 * 1.5;
        let expected = 2.0 * 0.9 - 0.1 * first_moment / (second_moment.sqrt() + 0.01);
        for (found, expected) in [
            (found, expected),
            (first, first_moment),
            (second, second_moment),
        ] {
            let found = found.into_scalar::<f64>();
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}
