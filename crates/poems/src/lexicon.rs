//! Learns words of two characters from poems, without a dictionary, and splits lines into words.
//!
//! A line has feet of 2|3 or 2|2|3 characters, its rhythm. Two characters are a word if they often
//! occur together where a foot allows a word: pmi(xy) = ln(n(xy)/B · N²/(n(x) n(y))), with N
//! characters and B places for pairs.

use std::collections::BTreeMap;

use ahash::AHashMap;

use crate::Word;

/// Places at which pairs are counted: the feet of two, and two overlapping places in the last foot,
/// of three.
fn places(length: usize) -> impl Iterator<Item = usize> {
    let last = length.saturating_sub(3);
    (0..last).step_by(2).chain(last..length - 1)
}

/// Number of occurrences of a word, and how much they exceed chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordStatistics {
    /// Number of occurrences where feet allow a word.
    pub count: u32,
    /// Pointwise mutual information of the word's two characters.
    pub pmi: f64,
}

/// Lexicon of words of two characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexicon {
    words: AHashMap<Word, WordStatistics>,
}

/// Counts of characters and pairs, from which a lexicon is made.
#[derive(Clone, Debug, Default)]
pub struct PairCounts {
    characters: BTreeMap<char, u64>,
    pairs: AHashMap<Word, u32>,
    /// Number of all characters.
    pub total: u64,
    /// Number of places for pairs.
    pub places: u64,
}

impl PairCounts {
    /// Counts the characters and pairs of lines.
    pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a [char]>) -> Self {
        let mut counts = Self::default();
        for line in lines.into_iter().filter(|line| line.len() > 1) {
            for &character in line {
                *counts.characters.entry(character).or_default() += 1;
                counts.total += 1;
            }
            for place in places(line.len()) {
                let pair = Word::two(line[place], line[place + 1]);
                *counts.pairs.entry(pair).or_default() += 1;
                counts.places += 1;
            }
        }
        counts
    }

    /// Makes the lexicon of all pairs that occur `minimum_count` times and have a pmi of
    /// `minimum_pmi`.
    pub fn lexicon(&self, minimum_count: u32, minimum_pmi: f64) -> Lexicon {
        let statistics = |(&pair, &count): (&Word, &u32)| {
            let mut expected = self.places as f64 / (self.total as f64 * self.total as f64);
            for character in pair.characters() {
                expected *= self.characters[&character] as f64;
            }
            // The logarithm of `libm` is the same on every platform.
            let pmi = libm::log(f64::from(count) / expected);
            (pair, WordStatistics { count, pmi })
        };
        let is_word =
            |(_, it): &(_, WordStatistics)| it.count >= minimum_count && it.pmi >= minimum_pmi;
        let words = self.pairs.iter().map(statistics).filter(is_word);
        Lexicon {
            words: words.collect(),
        }
    }
}

impl Lexicon {
    /// Makes a lexicon of given words; those of one character are ignored.
    pub fn of_words(words: impl IntoIterator<Item = (Word, WordStatistics)>) -> Self {
        Self {
            words: words
                .into_iter()
                .filter(|(word, _)| word.is_two())
                .collect(),
        }
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True if the lexicon has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Statistics of a word; `None` if the lexicon lacks it.
    pub fn word(&self, word: Word) -> Option<WordStatistics> {
        self.words.get(&word).copied()
    }

    /// All words with their statistics, in order of code points.
    pub fn words(&self) -> Vec<(Word, WordStatistics)> {
        let mut words: Vec<_> = self.words.iter().map(|(&word, &it)| (word, it)).collect();
        words.sort_by_key(|&(word, _)| word);
        words
    }

    /// Splits a line into words. A foot of two characters is one word or two. In the last foot, of
    /// three, the pair with the higher pmi is a word; of equals the left one.
    pub fn cut(&self, line: &[char]) -> Vec<Word> {
        let mut words = Vec::with_capacity(line.len());
        let (pairs, last) = line.split_at(line.len().saturating_sub(3));
        for foot in pairs.chunks(2) {
            match *foot {
                [first, second] if self.pmi(first, second).is_some() => {
                    words.push(Word::two(first, second));
                }
                _ => words.extend(foot.iter().copied().map(Word::one)),
            }
        }
        if let [a, b, c] = *last {
            match (self.pmi(a, b), self.pmi(b, c)) {
                (Some(left), right) if right.is_none_or(|right| left >= right) => {
                    words.extend([Word::two(a, b), Word::one(c)]);
                }
                (_, Some(_)) => words.extend([Word::one(a), Word::two(b, c)]),
                _ => words.extend([a, b, c].map(Word::one)),
            }
        } else {
            words.extend(last.iter().copied().map(Word::one));
        }
        words
    }

    fn pmi(&self, first: char, second: char) -> Option<f64> {
        Some(self.words.get(&Word::two(first, second))?.pmi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_within_feet() {
        assert_eq!(places(5).collect::<Vec<_>>(), [0, 2, 3]);
        assert_eq!(places(7).collect::<Vec<_>>(), [0, 2, 4, 5]);
    }

    #[test]
    fn any_line_can_be_cut() {
        let lexicon = Lexicon::default();
        for length in 0..9 {
            let line: Vec<char> = "春江潮水连海平月".chars().take(length).collect();
            let cut: Vec<char> = lexicon
                .cut(&line)
                .into_iter()
                .flat_map(Word::characters)
                .collect();
            assert_eq!(cut, line);
            assert_eq!(PairCounts::of_lines([&line[..]]).places > 0, length > 1);
        }
    }
}
