//! Gradients equal slopes measured by finite differences.

use std::cell::Cell;

use burn::module::Param;
use burn::tensor::{Device, Tensor};
use proptest::strategy::Strategy;
use proptest::test_runner::TestCaseError;
use strata_attention::{AttentionInput, AttentionOutput, Mechanism, MultiHeadAttention};

use crate::case::{Case, cases};
use crate::mechanisms::choices;
use crate::parameters::{along, direction, gradient, gradients, moved, random};
use crate::{SITES, check, check_unless_refused, close, numbers};

/// Step of a finite difference. Large enough that the rounding of f32 is small against the change
/// of the loss; small enough that the neglected terms of [`slope`], O(STEP⁴), are smaller still.
const STEP: f32 = 0.02;

const INPUTS: [&str; 3] = ["query", "keys", "values"];

#[test]
fn gradients_equal_finite_differences() {
    let smooth = cases(&SITES).prop_filter("it has no gradient", |case| case.facts().smooth);
    check_unless_refused(400, smooth, |case| {
        let device = Device::flex().autodiff();
        let mechanism = case.mechanism(&device);
        let mut input = case.input(&device);
        input.query = input.query.require_grad();
        input.keys = input.keys.require_grad();
        input.values = input.values.require_grad();
        let output = mechanism.forward(input.clone());
        let probe = case.numbers(case.queries, 20, &device);
        let found = (output.context.clone() * probe.clone()).sum().backward();

        let tensors = [&input.query, &input.keys, &input.values];
        let of_inputs = tensors.map(|tensor| gradient(tensor, &found));
        let names = INPUTS.map(str::to_owned);
        let of_parameters = gradients(&mechanism, &found);
        let all = names.into_iter().zip(of_inputs).chain(of_parameters);
        let trial = Trial {
            case,
            mechanism,
            input,
            probe: numbers(probe),
        };
        let here = choices(&trial.case.config, &output);
        for (which, (name, gradient)) in all.enumerate() {
            let direction = direction(gradient.len());
            let expected: f32 = gradient.iter().zip(direction).map(|(g, d)| g * d).sum();
            let measured = trial.slope(which, STEP, &here)?;
            let length = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
            let tolerance = 3e-4 * (1.0 + length);
            let near = |left: f32, right: f32| (left - right).abs() < tolerance;
            // Levels that add up make long queries, of which a softmax can be too steep to measure.
            if trial.case.facts().adds_query
                && !near(measured, expected)
                && !near(measured, trial.slope(which, STEP / 2.0, &here)?)
            {
                return Err(TestCaseError::reject("too steep for the step"));
            }
            assert!(
                near(measured, expected),
                "{name}: slope {measured}, but by the gradient {expected}"
            );
        }
        Ok(())
    });
}

#[test]
fn the_bias_of_keys_is_trained_where_weights_depend_on_it() {
    let [trained, large] = [Cell::new(0), Cell::new(0)];
    check(400, cases(&SITES), |case| {
        let device = Device::flex().autodiff();
        let layer = case.layer(&device);
        let rows = |count, salt| case.positions(count, salt, &device);
        let run = |layer: &MultiHeadAttention| {
            let keys = rows(case.keys, 2);
            let output = layer.forward(
                rows(case.queries, 1),
                keys.clone(),
                keys,
                case.mask(&device),
            );
            output.context
        };
        let context = run(&layer);
        let bias = layer.key.bias.as_ref().unwrap().val();
        let found = (context.clone() * rows(case.queries, 20)).sum().backward();
        let gradient = bias.grad(&found);
        if layer.mechanism.ignores_shifted_keys() {
            assert!(gradient.is_none());
            let mut shifted = layer;
            let by = random(bias.dims(), case.seed + 30, &device);
            let moved = Tensor::from_data((bias + by).into_data(), &device);
            shifted.key.bias = Some(Param::from_tensor(moved));
            // Levels that add up are longer than 1, and round as much more.
            let scale = if case.facts().adds_query {
                1.0 / (1.0 + numbers(context.clone().abs().max())[0])
            } else {
                1.0
            };
            let shifted = run(&shifted) * scale;
            close(context * scale, shifted, "keys shifted by one vector");
        } else if case.facts().smooth {
            let largest = numbers(gradient.unwrap().abs().max())[0];
            trained.set(trained.get() + 1);
            large.set(large.get() + usize::from(largest > 1e-3));
        }
    });
    // Where each query sees one key only, that key's weight is 1, and the gradient of the score is
    // 0.
    let [trained, large] = [trained.get(), large.get()];
    assert!(
        trained > 50 && large * 10 > trained * 7,
        "{large} of {trained}"
    );
}

/// Mechanism whose inputs and parameters are moved one at a time.
struct Trial {
    case: Case,
    mechanism: Mechanism,
    input: AttentionInput,
    /// Factors of the context in the loss, one per number of the context.
    probe: Vec<f32>,
}

impl Trial {
    /// Measures the slope of the loss along the direction of one tensor, with an error of O(h⁴):
    /// (f(−2h) − 8 f(−h) + 8 f(h) − f(2h)) / 12h, where h is `step`.
    ///
    /// # Errors
    /// If a discrete choice changes on the way, as when the border of a window passes a key: the
    /// loss jumps there, so that a finite difference says nothing about its slope.
    fn slope(&self, which: usize, step: f32, here: &[f32]) -> Result<f32, TestCaseError> {
        let mut slope = 0.0;
        for (steps, share) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
            let output = self.moved(which, steps * step);
            if choices(&self.case.config, &output) != here {
                return Err(TestCaseError::reject("a choice changes nearby"));
            }
            slope += share * self.loss(&output);
        }
        Ok((slope / (12.0 * f64::from(step))) as f32)
    }

    /// Loss: Σ context ∘ probe, summed in f64, so that only the mechanism itself rounds to f32.
    fn loss(&self, output: &AttentionOutput) -> f64 {
        let context = numbers(output.context.clone());
        let terms = context.iter().zip(&self.probe);
        terms.map(|(&c, &p)| f64::from(c) * f64::from(p)).sum()
    }

    /// Returns the output after tensor number `which` (inputs first, then parameters) has moved by
    /// `step`.
    fn moved(&self, which: usize, step: f32) -> AttentionOutput {
        let mut input = self.input.clone();
        let mut mechanism = self.mechanism.clone();
        let shift = |tensor: Tensor<4>| {
            let device = tensor.device();
            Tensor::from_data(along(tensor.into_data(), step), &device)
        };
        match which {
            0 => input.query = shift(input.query),
            1 => input.keys = shift(input.keys),
            2 => input.values = shift(input.values),
            _ => mechanism = moved(mechanism, which - INPUTS.len(), step),
        }
        mechanism.forward(input)
    }
}
