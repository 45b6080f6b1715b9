//! Draws of negatives: words in proportion to their counts to the power of 3/4.

use crate::random::Random;

/// Power of the counts (Mikolov et al. 2013).
const POWER: f64 = 0.75;

/// Distribution from which negatives are drawn.
pub(super) struct Negatives {
    /// Upper end of each word's share of all 32-bit numbers.
    ends: Vec<u32>,
}

impl Negatives {
    pub(super) fn new(counts: &[u64]) -> Self {
        let weights: Vec<f64> = counts
            .iter()
            .map(|&it| libm::pow(it as f64, POWER))
            .collect();
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let end = |weight: &f64| {
            sum += weight;
            (sum / total * f64::from(u32::MAX)) as u32
        };
        Self {
            ends: weights.iter().map(end).collect(),
        }
    }

    /// Draws a word.
    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        let bits = random.bits();
        let word = self.ends.partition_point(|&end| end <= bits);
        word.min(self.ends.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_drawn_by_the_power_of_their_counts() {
        let negatives = Negatives::new(&[16, 0, 1]);
        let mut random = Random::new(1, "test");
        let mut drawn = [0; 3];
        for _ in 0..9000 {
            drawn[negatives.draw(&mut random) as usize] += 1;
        }
        assert_eq!(drawn[1], 0);
        assert!((7850..8150).contains(&drawn[0]), "{drawn:?}");
    }
}
