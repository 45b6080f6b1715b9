//! Statistics of weights are those of a plain count over real rows and keys.

use burn::tensor::{Device, Tensor, TensorData};
use strata_attention::{
    AttentionWeights, HeadStatistics, Lengths, LevelStatistics, PendingStatistics, Site,
    SoftWeights, jump,
};

use crate::case::{Case, cases};
use crate::{SITES, check, numbers};

/// Statistics of known weights `[B, H, T, S]`.
fn measured(
    weights: Vec<f32>,
    shape: [usize; 4],
    site: Site,
    queries: &[usize],
    keys: &[usize],
) -> Vec<HeadStatistics> {
    let weights = Tensor::from_data(TensorData::new(weights, shape), &Device::flex());
    let weights = AttentionWeights::Single(SoftWeights::Known(weights));
    read(&weights, site, queries, keys)
}

fn read(
    weights: &AttentionWeights,
    site: Site,
    queries: &[usize],
    keys: &[usize],
) -> Vec<HeadStatistics> {
    let lengths = Lengths {
        queries: queries.to_vec(),
        keys: keys.to_vec(),
    };
    let pending = PendingStatistics::of(weights, site, &lengths).unwrap();
    pending.read(&numbers(pending.numbers()))
}

fn is(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!(
        (found - expected).abs() < 1e-4,
        "{found} against {expected}"
    );
}

#[test]
fn uniform_rows_have_the_entropy_ln_s_and_point_nowhere() {
    let heads = measured(vec![0.2; 50], [1, 2, 5, 5], Site::EncoderSelf, &[5], &[5]);
    assert_eq!(heads.len(), 2);
    for head in heads {
        let level = head.levels[0];
        is(level.entropy, 5.0f64.ln());
        is(level.peak, 0.2);
        is(level.diagonal, 0.2);
        is(level.previous, 0.2);
        is(level.permutation, 0.0);
        assert_eq!(head.effective_depth, None);
    }
}

#[test]
fn a_permutation_agrees_wholly_and_the_identity_is_on_the_diagonal() {
    let of = |to: [usize; 4]| {
        let weights = to.map(|to| [0, 1, 2, 3].map(|key| f32::from(u8::from(key == to))));
        let heads = measured(
            weights.concat(),
            [1, 1, 4, 4],
            Site::EncoderSelf,
            &[4],
            &[4],
        );
        heads[0].levels[0]
    };
    let statistics = |to| {
        let level = of(to);
        (level.permutation, level.diagonal, level.previous)
    };
    assert_eq!(statistics([2, 0, 3, 1]).0, Some(1.0));
    assert_eq!(statistics([0, 1, 2, 3]), (Some(1.0), Some(1.0), Some(0.0)));
    // Rows 1 to 3 point to the token before, as row 0 cannot: key 0 has two rows, and key 3 none.
    assert_eq!(statistics([0, 0, 1, 2]), (Some(0.5), Some(0.25), Some(1.0)));
    assert_eq!(of([2, 0, 3, 1]).entropy, Some(0.0));
    assert_eq!(of([2, 0, 3, 1]).peak, Some(1.0));
}

#[test]
fn cross_attention_has_a_relative_diagonal_and_no_token_before() {
    // Two queries of four keys: query 0 is level with key 1, query 1 with key 3.
    let weights = vec![0.0, 1.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.75];
    let level = measured(weights, [1, 1, 2, 4], Site::Cross, &[2], &[4])[0].levels[0];
    is(level.diagonal, 0.875);
    assert_eq!(level.previous, None);
    is(level.permutation, 0.5);
    is(
        level.entropy,
        -(0.25f64.ln() * 0.25 + 0.75f64.ln() * 0.75) / 2.0,
    );
}

#[test]
fn padding_and_blind_rows_do_not_count() {
    let padded = vec![
        1.0, 0.0, 0.9, //
        0.0, 1.0, 0.9, //
        0.3, 0.3, 0.9,
    ];
    let blind = vec![0.0; 9];
    let both = [padded, blind].concat();
    let level = measured(both, [2, 1, 3, 3], Site::EncoderSelf, &[2, 0], &[2, 0])[0].levels[0];
    let expected = LevelStatistics {
        level: 1,
        entropy: Some(0.0),
        peak: Some(1.0),
        diagonal: Some(1.0),
        previous: Some(0.0),
        permutation: Some(1.0),
    };
    assert_eq!(level, expected);
}

#[test]
fn what_cannot_be_measured_is_absent_and_never_nan() {
    let absent = LevelStatistics {
        level: 1,
        ..LevelStatistics::default()
    };
    let nan = measured(
        vec![f32::NAN; 4],
        [1, 1, 2, 2],
        Site::EncoderSelf,
        &[2],
        &[2],
    );
    assert_eq!(nan[0].levels[0], absent);
    let blind = measured(vec![0.0; 4], [1, 1, 2, 2], Site::EncoderSelf, &[2], &[2]);
    assert_eq!(blind[0].levels[0], absent);
    assert_eq!(
        serde_json::to_string(&nan).unwrap(),
        r#"[{"levels":[{"level":1}]}]"#
    );
    // One token attends to itself, and has no token before.
    let one = measured(vec![1.0], [1, 1, 1, 1], Site::DecoderSelf, &[1], &[1])[0].levels[0];
    assert_eq!((one.entropy, one.permutation), (Some(0.0), Some(1.0)));
    assert_eq!((one.diagonal, one.previous), (Some(1.0), None));
}

/// Statistics of a level, counted row by row.
fn counted(case: &Case, level: usize, head: usize, weights: &[f32]) -> LevelStatistics {
    let (mut rows, mut with_previous, mut pointing) = (0.0, 0.0, 0);
    let mut sums = [0.0f64; 4];
    let all: usize = case.lengths.iter().sum();
    for (b, &length) in case.lengths.iter().enumerate() {
        let queries = if case.site.is_self() {
            length
        } else {
            case.queries
        };
        let mut pointed = vec![0; length];
        for t in 0..queries {
            let first = ((b * case.heads + head) * case.queries + t) * case.keys;
            let row = &weights[first..first + length];
            let sum: f64 = row.iter().map(|&it| f64::from(it)).sum();
            if sum == 0.0 {
                continue;
            }
            let shares: Vec<f64> = row.iter().map(|&it| f64::from(it) / sum).collect();
            let seen = shares.iter().filter(|&&it| it > 0.0);
            rows += 1.0;
            sums[0] -= seen.map(|it| it * it.ln()).sum::<f64>();
            sums[1] += shares.iter().copied().fold(0.0, f64::max);
            sums[2] += shares[(2 * t + 1) * length / (2 * queries)];
            if case.site.is_self() && t > 0 {
                with_previous += 1.0;
                sums[3] += shares[t - 1];
            }
            let most = row.iter().copied().fold(0.0, f32::max);
            let places: Vec<usize> = (0..length).filter(|&s| row[s] == most).collect();
            if let [place] = places[..] {
                pointed[place] += 1;
            }
        }
        pointing += pointed.iter().filter(|&&it| it == 1).count();
    }
    let mean = |sum: f64, count: f64| (count > 0.0).then(|| sum / count);
    let known = rows > 0.0;
    LevelStatistics {
        level,
        entropy: mean(sums[0], rows),
        peak: mean(sums[1], rows),
        diagonal: mean(sums[2], rows),
        previous: mean(sums[3], with_previous),
        permutation: known.then(|| pointing as f64 / all as f64),
    }
}

#[test]
fn every_mechanism_has_the_statistics_of_a_plain_count() {
    check(600, cases(&SITES), |case| {
        let output = case
            .mechanism(&Device::flex())
            .forward(case.input(&Device::flex()));
        let queries: Vec<usize> = if case.site.is_self() {
            case.lengths.clone()
        } else {
            vec![case.queries; case.batch()]
        };
        let heads = read(&output.weights, case.site, &queries, &case.lengths);
        assert_eq!(heads.len(), case.heads);
        for (h, head) in heads.iter().enumerate() {
            assert_eq!(head.levels.len(), output.weights.levels().min(16));
            for found in &head.levels {
                let weights = numbers(output.weights.level(found.level));
                let expected = counted(&case, found.level, h, &weights);
                near(found, &expected);
            }
            let depth = head.effective_depth;
            assert_eq!(
                depth.is_some(),
                output.weights.mix().is_some() && queries_count(&case) > 0
            );
            let most = output.weights.levels() as f64 + 1e-3;
            assert!(depth.is_none_or(|depth| depth >= 0.0 && depth <= most));
        }
    });
}

/// Number of queries of items that have a key.
fn queries_count(case: &Case) -> usize {
    let of = |&length: &usize| match (length, case.site.is_self()) {
        (0, _) => 0,
        (length, true) => length,
        (_, false) => case.queries,
    };
    case.lengths.iter().map(of).sum()
}

/// Asserts that statistics are equal up to rounding. Levels are products in another order, by which
/// nearly equal weights may change places, so agreement with a permutation is compared on level 1
/// alone.
fn near(found: &LevelStatistics, expected: &LevelStatistics) {
    let mut pairs = vec![
        (found.entropy, expected.entropy),
        (found.peak, expected.peak),
        (found.diagonal, expected.diagonal),
        (found.previous, expected.previous),
    ];
    if found.level == 1 {
        pairs.push((found.permutation, expected.permutation));
    }
    for (found_value, expected_value) in pairs {
        let same = match (found_value, expected_value) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-3,
            (None, None) => true,
            _ => false,
        };
        assert!(same, "{found:?} against {expected:?}");
    }
}

#[test]
fn learned_shares_make_the_effective_depth() {
    let device = Device::flex();
    let one = Tensor::from_data(
        TensorData::new(vec![1.0f32, 0.0, 0.0, 1.0], [1, 1, 2, 2]),
        &device,
    );
    let mix = Tensor::from_data(
        TensorData::new(vec![0.25f32, 0.25, 0.5], [1, 1, 1, 3]),
        &device,
    );
    let weights = AttentionWeights::Power {
        attention: SoftWeights::Known(one),
        levels: 3,
        mix: Some(mix),
    };
    let heads = read(&weights, Site::EncoderSelf, &[2], &[2]);
    is(heads[0].effective_depth, 2.25);
    assert_eq!(heads[0].levels.len(), 3);
}

#[test]
fn a_jump_is_where_two_values_differ_most_from_the_two_before() {
    let step = |values: &[f64]| {
        let steps = (1..).map(|number| 100 * number);
        let curve: Vec<(u64, f64)> = steps.zip(values.iter().copied()).collect();
        jump(&curve, 0.2).map(|found| found.step)
    };
    assert_eq!(step(&[0.1, 0.1, 0.1, 0.9, 0.9]), Some(400));
    assert_eq!(step(&[0.9, 0.9, 0.1]), Some(300));
    // A slow rise, a flat curve and two values have no jump; a single outlier counts half.
    assert_eq!(step(&[0.1, 0.15, 0.2, 0.25, 0.3]), None);
    assert_eq!(step(&[0.5, 0.5, 0.5]), None);
    assert_eq!(step(&[0.1, 0.9]), None);
    assert_eq!(step(&[0.1, 0.1, 0.4, 0.1, 0.1]), None);
}
