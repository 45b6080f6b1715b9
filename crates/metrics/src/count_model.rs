//! Language models that count tokens: a baseline that a model must beat to have learned more than
//! the frequency of tokens.

use std::collections::HashMap;

/// Tokens that followed a history.
#[derive(Clone, Debug, Default)]
struct Followers {
    all: u64,
    counts: HashMap<u32, u64>,
    /// Most frequent follower with its count; of equally frequent followers the earlier token.
    most: Option<(u32, u64)>,
}

/// Language model of token counts after up to `order − 1` preceding tokens, interpolated as in
/// Witten and Bell (1991):
///
/// p(w | h) = (c(h w) + t(h) · p(w | shorter h)) / (c(h) + t(h)),
///
/// with c the number of occurrences, and t the number of different tokens after h. Below order 1
/// is the uniform distribution.
///
/// ```
/// use strata_metrics::CountModel;
///
/// let mut bigram = CountModel::new(2, 4);
/// bigram.add(&[0, 1, 2, 1, 2], 1);
/// assert_eq!(bigram.most_frequent(&[1]), 2);
/// assert!(bigram.probability(&[1], 2) > bigram.probability(&[1], 3));
/// ```
#[derive(Clone, Debug)]
pub struct CountModel {
    order: usize,
    vocabulary: usize,
    histories: HashMap<Vec<u32>, Followers>,
}

impl CountModel {
    /// Starts a model without counts.
    ///
    /// # Panics
    /// If the order or the vocabulary is 0.
    pub fn new(order: usize, vocabulary: usize) -> Self {
        assert!(order > 0 && vocabulary > 0, "nothing could be predicted");
        Self {
            order,
            vocabulary,
            histories: HashMap::new(),
        }
    }

    /// Counts the tokens of a sequence from index `from` on; earlier tokens only serve as history.
    pub fn add(&mut self, tokens: &[u32], from: usize) {
        for at in from..tokens.len() {
            for length in 0..self.order.min(at + 1) {
                let history = &tokens[at - length..at];
                if !self.histories.contains_key(history) {
                    self.histories
                        .insert(history.to_vec(), Followers::default());
                }
                if let Some(followers) = self.histories.get_mut(history) {
                    let count = followers.counts.entry(tokens[at]).or_default();
                    *count += 1;
                    followers.all += 1;
                    if followers.most.is_none_or(|(_, most)| *count > most) {
                        followers.most = Some((tokens[at], *count));
                    }
                }
            }
        }
    }

    /// Probability of a token after a history, of which only the last tokens count.
    pub fn probability(&self, history: &[u32], token: u32) -> f64 {
        let mut probability = 1.0 / self.vocabulary as f64;
        for history in self.suffixes(history) {
            let Some(followers) = self.histories.get(history) else {
                break;
            };
            let count = followers.counts.get(&token).copied().unwrap_or(0) as f64;
            let different = followers.counts.len() as f64;
            probability = (count + different * probability) / (followers.all as f64 + different);
        }
        probability
    }

    /// Most frequent token after the longest suffix of a history that was counted; 0 if nothing was
    /// counted.
    pub fn most_frequent(&self, history: &[u32]) -> u32 {
        let known = self.suffixes(history).map(|it| self.histories.get(it));
        let last = known.take_while(Option::is_some).flatten().last();
        last.and_then(|it| it.most).map_or(0, |(token, _)| token)
    }

    /// Suffixes of a history, the shortest first.
    fn suffixes<'a>(&self, history: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
        let longest = (self.order - 1).min(history.len());
        (0..=longest).map(move |length| &history[history.len() - length..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_after_any_history_sum_to_one() {
        let mut model = CountModel::new(3, 5);
        model.add(&[0, 1, 2, 3, 1, 2, 4, 1, 3], 1);
        for history in [&[][..], &[1], &[1, 2], &[4, 4], &[0, 1, 2]] {
            let sum: f64 = (0..5).map(|it| model.probability(history, it)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{history:?}: {sum}");
        }
    }

    /// Computed by hand: after 1 come 2, 2, 3; p(2) = (2 + 2 · p₁(2)) / 5 with p₁(2) = (2 + 3 / 4)
    /// / 8.
    #[test]
    fn a_bigram_leaves_to_the_unigram_what_witten_and_bell_leave() {
        let mut model = CountModel::new(2, 4);
        model.add(&[1, 2, 1, 2, 1, 3], 1);
        let unigram = (2.0 + 3.0 / 4.0) / 8.0;
        assert!((model.probability(&[], 2) - unigram).abs() < 1e-12);
        assert!((model.probability(&[1], 2) - (2.0 + 2.0 * unigram) / 5.0).abs() < 1e-12);
        assert_eq!(model.probability(&[0], 2), model.probability(&[], 2));
        assert_eq!(model.most_frequent(&[1]), 2);
        assert_eq!(CountModel::new(2, 4).most_frequent(&[1]), 0);
        assert_eq!(CountModel::new(2, 4).probability(&[1], 3), 0.25);
    }
}
