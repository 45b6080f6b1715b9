//! Paired bootstrap resampling (Koehn 2004), equal to sacreBLEU's `--paired-bs`: the probability
//! that a difference between two systems is due to the choice of test sentences.
//!
//! Each sample draws as many sentences as the test set has, with replacement, the same sentences for
//! every system. With d the difference of the scores on the whole set and d_i the difference on
//! sample i, the
//! p-value is the share of samples with |d_i| − mean |d| > |d|, counted with one more on both sides.

mod numpy;

use std::ops::AddAssign;

use numpy::Generator;

/// Options of paired bootstrap resampling; the default is sacreBLEU's.
///
/// ```
/// use strata_metrics::{Bleu, PairedBootstrap};
///
/// let bleu = Bleu::default();
/// let counts = |lines: [&str; 2]| {
///     let references = [["a b c d e"], ["f g h i j"]];
///     let pairs = lines.iter().zip(references);
///     pairs.map(|(line, reference)| bleu.statistics(line, &reference)).collect::<Vec<_>>()
/// };
/// let systems = [counts(["a b c d", "f g h i j"]), counts(["a b c d", "f g h i j"])];
/// let tested = PairedBootstrap::default().test(&systems, |it| bleu.score(it).score);
/// assert_eq!(tested[0].p_value, None);
/// assert_eq!(tested[1].score, tested[0].score);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairedBootstrap {
    /// Number of samples.
    pub samples: usize,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Score of a system, and its spread over the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampled {
    /// Score on the whole test set.
    pub score: f64,
    /// Mean score over the samples.
    pub mean: f64,
    /// Half the width of the interval that holds 95 % of the samples.
    pub interval: f64,
    /// Probability of a difference from the first system at least this large by chance; `None` for
    /// the first system.
    pub p_value: Option<f64>,
}

impl Default for PairedBootstrap {
    fn default() -> Self {
        Self {
            samples: 1000,
            seed: 12345,
        }
    }
}

impl PairedBootstrap {
    /// Compares systems with the first one, the baseline. A system is given by the counts of its
    /// sentences, which add up to those of a corpus.
    ///
    /// # Panics
    /// If the number of samples is 0, or the systems differ in their number of sentences.
    pub fn test<S: Copy + Default + AddAssign>(
        &self,
        systems: &[Vec<S>],
        score: impl Fn(&S) -> f64,
    ) -> Vec<Resampled> {
        assert!(self.samples > 0, "a bootstrap needs a sample");
        let sentences = systems.first().map_or(0, Vec::len);
        assert!(
            systems.iter().all(|system| system.len() == sentences),
            "systems are compared on the same sentences"
        );
        let sum = |counts: &mut dyn Iterator<Item = S>| {
            let mut sum = S::default();
            counts.for_each(|it| sum += it);
            score(&sum)
        };
        let mut sampled = vec![Vec::with_capacity(self.samples); systems.len()];
        let mut draws = Generator::new(self.seed);
        let mut drawn = vec![0; sentences];
        for _ in 0..self.samples {
            drawn.fill_with(|| draws.below(sentences as u32) as usize);
            for (scores, system) in sampled.iter_mut().zip(systems) {
                scores.push(sum(&mut drawn.iter().map(|&at| system[at])));
            }
        }
        let whole: Vec<f64> = systems
            .iter()
            .map(|system| sum(&mut system.iter().copied()))
            .collect();
        let of_system = |at: usize| Resampled {
            score: whole[at],
            mean: mean(&sampled[at]),
            interval: half_width(&sampled[at]),
            p_value: (at > 0)
                .then(|| p_value(&sampled[0], &sampled[at], (whole[0] - whole[at]).abs())),
        };
        (0..systems.len()).map(of_system).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half the distance between the scores below and above which a fortieth of the samples lie.
fn half_width(scores: &[f64]) -> f64 {
    let mut scores = scores.to_vec();
    scores.sort_by(f64::total_cmp);
    let below = scores.len() / 40;
    0.5 * (scores[scores.len() - below - 1] - scores[below])
}

fn p_value(baseline: &[f64], system: &[f64], difference: f64) -> f64 {
    let differences: Vec<f64> = baseline
        .iter()
        .zip(system)
        .map(|(one, other)| (other - one).abs())
        .collect();
    let mean = mean(&differences);
    // Strictly larger: a system compared with itself differs by 0, and not by chance.
    let larger = differences.iter().filter(|&it| it - mean > difference);
    (larger.count() + 1) as f64 / (differences.len() + 1) as f64
}
