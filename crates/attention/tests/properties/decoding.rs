//! Decoding position by position gives the results of one pass over all positions.

use burn::tensor::{Device, Int, Tensor};
use strata_attention::{AttentionWeights, CausalCache, Mask, Site};

use crate::case::cases;
use crate::{check, close, close_weights};

#[test]
fn self_attention_position_by_position_equals_the_causal_pass() {
    check(500, cases(&[Site::DecoderSelf]), |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let mut input = case.input(&device);
        input.mask = Mask::causal(case.keys, case.keys, &device);
        let whole = mechanism.forward(input.clone());
        let mut cache = CausalCache::default();
        for t in 0..case.keys {
            let row = |all: &Tensor<4>| all.clone().narrow(2, t, 1);
            let (query, key, value) = (row(&input.query), row(&input.keys), row(&input.values));
            let step = mechanism.self_attend_next(&mut cache, query, key, value);
            let what = format!("position {t}");
            close(step.context, row(&whole.context), &what);
            close_weights(&step.weights, &whole.weights, &what, |step, whole| {
                (step, row(&whole).narrow(3, 0, t + 1))
            });
        }
    });
}

#[test]
fn cross_attention_position_by_position_equals_the_whole_pass() {
    check(600, cases(&[Site::Cross]), |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let input = case.input(&device);
        let memory = mechanism.prepare(input.keys, input.values, input.mask);
        let whole = mechanism.attend(input.query.clone(), &memory);
        let mut cache = CausalCache::default();
        let mut rows = Vec::new();
        for t in 0..case.queries {
            let row = |all: Tensor<4>| all.narrow(2, t, 1);
            let step = mechanism.attend_next(row(input.query.clone()), &memory, &mut cache);
            let what = format!("position {t}");
            // A leaky mechanism depends on later queries, which decoding does not have: compare
            // with a pass over the queries up to t.
            let expected = if case.facts().leak_free {
                whole.clone()
            } else {
                mechanism.attend(input.query.clone().narrow(2, 0, t + 1), &memory)
            };
            close(step.context, row(expected.context), &what);
            close_weights(&step.weights, &expected.weights, &what, |step, whole| {
                (step, row(whole))
            });
            rows.push(step.weights);
        }
        let rows = AttentionWeights::concat_queries(rows).unwrap();
        close_weights(&rows, &whole.weights, "all rows", |rows, whole| {
            (rows, whole)
        });
    });
}

#[test]
fn heads_position_by_position_equal_the_whole_pass() {
    check(500, cases(&[Site::DecoderSelf, Site::Cross]), |case| {
        let device = Device::flex();
        let layer = case.layer(&device);
        let query = case.positions(case.queries, 1, &device);
        let mut cache = CausalCache::default();
        let row = |all: &Tensor<3>, t| all.clone().narrow(1, t, 1);
        if case.site.is_self() {
            let mask = Mask::causal(case.keys, case.keys, &device);
            let whole = layer.forward(query.clone(), query.clone(), query.clone(), mask);
            for t in 0..case.queries {
                let step = layer.self_attend_next(&mut cache, row(&query, t));
                close(
                    step.context,
                    row(&whole.context, t),
                    &format!("position {t}"),
                );
            }
        } else {
            let keys = case.positions(case.keys, 2, &device);
            let values = case.positions(case.keys, 3, &device);
            let memory = layer.prepare(keys, values, case.mask(&device));
            for t in 0..case.queries {
                let so_far = layer.attend(query.clone().narrow(1, 0, t + 1), &memory);
                let step = layer.attend_next(row(&query, t), &memory, &mut cache);
                close(
                    step.context,
                    row(&so_far.context, t),
                    &format!("position {t}"),
                );
            }
        }
    });
}

/// Draws rows of a batch in another order; some rows may occur twice and others not at all.
fn chosen_rows(batch: usize, seed: u64, device: &Device) -> Tensor<1, Int> {
    let rows: Vec<i32> = (0..1 + seed as usize % 5)
        .map(|i| ((seed as usize / 5 + i * (1 + seed as usize / 7)) % batch) as i32)
        .collect();
    Tensor::from_data(&rows[..], device)
}

#[test]
fn chosen_rows_of_a_self_attention_go_on_as_they_would_have() {
    check(300, cases(&[Site::DecoderSelf]), |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let input = case.input(&device);
        let rows = chosen_rows(case.batch(), case.seed, &device);
        let pick = |all: Tensor<4>| all.select(0, rows.clone());
        let (mut whole, mut chosen) = (CausalCache::default(), None);
        for t in 0..case.keys {
            let row = |all: &Tensor<4>| all.clone().narrow(2, t, 1);
            let (query, key, value) = (row(&input.query), row(&input.keys), row(&input.values));
            let expected =
                mechanism.self_attend_next(&mut whole, query.clone(), key.clone(), value.clone());
            if let Some(chosen) = &mut chosen {
                let step = mechanism.self_attend_next(chosen, pick(query), pick(key), pick(value));
                let what = format!("position {t}");
                close(step.context, pick(expected.context), &what);
                close_weights(&step.weights, &expected.weights, &what, |step, whole| {
                    (step, pick(whole))
                });
            } else if t >= case.seed as usize % 3 {
                chosen = Some(whole.select(&rows));
            }
        }
    });
}

#[test]
fn chosen_rows_of_a_cross_attention_go_on_as_they_would_have() {
    check(600, cases(&[Site::Cross]), |case| {
        let device = Device::flex();
        let layer = case.layer(&device);
        let keys = case.positions(case.keys, 2, &device);
        let values = case.positions(case.keys, 3, &device);
        let memory = layer.prepare(keys, values, case.mask(&device));
        let query = case.positions(case.queries, 1, &device);
        let rows = chosen_rows(case.batch(), case.seed, &device);
        let few = memory.select(&rows);
        let (mut whole, mut chosen) = (CausalCache::default(), CausalCache::default());
        for t in 0..case.queries {
            if t <= case.seed as usize % 3 {
                chosen = whole.select(&rows);
            }
            let query = query.clone().narrow(1, t, 1);
            let expected = layer.attend_next(query.clone(), &memory, &mut whole);
            let step = layer.attend_next(query.select(0, rows.clone()), &few, &mut chosen);
            let what = format!("position {t}");
            close(
                step.context,
                expected.context.select(0, rows.clone()),
                &what,
            );
            close_weights(&step.weights, &expected.weights, &what, |step, whole| {
                (step, whole.select(0, rows.clone()))
            });
        }
    });
}
