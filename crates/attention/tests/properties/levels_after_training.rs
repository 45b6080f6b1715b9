//! Levels of a built mechanism: fewer or more than configured, without a change of parameters.

use burn::tensor::{Device, Tensor};
use proptest::prelude::*;
use strata_attention::{
    AttentionInput, CausalCache, Chain, HamMix, Mask, Mechanism, MechanismConfig, MultilevelConfig,
    MultilevelMix, Muted, ParamInit, ScoreKind, Site, Widths,
};

use crate::case::{Case, cases};
use crate::{SITES, check, close, close_weights, numbers};

/// True if the result is the last level alone, so that no parameter belongs to a level.
fn is_last_alone(config: &MechanismConfig) -> bool {
    match config {
        MechanismConfig::Multilevel(config) => config.mix == MultilevelMix::Last,
        MechanismConfig::HamV(config) => config.mix == HamMix::Last,
        MechanismConfig::HamS(config) => config.mix == HamMix::Last,
        _ => false,
    }
}

/// Draws trials of mechanisms with levels, and another number of levels.
fn with_other_levels() -> impl Strategy<Value = (Case, usize)> {
    (cases(&SITES), 1..=6usize).prop_filter_map("no levels", |(case, levels)| {
        let configured = configured(&case.config)?;
        let most = if is_last_alone(&case.config) {
            levels
        } else {
            configured
        };
        Some((case, levels.min(most)))
    })
}

fn configured(config: &MechanismConfig) -> Option<usize> {
    match config {
        MechanismConfig::Multilevel(config) => Some(config.levels),
        MechanismConfig::HamV(config) => Some(config.depth),
        MechanismConfig::HamS(config) => Some(config.depth),
        _ => None,
    }
}

fn muted(levels: impl IntoIterator<Item = usize>) -> Muted {
    Muted {
        levels: levels.into_iter().collect(),
        ..Muted::default()
    }
}

#[test]
fn levels_set_after_training_are_those_of_fewer_levels() {
    check(500, with_other_levels(), |(case, levels)| {
        let device = Device::flex();
        let mut mechanism = case.mechanism(&device);
        assert_eq!(mechanism.configured_levels(), configured(&case.config));
        let expected = if is_last_alone(&case.config) {
            let fewer = case.with_levels(levels).expect("a number in the range");
            fewer.mechanism(&device)
        } else {
            let mut expected = mechanism.clone();
            expected.mute(&muted(levels..configured(&case.config).unwrap()));
            expected
        };
        mechanism.set_levels(levels).unwrap();
        assert_eq!(mechanism.configured_levels(), configured(&case.config));
        assert_eq!(mechanism.asked_levels(), Some(levels));
        let input = || case.input(&device);
        let (found, expected) = (mechanism.forward(input()), expected.forward(input()));
        close(found.context, expected.context, "context");
        close(found.weights.last(), expected.weights.last(), "weights");
        assert_eq!(found.weights.levels(), levels);
        if let Some(mix) = found.weights.mix() {
            let expected = expected.weights.mix().unwrap().clone();
            close(mix.clone(), expected.narrow(3, 0, levels), "shares");
        }
    });
}

#[test]
fn decoding_has_the_levels_that_were_set() {
    check(300, with_other_levels(), |(case, levels)| {
        let device = Device::flex();
        let mut mechanism = case.mechanism(&device);
        mechanism.set_levels(levels).unwrap();
        let mut input = case.input(&device);
        if !case.facts().leak_free || case.site == Site::EncoderSelf {
            return;
        }
        if case.site.is_self() {
            input.mask = Mask::causal(case.keys, case.keys, &device);
        }
        let whole = mechanism.forward(input.clone());
        let memory = mechanism.prepare(input.keys.clone(), input.values.clone(), input.mask);
        let mut cache = CausalCache::default();
        for t in 0..case.queries {
            let row = |all: &Tensor<4>| all.clone().narrow(2, t, 1);
            let query = row(&input.query);
            let (step, seen) = if case.site.is_self() {
                let (key, value) = (row(&input.keys), row(&input.values));
                let step = mechanism.self_attend_next(&mut cache, query, key, value);
                (step, t + 1)
            } else {
                (mechanism.attend_next(query, &memory, &mut cache), case.keys)
            };
            let what = format!("position {t}");
            close(step.context, row(&whole.context), &what);
            close_weights(&step.weights, &whole.weights, &what, |step, whole| {
                (step, row(&whole).narrow(3, 0, seen))
            });
        }
    });
}

#[test]
fn levels_put_back_give_the_earlier_bits() {
    check(300, with_other_levels(), |(case, levels)| {
        let device = Device::flex();
        let mut mechanism = case.mechanism(&device);
        let run = |mechanism: &Mechanism| {
            let AttentionInput {
                query,
                keys,
                values,
                mask,
            } = case.input(&device);
            let memory = mechanism.prepare(keys, values, mask);
            numbers(mechanism.attend(query, &memory).context)
        };
        let before = run(&mechanism);
        mechanism.set_levels(levels).unwrap();
        run(&mechanism);
        let configured = mechanism.configured_levels().unwrap();
        mechanism.set_levels(configured).unwrap();
        assert_eq!(run(&mechanism), before);
    });
}

/// A cross-attention that was trained with one level uses the configured chain for more.
#[test]
fn a_cross_attention_trained_on_one_level_goes_on_by_its_chain() {
    for chain in [Chain::Keys, Chain::Causal, Chain::PaperLeaky] {
        let at = |levels| Case {
            site: Site::Cross,
            config: MechanismConfig::Multilevel(MultilevelConfig {
                levels,
                chain,
                ..MultilevelConfig::default()
            }),
            heads: 2,
            width: 4,
            queries: 5,
            keys: 6,
            lengths: vec![6, 4],
            seed: 9,
        };
        let device = Device::flex();
        let mut one = at(1).mechanism(&device);
        one.set_levels(3).unwrap();
        let found = one.forward(at(1).input(&device)).context;
        let three = at(3).mechanism(&device).forward(at(3).input(&device));
        assert_eq!(numbers(found), numbers(three.context));
    }
}

#[test]
fn muted_levels_stay_muted() {
    let device = Device::flex();
    let multilevel = |levels, mix| Case {
        site: Site::EncoderSelf,
        config: MechanismConfig::Multilevel(MultilevelConfig {
            levels,
            mix,
            ..MultilevelConfig::default()
        }),
        heads: 1,
        width: 4,
        queries: 5,
        keys: 5,
        lengths: vec![5],
        seed: 9,
    };
    let case = multilevel(4, MultilevelMix::Last);
    let mut last = case.mechanism(&device);
    last.mute(&muted([1, 3]));
    last.set_levels(3).unwrap();
    let two = multilevel(2, MultilevelMix::Last).mechanism(&device);
    let two = two.forward(case.input(&device));
    close(
        last.forward(case.input(&device)).context,
        two.context,
        "context",
    );

    let mut mixed = multilevel(4, MultilevelMix::Layer).mechanism(&device);
    mixed.mute(&muted([0, 3]));
    mixed.set_levels(2).unwrap();
    let shares = numbers(mixed.shares().unwrap());
    assert_eq!(shares, [0.0, 1.0]);
    let error = mixed.set_levels(1).unwrap_err().to_string();
    assert!(error.contains("muted"), "{error}");
    assert_eq!(mixed.asked_levels(), Some(2));
}

#[test]
fn impossible_levels_are_refused_with_a_sentence() {
    let refused = |config: MechanismConfig, site, widths, levels, part: &str| {
        let init = &mut ParamInit::new(0, &Device::flex());
        let mut mechanism = config.init(site, widths, 1, init).unwrap();
        let before = mechanism.asked_levels();
        let error = mechanism.set_levels(levels).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(mechanism.asked_levels(), before);
    };
    let (equal, site) = (Widths::all(4), Site::EncoderSelf);
    for kind in MechanismConfig::all() {
        if configured(&kind).is_none() {
            refused(
                kind,
                Site::Cross,
                equal,
                2,
                "`multilevel`, `ham_v` and `ham_s`",
            );
        } else {
            refused(kind, site, equal, 0, "choose 1");
        }
    }
    let multilevel = |mix| {
        MechanismConfig::Multilevel(MultilevelConfig {
            mix,
            ..MultilevelConfig::default()
        })
    };
    refused(
        multilevel(MultilevelMix::Last),
        site,
        equal,
        1001,
        "choose 1 to 1000",
    );
    refused(
        multilevel(MultilevelMix::Token),
        site,
        equal,
        5,
        "choose 1 to 4",
    );
    let ham = MechanismConfig::of_kind("ham_v").unwrap();
    refused(ham, site, equal, 6, "trained share");
    let unequal = Widths {
        keys: 6,
        states: 6,
        ..equal
    };
    let one = MechanismConfig::Multilevel(MultilevelConfig {
        levels: 1,
        score: ScoreKind::Bilinear,
        ..MultilevelConfig::default()
    });
    refused(one, Site::Cross, unequal, 2, "chain `keys`");
}
