//! Ham-V whose values are its keys is the update of a modern Hopfield network, with β = 1/√D
//! (Ramsauer et al. 2021, equation 3); and the residual of memory networks.

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use strata_attention::{
    AttentionInput, HamConfig, HamMix, Mask, Mechanism, MechanismConfig, ParamInit, Site, Widths,
};

use crate::case::cases;
use crate::parameters::random;
use crate::{SITES, check, close, numbers};

/// Numbers of patterns, of states, and their width.
const PATTERNS: usize = 16;
const STATES: usize = 7;
const WIDTH: usize = 32;

/// Ham-V whose result is the last of `depth` levels.
fn ham(depth: usize, device: &Device) -> Mechanism {
    let config = MechanismConfig::HamV(HamConfig {
        depth,
        mix: HamMix::Last,
        ..HamConfig::default()
    });
    let init = &mut ParamInit::new(0, device);
    let widths = Widths::all(WIDTH);
    config.init(Site::Cross, widths, 1, init).unwrap()
}

/// State after `updates` updates from `state`, `[1, 1, STATES, WIDTH]`.
fn updated(patterns: &Tensor<4>, state: Tensor<4>, updates: usize) -> Tensor<4> {
    let output = ham(updates, &patterns.device()).forward(AttentionInput {
        query: state,
        keys: patterns.clone(),
        values: patterns.clone(),
        mask: Mask::none(),
    });
    output.context
}

/// Random patterns with a root mean square of `size`. β ‖x‖² is about 5.7 `size`².
fn patterns(size: f32, device: &Device) -> Tensor<4> {
    random([1, 1, PATTERNS, WIDTH], 3, device) * size
}

fn largest(difference: Tensor<4>) -> f32 {
    numbers(difference.abs().max())[0]
}

#[test]
fn a_level_is_one_update_of_the_network() {
    let device = Device::flex();
    let patterns = patterns(0.7, &device);
    let first = random([1, 1, STATES, WIDTH], 4, &device);
    let beta = 1.0 / (WIDTH as f64).sqrt();
    let mut state = first.clone();
    for updates in 1..=6 {
        let scores = state.matmul(patterns.clone().swap_dims(2, 3)) * beta;
        state = softmax(scores, 3).matmul(patterns.clone());
        let found = updated(&patterns, first.clone(), updates);
        close(found, state.clone(), "state");
    }
}

#[test]
fn updates_end_at_a_fixed_point() {
    let device = Device::flex();
    for size in [0.1, 0.5, 1.0, 2.0] {
        let patterns = patterns(size, &device);
        let first = random([1, 1, STATES, WIDTH], 4, &device) * size;
        let end = updated(&patterns, first, 100);
        let further = updated(&patterns, end.clone(), 1);
        assert!(largest(end - further) < 1e-3 * size, "patterns of {size}");
    }
}

#[test]
fn near_a_stored_pattern_one_update_is_enough() {
    let device = Device::flex();
    let patterns = patterns(2.0, &device);
    let stored = patterns.clone().narrow(2, 0, STATES);
    let noise = random([1, 1, STATES, WIDTH], 4, &device) * 0.3;
    let cue = stored.clone() + noise;
    assert!(largest(cue.clone() - stored.clone()) > 0.3);
    let once = updated(&patterns, cue.clone(), 1);
    assert!(largest(once - stored.clone()) < 1e-3);
    // More updates stay there.
    assert!(largest(updated(&patterns, cue, 20) - stored) < 1e-3);
}

#[test]
fn with_a_small_beta_all_queries_end_at_one_mean() {
    let device = Device::flex();
    let patterns = patterns(0.3, &device);
    let first = random([1, 1, STATES, WIDTH], 4, &device);
    let end = updated(&patterns, first, 20);
    let one = end.clone().narrow(2, 0, 1).repeat_dim(2, STATES);
    assert!(largest(end.clone() - one) < 1e-5);
    let mean = patterns.mean_dim(2).repeat_dim(2, STATES);
    assert!(largest(end - mean) < 0.05);
}

/// Checks context = q + Σ_j c_j A_j V: level i holds the query and the results of all levels up to
/// i, so that c_j is the sum of the shares of the levels from j on.
#[test]
fn with_a_residual_the_context_is_the_query_and_the_results_of_all_levels() {
    check(400, cases(&SITES), |case| {
        let MechanismConfig::HamV(config) = case.config else {
            return;
        };
        if !config.residual {
            return;
        }
        let device = Device::flex();
        let input = case.input(&device);
        let output = case.mechanism(&device).forward(input.clone());
        let own = output.weights.own();
        let share = |level: usize| match output.weights.mix() {
            Some(mix) => mix.clone().narrow(3, level, 1), // [1, 1 or H, 1, 1]
            None => {
                let is_last = level + 1 == own.len();
                Tensor::full([1; 4], f32::from(is_last), &device)
            }
        };
        let mut expected = input.query;
        for (at, own) in own.iter().enumerate() {
            let later = (at..config.depth)
                .map(share)
                .reduce(|sum, share| sum + share);
            expected = expected + own.clone().matmul(input.values.clone()) * later.unwrap();
        }
        close(output.context, expected, "context");
    });
}
