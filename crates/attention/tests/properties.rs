//! Properties that hold for every mechanism, on several shapes.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use burn::tensor::{Device, Tensor, TensorData, Tolerance};
use strata_attention::{
    AttentionInput, AttentionOutput, CausalCache, Chain, HamConfig, HamMix, LocalConfig,
    LocalPosition, Mask, Mechanism, MechanismConfig, MultiHeadConfig, MultilevelConfig, ParamInit,
    ScoreKind, Site, VanillaConfig, Widths,
};

const SITES: [Site; 3] = [Site::EncoderSelf, Site::DecoderSelf, Site::Cross];

/// Every mechanism with every score, as far as they fit the site.
fn all(site: Site) -> Vec<MechanismConfig> {
    let mut all = Vec::new();
    for score in ScoreKind::ALL {
        all.push(MechanismConfig::Vanilla(VanillaConfig { score }));
        for position in [LocalPosition::Monotonic, LocalPosition::Predictive] {
            let config = LocalConfig {
                window: 1,
                position,
                score,
            };
            all.push(MechanismConfig::Local(config));
        }
        for levels in [1, 3, 20] {
            all.push(multilevel(levels, score, Chain::Keys));
            if !site.is_self() {
                all.push(multilevel(levels, score, Chain::Causal));
            }
        }
        for mix in [HamMix::Layer, HamMix::Head, HamMix::Last] {
            let config = HamConfig {
                depth: 3,
                score,
                mix,
            };
            all.push(MechanismConfig::HamV(config));
            if site.is_self() {
                all.push(MechanismConfig::HamS(config));
            }
        }
    }
    all
}

fn multilevel(levels: usize, score: ScoreKind, chain: Chain) -> MechanismConfig {
    MechanismConfig::Multilevel(MultilevelConfig {
        levels,
        score,
        chain,
        ..MultilevelConfig::default()
    })
}

fn build(
    config: MechanismConfig,
    site: Site,
    heads: usize,
    width: usize,
    device: &Device,
) -> Mechanism {
    let init = &mut ParamInit::new(3, device);
    let mut mechanism = config.init(site, Widths::all(width), heads, init).unwrap();
    if let Mechanism::Ham(ham) = &mut mechanism {
        // A mix of equal shares would hide a wrong order of the levels.
        ham.mix = ham.mix.take().map(|mix| {
            let shape = mix.dims();
            init.uniform(shape, 1.0)
        });
    }
    mechanism
}

thread_local! {
    static DRAWN: Cell<u64> = const { Cell::new(0) };
}

/// Uniform with variance 1; the same numbers in every run of a test.
fn random(shape: [usize; 4], device: &Device) -> Tensor<4> {
    let seed = DRAWN.replace(DRAWN.get() + 1);
    let drawn = ParamInit::new(seed, device).uniform(shape, 3f64.sqrt());
    Tensor::from_data(drawn.val().into_data(), device)
}

fn close(left: Tensor<4>, right: Tensor<4>, what: &str) {
    assert_eq!(left.dims(), right.dims(), "{what}");
    let difference = (left - right).abs().max().into_scalar::<f32>();
    assert!(difference < 2e-5, "{what}: differs by {difference}");
}

fn forward(
    mechanism: &Mechanism,
    query: Tensor<4>,
    keys: Tensor<4>,
    mask: Mask,
) -> AttentionOutput {
    mechanism.forward(AttentionInput {
        query,
        values: keys.clone(),
        keys,
        mask,
    })
}

#[test]
fn every_level_is_a_convex_combination_of_visible_keys() {
    let device = Device::flex();
    for site in SITES {
        for config in all(site) {
            let (b, h, s, d) = (2, 2, 5, 4);
            let t = if site.is_self() { s } else { 3 };
            let mechanism = build(config, site, h, d, &device);
            let keys = random([b, h, s, d], &device);
            let query = if site.is_self() {
                keys.clone()
            } else {
                random([b, h, t, d], &device)
            };
            let padding = [
                false, false, false, false, false, false, false, false, true, true,
            ];
            let mask = match site {
                Site::DecoderSelf => Mask::causal_padding(&padding, t, s, &device),
                _ => Mask::padding(&padding, s, &device),
            };
            let output = forward(&mechanism, query, keys.clone(), mask);
            let name = format!("{config:?} at {site:?}");
            for level in 1..=output.weights.levels() {
                let weights = output.weights.level(level);
                let sums = weights.clone().sum_dim(3);
                if matches!(config, MechanismConfig::Local(_)) {
                    // An empty window sums to 0, a predicted one to less than 1.
                    assert!(sums.max().into_scalar::<f32>() < 1.0 + 1e-5, "{name}");
                } else {
                    close(sums, Tensor::ones([b, h, t, 1], &device), &name);
                }
                assert!(weights.clone().min().into_scalar::<f32>() >= 0.0, "{name}");
                let hidden = weights.narrow(0, 1, 1).narrow(3, 3, 2).sum();
                assert_eq!(
                    hidden.into_scalar::<f32>(),
                    0.0,
                    "{name}: level {level} sees padding"
                );
            }
            // What is shown is what was computed: context = weights · values.
            close(output.weights.last().matmul(keys), output.context, &name);
        }
    }
}

#[test]
fn padding_does_not_change_what_an_item_has_alone() {
    let device = Device::flex();
    for site in SITES {
        for config in all(site) {
            let mechanism = build(config, site, 1, 4, &device);
            let keys = random([1, 1, 6, 4], &device);
            let query = if site.is_self() {
                keys.clone()
            } else {
                random([1, 1, 6, 4], &device)
            };
            let padding = [false, false, false, false, true, true];
            let mask = |s: usize| match site {
                Site::DecoderSelf => Mask::causal_padding(&padding[..s], s, s, &device),
                _ => Mask::padding(&padding[..s], s, &device),
            };
            let padded = forward(&mechanism, query.clone(), keys.clone(), mask(6));
            let alone = forward(
                &mechanism,
                query.narrow(2, 0, 4),
                keys.narrow(2, 0, 4),
                mask(4),
            );
            let name = format!("{config:?} at {site:?}");
            close(padded.context.narrow(2, 0, 4), alone.context, &name);
        }
    }
}

#[test]
fn no_result_depends_on_a_later_position() {
    let device = Device::flex();
    for config in all(Site::DecoderSelf) {
        let mechanism = build(config, Site::DecoderSelf, 2, 4, &device);
        let x = random([1, 2, 6, 4], &device);
        let changed = Tensor::cat(
            vec![x.clone().narrow(2, 0, 3), random([1, 2, 3, 4], &device)],
            2,
        );
        let run =
            |x: Tensor<4>| forward(&mechanism, x.clone(), x, Mask::causal(6, 6, &device)).context;
        let (before, after) = (run(x), run(changed));
        close(
            before.narrow(2, 0, 3),
            after.narrow(2, 0, 3),
            &format!("{config:?}"),
        );
    }
}

#[test]
fn decoding_position_by_position_equals_the_causal_pass() {
    let device = Device::flex();
    for config in all(Site::DecoderSelf) {
        let mechanism = build(config, Site::DecoderSelf, 2, 4, &device);
        let x = random([2, 2, 5, 4], &device);
        let whole = forward(
            &mechanism,
            x.clone(),
            x.clone(),
            Mask::causal(5, 5, &device),
        );
        let mut cache = CausalCache::default();
        for t in 0..5 {
            let row = x.clone().narrow(2, t, 1);
            let step = mechanism.extend(&mut cache, row.clone(), row.clone(), row);
            let name = format!("{config:?} position {t}");
            close(step.context, whole.context.clone().narrow(2, t, 1), &name);
            for level in 1..=whole.weights.levels() {
                let expected = whole
                    .weights
                    .level(level)
                    .narrow(2, t, 1)
                    .narrow(3, 0, t + 1);
                close(
                    step.weights.level(level),
                    expected,
                    &format!("{name} level {level}"),
                );
            }
        }
    }
}

#[test]
fn cross_attention_position_by_position_equals_the_whole_pass_and_nothing_leaks() {
    let device = Device::flex();
    for (t, s) in [(6, 4), (4, 6), (5, 5)] {
        for config in all(Site::Cross) {
            let mechanism = build(config, Site::Cross, 2, 4, &device);
            let (query, keys) = (random([2, 2, t, 4], &device), random([2, 2, s, 4], &device));
            let mut padding = vec![false; 2 * s];
            padding[2 * s - 1] = true;
            let mask = Mask::padding(&padding, s, &device);
            let memory = mechanism.prepare(keys.clone(), keys, mask);
            let whole = mechanism.attend(query.clone(), &memory);
            let mut cache = CausalCache::default();
            for at in 0..t {
                let name = format!("{config:?} position {at} of {t}, {s} keys");
                let row = query.clone().narrow(2, at, 1);
                let step = mechanism.attend_next(row, &memory, &mut cache);
                close(step.context, whole.context.clone().narrow(2, at, 1), &name);
                for level in 1..=whole.weights.levels() {
                    let expected = whole.weights.level(level).narrow(2, at, 1);
                    close(step.weights.level(level), expected, &name);
                }
            }
        }
    }
}

#[test]
fn the_chain_of_the_paper_leaks() {
    let device = Device::flex();
    let config = multilevel(3, ScoreKind::ScaledDot, Chain::PaperLeaky);
    let mechanism = build(config, Site::Cross, 1, 4, &device);
    let keys = random([1, 1, 5, 4], &device);
    let memory = mechanism.prepare(keys.clone(), keys, Mask::none());
    let query = random([1, 1, 5, 4], &device);
    let whole = mechanism.attend(query.clone(), &memory).context;
    let prefix = mechanism.attend(query.clone().narrow(2, 0, 3), &memory);
    let leak = (whole.narrow(2, 0, 3) - prefix.context.clone()).abs().max();
    assert!(
        leak.into_scalar::<f32>() > 1e-3,
        "early results ask late ones"
    );
    // Decoding cannot look ahead: each step equals the pass over the positions so far.
    let mut cache = CausalCache::default();
    let steps =
        (0..3).map(|t| mechanism.attend_next(query.clone().narrow(2, t, 1), &memory, &mut cache));
    let last = steps.last().unwrap();
    close(
        last.context,
        prefix.context.narrow(2, 2, 1),
        "the last position",
    );
    close(
        last.weights.last(),
        prefix.weights.last().narrow(2, 2, 1),
        "its weights",
    );
}

#[test]
fn one_level_is_vanilla() {
    let device = Device::flex();
    for site in SITES {
        for score in ScoreKind::ALL {
            let run = |config: MechanismConfig| {
                let mechanism = build(config, site, 1, 4, &device);
                let x: Vec<f32> = (0..20).map(|i| (i as f32).sin()).collect();
                let x = Tensor::from_data(TensorData::new(x, [1, 1, 5, 4]), &device);
                forward(&mechanism, x.clone(), x, Mask::none()).context
            };
            let vanilla = run(MechanismConfig::Vanilla(VanillaConfig { score }));
            let multilevel = run(multilevel(1, score, Chain::default()));
            close(multilevel, vanilla.clone(), "multilevel");
            let ham = HamConfig {
                depth: 1,
                score,
                mix: HamMix::Layer,
            };
            close(run(MechanismConfig::HamV(ham)), vanilla, "ham_v");
        }
    }
}

#[test]
fn rows_that_see_nothing_are_zero_with_finite_gradients() {
    let device = Device::flex().autodiff();
    for site in SITES {
        for config in all(site) {
            let mechanism = build(config, site, 1, 4, &device);
            let x = random([2, 1, 3, 4], &device).require_grad();
            let padding = [false, false, false, true, true, true];
            let mask = Mask::padding(&padding, 3, &device);
            let output = forward(&mechanism, x.clone(), x.clone(), mask);
            let blind = output.context.clone().narrow(0, 1, 1).abs().sum();
            assert_eq!(blind.into_scalar::<f32>(), 0.0, "{config:?}");
            let gradients = (output.context.clone() * output.context).sum().backward();
            let gradient = x.grad(&gradients).unwrap();
            let finite = gradient.abs().max().into_scalar::<f32>();
            assert!(finite.is_finite(), "{config:?}: gradient {finite}");
        }
    }
}

#[test]
fn a_hundred_levels_stay_finite_and_rows_become_equal() {
    let device = Device::flex();
    let config = multilevel(100, ScoreKind::ScaledDot, Chain::default());
    let mechanism = build(config, Site::EncoderSelf, 1, 4, &device);
    let x = random([1, 1, 6, 4], &device) * 0.5;
    let output = forward(&mechanism, x.clone(), x, Mask::none());
    let weights = output.weights.last();
    let first = weights.clone().narrow(2, 0, 1).repeat_dim(2, 6);
    close(weights, first, "A^100 tends to equal rows");
}

#[test]
fn the_norm_of_a_ham_result_is_bounded_above_and_not_below() {
    let device = Device::flex();
    for kind in [MechanismConfig::HamV, MechanismConfig::HamS] {
        let config = kind(HamConfig {
            depth: 5,
            ..HamConfig::default()
        });
        let mechanism = build(config, Site::EncoderSelf, 1, 4, &device);
        let x = random([3, 1, 7, 4], &device);
        let norm = |x: Tensor<4>| x.square().sum_dim(3).sqrt().max().into_scalar::<f32>();
        let output = forward(&mechanism, x.clone(), x.clone(), Mask::none());
        assert!(norm(output.context) <= norm(x) + 1e-5, "{config:?}");
    }
    // Theorem 1's lower bound is false: two opposite keys average to 0.
    let config = MechanismConfig::HamV(HamConfig {
        depth: 1,
        ..HamConfig::default()
    });
    let mechanism = build(config, Site::Cross, 1, 2, &device);
    let keys = Tensor::<4>::from_data([[[[1.0f32, 0.0], [-1.0, 0.0]]]], &device);
    let query = Tensor::<4>::from_data([[[[0.0f32, 1.0]]]], &device);
    let output = forward(&mechanism, query, keys, Mask::none());
    assert!(output.context.abs().sum().into_scalar::<f32>() < 1e-6);
}

#[test]
fn gradients_equal_finite_differences() {
    let device = Device::flex().autodiff();
    for site in SITES {
        for config in all(site) {
            let mechanism = build(config, site, 1, 3, &device);
            let values: Vec<f32> = (0..12).map(|i| (i as f32 * 1.3).sin()).collect();
            let loss = |values: &[f32]| {
                let x = TensorData::new(values.to_vec(), [1, 1, 4, 3]);
                let x = Tensor::<4>::from_data(x, &device).require_grad();
                let mask = match site {
                    Site::DecoderSelf => Mask::causal(4, 4, &device),
                    _ => Mask::none(),
                };
                let output = forward(&mechanism, x.clone(), x.clone(), mask);
                (x, output.context.powi_scalar(3).sum())
            };
            let (x, sum) = loss(&values);
            let gradient = x.grad(&sum.backward()).unwrap().into_data();
            let gradient = gradient.try_to_vec::<f32>().unwrap();
            for i in [0, 5, 11] {
                let moved = |by: f32| {
                    let mut moved = values.clone();
                    moved[i] += by;
                    loss(&moved).1.into_scalar::<f32>()
                };
                let difference = (moved(1e-2) - moved(-1e-2)) / 2e-2;
                let error = (difference - gradient[i]).abs();
                assert!(
                    error < 2e-2 * (1.0 + gradient[i].abs()),
                    "{config:?} at {site:?}: {difference} against {}",
                    gradient[i]
                );
            }
        }
    }
}

#[test]
fn impossible_combinations_are_refused_with_a_sentence() {
    let device = Device::flex();
    let init = &mut ParamInit::new(0, &device);
    let refused = |config: MechanismConfig, site, widths, part: &str| {
        let error = config.check(site, widths).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let unequal = Widths {
        query: 4,
        keys: 6,
        values: 6,
    };
    refused(
        MechanismConfig::default(),
        Site::Cross,
        unequal,
        "one width",
    );
    let none = MultilevelConfig {
        levels: 0,
        ..MultilevelConfig::default()
    };
    refused(
        MechanismConfig::Multilevel(none),
        Site::Cross,
        Widths::all(4),
        "`levels`",
    );
    let ham = HamConfig::default();
    refused(
        MechanismConfig::HamS(ham),
        Site::Cross,
        Widths::all(4),
        "`ham_v`",
    );
    let error = MultiHeadConfig::new(10, 3, MechanismConfig::default())
        .init(Site::Cross, init)
        .unwrap_err();
    assert!(error.to_string().contains("3 heads"), "{error}");
}

#[test]
fn the_same_seed_gives_the_same_parameters() {
    let device = Device::flex();
    let draw = |seed| ParamInit::new(seed, &device).xavier(5, 7).val().into_data();
    draw(1).assert_approx_eq::<f32>(&draw(1), Tolerance::absolute(0.0));
    assert_ne!(draw(1), draw(2));
}
