//! Muting removes the muted part and nothing else.

use burn::tensor::{Device, Tensor};
use strata_attention::{Mechanism, MechanismConfig, MultilevelMix, Muted};

use crate::case::{Case, cases, cases_of_levels};
use crate::{SITES, check, close};

/// Returns the output of the layer of `case` with these parts muted.
fn result(case: &Case, muted: Muted, device: &Device) -> Tensor<3> {
    let mut layer = case.layer(device);
    layer.mute(muted);
    let query = case.positions(case.queries, 1, device);
    let keys = case.positions(case.keys, 2, device);
    let values = case.positions(case.keys, 3, device);
    layer
        .forward(query, keys, values, case.mask(device))
        .context
}

fn levels_muted(levels: &[usize]) -> Muted {
    Muted {
        levels: levels.to_vec(),
        ..Muted::default()
    }
}

#[test]
fn a_muted_head_is_zeros_in_its_part_before_the_output_projection() {
    check(300, cases(&SITES), |case| {
        let device = Device::flex();
        let head = case.seed as usize % case.heads;
        let mut plain = case.layer(&device);
        let [inner, width] = plain.output.weight.dims();
        let of_head = inner / case.heads;
        plain.output.weight = plain.output.weight.map(|weight| {
            let rows = head * of_head..(head + 1) * of_head;
            weight.slice_assign([rows, 0..width], Tensor::zeros([of_head, width], &device))
        });
        let query = case.positions(case.queries, 1, &device);
        let keys = case.positions(case.keys, 2, &device);
        let values = case.positions(case.keys, 3, &device);
        let expected = plain.forward(query, keys, values, case.mask(&device));
        let muted = Muted {
            heads: vec![head],
            ..Muted::default()
        };
        close(result(&case, muted, &device), expected.context, "context");
    });
}

#[test]
fn a_muted_site_gives_zeros() {
    check(100, cases(&SITES), |case| {
        let device = Device::flex();
        let muted = Muted {
            site: true,
            ..Muted::default()
        };
        let context = result(&case, muted, &device);
        close(context.clone(), context.zeros_like(), "context");
    });
}

/// Checks the mix without level m: (all − s_m X_m) / (1 − s_m), where all = Σ sᵢ Xᵢ, and X_m is the
/// output of level m alone.
#[test]
fn without_a_level_of_a_mix_the_shares_of_the_others_are_renormalised() {
    check(300, cases_of_levels(&SITES, 2..5usize), |case| {
        let device = Device::flex();
        let mut mechanism = case.mechanism(&device);
        let Some(shares) = mechanism.shares() else {
            return;
        };
        let levels = mechanism.levels();
        let muted = case.seed as usize % levels;
        let input = || case.input(&device);
        let all = mechanism.forward(input()).context;
        let others: Vec<usize> = (0..levels).filter(|&level| level != muted).collect();
        mechanism.mute(&levels_muted(&others));
        let alone = mechanism.forward(input()).context;
        mechanism.mute(&levels_muted(&[muted]));
        let left = mechanism.shares().expect("it has shares still");
        let without = mechanism.forward(input()).context;

        let [mixes, _] = shares.dims();
        let share = shares.clone().narrow(1, muted, 1);
        let rest = (share.clone().neg() + 1.0).reshape([1, mixes, 1, 1]);
        let expected = (all - alone * share.reshape([1, mixes, 1, 1])) / rest.clone();
        // The division by 1 − s_m loses digits if s_m is near 1.
        if rest.min().into_scalar::<f32>() > 0.1 {
            close(without, expected, "context");
        }
        let of_muted = left.clone().narrow(1, muted, 1);
        close(of_muted.clone(), of_muted.zeros_like(), "its share");
        let sums = left.sum_dim(1);
        close(sums.clone(), sums.ones_like(), "sum of the shares");
    });
}

#[test]
fn values_are_fed_back_once_less_for_each_muted_level() {
    check(300, cases_of_levels(&SITES, 2..6usize), |case| {
        let device = Device::flex();
        let mut mechanism = case.mechanism(&device);
        let MechanismConfig::Multilevel(config) = case.config else {
            return;
        };
        if !matches!(mechanism, Mechanism::Multilevel(_)) || config.mix != MultilevelMix::Last {
            return;
        }
        let levels = mechanism.levels();
        let muted: Vec<usize> = (0..1 + case.seed as usize % (levels - 1)).collect();
        let fewer = case.with_levels(levels - muted.len());
        let fewer = fewer
            .expect("fewer levels fit where more do")
            .mechanism(&device);
        mechanism.mute(&levels_muted(&muted));
        let input = || case.input(&device);
        let (muted, fewer) = (mechanism.forward(input()), fewer.forward(input()));
        close(muted.context, fewer.context, "context");
        close(muted.weights.last(), fewer.weights.last(), "weights");
    });
}
