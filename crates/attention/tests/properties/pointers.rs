//! A level follows one arrow: if A is the matrix of a permutation p, and V names p(i) at place i,
//! then N = k − 1 levels answer pᵏ(i), exactly.

use burn::tensor::{Device, Tensor};
use strata_attention::{
    AttentionInput, ForcedRow, GivenWeights, Mask, Mechanism, MechanismConfig, MultilevelConfig,
    Muted, ParamInit, ScoreKind, Site, Widths,
};

use crate::numbers;

/// Permutation of one cycle over `n` places.
fn cycle(n: usize) -> Vec<usize> {
    // Places in the order of the cycle: 0, s, 2s, … for a step s without a divisor in common with
    // n, so that the arrows are no shift by one.
    let step = (n / 2 + 1..)
        .find(|&step| {
            (2..=n).all(|divisor| !n.is_multiple_of(divisor) || !step.is_multiple_of(divisor))
        })
        .unwrap();
    let order: Vec<usize> = (0..n).map(|at| at * step * step % n).collect();
    let mut next = vec![0; n];
    for (at, &place) in order.iter().enumerate() {
        next[place] = order[(at + 1) % n];
    }
    next
}

/// Rows of an identity matrix in this order, `[1, 1, n, n]`.
fn one_hot(order: &[usize], scale: f32, device: &Device) -> Tensor<4> {
    let mut rows = vec![0.0f32; order.len() * order.len()];
    for (row, &column) in order.iter().enumerate() {
        rows[row * order.len() + column] = scale;
    }
    let rows = Tensor::<1>::from_data(&rows[..], device);
    rows.reshape([1, 1, order.len(), order.len()])
}

fn built(n: usize, device: &Device) -> Mechanism {
    let config = MechanismConfig::Multilevel(MultilevelConfig {
        score: ScoreKind::Dot,
        levels: 1,
        ..MultilevelConfig::default()
    });
    let init = &mut ParamInit::new(0, device);
    let widths = Widths::all(n);
    config.init(Site::EncoderSelf, widths, 1, init).unwrap()
}

/// Asserts that k − 1 levels answer pᵏ for each k up to 100. The mechanism is built with one level.
fn answers(mut mechanism: Mechanism, query: &Tensor<4>, next: &[usize], device: &Device) {
    let places: Vec<usize> = (0..next.len()).collect();
    let mut reached = next.to_vec();
    for levels in 1..100 {
        reached = reached.iter().map(|&place| next[place]).collect();
        mechanism.set_levels(levels).unwrap();
        let output = mechanism.forward(AttentionInput {
            query: query.clone(),
            keys: one_hot(&places, 1.0, device),
            values: one_hot(next, 1.0, device),
            mask: Mask::none(),
        });
        let expected = numbers(one_hot(&reached, 1.0, device));
        for (found, expected) in numbers(output.context).iter().zip(expected) {
            // e^−200 is 0 in F32, or the smallest number of a fast exponential function.
            assert!(
                (found - expected).abs() < 1e-30,
                "{levels} levels over {} places: {found}, not {expected}",
                next.len()
            );
        }
    }
}

#[test]
fn levels_follow_pointers_that_the_scores_give() {
    let device = Device::flex();
    for n in [3, 12, 33, 101] {
        let next = cycle(n);
        let query = one_hot(&next, 200.0, &device);
        answers(built(n, &device), &query, &next, &device);
    }
}

#[test]
fn levels_follow_pointers_that_are_set_by_hand() {
    let device = Device::flex();
    let next = cycle(12);
    let mut mechanism = built(12, &device);
    let rows = next.iter().enumerate().map(|(row, &key)| ForcedRow {
        head: None,
        row: Some(row),
        to: GivenWeights::Key(key),
    });
    mechanism.mute(&Muted {
        rows: rows.collect::<Vec<_>>().into(),
        ..Muted::default()
    });
    let query = ParamInit::new(1, &device)
        .uniform([1, 1, 12, 12], 1.0)
        .val();
    answers(mechanism, &query, &next, &device);
}

#[test]
fn the_cycle_of_the_tests_is_one_cycle() {
    for n in [3, 12, 33, 101] {
        let next = cycle(n);
        let mut place = 0;
        for _ in 1..n {
            place = next[place];
            assert_ne!(place, 0, "{n} places");
        }
        assert_eq!(next[place], 0);
    }
}
