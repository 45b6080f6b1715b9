//! Tunes weights for the best BLEU on held-out poems, by coordinate ascent in place of minimum
//! error rate training.

use strata_metrics::BleuStatistics;

use crate::translation::{Smt, Weights};
use crate::{LINES, Poem};

/// Number of poems on which weights are tuned.
const POEMS: usize = 500;
const ROUNDS: usize = 2;
/// Factors that are tried on each weight.
const FACTORS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];

impl Smt {
    /// Tunes the weights on the first 500 poems, in two rounds: each weight in turn is multiplied
    /// by 0.5, 0.8, 1.25 and 2, and a product that improves BLEU is kept. `after` is called after
    /// each try with its weights and BLEU-2. Returns the BLEU-2 of the final weights.
    pub fn tune(&mut self, held_out: &[Poem], mut after: impl FnMut(&Weights, f64)) -> f64 {
        let poems = &held_out[..held_out.len().min(POEMS)];
        let mut best = self.corpus_bleu(poems);
        after(&self.weights, best);
        for _ in 0..ROUNDS {
            for place in 0..self.weights.len() {
                let before = self.weights;
                let mut kept = before;
                for factor in FACTORS {
                    self.weights = before;
                    self.weights[place] *= factor;
                    let bleu = self.corpus_bleu(poems);
                    after(&self.weights, bleu);
                    if bleu > best {
                        best = bleu;
                        kept = self.weights;
                    }
                }
                self.weights = kept;
            }
        }
        best
    }

    /// Computes BLEU-2 of all translated lines against the poems' own next lines.
    fn corpus_bleu(&self, poems: &[Poem]) -> f64 {
        let mut statistics = BleuStatistics::default();
        for poem in poems {
            for line in 0..LINES - 1 {
                let written = self.next_line(poem.line(line), line).unwrap_or_default();
                statistics += BleuStatistics::of_tokens(&written, &[poem.line(line + 1)]);
            }
        }
        statistics.cumulative()[1]
    }
}
