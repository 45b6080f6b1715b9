//! Measures how much the best translations of a sentence differ: `strata eval --nbest N`.

use std::collections::HashSet;

use serde_json::{Value as Json, json};
use strata_metrics::Running;
use strata_training::Translation;

use crate::display::format::percent;

/// Measures of the N best translations of sentences.
#[derive(Default)]
pub struct NBest {
    entropy: Running,
    different_pairs: Running,
    repeated_tokens: Running,
}

impl NBest {
    /// Adds the translations of a sentence, the best first.
    pub fn add(&mut self, translations: &[Translation]) {
        let Some(best) = translations.first() else {
            return;
        };
        let scores = translations.iter().map(|it| it.score);
        self.entropy.add(entropy(&scores.collect::<Vec<_>>()), 1);
        let pairs: Vec<&[u32]> = translations
            .iter()
            .flat_map(|it| it.ids.windows(2))
            .collect();
        if !pairs.is_empty() {
            let different: HashSet<&[u32]> = pairs.iter().copied().collect();
            let share = different.len() as f64 / pairs.len() as f64;
            self.different_pairs.add(share, 1);
        }
        let repeated = best.ids.windows(2).filter(|pair| pair[0] == pair[1]);
        let tokens = best.ids.len().saturating_sub(1) as u64;
        self.repeated_tokens.add(repeated.count() as f64, tokens);
    }

    /// Returns the measures as an object; a measure of which there is no example is null.
    pub fn json(&self, outputs: usize) -> Json {
        json!({
            "outputs": outputs,
            "entropy": self.entropy.mean(),
            "different_pairs": self.different_pairs.mean(),
            "repeated_tokens": self.repeated_tokens.mean(),
        })
    }

    /// Describes the measures in a sentence; `None` if there is nothing to measure.
    pub fn words(&self, outputs: usize) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(entropy) = self.entropy.mean().filter(|_| outputs > 1) {
            parts.push(format!(
                "the probabilities of the {outputs} best translations of a sentence have an entropy \
                 of {entropy:.3} nats, that of {:.2} equally probable ones",
                entropy.exp()
            ));
        }
        if let Some(share) = self.different_pairs.mean() {
            parts.push(format!(
                "{} of the token pairs are different",
                percent(share)
            ));
        }
        if let Some(share) = self.repeated_tokens.mean() {
            let share = percent(share);
            parts.push(format!("{share} of the tokens repeat the token before"));
        }
        (!parts.is_empty()).then(|| format!("Diversity: {}.", parts.join("; ")))
    }
}

/// Returns the entropy, in nats, of probabilities given by their logarithms and scaled to sum to 1:
/// 0 if one probability is all, at most the logarithm of the number of probabilities.
fn entropy(log_probabilities: &[f64]) -> f64 {
    let largest = log_probabilities
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = log_probabilities
        .iter()
        .map(|it| (it - largest).exp())
        .collect();
    let sum: f64 = weights.iter().sum();
    let shares = weights.iter().map(|it| it / sum).filter(|it| *it > 0.0);
    // `0.0 -` gives 0 and not −0 for a single translation.
    0.0 - shares.map(|it| it * it.ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn translation(ids: &[u32], score: f64) -> Translation {
        Translation {
            ids: ids.to_vec(),
            finished: true,
            text: String::new(),
            score,
            normalised: score,
            log_probabilities: Vec::new(),
        }
    }

    #[test]
    fn entropy_lies_between_one_translation_and_all() {
        assert_eq!(entropy(&[-700.0]), 0.0);
        assert!((entropy(&[-900.0; 5]) - 5.0_f64.ln()).abs() < 1e-12);
        assert!(entropy(&[0.0, -2000.0]) < 1e-12);
        let expected = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        // Of a beam that holds 40 % of all probability.
        let found = entropy(&[0.3_f64.ln(), 0.1_f64.ln()]);
        assert!((found - expected).abs() < 1e-12, "{found}");
    }

    #[test]
    fn pairs_and_repetitions_are_counted_by_sentence_and_by_token() {
        let mut measures = NBest::default();
        // Pairs 1 2, 2 2 and 1 2, 2 3: three of four are different. One of two tokens repeats.
        measures.add(&[translation(&[1, 2, 2], -1.0), translation(&[1, 2, 3], -1.0)]);
        // A single token has no pair, and no sentence counts that has no translation.
        measures.add(&[translation(&[4], -1.0)]);
        measures.add(&[]);
        let json = measures.json(2);
        assert_eq!(json["different_pairs"], 0.75);
        assert_eq!(json["repeated_tokens"], 0.5);
        let entropy = json["entropy"].as_f64().unwrap();
        assert!((entropy - 2.0_f64.ln() / 2.0).abs() < 1e-12);
        let words = measures.words(2).unwrap();
        assert!(words.contains("0.347 nats"), "{words}");
        assert!(words.contains("1.41 equally probable"), "{words}");
        assert!(words.contains("75.0"), "{words}");
        assert!(NBest::default().words(2).is_none());
        // One token alone has nothing that differs or repeats.
        let mut single = NBest::default();
        single.add(&[translation(&[4], -1.0)]);
        assert_eq!(single.words(1), None);
    }
}
