//! Mixes of multilevel attention: Σ softmax(w)ᵢ Aⁱ V, with one w, one for each head, or one for
//! each query.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use proptest::strategy::Strategy;
use strata_attention::{
    Mechanism, MechanismConfig, Multilevel, MultilevelConfig, MultilevelMix, Muted, ParamInit,
    Recursion, Site, Widths,
};
use strata_kernels::naive::mixed_powers;

use crate::case::{Case, cases};
use crate::parameters::gradients;
use crate::{SITES, check, close, numbers};

/// Draws trials of multilevel attention with a mix.
fn mixes(sites: &[Site]) -> impl Strategy<Value = (Case, MultilevelConfig)> + use<> {
    cases(sites).prop_filter_map("no mix of multilevel attention", |case| match case.config {
        MechanismConfig::Multilevel(config)
            if config.mix != MultilevelMix::Last && config.recursion == Recursion::Value =>
        {
            Some((case, config))
        }
        _ => None,
    })
}

fn multilevel(mechanism: Mechanism) -> Multilevel {
    match mechanism {
        Mechanism::Multilevel(multilevel) => multilevel,
        other => panic!("not multilevel: {other:?}"),
    }
}

/// Shares of the levels by the formula, `[B or 1, H or 1, T or 1, N]`.
fn shares(multilevel: &Multilevel, query: &Tensor<4>) -> Tensor<4> {
    let logits = match (&multilevel.mix, &multilevel.gate) {
        (Some(mix), None) => mix.val().unsqueeze_dim::<3>(0).unsqueeze_dim(2), // [1, 1 or H, 1, N]
        (None, Some(gate)) => {
            let weight = gate.weight.val().unsqueeze::<4>(); // [1, 1, D_h, N]
            let bias = gate.bias.as_ref().unwrap().val().unsqueeze::<4>();
            query.clone().matmul(weight) + bias // [B, H, T, N]
        }
        other => panic!("either a mix or a gate: {other:?}"),
    };
    softmax(logits, 3)
}

#[test]
fn a_mix_is_the_sum_of_the_powers_by_their_shares() {
    check(
        300,
        mixes(&[Site::EncoderSelf, Site::DecoderSelf]),
        |(case, _)| {
            let device = Device::flex();
            let mechanism = case.mechanism(&device);
            let input = case.input(&device);
            let output = mechanism.forward(input.clone());
            let expected = shares(&multilevel(mechanism), &input.query);
            let mix = output.weights.mix().unwrap().clone();
            close(mix, expected.clone(), "shares");
            let attention = output.weights.level(1);
            let context = mixed_powers(attention, input.values, expected);
            close(output.context, context, "context");
        },
    );
}

/// Gives all weight to a level, counted from 1. e^−200 is 0 in F32, so that the other levels have
/// no share at all.
fn only(multilevel: &mut Multilevel, level: usize) {
    let shape = |columns: usize| -> Vec<f32> {
        let share = |at| if at + 1 == level { 200.0 } else { 0.0 };
        (0..columns).map(share).collect()
    };
    if let Some(mix) = &mut multilevel.mix {
        let [mixes, levels] = mix.val().dims();
        let row = Tensor::<1>::from_data(&shape(levels)[..], &mix.val().device());
        *mix = Param::from_tensor(row.unsqueeze::<2>().repeat_dim(0, mixes));
    }
    if let Some(Linear { weight, bias }) = &mut multilevel.gate {
        let [_, levels] = weight.val().dims();
        let row = Tensor::<1>::from_data(&shape(levels)[..], &weight.val().device());
        *weight = Param::from_tensor(weight.val().zeros_like());
        *bias = Some(Param::from_tensor(row));
    }
}

#[test]
fn all_weight_on_a_level_is_multilevel_attention_of_so_many_levels() {
    check(300, mixes(&SITES), |(case, config)| {
        let device = Device::flex();
        let level = 1 + case.seed as usize % config.levels;
        let last = Case {
            config: MechanismConfig::Multilevel(MultilevelConfig {
                mix: MultilevelMix::Last,
                levels: level,
                ..config
            }),
            ..case.clone()
        };
        let (mut one, last) = (
            multilevel(case.mechanism(&device)),
            multilevel(last.mechanism(&device)),
        );
        only(&mut one, level);
        one.score = last.score.clone();
        let one = Mechanism::Multilevel(one).forward(case.input(&device));
        let last = Mechanism::Multilevel(last).forward(case.input(&device));
        close(one.context, last.context, "context");
        close(one.weights.last(), last.weights.last(), "weights");
    });
}

#[test]
fn a_mix_begins_with_equal_shares_and_all_its_parameters_learn() {
    check(200, mixes(&SITES), |(case, config)| {
        let device = Device::flex().autodiff();
        let widths = Widths::all(case.width);
        let init = &mut ParamInit::new(0, &device);
        let built = case.config.init(case.site, widths, case.heads, init);
        let mechanism = built.unwrap();
        let count = case.config.parameters(widths, case.heads);
        assert_eq!(mechanism.num_params() as u64, count);
        let output = mechanism.forward(case.input(&device));
        let mix = output.weights.mix().unwrap().clone();
        let equal = mix.full_like(1.0 / config.levels as f32);
        close(mix, equal, "shares");

        let probe = case.numbers(case.queries, 20, &device);
        let found = (output.context * probe).sum().backward();
        // A level differs from another where a query sees several keys.
        let differ =
            config.levels > 1 && case.queries > 2 && case.lengths.iter().any(|&length| length > 2);
        for (name, gradient) in gradients(&mechanism, &found) {
            assert!(gradient.iter().all(|it| it.is_finite()), "{name}");
            let learns = gradient.iter().any(|it| it.abs() > 1e-7);
            let is_of_mix = name.ends_with("mix") || name.contains("gate");
            assert!(learns || !is_of_mix || !differ, "{name}: {gradient:?}");
        }
    });
}

#[test]
fn a_muted_level_loses_its_share_of_every_query() {
    check(200, mixes(&SITES), |(case, config)| {
        let device = Device::flex();
        if config.levels == 1 {
            return;
        }
        let muted = case.seed as usize % config.levels;
        let mut mechanism = case.mechanism(&device);
        let mut shares = || {
            let output = mechanism.forward(case.input(&device));
            mechanism.mute(&Muted {
                levels: vec![muted],
                ..Muted::default()
            });
            output.weights.mix().unwrap().clone()
        };
        let (before, after) = (shares(), shares());
        let share = after.clone().narrow(3, muted, 1);
        assert!(numbers(share).iter().all(|&share| share == 0.0));
        // p_i / (1 − p_m), which loses digits if p_m is near 1.
        let of_muted = before.clone().narrow(3, muted, 1);
        let rest = of_muted.clone().neg() + 1.0;
        if numbers(rest.clone().min())[0] > 0.1 {
            let kept = Tensor::cat(
                (0..config.levels)
                    .map(|level| match level == muted {
                        true => of_muted.zeros_like(),
                        false => before.clone().narrow(3, level, 1) / rest.clone(),
                    })
                    .collect(),
                3,
            );
            close(after, kept, "shares");
        }
    });
}
