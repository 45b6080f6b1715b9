//! Trains word vectors on sequences.

use super::negatives::Negatives;
use super::{Cbow, Position};
use crate::random::Random;

/// Settings of the training of word vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word2Vec {
    /// Width of the vectors.
    pub width: usize,
    /// Number of passes over the sequences.
    pub epochs: usize,
    /// Largest distance of a context word; the distance at each position is drawn from 1 to this
    /// number.
    pub window: u32,
    /// Number of negatives of each position.
    pub negatives: usize,
    /// Share of all words above which a word is sometimes left out, t. An occurrence of a word with
    /// share f is kept with probability √(t/f) + t/f.
    pub sample: f64,
    /// Smallest number of occurrences of a word that gets a vector.
    pub minimum_count: u64,
    /// Learning rates at the beginning and at the end; linear in between.
    pub rates: [f32; 2],
}

impl Word2Vec {
    /// Creates settings for vectors of `width` numbers, trained for `epochs` passes.
    pub fn new(width: usize, epochs: usize) -> Self {
        Self {
            width,
            epochs,
            window: 5,
            negatives: 5,
            sample: 1e-3,
            minimum_count: 5,
            rates: [0.075, 1e-4],
        }
    }
}

/// Vectors of the words that were frequent enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// Width of the vectors.
    pub width: usize,
    /// Row of each word, from 0; `None` for a word without a vector.
    pub rows: Vec<Option<u32>>,
    /// Vectors of the words, `[rows, width]`.
    pub vectors: Vec<f32>,
}

impl Embedding {
    /// Vector of a word; `None` if the word has none.
    pub fn vector(&self, word: u32) -> Option<&[f32]> {
        let start = (*self.rows.get(word as usize)?)? as usize * self.width;
        Some(&self.vectors[start..start + self.width])
    }
}

impl Word2Vec {
    /// Trains the vectors of `words` words on sequences of their ids. The same settings, sequences
    /// and seed give the same vectors everywhere.
    pub fn train(&self, sequences: &[Vec<u32>], words: usize, seed: u64) -> Embedding {
        let mut counts = vec![0_u64; words];
        sequences
            .iter()
            .flatten()
            .for_each(|&word| counts[word as usize] += 1);
        let mut kept = Vec::new();
        let rows: Vec<Option<u32>> = counts
            .iter()
            .map(|&count| {
                (count > 0 && count >= self.minimum_count).then(|| {
                    kept.push(count);
                    kept.len() as u32 - 1
                })
            })
            .collect();
        let mut random = Random::new(seed, "word2vec");
        let mut model = self.initial(kept.len(), &mut random);
        if !kept.is_empty() {
            self.run(&mut model, sequences, &rows, &kept, &mut random);
        }
        Embedding {
            width: self.width,
            rows,
            vectors: model.input,
        }
    }

    fn initial(&self, words: usize, random: &mut Random) -> Cbow {
        let draw = |_| (random.unit() - 0.5) / self.width as f32;
        let input = (0..words * self.width).map(draw).collect();
        Cbow::new(self.width, input, vec![0.0; words * self.width])
    }

    fn run(
        &self,
        model: &mut Cbow,
        sequences: &[Vec<u32>],
        rows: &[Option<u32>],
        counts: &[u64],
        random: &mut Random,
    ) {
        let total: u64 = counts.iter().sum();
        let keep: Vec<u32> = counts
            .iter()
            .map(|&count| self.kept_share(count, total))
            .collect();
        let negatives = Negatives::new(counts);
        let all = total as f32 * self.epochs as f32;
        let [first, last] = self.rates;
        let mut read = 0_u64;
        let mut position = Position::default();
        let (mut words, mut context, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.epochs {
            for sequence in sequences {
                words.clear();
                let rate = first + (last - first) * (read as f32 / all);
                for row in sequence.iter().filter_map(|&word| rows[word as usize]) {
                    read += 1;
                    if random.bits() <= keep[row as usize] {
                        words.push(row);
                    }
                }
                for (place, &center) in words.iter().enumerate() {
                    let reach = 1 + random.below(self.window) as usize;
                    let end = (place + reach + 1).min(words.len());
                    context.clear();
                    context.extend_from_slice(&words[place.saturating_sub(reach)..place]);
                    context.extend_from_slice(&words[place + 1..end]);
                    if context.is_empty() {
                        continue;
                    }
                    drawn.clear();
                    drawn.extend((0..self.negatives).map(|_| negatives.draw(random)));
                    model.step(center, &context, &drawn, rate, &mut position);
                }
            }
        }
    }

    /// Probability with which an occurrence is kept, as the largest 32-bit number for which it is
    /// kept.
    fn kept_share(&self, count: u64, total: u64) -> u32 {
        let ratio = self.sample * total as f64 / count as f64;
        let share = f64::min(1.0, ratio.sqrt() + ratio);
        (share * f64::from(u32::MAX)) as u32
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Generates sequences of two topics of ten words each; a sequence has words of one topic.
    fn topics() -> Vec<Vec<u32>> {
        let mut random = Random::new(3, "topics");
        let mut sequence = |topic: u32| (0..8).map(|_| topic * 10 + random.below(10)).collect();
        (0..600).map(|index| sequence(index % 2)).collect()
    }

    fn settings() -> Word2Vec {
        Word2Vec {
            sample: 1.0,
            ..Word2Vec::new(12, 5)
        }
    }

    #[test]
    fn words_of_a_topic_are_near_each_other() {
        let embedding = settings().train(&topics(), 20, 1);
        let cosine = |one, other| {
            let (one, other) = (
                embedding.vector(one).unwrap(),
                embedding.vector(other).unwrap(),
            );
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
        };
        for word in 1..10 {
            assert!(cosine(0, word) > cosine(0, 10 + word) + 0.3, "{word}");
        }
    }

    /// The expected bits were recorded once, on Linux; every platform must give the same.
    #[test]
    fn vectors_are_pinned() {
        let embedding = settings().train(&topics(), 20, 1);
        let sum = |sum: u64, value: &f32| sum.rotate_left(7) ^ u64::from(value.to_bits());
        assert_eq!(
            embedding.vectors.iter().fold(0, sum),
            3_815_414_296_997_490_566
        );
        assert_ne!(embedding, settings().train(&topics(), 20, 2));
    }

    #[test]
    fn rare_words_have_no_vector() {
        let embedding = settings().train(&[vec![1; 9], vec![2; 4], vec![1, 2, 3]], 5, 0);
        let has: Vec<bool> = (0..6)
            .map(|word| embedding.vector(word).is_some())
            .collect();
        assert_eq!(has, [false, true, true, false, false, false]);
        assert!(settings().train(&[], 3, 0).vectors.is_empty());
    }
}
