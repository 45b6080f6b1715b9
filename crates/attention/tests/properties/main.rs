//! Properties of every mechanism, for any settings, shapes and numbers.
//!
//! [`mechanisms`] defines for each mechanism how its settings are drawn, and which properties it
//! has that others lack: the module to edit for a new mechanism. [`case`] draws everything else.
//! The other modules test one kind of property each.

#![allow(clippy::unwrap_used)]

mod building;
mod case;
mod causality;
mod decoding;
mod extremes;
mod forcing;
mod gradients;
mod ham;
mod hopfield;
mod levels;
mod levels_after_training;
mod masking;
mod mechanisms;
mod mixes;
mod muting;
mod order;
mod parameters;
mod pointers;
mod positions;
mod pyramid;
mod statistics;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::Tensor;
use proptest::strategy::Strategy;
use proptest::test_runner::{
    Config, RngAlgorithm, TestCaseError, TestCaseResult, TestRng, TestRunner,
};
use strata_attention::{AttentionWeights, Site};

const SITES: [Site; 3] = [Site::EncoderSelf, Site::DecoderSelf, Site::Cross];

/// Checks a property for `draws` draws; panics with the smallest draw for which the property fails.
fn check<S: Strategy>(draws: u32, strategy: S, property: impl Fn(S::Value)) {
    check_unless_refused(draws, strategy, |case| {
        property(case);
        Ok(())
    });
}

/// Checks a property that may refuse a draw; a refused draw is replaced by another.
fn check_unless_refused<S: Strategy>(
    draws: u32,
    strategy: S,
    property: impl Fn(S::Value) -> TestCaseResult,
) {
    let config = Config {
        cases: draws,
        // Every run draws the same cases, so a failure is reproducible without a file.
        failure_persistence: None,
        ..Config::default()
    };
    // A fixed seed: with a new one per run, the test would some day fail for an unrelated change.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&strategy, |case| {
        catch_unwind(AssertUnwindSafe(|| property(case)))
            .unwrap_or_else(|panic| Err(TestCaseError::fail(said(panic))))
    });
    if let Err(error) = outcome {
        panic!("{error}\n{runner}");
    }
}

fn said(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(sentence) => *sentence,
        Err(panic) => panic
            .downcast::<&str>()
            .map_or("a panic without words".into(), |words| (*words).into()),
    }
}

/// Returns the numbers of a tensor, row-major.
fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

/// Largest difference of two f32 results of magnitude 1 that are computed in two ways.
const ROUNDING: f32 = 3e-5;

fn close<const D: usize>(left: Tensor<D>, right: Tensor<D>, what: &str) {
    assert_eq!(left.dims(), right.dims(), "{what}");
    let (left, right) = (numbers(left), numbers(right));
    for (at, (left, right)) in left.into_iter().zip(right).enumerate() {
        // Not `>`, for which NaN would pass.
        let near = (left - right).abs() <= ROUNDING;
        assert!(near, "{what}: {left} against {right} at {at}");
    }
}

/// Asserts that all levels and the weights of the context are equal up to rounding, after `cut` has
/// cut both sides to the same shape.
fn close_weights(
    left: &AttentionWeights,
    right: &AttentionWeights,
    what: &str,
    cut: impl Fn(Tensor<4>, Tensor<4>) -> (Tensor<4>, Tensor<4>),
) {
    assert_eq!(left.levels(), right.levels(), "{what}");
    for level in 1..=left.levels() {
        let (left, right) = cut(left.level(level), right.level(level));
        close(left, right, &format!("{what}, weights of level {level}"));
    }
    let (left, right) = cut(left.last(), right.last());
    close(left, right, &format!("{what}, weights of the context"));
}
