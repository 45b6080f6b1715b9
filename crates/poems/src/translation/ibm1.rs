//! IBM model 1 (Brown et al. 1993): translation probabilities of characters, by expectation
//! maximisation from the uniform distribution, with the empty word.

use crate::translation::LinePair;

/// Translation probabilities t(e | f).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ibm1 {
    /// Pairs (f, e) that occur together in some pair of lines, in ascending order; f is 0 for the
    /// empty word.
    pairs: Vec<u64>,
    probabilities: Vec<f64>,
}

impl Ibm1 {
    /// Trains for some iterations. `after` is called after each iteration with the log-likelihood Σ
    /// ln(Σ_f t(e|f)/(l + 1)).
    pub fn train(
        lines: &[LinePair<'_>],
        iterations: usize,
        mut after: impl FnMut(&Self, f64),
    ) -> Self {
        let sources = |source: &[char]| -> Vec<u32> {
            std::iter::once(0)
                .chain(source.iter().map(|&it| u32::from(it)))
                .collect()
        };
        let mut pairs = Vec::new();
        for &(source, target) in lines {
            for f in sources(source) {
                pairs.extend(target.iter().map(|&e| key(f, e)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        // Places of the pairs of each e, group by group.
        let place = |pair: u64| pairs.binary_search(&pair).unwrap_or_default() as u32;
        let (mut places, mut groups) = (Vec::new(), Vec::new());
        for &(source, target) in lines {
            let sources = sources(source);
            for &e in target {
                places.extend(sources.iter().map(|&f| place(key(f, e))));
                groups.push(sources.len());
            }
        }
        let probabilities = vec![1.0; pairs.len()];
        let mut model = Self {
            pairs,
            probabilities,
        };
        for _ in 0..iterations {
            model.iterate(&places, &groups);
            let likelihood = model.ln_likelihood(&places, &groups);
            after(&model, likelihood);
        }
        model
    }

    fn iterate(&mut self, places: &[u32], groups: &[usize]) {
        let mut expected = vec![0.0; self.pairs.len()];
        for_each_group(places, groups, |group| {
            let sum: f64 = group
                .iter()
                .map(|&it| self.probabilities[it as usize])
                .sum();
            for &it in group {
                expected[it as usize] += self.probabilities[it as usize] / sum;
            }
        });
        let mut start = 0;
        for of_source in self.pairs.chunk_by(|one, other| one >> 32 == other >> 32) {
            let row = start..start + of_source.len();
            start = row.end;
            let total: f64 = expected[row.clone()].iter().sum();
            for at in row {
                self.probabilities[at] = expected[at] / total;
            }
        }
    }

    fn ln_likelihood(&self, places: &[u32], groups: &[usize]) -> f64 {
        let mut likelihood = 0.0;
        for_each_group(places, groups, |group| {
            let sum: f64 = group
                .iter()
                .map(|&it| self.probabilities[it as usize])
                .sum();
            likelihood += (sum / group.len() as f64).ln();
        });
        likelihood
    }

    /// Probability t(e | f); `None` is the empty word. 0 if f and e never occurred together.
    pub fn probability(&self, f: Option<char>, e: char) -> f64 {
        let found = self.pairs.binary_search(&key(f.map_or(0, u32::from), e));
        found.map_or(0.0, |at| self.probabilities[at])
    }
}

fn key(f: u32, e: char) -> u64 {
    (u64::from(f) << 32) | u64::from(u32::from(e))
}

fn for_each_group(places: &[u32], groups: &[usize], mut take: impl FnMut(&[u32])) {
    let mut rest = places;
    for &length in groups {
        let (group, others) = rest.split_at(length);
        take(group);
        rest = others;
    }
}
