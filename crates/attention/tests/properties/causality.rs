//! No result depends on later positions, except in the mode that reproduces a published leak.

use burn::tensor::{Device, Tensor};
use proptest::strategy::Strategy;
use strata_attention::{Chain, MechanismConfig, MultilevelConfig, Site};

use crate::case::{Case, cases};
use crate::{check, close, close_weights, numbers};

#[test]
fn no_result_of_the_decoder_depends_on_a_later_position() {
    check(500, cases(&[Site::DecoderSelf]), |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let before = case.input(&device);
        let result = mechanism.forward(before.clone());
        for cut in 1..case.queries {
            let mut after = before.clone();
            after.query = others_from(cut, after.query, &case);
            after.keys = others_from(cut, after.keys, &case);
            after.values = others_from(cut, after.values, &case);
            let changed = mechanism.forward(after);
            let early = |all: Tensor<4>| all.narrow(2, 0, cut);
            let what = format!("changed from {cut} on");
            close(early(result.context.clone()), early(changed.context), &what);
            close_weights(&result.weights, &changed.weights, &what, |left, right| {
                (early(left), early(right))
            });
        }
    });
}

#[test]
fn no_result_of_cross_attention_depends_on_a_later_query() {
    let leak_free = cases(&[Site::Cross])
        .prop_filter("its name says that it leaks", |case| case.facts().leak_free);
    check(500, leak_free, |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let input = case.input(&device);
        let memory = mechanism.prepare(input.keys, input.values, input.mask);
        let result = mechanism.attend(input.query.clone(), &memory);
        for cut in 1..case.queries {
            let query = others_from(cut, input.query.clone(), &case);
            let changed = mechanism.attend(query, &memory);
            let early = |all: Tensor<4>| all.narrow(2, 0, cut);
            let what = format!("changed from {cut} on");
            close(early(result.context.clone()), early(changed.context), &what);
            close_weights(&result.weights, &changed.weights, &what, |left, right| {
                (early(left), early(right))
            });
        }
    });
}

/// Keeps the rows before `cut` and replaces the others by other random numbers.
fn others_from(cut: usize, rows: Tensor<4>, case: &Case) -> Tensor<4> {
    let later = case.numbers(rows.dims()[2] - cut, 10, &rows.device());
    Tensor::cat(vec![rows.narrow(2, 0, cut), later], 2)
}

#[test]
fn the_chain_of_the_paper_leaks() {
    let case = Case {
        site: Site::Cross,
        config: MechanismConfig::Multilevel(MultilevelConfig {
            levels: 3,
            chain: Chain::PaperLeaky,
            ..MultilevelConfig::default()
        }),
        heads: 1,
        width: 4,
        queries: 5,
        keys: 5,
        lengths: vec![5],
        seed: 0,
    };
    let device = Device::flex();
    let mechanism = case.mechanism(&device);
    let input = case.input(&device);
    let memory = mechanism.prepare(input.keys, input.values, input.mask);
    let whole = mechanism.attend(input.query.clone(), &memory).context;
    let prefix = mechanism.attend(input.query.narrow(2, 0, 3), &memory);
    let leaks = |row: usize| {
        let change = whole.clone().narrow(2, row, 1) - prefix.context.clone().narrow(2, row, 1);
        numbers(change.abs().max())[0]
    };
    assert!((0..3).all(|row| leaks(row) > 1e-3), "every early result");
}
