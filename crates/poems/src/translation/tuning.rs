//! Weights that give the best BLEU on held-out poems: coordinate ascent, in the place of minimum
//! error rate training.

use strata_metrics::BleuStatistics;

use crate::translation::{Smt, Weights};
use crate::{LINES, Poem};

/// Poems that weights are tuned on.
const POEMS: usize = 500;
const ROUNDS: usize = 2;
/// Factors that are tried on each weight.
const FACTORS: [f64; 4] = [0.5, 0.8, 1.25, 2.0];

impl Smt {
    /// Tunes the weights on the first 500 poems: each in turn times 0.5, 0.8, 1.25 and 2, of which
    /// what helps stays, in two rounds. `after` is called after each try with its weights and BLEU-2.
    /// Returns the BLEU-2 of the weights that it ends with.
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

    /// BLEU-2 of all lines that follow a line of the poems, against those of the poems.
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
