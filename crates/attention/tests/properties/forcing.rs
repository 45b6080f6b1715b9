//! Weights given by hand replace the weights of the rows for which they are given, and no others.

use burn::tensor::{Device, Tensor};
use strata_attention::{
    AttentionOutput, CausalCache, ForcedRow, GivenWeights, Mask, Mechanism, MechanismConfig, Muted,
    Site,
};

use crate::case::{Case, cases};
use crate::{SITES, check, close, close_weights, numbers};

fn forced(head: Option<usize>, row: Option<usize>, to: GivenWeights) -> Muted {
    Muted {
        rows: vec![ForcedRow { head, row, to }].into(),
        ..Muted::default()
    }
}

/// Forces rows by the case's seed: of one head or all, of one row or all, with one of the three
/// kinds of weights.
fn drawn(case: &Case) -> Muted {
    let seed = case.seed as usize;
    let to = match seed % 3 {
        0 => GivenWeights::Uniform,
        1 => GivenWeights::Diagonal,
        _ => GivenWeights::Key(seed / 8 % case.keys),
    };
    let head = (seed / 3)
        .is_multiple_of(2)
        .then_some(seed / 5 % case.heads);
    let row = (seed / 7)
        .is_multiple_of(2)
        .then_some(seed / 11 % case.queries);
    forced(head, row, to)
}

/// Builds the mechanism of a case; `None` if its rows cannot be given weights.
fn built(case: &Case, device: &Device) -> Option<Mechanism> {
    Some(case.mechanism(device)).filter(Mechanism::takes_given_weights)
}

/// True if the context of a row is weights · values, and the query sees all keys of the mask.
fn is_plain(case: &Case) -> bool {
    use MechanismConfig::{Hard, Linear, Vanilla};
    matches!(case.config, Vanilla(_) | Hard(_) | Linear(_))
}

/// Expected weights of the first level, `[B, H, T, S]`: those given by `to`, or the computed
/// weights in rows where `to` gives none.
fn expected(case: &Case, computed: &[f32], to: GivenWeights) -> Vec<f32> {
    let shape = [case.batch(), case.heads, case.queries, case.keys];
    let mut weights = Vec::with_capacity(computed.len());
    for (at, row) in computed.chunks(case.keys).enumerate() {
        let (b, t) = (at / (shape[1] * shape[2]), at % shape[2]);
        let wants = |s: usize| {
            case.sees(b, t, s)
                && match to {
                    GivenWeights::Uniform => true,
                    GivenWeights::Diagonal => s == t,
                    GivenWeights::Key(key) => s == key,
                }
        };
        let count = (0..case.keys).filter(|&s| wants(s)).count();
        match count {
            0 => weights.extend(row),
            _ => weights
                .extend((0..case.keys).map(|s| if wants(s) { 1.0 / count as f32 } else { 0.0 })),
        }
    }
    weights
}

#[test]
fn all_rows_have_the_weights_that_they_are_given_where_they_may() {
    check(400, cases(&SITES), |case| {
        let device = Device::flex();
        let Some(mut mechanism) = built(&case, &device).filter(|_| is_plain(&case)) else {
            return;
        };
        let input = case.input(&device);
        let computed = numbers(mechanism.forward(input.clone()).weights.level(1));
        let keys = (0..case.keys).map(GivenWeights::Key);
        for to in keys.chain([GivenWeights::Uniform, GivenWeights::Diagonal]) {
            mechanism.mute(&forced(None, None, to));
            let AttentionOutput {
                weights, context, ..
            } = mechanism.forward(input.clone());
            let weights = weights.level(1);
            let found = numbers(weights.clone());
            let pairs = found.iter().zip(expected(&case, &computed, to));
            for (found, expected) in pairs {
                assert!(
                    (found - expected).abs() <= 1e-6,
                    "{to:?}: {found} {expected}"
                );
            }
            close(context, weights.matmul(input.values.clone()), "context");
        }
    });
}

/// Checks the definition to 1e-6: uniform weights give the mean of the visible values, diagonal
/// weights the value of the query's own position.
#[test]
fn even_weights_give_the_mean_of_the_values_and_the_diagonal_the_value_itself() {
    check(
        300,
        cases(&[Site::EncoderSelf, Site::DecoderSelf]),
        |case| {
            let device = Device::flex();
            let Some(mut mechanism) = built(&case, &device).filter(|_| is_plain(&case)) else {
                return;
            };
            let input = case.input(&device);
            let values = numbers(input.values.clone());
            let value = |b: usize, h: usize, s: usize, d: usize| {
                values[((b * case.heads + h) * case.keys + s) * case.width + d]
            };
            for to in [GivenWeights::Uniform, GivenWeights::Diagonal] {
                mechanism.mute(&forced(None, None, to));
                let context = numbers(mechanism.forward(input.clone()).context);
                for (at, found) in context.iter().enumerate() {
                    let (d, row) = (at % case.width, at / case.width);
                    let (t, bh) = (row % case.queries, row / case.queries);
                    let (b, h) = (bh / case.heads, bh % case.heads);
                    let seen: Vec<usize> = (0..case.keys).filter(|&s| case.sees(b, t, s)).collect();
                    let expected = match to {
                        _ if seen.is_empty() => 0.0,
                        GivenWeights::Diagonal if seen.contains(&t) => value(b, h, t, d),
                        // A padded position is no key: its row keeps its computed weights.
                        GivenWeights::Diagonal => continue,
                        _ => {
                            seen.iter().map(|&s| value(b, h, s, d)).sum::<f32>() / seen.len() as f32
                        }
                    };
                    assert!(
                        (found - expected).abs() <= 1e-6,
                        "{to:?}: {found} {expected}"
                    );
                }
            }
        },
    );
}

#[test]
fn other_rows_and_heads_stay_and_what_is_put_back_gives_the_earlier_bits() {
    check(300, cases(&SITES), |case| {
        let device = Device::flex();
        let Some(mut mechanism) = built(&case, &device) else {
            return;
        };
        let run = |mechanism: &Mechanism| mechanism.forward(case.input(&device));
        let before = run(&mechanism);
        let (head, row) = (
            case.seed as usize % case.heads,
            case.seed as usize % case.queries,
        );
        mechanism.mute(&forced(Some(head), Some(row), GivenWeights::Uniform));
        let during = run(&mechanism).weights.level(1);
        let before_level = before.weights.level(1);
        for h in 0..case.heads {
            for t in (0..case.queries).filter(|&t| (h, t) != (head, row)) {
                let at = |of: &Tensor<4>| of.clone().narrow(1, h, 1).narrow(2, t, 1);
                close(at(&during), at(&before_level), "another row");
            }
        }
        mechanism.mute(&Muted::default());
        assert_eq!(numbers(run(&mechanism).context), numbers(before.context));
    });
}

#[test]
fn what_is_hidden_is_never_given_weight() {
    check(400, cases(&SITES), |case| {
        let device = Device::flex();
        let Some(mut mechanism) = built(&case, &device) else {
            return;
        };
        mechanism.mute(&drawn(&case));
        let weights = numbers(mechanism.forward(case.input(&device)).weights.level(1));
        for (at, weight) in weights.iter().enumerate() {
            let (s, row) = (at % case.keys, at / case.keys);
            let (b, t) = (row / (case.heads * case.queries), row % case.queries);
            assert!(
                case.sees(b, t, s) || *weight == 0.0,
                "{weight} at {b}, {t}, {s}"
            );
        }
    });
}

#[test]
fn decoding_forces_the_rows_that_a_whole_pass_forces() {
    check(500, cases(&[Site::DecoderSelf, Site::Cross]), |case| {
        let device = Device::flex();
        let Some(mut mechanism) = built(&case, &device).filter(|_| case.facts().leak_free) else {
            return;
        };
        mechanism.mute(&drawn(&case));
        let mut input = case.input(&device);
        let is_self = case.site.is_self();
        if is_self {
            input.mask = Mask::causal(case.keys, case.keys, &device);
        }
        let whole = mechanism.forward(input.clone());
        let memory = mechanism.prepare(input.keys.clone(), input.values.clone(), input.mask);
        let mut cache = CausalCache::default();
        for t in 0..case.queries {
            let row = |all: &Tensor<4>| all.clone().narrow(2, t, 1);
            let query = row(&input.query);
            let step = if is_self {
                let (key, value) = (row(&input.keys), row(&input.values));
                mechanism.self_attend_next(&mut cache, query, key, value)
            } else {
                mechanism.attend_next(query, &memory, &mut cache)
            };
            let what = format!("position {t}");
            close(step.context, row(&whole.context), &what);
            let seen = if is_self { t + 1 } else { case.keys };
            close_weights(&step.weights, &whole.weights, &what, |step, whole| {
                (step, row(&whole).narrow(3, 0, seen))
            });
        }
    });
}
