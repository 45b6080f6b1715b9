//! Positions that a layer tells by itself: rotary and ALiBi.

use std::cell::Cell;

use burn::tensor::{Device, Tensor};
use proptest::strategy::Strategy;
use strata_attention::{
    AttentionWeights, CausalCache, LocalConfig, LocalPosition, Mask, MechanismConfig,
    MultiHeadAttention, MultiHeadConfig, ParamInit, PyramidConfig, RelativePositions, ScoreKind,
    Site, VanillaConfig, Widths, alibi_bias, rotate,
};

use crate::case::{Case, cases};
use crate::parameters::{direction, gradients, moved, random, randomise};
use crate::{check, close, close_weights, numbers};

const SELF: [Site; 2] = [Site::EncoderSelf, Site::DecoderSelf];
const KINDS: [RelativePositions; 2] = [RelativePositions::Rotary, RelativePositions::Alibi];

/// Builds the layer of a case with these positions; `None` if they do not go with the mechanism.
fn layer(case: &Case, positions: RelativePositions, device: &Device) -> Option<MultiHeadAttention> {
    let widths = Widths::all(case.width);
    positions.check(&case.config, widths).ok()?;
    let width = case.heads * case.width;
    let config = MultiHeadConfig::new(width, case.heads, case.config).with_positions(positions);
    let built = config.init(case.site, &mut ParamInit::new(0, device));
    Some(randomise(built.unwrap(), case.seed + 100))
}

/// Draws cases of self-attention; half of them have a score that goes with rotary positions.
fn cases_with_dot_products(sites: &[Site]) -> impl Strategy<Value = Case> + use<> {
    cases(sites).prop_map(|mut case| {
        case.width = case.width.next_multiple_of(2);
        if case.seed.is_multiple_of(2) {
            let mut settings = serde_json::to_value(case.config).unwrap();
            if settings.get("score").is_some() {
                settings["score"] = "scaled_dot".into();
                case.config = serde_json::from_value(settings).unwrap();
            }
        }
        case
    })
}

/// Checks a property of layers with each kind of positions; both kinds must be drawn often.
fn check_layers(
    draws: u32,
    sites: &[Site],
    device: &Device,
    property: impl Fn(&Case, RelativePositions, MultiHeadAttention),
) {
    let counts = KINDS.map(|_| Cell::new(0));
    check(draws, cases_with_dot_products(sites), |case| {
        for (kind, count) in KINDS.into_iter().zip(&counts) {
            if let Some(layer) = layer(&case, kind, device) {
                count.set(count.get() + 1);
                property(&case, kind, layer);
            }
        }
    });
    assert!(
        counts.iter().all(|count| count.get() > draws / 4),
        "{counts:?}"
    );
}

/// True if the mechanism predicts from the query where its window stands.
fn predicts_window(case: &Case) -> bool {
    let predicts = |config: &LocalConfig| config.position == LocalPosition::Predictive;
    matches!(&case.config, MechanismConfig::Local(config) if predicts(config))
}

fn scores(query: Tensor<4>, keys: Tensor<4>) -> Tensor<4> {
    query.matmul(keys.swap_dims(2, 3))
}

#[test]
fn rotary_scores_depend_on_the_difference_of_positions() {
    let device = Device::flex();
    let [query, keys] = [7, 8].map(|seed| random([2, 3, 5, 8], seed, &device));
    let at = |first| scores(rotate(query.clone(), first), rotate(keys.clone(), first));
    close(at(0), at(3), "shifted by 3");
    // Angles are computed in F64: far positions lose no digits.
    close(at(0), at(1_000_000), "shifted by 1000000");
    let apart = scores(rotate(query.clone(), 1), rotate(keys.clone(), 0));
    assert!(numbers((at(0) - apart).abs().max())[0] > 0.1);
    // A turn keeps the norm of each pair, and position 0 is not turned.
    let norms = |rows: Tensor<4>| rows.square().reshape([30, 4, 2]).sum_dim(2);
    close(
        norms(rotate(query.clone(), 9)),
        norms(query.clone()),
        "norms",
    );
    let first = |rows: Tensor<4>| rows.narrow(2, 0, 1);
    close(first(rotate(query.clone(), 0)), first(query), "position 0");
}

/// Hidden rows in front shift all positions by their number.
#[test]
fn rotary_attention_depends_on_distances_alone() {
    let device = Device::flex();
    check_layers(400, &SELF, &device, |case, kind, layer| {
        // A predicted window stands at a place of the whole text.
        if predicts_window(case) {
            return;
        }
        let (before, length) = (1 + case.seed as usize % 4, case.keys);
        let [real, front] =
            [(length, 1), (before, 2)].map(|(n, salt)| case.positions(n, salt, &device));
        let run = |rows: Tensor<3>, hidden: usize| {
            let [b, n, _] = rows.dims();
            let padding: Vec<bool> = (0..b * n).map(|at| at % n < hidden).collect();
            let mask = match case.site {
                Site::DecoderSelf => Mask::causal_padding(&padding, n, n, &device),
                _ => Mask::padding(&padding, n, &device),
            };
            layer.forward(rows.clone(), rows.clone(), rows, mask)
        };
        let alone = run(real.clone(), 0);
        let shifted = run(Tensor::cat(vec![front, real], 1), before);
        let shifted = shifted.context.narrow(1, before, length);
        // Turned vectors are other numbers, and levels pass their rounding on, enlarged.
        let largest = numbers(alone.context.clone().abs().max())[0];
        let apart = numbers((shifted - alone.context).abs().max())[0];
        assert!(
            apart < 2e-5 * case.config.passes() as f32 * (1.0 + largest),
            "{kind:?}: {apart} of {largest}"
        );
    });
}

#[test]
fn position_by_position_equals_the_whole_pass() {
    let device = Device::flex();
    check_layers(400, &[Site::DecoderSelf], &device, |case, kind, layer| {
        let rows = case.positions(case.keys, 1, &device);
        let mask = Mask::causal(case.keys, case.keys, &device);
        let whole = layer.forward(rows.clone(), rows.clone(), rows.clone(), mask);
        let mut cache = CausalCache::default();
        for t in 0..case.keys {
            let step = layer.self_attend_next(&mut cache, rows.clone().narrow(1, t, 1));
            let what = format!("{kind:?}, position {t}");
            close(step.context, whole.context.clone().narrow(1, t, 1), &what);
            close_weights(&step.weights, &whole.weights, &what, |step, whole| {
                (step, whole.narrow(2, t, 1).narrow(3, 0, t + 1))
            });
        }
    });
}

#[test]
fn padding_and_later_positions_do_not_count() {
    let device = Device::flex();
    check_layers(400, &SELF, &device, |case, kind, layer| {
        let rows = case.positions(case.keys, 1, &device);
        let together = layer.forward(rows.clone(), rows.clone(), rows.clone(), case.mask(&device));
        for (b, &length) in case.lengths.iter().enumerate() {
            if length == 0 {
                continue;
            }
            let own = rows.clone().narrow(0, b, 1).narrow(1, 0, length);
            let mask = match case.site {
                Site::DecoderSelf => Mask::causal(length, length, &device),
                _ => Mask::none(),
            };
            let alone = layer.forward(own.clone(), own.clone(), own, mask);
            let together = together
                .context
                .clone()
                .narrow(0, b, 1)
                .narrow(1, 0, length);
            close(together, alone.context, &format!("{kind:?}, item {b}"));
        }
    });
}

#[test]
fn gradients_of_layers_with_positions_equal_finite_differences() {
    const STEP: f32 = 0.02;
    let device = Device::flex().autodiff();
    // Where a predicted window moves, the loss jumps.
    let smooth = |case: &Case| case.facts().smooth && case.keys > 1 && !predicts_window(case);
    check_layers(150, &SELF, &device, |case, kind, layer| {
        if !smooth(case) {
            return;
        }
        let rows = case.positions(case.keys, 1, &device);
        let probe = case.positions(case.keys, 20, &device);
        let loss = |layer: &MultiHeadAttention| {
            let [query, keys, values] = [(); 3].map(|()| rows.clone());
            let context = layer
                .forward(query, keys, values, case.mask(&device))
                .context;
            (context * probe.clone()).sum()
        };
        let found = loss(&layer).backward();
        for (which, (name, gradient)) in gradients(&layer, &found).into_iter().enumerate() {
            if name == "key.bias" && kind == RelativePositions::Alibi {
                // Detached where the weights do not depend on it.
                continue;
            }
            let direction = direction(gradient.len());
            let expected: f32 = gradient.iter().zip(direction).map(|(g, d)| g * d).sum();
            let at = |steps: f32| {
                let moved = moved(layer.clone(), which, steps * STEP);
                f64::from(numbers(loss(&moved))[0])
            };
            let slope = |h: f32| {
                let slope = at(-2.0 * h) - 8.0 * at(-h) + 8.0 * at(h) - at(2.0 * h);
                (slope / (12.0 * f64::from(h * STEP))) as f32
            };
            let measured = slope(1.0);
            let length = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
            let near = |one: f32, other: f32| (one - other).abs() < 1e-3 * (1.0 + length);
            // Residuals add up over the levels: where half the step gives another slope, the step
            // is too long for the curve.
            let is_too_steep = || case.facts().adds_query && !near(measured, slope(0.5));
            assert!(
                near(measured, expected) || is_too_steep(),
                "{kind:?}, {name}: slope {measured}, but by the gradient {expected}"
            );
        }
    });
}

/// A turn makes the bias of the keys a different vector in every key, so that weights depend on it.
#[test]
fn rotary_positions_train_the_bias_of_the_keys() {
    let device = Device::flex().autodiff();
    let bias_is_trained = |positions| {
        let config =
            MultiHeadConfig::new(8, 2, MechanismConfig::default()).with_positions(positions);
        let layer = config
            .init(Site::EncoderSelf, &mut ParamInit::new(1, &device))
            .unwrap();
        let rows = random([1, 4, 8], 2, &device);
        let probe = random([1, 4, 8], 3, &device);
        let context = layer
            .forward(rows.clone(), rows.clone(), rows, Mask::none())
            .context;
        let found = (context * probe).sum().backward();
        let gradient = layer.key.bias.as_ref().unwrap().val().grad(&found);
        gradient.is_some_and(|gradient| numbers(gradient.abs().max())[0] > 1e-3)
    };
    assert!(bias_is_trained(RelativePositions::Rotary));
    assert!(!bias_is_trained(RelativePositions::Alibi));
    assert!(!bias_is_trained(RelativePositions::None));
}

#[test]
fn the_heads_of_alibi_tell_less_and_less() {
    let device = Device::flex();
    let (heads, length) = (8, 6);
    let layer = |positions| {
        let config = MultiHeadConfig::new(32, heads, MechanismConfig::default());
        let config = config.with_positions(positions);
        config
            .init(Site::EncoderSelf, &mut ParamInit::new(4, &device))
            .unwrap()
    };
    let rows = random([2, length, 32], 5, &device);
    let weights = |positions| -> AttentionWeights {
        let [query, keys, values] = [(); 3].map(|()| rows.clone());
        layer(positions)
            .forward(query, keys, values, Mask::none())
            .weights
    };
    let [with, without] =
        [RelativePositions::Alibi, RelativePositions::None].map(|kind| weights(kind).last());
    let bias = alibi_bias(heads, 0, [length; 2], &device);
    let largest = |of: Tensor<4>, head| numbers(of.narrow(1, head, 1).abs().max())[0];
    let mut last = f32::MAX;
    for head in 0..heads {
        let change = largest(with.clone() - without.clone(), head);
        // exp(2 b) − 1 bounds what scores that change by b at most do to a weight.
        let bound = (2.0 * largest(bias.clone(), head)).exp_m1();
        assert!(
            change > 0.0 && change <= bound,
            "head {head}: {change} of {bound}"
        );
        assert!(largest(bias.clone(), head) < last);
        last = largest(bias.clone(), head);
    }
    // The last head hardly tells positions: 5 steps of 2^−8.
    assert!(last < 0.02);
}

#[test]
fn mechanisms_that_do_not_go_with_positions_are_refused_in_a_sentence() {
    let refused =
        |positions: RelativePositions, mechanism: MechanismConfig, width, parts: &[&str]| {
            let error = positions
                .check(&mechanism, Widths::all(width))
                .unwrap_err()
                .to_string();
            for part in parts {
                assert!(error.contains(part), "{error}");
            }
            let config = MultiHeadConfig::new(2 * width, 2, mechanism).with_positions(positions);
            let init = &mut ParamInit::new(0, &Device::flex());
            assert_eq!(
                config
                    .init(Site::EncoderSelf, init)
                    .unwrap_err()
                    .to_string(),
                error
            );
        };
    let [rotary, alibi] = KINDS;
    let pyramid = MechanismConfig::Pyramid(PyramidConfig::default());
    let linear = MechanismConfig::of_kind("linear").unwrap();
    refused(rotary, pyramid, 4, &["`pyramid`", "summaries", "choose"]);
    refused(rotary, linear, 4, &["`linear`", "choose"]);
    refused(alibi, pyramid, 4, &["`pyramid`", "choose"]);
    refused(alibi, linear, 4, &["`linear`", "choose"]);
    refused(
        rotary,
        MechanismConfig::default(),
        3,
        &["`width`", "even", "3"],
    );
    for score in [
        ScoreKind::Bilinear,
        ScoreKind::Additive,
        ScoreKind::Trilinear,
    ] {
        let vanilla = MechanismConfig::Vanilla(VanillaConfig { score });
        refused(rotary, vanilla, 4, &[score.name(), "`scaled_dot`"]);
        assert!(alibi.check(&vanilla, Widths::all(3)).is_ok());
    }
}
