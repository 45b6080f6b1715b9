//! Theorems of Hierarchical Attention: the upper bound of theorem 1, a counterexample to its lower
//! bound, and theorem 2. Local and hard levels are the mechanisms `local` and `hard`, asked again.

use burn::module::Param;
use burn::tensor::{Device, Tensor};
use proptest::strategy::Strategy;
use strata_attention::{
    AttentionInput, Draws, HamConfig, HamLevel, HamMix, HardConfig, LocalConfig, LocalPosition,
    Mask, Mechanism, MechanismConfig, ParamInit, Site, Widths,
};

use crate::case::{Case, cases};
use crate::{ROUNDING, SITES, check, close, numbers};

fn hierarchies() -> impl Strategy<Value = (Case, HamConfig)> {
    cases(&SITES).prop_filter_map("another mechanism", |case| match case.config {
        MechanismConfig::HamV(config) => Some((case, config)),
        MechanismConfig::HamS(config) => Some((case, config.into())),
        _ => None,
    })
}

#[test]
fn theorem_1_no_result_is_longer_than_the_longest_value() {
    let plain = hierarchies().prop_filter("the query is a part of the result", |(_, config)| {
        !config.residual
    });
    check(500, plain, |(case, _)| {
        let device = Device::flex();
        let input = case.input(&device);
        let output = case.mechanism(&device).forward(input.clone());
        let norms = |rows: Tensor<4>| numbers(rows.square().sum_dim(3).sqrt());
        // For each head of each item, the largest norm of a value that is not padding.
        let longest: Vec<f32> = norms(input.values.clone())
            .chunks(case.keys)
            .enumerate()
            .map(|(row, norms)| {
                let real = &norms[..case.lengths[row / case.heads]];
                real.iter().copied().fold(0.0, f32::max)
            })
            .collect();
        let mut results = vec![output.context];
        for level in 1..=output.weights.levels() {
            results.push(output.weights.level(level).matmul(input.values.clone()));
        }
        for result in results {
            for (norms, longest) in norms(result).chunks(case.queries).zip(&longest) {
                let short = |norm: &f32| *norm <= longest + ROUNDING;
                assert!(norms.iter().all(short), "{norms:?}, but {longest}");
            }
        }
    });
}

#[test]
fn theorem_1_has_no_lower_bound_as_two_opposite_keys_average_to_0() {
    let device = Device::flex();
    let config = MechanismConfig::HamV(HamConfig {
        depth: 1,
        ..HamConfig::default()
    });
    let init = &mut ParamInit::new(0, &device);
    let mechanism = config.init(Site::Cross, Widths::all(2), 1, init).unwrap();
    let keys = Tensor::<4>::from_data([[[[1.0f32, 0.0], [-1.0, 0.0]]]], &device);
    let output = mechanism.forward(AttentionInput {
        query: Tensor::from_data([[[[0.0f32, 1.0]]]], &device),
        values: keys.clone(),
        keys,
        mask: Mask::none(),
    });
    assert_eq!(numbers(output.context), [0.0, 0.0]);
}

#[test]
fn theorem_2_a_level_of_share_0_might_as_well_be_absent() {
    let mixed = hierarchies().prop_filter("only the last level", |(_, config)| {
        config.mix != HamMix::Last
    });
    check(300, mixed, |(case, config)| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let mut deeper = case
            .with_levels(config.depth + 1)
            .unwrap()
            .mechanism(&device);
        let (Mechanism::Ham(shallow), Mechanism::Ham(deep)) = (&mechanism, &mut deeper) else {
            unreachable!("a hierarchy is built of its configuration");
        };
        let mix = shallow.mix.as_ref().unwrap().val();
        let [mixes, _] = mix.dims();
        let nothing = Tensor::full([mixes, 1], f32::NEG_INFINITY, &device);
        deep.mix = Some(Param::from_tensor(Tensor::cat(vec![mix, nothing], 1)));
        deep.score = shallow.score.clone();
        let (shallow, deep) = (
            mechanism.forward(case.input(&device)),
            deeper.forward(case.input(&device)),
        );
        close(deep.context, shallow.context, "context");
        close(deep.weights.last(), shallow.weights.last(), "weights");
    });
}

/// Draws a case, settings of Ham-V with local or hard levels, the last of which is the result, and
/// settings of the mechanism that each level is.
fn asked_again() -> impl Strategy<Value = (Case, HamConfig, MechanismConfig)> {
    hierarchies().prop_filter_map("soft levels", |(case, config)| {
        let HamConfig { score, window, .. } = config;
        let level = match config.level_kind {
            HamLevel::Soft => return None,
            HamLevel::Local => MechanismConfig::Local(LocalConfig {
                score,
                window,
                position: LocalPosition::Monotonic,
            }),
            HamLevel::Hard => MechanismConfig::Hard(HardConfig { score }),
        };
        let config = HamConfig {
            mix: HamMix::Last,
            residual: false,
            ..config
        };
        Some((case, config, level))
    })
}

#[test]
fn a_local_or_hard_level_is_that_mechanism_asked_again() {
    check(500, asked_again(), |(case, config, level)| {
        let device = Device::flex();
        let build = |config| {
            let case = Case {
                config,
                ..case.clone()
            };
            case.mechanism(&device)
        };
        let ham = build(MechanismConfig::HamV(config));
        let level = build(level);
        let input = case.input(&device);
        // In training hard attention draws: the same draws give the same path.
        for draws in [None, Some(Draws::new(case.seed))] {
            let memory = |mechanism: &Mechanism, draws: Option<&Draws>| {
                let (keys, values) = (input.keys.clone(), input.values.clone());
                let memory = mechanism.prepare(keys, values, input.mask.clone());
                memory.with_draws(draws)
            };
            let again = draws.as_ref().map(|_| Draws::new(case.seed));
            let found = ham.attend(input.query.clone(), &memory(&ham, draws.as_ref()));
            let memory = memory(&level, again.as_ref());
            let mut expected = input.query.clone();
            let mut path: Option<Tensor<4>> = None;
            for own in found.weights.own() {
                let output = level.attend(expected, &memory);
                close(own, output.weights.last(), "own weights of a level");
                path = match (path, output.auxiliary.log_probability) {
                    (Some(path), Some(drawn)) => Some(path + drawn),
                    (path, drawn) => path.or(drawn),
                };
                expected = output.context;
            }
            close(found.context, expected, "context");
            match (found.auxiliary.log_probability, path) {
                (Some(found), Some(path)) => close(found, path, "log p of the path"),
                (found, path) => assert!(found.is_none() && path.is_none()),
            }
        }
    });
}
