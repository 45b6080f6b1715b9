//! Confidence intervals of BLEU, by resampling poems (Koehn 2004).

use crate::measures::{LineStatistics, poem_bleu};
use crate::random::Random;

/// Number of samples.
const SAMPLES: usize = 1000;

/// Interval that holds 95 % of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Computes the interval of the mean BLEU of poems.
pub fn bleu_interval(poems: &[LineStatistics], seed: u64) -> Interval {
    interval(poems.len(), seed, |sample| {
        poem_bleu(sample.iter().map(|&it| &poems[it])).mean()
    })
}

/// Computes the interval of the difference between the mean BLEU of two models on the same poems.
/// The difference is not significant if the interval contains 0.
///
/// # Panics
/// If the numbers of poems differ.
pub fn bleu_difference(one: &[LineStatistics], other: &[LineStatistics], seed: u64) -> Interval {
    assert_eq!(one.len(), other.len(), "both are of the same poems");
    interval(one.len(), seed, |sample| {
        let mean = |poems: &[LineStatistics]| poem_bleu(sample.iter().map(|&it| &poems[it])).mean();
        mean(one) - mean(other)
    })
}

fn interval(poems: usize, seed: u64, measure: impl Fn(&[usize]) -> f64) -> Interval {
    let mut random = Random::new(seed, "bootstrap");
    let mut sample = vec![0; poems];
    let mut measured: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            sample.fill_with(|| random.below(poems as u32) as usize);
            measure(&sample)
        })
        .collect();
    measured.sort_by(f64::total_cmp);
    let outside = SAMPLES / 40;
    Interval {
        low: measured[outside],
        high: measured[SAMPLES - 1 - outside],
    }
}

#[cfg(test)]
mod tests {
    use strata_metrics::BleuStatistics;

    use super::*;

    fn statistics(written: &str) -> LineStatistics {
        let line = |text: &str| text.chars().collect::<Vec<_>>();
        [BleuStatistics::of_tokens(&line(written), &[line("黄河入海流")]); 3]
    }

    #[test]
    fn the_interval_holds_the_score_of_all_poems() {
        let poems: Vec<_> = ["黄河入海流", "黄河出海流", "白日依山尽", "黄河入山尽"]
            .into_iter()
            .cycle()
            .take(100)
            .map(statistics)
            .collect();
        let mean = poem_bleu(&poems).mean();
        let Interval { low, high } = bleu_interval(&poems, 1);
        assert!(low < mean && mean < high, "{low} {mean} {high}");
        assert!(high - low < 0.2);
        assert_eq!(bleu_interval(&poems, 1), Interval { low, high });
    }

    #[test]
    fn a_difference_is_known_where_every_poem_has_it() {
        let better = vec![statistics("黄河入海流"); 50];
        let worse = vec![statistics("黄河入山尽"); 50];
        assert!(bleu_difference(&better, &worse, 0).low > 0.3);
        let none = bleu_difference(&better, &better, 0);
        assert_eq!(
            none,
            Interval {
                low: 0.0,
                high: 0.0
            }
        );
    }
}
