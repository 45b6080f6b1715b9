//! Expands a plan to four keywords by words that are near in meaning, or near in a text.

use ahash::{AHashMap, AHashSet};

use crate::{LINES, PoemScores, Word};

/// Largest distance, in words, at which a word of a knowledge text counts as near a chosen word.
pub const REACH: usize = 5;

/// Unit vectors of words, in an order that decides between equals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordVectors {
    words: Vec<Word>,
    places: AHashMap<Word, usize>,
    /// Numbers of all vectors, `[words, width]`.
    values: Vec<f32>,
    width: usize,
}

impl WordVectors {
    /// Creates vectors of `width` numbers each, scaled to length 1; a zero vector stays zero.
    pub fn new(vectors: impl IntoIterator<Item = (Word, Vec<f32>)>, width: usize) -> Self {
        let mut made = Self {
            width,
            ..Self::default()
        };
        for (word, mut vector) in vectors {
            vector.resize(width, 0.0);
            let length = vector
                .iter()
                .map(|&it| f64::from(it).powi(2))
                .sum::<f64>()
                .sqrt();
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            made.values
                .extend(vector.iter().map(|&it| (f64::from(it) * scale) as f32));
            made.places.insert(word, made.words.len());
            made.words.push(word);
        }
        made
    }

    /// Creates vectors that have length 1 already, given one after the other.
    pub(crate) fn of_units(words: Vec<Word>, values: Vec<f32>, width: usize) -> Self {
        let places = words.iter().copied().zip(0..).collect();
        Self {
            words,
            places,
            values,
            width,
        }
    }

    /// Numbers of all vectors, `[words, width]`.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Width of the vectors.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Words that have a vector, in the order of their rows.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Unit vector of a word; `None` if the word has none.
    pub fn vector(&self, word: Word) -> Option<&[f32]> {
        Some(self.at(*self.places.get(&word)?))
    }

    fn at(&self, place: usize) -> &[f32] {
        &self.values[place * self.width..(place + 1) * self.width]
    }

    /// Finds the words nearest to the mean of the given words by the cosine, nearest first. Leaves
    /// out words that share a character with a given word or with one found before. Returns no
    /// words if none of the given words has a vector.
    pub fn neighbours(&self, given: &[Word], most: usize) -> Vec<Word> {
        let vectors: Vec<&[f32]> = given.iter().filter_map(|&word| self.vector(word)).collect();
        if vectors.is_empty() {
            return Vec::new();
        }
        let sum = |at: usize| vectors.iter().map(|it| f64::from(it[at])).sum::<f64>();
        let mean: Vec<f64> = (0..self.width).map(sum).collect();
        let mut near: Vec<(usize, f64)> = (0..self.words.len())
            .map(|place| {
                let pairs = self.at(place).iter().zip(&mean);
                (place, pairs.map(|(&one, mean)| f64::from(one) * mean).sum())
            })
            .collect();
        near.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut found: Vec<Word> = Vec::new();
        for (place, _) in near {
            if found.len() == most {
                break;
            }
            let word = self.words[place];
            if given
                .iter()
                .chain(&found)
                .all(|&it| !it.shares_a_character(word))
            {
                found.push(word);
            }
        }
        found
    }
}

/// Finds words of poems within `reach` places of a given word in some text, in the order of
/// preference; of equals the earlier word comes first.
pub fn near_in_text(
    given: &[Word],
    sentences: &[Vec<Word>],
    scores: &PoemScores,
    reach: usize,
    most: usize,
) -> Vec<Word> {
    let mut seen: AHashSet<Word> = given.iter().copied().collect();
    let mut found = Vec::new();
    for sentence in sentences {
        let is_given: Vec<bool> = sentence.iter().map(|word| given.contains(word)).collect();
        for (place, &word) in sentence.iter().enumerate() {
            let around = place.saturating_sub(reach)..(place + reach + 1).min(sentence.len());
            if scores.score(word).is_some() && is_given[around].contains(&true) && seen.insert(word)
            {
                found.push(word);
            }
        }
    }
    found.sort_by(|&one, &other| scores.preference(one, other));
    found.truncate(most);
    found
}

/// Number of words that a plan still needs.
pub(crate) fn missing(chosen: &[Word]) -> usize {
    LINES.saturating_sub(chosen.len())
}
