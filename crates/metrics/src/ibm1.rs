//! IBM model 1 (Brown et al. 1993): translation probabilities of words, by expectation maximisation
//! from the uniform distribution, with the empty word.

/// Pair of sentences, source and target, as numbers of words.
pub type SentencePair<'a> = (&'a [u32], &'a [u32]);

/// Translation probabilities t(e | f) of target words e given source words f. Words are numbers
/// from 1 on; [`Ibm1::EMPTY`] is the empty word, which stands in every source.
///
/// ```
/// use strata_metrics::Ibm1;
///
/// // 1 and 2 stand in the source where 11 and 12 stand in the target.
/// let pairs: [(&[u32], &[u32]); 2] = [(&[1, 2], &[11, 12]), (&[1], &[11])];
/// let model = Ibm1::train(&pairs, 20, |_, _| {});
/// assert!(model.probability(2, 12) > 0.9);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ibm1 {
    /// Pairs (f, e) that occur together in some pair of sentences, in ascending order.
    pairs: Vec<u64>,
    probabilities: Vec<f64>,
}

impl Ibm1 {
    /// The empty word of every source.
    pub const EMPTY: u32 = 0;

    /// Trains for some iterations. `after` is called after each iteration with the log-likelihood Σ
    /// ln(Σ_f t(e|f)/(l + 1)), l being the number of words of the source.
    pub fn train(
        sentences: &[SentencePair<'_>],
        iterations: usize,
        mut after: impl FnMut(&Self, f64),
    ) -> Self {
        let pairs = pairs_of(sentences);
        // Places of the pairs of each e, group by group.
        let place = |pair: u64| pairs.binary_search(&pair).unwrap_or_default() as u32;
        let (mut places, mut groups) = (Vec::new(), Vec::new());
        for &(source, target) in sentences {
            for &e in target {
                places.extend(with_empty(source).map(|f| place(key(f, e))));
                groups.push(1 + source.len());
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

    /// Probability t(e | f); 0 if f and e never occurred together.
    pub fn probability(&self, f: u32, e: u32) -> f64 {
        let found = self.pairs.binary_search(&key(f, e));
        found.map_or(0.0, |at| self.probabilities[at])
    }

    /// Probability of a word e in the translation of a source: the mean of t(e | f) over the words f
    /// of the source and the empty word.
    pub fn probability_in(&self, source: &[u32], e: u32) -> f64 {
        let sum: f64 = with_empty(source).map(|f| self.probability(f, e)).sum();
        sum / (1 + source.len()) as f64
    }

    /// Words e with t(e | f) above 0, in ascending order, with their probabilities.
    pub fn translations(&self, f: u32) -> impl Iterator<Item = (u32, f64)> {
        let start = self.pairs.partition_point(|&pair| pair < key(f, 0));
        let of_source = self.pairs[start..].iter().zip(&self.probabilities[start..]);
        of_source
            .take_while(move |(pair, _)| (**pair >> 32) as u32 == f)
            .map(|(&pair, &probability)| (pair as u32, probability))
            .filter(|(_, probability)| *probability > 0.0)
    }
}

/// Returns the words of a source with the empty word before them.
fn with_empty(source: &[u32]) -> impl Iterator<Item = u32> {
    std::iter::once(Ibm1::EMPTY).chain(source.iter().copied())
}

/// Returns the pairs (f, e) that occur together, in ascending order.
fn pairs_of(sentences: &[SentencePair<'_>]) -> Vec<u64> {
    /// Number of pairs above which repeated ones are removed, to bound the memory.
    const MANY: usize = 1 << 23;
    let (mut pairs, mut distinct) = (Vec::new(), 0);
    for &(source, target) in sentences {
        for f in with_empty(source) {
            pairs.extend(target.iter().map(|&e| key(f, e)));
        }
        if pairs.len() > 2 * distinct + MANY {
            pairs.sort_unstable();
            pairs.dedup();
            distinct = pairs.len();
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn key(f: u32, e: u32) -> u64 {
    (u64::from(f) << 32) | u64::from(e)
}

fn for_each_group(places: &[u32], groups: &[usize], mut take: impl FnMut(&[u32])) {
    let mut rest = places;
    for &length in groups {
        let (group, others) = rest.split_at(length);
        take(group);
        rest = others;
    }
}
