//! One level is vanilla attention; with very many levels all rows become equal.

use burn::tensor::Device;
use proptest::strategy::{Just, Strategy};
use strata_attention::{
    HamLevel, Mechanism, MechanismConfig, MultiHeadAttention, MultilevelConfig, Site, Vanilla,
};

use crate::case::{Case, cases_of_levels};
use crate::{SITES, check, close, close_weights, numbers};

/// Draws mechanisms with one level that attends to all keys, and that add no query to the result.
fn of_one_level() -> impl Strategy<Value = Case> {
    let is_soft = |case: &Case| match case.config {
        MechanismConfig::HamV(config) => config.level_kind == HamLevel::Soft,
        _ => true,
    };
    cases_of_levels(&SITES, Just(1))
        .prop_filter("the query is a part of the result", |case| {
            !case.facts().adds_query
        })
        .prop_filter("the level is local or hard", is_soft)
}

/// Vanilla attention with the score function of `mechanism`.
fn vanilla(mechanism: &Mechanism) -> Mechanism {
    let score = mechanism.score().expect("what has levels has a score");
    Mechanism::Vanilla(Vanilla::new(score.clone()))
}

#[test]
fn one_level_is_vanilla() {
    check(500, of_one_level(), |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let one = mechanism.forward(case.input(&device));
        let expected = vanilla(&mechanism).forward(case.input(&device));
        close(one.context, expected.context, "context");
        close_weights(
            &one.weights,
            &expected.weights,
            "one level",
            |one, vanilla| (one, vanilla),
        );
    });
}

#[test]
fn one_level_inside_heads_is_multi_head_attention() {
    check(300, of_one_level(), |case| {
        let device = Device::flex();
        let layer = case.layer(&device);
        let mut plain = layer.clone();
        plain.mechanism = vanilla(&layer.mechanism);
        let run = |layer: MultiHeadAttention| {
            let query = case.positions(case.queries, 1, &device);
            let keys = case.positions(case.keys, 2, &device);
            let values = case.positions(case.keys, 3, &device);
            layer.forward(query, keys, values, case.mask(&device))
        };
        close(run(layer).context, run(plain).context, "context");
    });
}

/// Multilevel self-attention of 6 positions.
fn many_levels(levels: usize, site: Site) -> Case {
    Case {
        site,
        config: MechanismConfig::Multilevel(MultilevelConfig {
            levels,
            ..MultilevelConfig::default()
        }),
        heads: 1,
        width: 4,
        queries: 6,
        keys: 6,
        lengths: vec![6],
        seed: 0,
    }
}

#[test]
fn rows_become_equal_with_a_hundred_levels() {
    let device = Device::flex();
    let case = many_levels(100, Site::EncoderSelf);
    let output = case.mechanism(&device).forward(case.input(&device));
    let weights = output.weights.last();
    let first = weights.clone().narrow(2, 0, 1).repeat_dim(2, 6);
    close(weights, first, "the rows of A^100");
}

#[test]
fn all_weight_drifts_to_the_first_position_under_a_causal_mask() {
    let device = Device::flex();
    let weight_of_the_first = |levels| {
        let case = many_levels(levels, Site::DecoderSelf);
        let output = case.mechanism(&device).forward(case.input(&device));
        numbers(output.weights.last().narrow(3, 0, 1).min())[0]
    };
    assert!(weight_of_the_first(1) < 0.5);
    assert!(weight_of_the_first(1000) > 0.99);
}
