//! Curves of a class as seeds of one experiment: mean, interval and range. Pure.

use std::collections::BTreeMap;

/// Largest loss that is drawn: what is above is no loss of a model that learns.
const LARGEST_LOSS: f64 = 1e4;
/// 97.5 % quantiles of Student's t, for 1 to 30 degrees of freedom; from then on that of the normal
/// distribution with a correction (Fisher and Cornish 1960).
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Curve of a hand-in.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the learner.
    pub name: String,
    pub seed: u64,
    /// Steps and values, in order of the steps.
    pub points: Vec<(u64, f64)>,
}

/// Spread of the seeds at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub step: u64,
    /// Number of seeds.
    pub count: usize,
    pub mean: f64,
    /// Sample standard deviation, with n − 1; `None` for one seed.
    pub deviation: Option<f64>,
    pub lowest: f64,
    pub highest: f64,
}

impl Spread {
    /// Returns the 95 % interval of the mean, by Student's t; `None` for one seed.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let half = student(self.count - 1) * self.deviation? / (self.count as f64).sqrt();
        Some((self.mean - half, self.mean + half))
    }
}

/// True for a value that a share, or a loss, can have.
pub fn is_possible(value: f64, is_share: bool) -> bool {
    let range = if is_share {
        0.0..=1.0
    } else {
        0.0..=LARGEST_LOSS
    };
    range.contains(&value)
}

/// Returns one curve for each seed, that of the longest run, and of equally long
/// ones that with the most points: runs with one seed are one run.
pub fn one_a_seed(curves: &[Curve]) -> Vec<&Curve> {
    let mut seeds: BTreeMap<u64, &Curve> = BTreeMap::new();
    for curve in curves {
        let known = seeds.entry(curve.seed).or_insert(curve);
        let length = |it: &Curve| (it.points.last().map(|it| it.0), it.points.len());
        if length(curve) > length(known) {
            *known = curve;
        }
    }
    seeds.into_values().collect()
}

/// Returns the spread at each step at which at least half of the seeds that have the most have a
/// value.
pub fn spreads(curves: &[&Curve]) -> Vec<Spread> {
    let mut values: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (step, value) in curves.iter().flat_map(|it| &it.points) {
        values.entry(*step).or_default().push(*value);
    }
    let values = values.iter();
    let all: Vec<Spread> = values.filter_map(|(step, it)| spread(*step, it)).collect();
    let most = all.iter().map(|it| it.count).max().unwrap_or(0);
    all.into_iter().filter(|it| 2 * it.count >= most).collect()
}

/// Returns the spread of which a sentence tells: the last step that the most seeds have reached.
pub fn told(spreads: &[Spread]) -> Option<&Spread> {
    spreads.iter().max_by_key(|it| (it.count, it.step))
}

fn spread(step: u64, values: &[f64]) -> Option<Spread> {
    let count = values.len();
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    (count > 0).then(|| Spread {
        step,
        count,
        mean,
        deviation: (count > 1).then(|| (squares / (count as f64 - 1.0)).sqrt()),
        lowest: values.iter().copied().fold(f64::INFINITY, f64::min),
        highest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

/// Returns the 97.5 % quantile of Student's t.
fn student(freedom: usize) -> f64 {
    let at = freedom.saturating_sub(1);
    let far = 1.96 + 2.372 / freedom as f64;
    STUDENT.get(at).copied().unwrap_or(far)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn curve(seed: u64, values: &[f64]) -> Curve {
        let steps = (1..).map(|it| 100 * it);
        Curve {
            name: seed.to_string(),
            seed,
            points: steps.zip(values.iter().copied()).collect(),
        }
    }

    #[test]
    fn the_spread_is_that_of_the_seeds() {
        let curves = [
            curve(1, &[0.1, 0.5]),
            curve(2, &[0.2, 0.7]),
            curve(3, &[0.3, 0.6, 0.9]),
            curve(3, &[0.3, 0.6]),
        ];
        let seeds = one_a_seed(&curves);
        assert_eq!(seeds.len(), 3);
        let spreads = spreads(&seeds);
        // One of three has come to step 300.
        assert_eq!(spreads.len(), 2);
        let told = told(&spreads).unwrap();
        assert_eq!(
            (told.step, told.count, told.lowest, told.highest),
            (200, 3, 0.5, 0.7)
        );
        assert!((told.mean - 0.6).abs() < 1e-9 && (told.deviation.unwrap() - 0.1).abs() < 1e-9);
        let (low, high) = told.interval().unwrap();
        assert!((high - low - 2.0 * 4.303 * 0.1 / 3_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn one_seed_and_none_are_no_spread() {
        let one = curve(1, &[0.5]);
        let spreads_of_one = spreads(&[&one]);
        assert_eq!(spreads_of_one[0].interval(), None);
        assert_eq!(told(&spreads(&[])), None);
        assert_eq!(told(&spreads(&[&curve(1, &[])])), None);
    }

    #[test]
    fn quantiles_go_on_smoothly() {
        assert!(student(30) > student(31) && student(31) > student(500));
        assert!((student(60) - 2.000).abs() < 2e-3 && (student(120) - 1.980).abs() < 2e-3);
    }

    #[test]
    fn hostile_values_are_not_drawn() {
        for value in [f64::NAN, f64::INFINITY, -1.0, 1e308] {
            assert!(!is_possible(value, true) && !is_possible(value, false));
        }
        assert!(is_possible(3.2, false) && !is_possible(3.2, true));
    }
}
