//! Outputs and gradients are finite for large scores, for rows without a visible key and for many
//! levels.

use burn::tensor::Device;
use proptest::sample::select;
use strata_attention::Draws;

use crate::case::{Case, cases, cases_of_levels};
use crate::parameters::{gradient, gradients};
use crate::{SITES, check, numbers};

/// Asserts that context, weights of the last level and all gradients are finite.
fn is_finite(case: &Case, scale: f32) {
    let device = Device::flex().autodiff();
    let mechanism = case.mechanism(&device);
    let mut input = case.input(&device);
    input.query = (input.query * scale).require_grad();
    input.keys = (input.keys * scale).require_grad();
    input.values = input.values.require_grad();
    let tensors = [&input.query, &input.keys, &input.values].map(Clone::clone);
    let memory = mechanism.prepare(input.keys, input.values, input.mask);
    let output = mechanism.attend(input.query, &memory.with_draws(Some(&Draws::new(1))));
    let found = output.context.clone().square().sum().backward();

    let last = output.weights.level(output.weights.levels());
    let mut all = vec![
        ("context".to_owned(), numbers(output.context)),
        ("weights".to_owned(), numbers(last)),
    ];
    for (name, tensor) in ["query", "keys", "values"].into_iter().zip(tensors) {
        all.push((format!("gradient of {name}"), gradient(&tensor, &found)));
    }
    for (name, gradient) in gradients(&mechanism, &found) {
        all.push((format!("gradient of {name}"), gradient));
    }
    for (name, numbers) in all {
        assert!(numbers.iter().all(|x| x.is_finite()), "{name}: {numbers:?}");
    }
}

#[test]
fn any_shape_and_padding() {
    check(600, cases(&SITES), |case| is_finite(&case, 1.0));
}

#[test]
fn scores_so_large_that_one_key_takes_all() {
    check(500, cases(&SITES), |case| is_finite(&case, 100.0));
}

#[test]
fn a_hundred_and_a_thousand_levels() {
    let many = cases_of_levels(&SITES, select(&[100, 1000]));
    check(60, many, |case| is_finite(&case, 1.0));
}
