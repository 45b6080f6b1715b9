//! AdamW (Loshchilov and Hutter 2019, algorithm 2) on plain numbers: gradient, moments and
//! parameters in one pass.

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

/// Updates parameters and moments. All have the same length.
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
