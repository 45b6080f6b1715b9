//! Gives a run more or fewer levels than the model with whose parameters the run begins.
//!
//! Theorem 2 of *Hierarchical Attention*: a model of d + 1 levels with w_{d+1} = −∞ is the model of
//! d levels, so a deeper model is never worse. With a share of exactly 0 the gradient of w_{d+1} is
//! 0 as well, and the level would never be trained; a small share changes the results little, and
//! can grow.

use serde_json::Value;
use strata_models::ModelConfig;

/// Largest share, of 1, that all added levels of a mix have together at first.
pub const ADDED_SHARE: f64 = 0.01;

/// Number of levels of an attention site, or of passes through the layers, in which a new run
/// differs from the model with whose parameters the run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLevels {
    /// Key of the setting, such as `model.encoder_self.depth`.
    pub key: String,
    /// Value of the setting in the earlier model.
    pub before: usize,
    /// Value of the setting in the new run.
    pub now: usize,
    /// True if the levels are mixed by trained shares.
    pub is_mixed: bool,
}

/// Lists the numbers of levels in which the settings `found` differ from those `asked` for, and
/// replaces these numbers in `found`.
pub(super) fn changed_levels(
    model: &ModelConfig,
    found: &mut Value,
    asked: &Value,
) -> Vec<ChangedLevels> {
    let sites = model.sites().into_iter().filter_map(|site| {
        let setting = site.mechanism.levels_setting()?;
        let is_mixed = site.mechanism.has_learned_shares();
        Some((format!("{}.{setting}", site.name), is_mixed))
    });
    let loops = model.clone().loops_mut().is_some();
    let loops = loops.then(|| ("loops".to_owned(), false));
    let mut changed = Vec::new();
    for (key, is_mixed) in sites.chain(loops) {
        let pointer = format!("/{}", key.replace('.', "/"));
        let (Some(before), Some(now)) = (found.pointer_mut(&pointer), asked.pointer(&pointer))
        else {
            continue;
        };
        let (Some(levels_before), Some(levels)) = (before.as_u64(), now.as_u64()) else {
            continue;
        };
        if levels_before != levels {
            changed.push(ChangedLevels {
                key: format!("model.{key}"),
                before: levels_before as usize,
                now: levels as usize,
                is_mixed,
            });
            *before = now.clone();
        }
    }
    changed
}

/// True if the shapes of the parameter `name` differ because the numbers of levels do. Every other
/// shape that the model does not have is a fault of the file.
pub(super) fn counts_levels(
    name: &str,
    before: &[usize],
    now: &[usize],
    changed: &[ChangedLevels],
) -> bool {
    let (Some((levels_before, before)), Some((levels, now))) =
        (before.split_last(), now.split_last())
    else {
        return false;
    };
    let is_of =
        |it: &ChangedLevels| it.is_mixed && [it.before, it.now] == [*levels_before, *levels];
    let is_shares = ["mix", "gate.weight", "gate.bias"]
        .iter()
        .any(|end| name.ends_with(end));
    is_shares && before == now && changed.iter().any(is_of)
}

/// Returns the parameter `name` of shape `before` in the shape `now`. The shapes differ in the last
/// axis alone, which [counts levels](counts_levels): w of a mix `[…, d]`, or W `[D, N]` and b `[N]` of
/// the layer that computes w for each query. Levels that are left out are the last ones.
pub(super) fn with_levels(
    name: &str,
    values: Vec<f32>,
    before: &[usize],
    now: &[usize],
) -> Vec<f32> {
    let (Some(&levels_before), Some(&levels)) = (before.last(), now.last()) else {
        return values;
    };
    if levels_before == 0 {
        return values;
    }
    let added = levels.saturating_sub(levels_before);
    // The added levels together have ε if Σ exp(w_added) : Σ exp(w) is ε : (1 − ε).
    let ratio = (ADDED_SHARE / (1.0 - ADDED_SHARE) / added.max(1) as f64).ln();
    let rows = values.chunks(levels_before).flat_map(|row| {
        let mean = row.iter().map(|&w| f64::from(w)).sum::<f64>() / levels_before as f64;
        let new = match name.rsplit('.').next() {
            Some("weight") => mean,
            // Of each query's w only W and b are known; their mean is at most ln(Σ exp(w) / N), so
            // that no query gives the added levels more than ε.
            Some("bias") => mean + (levels_before as f64).ln() + ratio,
            _ => log_sum_exp(row) + ratio,
        };
        let kept = row.iter().copied().take(levels);
        kept.chain(std::iter::repeat_n(new as f32, added))
    });
    rows.collect()
}

/// Computes ln Σ exp(w).
fn log_sum_exp(row: &[f32]) -> f64 {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let largest = f64::from(largest);
    let sum: f64 = row.iter().map(|&w| (f64::from(w) - largest).exp()).sum();
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn shares(row: &[f32]) -> Vec<f64> {
        let total = log_sum_exp(row);
        row.iter().map(|&w| (f64::from(w) - total).exp()).collect()
    }

    /// Mixes of 1 to 6 levels in each of 1 to 3 heads.
    fn mixes() -> impl Strategy<Value = (usize, usize, Vec<f32>)> {
        (1..=3usize, 1..=6usize).prop_flat_map(|(heads, levels)| {
            let w = prop::collection::vec(-30.0..30.0f32, heads * levels);
            (Just(heads), Just(levels), w)
        })
    }

    #[test]
    fn only_shares_have_another_shape_and_only_by_the_levels_that_differ() {
        let changed = [ChangedLevels {
            key: "model.encoder_self.depth".to_owned(),
            before: 2,
            now: 3,
            is_mixed: true,
        }];
        let counts = |name: &str, before: &[usize], now: &[usize]| {
            counts_levels(name, before, now, &changed)
        };
        assert!(counts(
            "encoder.0.attention.mechanism.mix",
            &[4, 2],
            &[4, 3]
        ));
        assert!(counts(
            "encoder.0.attention.mechanism.gate.bias",
            &[2],
            &[3]
        ));
        assert!(!counts(
            "encoder.0.feed_forward.inner.weight",
            &[4, 2],
            &[4, 3]
        ));
        assert!(!counts(
            "encoder.0.attention.mechanism.mix",
            &[4, 2],
            &[5, 3]
        ));
        assert!(!counts(
            "encoder.0.attention.mechanism.mix",
            &[4, 1],
            &[4, 3]
        ));
        assert!(!counts("encoder.0.attention.mechanism.mix", &[2], &[4, 3]));
        assert!(!counts("encoder.0.attention.mechanism.mix", &[], &[4, 3]));
        assert!(!counts_levels("a.mix", &[4, 2], &[4, 3], &[]));
    }

    proptest! {
        #[test]
        fn added_levels_have_one_hundredth_and_the_others_keep_their_ratio(
            (heads, levels, w) in mixes(),
            added in 1..=5usize,
        ) {
            let now = levels + added;
            let deeper = with_levels("attention.mix", w.clone(), &[heads, levels], &[heads, now]);
            prop_assert_eq!(deeper.len(), heads * now);
            for (before, now) in w.chunks(levels).zip(deeper.chunks(now)) {
                let (before, now) = (shares(before), shares(now));
                prop_assert!((now[levels..].iter().sum::<f64>() - ADDED_SHARE).abs() < 1e-6);
                for (before, now) in before.iter().zip(&now) {
                    prop_assert!((before * (1.0 - ADDED_SHARE) - now).abs() < 1e-6);
                }
            }
        }

        #[test]
        fn no_query_gives_added_levels_more_than_one_hundredth(
            levels in 1..=6usize,
            added in 1..=5usize,
            numbers in prop::collection::vec(-3.0..3.0f32, 7 * 4),
            query in prop::collection::vec(-3.0..3.0f32, 3),
        ) {
            let now = levels + added;
            let (weight, bias) = (numbers[..3 * levels].to_vec(), numbers[21..21 + levels].to_vec());
            let deeper = with_levels("gate.weight", weight, &[3, levels], &[3, now]);
            let bias = with_levels("gate.bias", bias, &[levels], &[now]);
            let of_level = |level: usize| {
                let products = (0..3).map(|at| query[at] * deeper[at * now + level]);
                products.sum::<f32>() + bias[level]
            };
            let w: Vec<f32> = (0..now).map(of_level).collect();
            prop_assert!(shares(&w)[levels..].iter().sum::<f64>() < ADDED_SHARE + 1e-5);
        }

        #[test]
        fn levels_that_are_left_out_are_the_last((heads, levels, w) in mixes(), kept in 1..=6usize) {
            let kept = kept.min(levels);
            let shorter = with_levels("attention.mix", w.clone(), &[heads, levels], &[heads, kept]);
            let expected = w.chunks(levels).flat_map(|row| row[..kept].to_vec());
            prop_assert_eq!(shorter, expected.collect::<Vec<_>>());
        }
    }
}
