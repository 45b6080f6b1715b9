//! Keywords of lines in training, and of the text that a poem is to be about.

use std::cmp::Ordering;

use ahash::{AHashMap, AHashSet};

use crate::lexicon::{Lexicon, PairCounts};
use crate::text_rank::{DAMPING, text_rank};
use crate::{LINES, Poem, Word};

/// Window of TextRank in the text that a poem is to be about.
const WINDOW: usize = 5;

/// Scores of words in poems, by TextRank over all training lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoemScores(AHashMap<Word, f64>);

impl FromIterator<(Word, f64)> for PoemScores {
    fn from_iter<I: IntoIterator<Item = (Word, f64)>>(scores: I) -> Self {
        Self(scores.into_iter().collect())
    }
}

impl PoemScores {
    /// Computes the scores of the candidates in lines that are split into words.
    pub fn of_lines(lines: &[Vec<Word>]) -> Self {
        let candidates = |line: &Vec<Word>| {
            let words = line.iter().copied();
            words.filter(|word| word.is_candidate()).collect()
        };
        let sequences: Vec<Vec<Word>> = lines.iter().map(candidates).collect();
        text_rank(&sequences, 0, DAMPING).into_iter().collect()
    }

    /// Score of a word; `None` if the word is not a candidate in the poems.
    pub fn score(&self, word: Word) -> Option<f64> {
        self.0.get(&word).copied()
    }

    /// All words with their scores, in order of code points.
    pub fn words(&self) -> Vec<(Word, f64)> {
        let mut words: Vec<_> = self.0.iter().map(|(&word, &score)| (word, score)).collect();
        words.sort_by_key(|&(word, _)| word);
        words
    }

    /// Orders words by preference: two characters before one, then the higher score. Words that
    /// differ only in their place are equal.
    pub(crate) fn preference(&self, one: Word, other: Word) -> Ordering {
        let score = |word| self.score(word).unwrap_or(f64::NEG_INFINITY);
        let by_length = other.is_two().cmp(&one.is_two());
        by_length.then(score(other).total_cmp(&score(one)))
    }

    /// Keyword of a line that is split into words: the preferred candidate, of equals the first. A
    /// line without candidates has its last character as keyword; an empty one has none.
    pub fn keyword(&self, words: &[Word]) -> Option<Word> {
        let candidates = words.iter().copied().filter(|word| word.is_candidate());
        let last = || words.last()?.characters().last().map(Word::one);
        candidates
            .min_by(|&one, &other| self.preference(one, other))
            .or_else(last)
    }

    /// Keywords of a text: at most four candidates that occur in poems, in the order of their first
    /// occurrence in the text. Of more than four, TextRank over the text chooses.
    pub fn keywords(&self, sentences: &[Vec<Word>]) -> Vec<Word> {
        let known = |sentence: &Vec<Word>| -> Vec<Word> {
            let words = sentence.iter().copied();
            words
                .filter(|&word| word.is_candidate() && self.score(word).is_some())
                .collect()
        };
        let sentences: Vec<Vec<Word>> = sentences.iter().map(known).collect();
        let mut seen = AHashSet::new();
        let mut words: Vec<Word> = sentences.iter().flatten().copied().collect();
        words.retain(|&word| seen.insert(word));
        if words.len() <= LINES {
            return words;
        }
        // Words are ranked in the order of their first appearance, which is that of `words` too.
        let ranks = text_rank(&sentences, WINDOW, DAMPING);
        let mut ranked: Vec<(usize, Word, i64)> = ranks
            .into_iter()
            .enumerate()
            .map(|(place, (word, rank))| (place, word, (rank * 1e6).round() as i64))
            .collect();
        ranked.sort_by(|&(_, one, rank), &(_, other, other_rank)| {
            let by_length = other.is_two().cmp(&one.is_two());
            by_length
                .then(other_rank.cmp(&rank))
                .then(self.preference(one, other))
        });
        ranked.truncate(LINES);
        ranked.sort_by_key(|&(place, ..)| place);
        ranked.into_iter().map(|(_, word, _)| word).collect()
    }
}

/// Finder of keywords of lines: a lexicon and the scores of its words, learned from training poems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeywordFinder {
    lexicon: Lexicon,
    scores: PoemScores,
}

impl KeywordFinder {
    /// Joins a lexicon and scores.
    pub(crate) fn new(lexicon: Lexicon, scores: PoemScores) -> Self {
        Self { lexicon, scores }
    }

    /// Learns from training poems. A pair of characters is a word if it occurs `minimum_count`
    /// times and has a pointwise mutual information of `minimum_pmi`.
    pub fn learn(training: &[Poem], minimum_count: u32, minimum_pmi: f64) -> Self {
        let lines = || training.iter().flat_map(Poem::lines);
        let lexicon = PairCounts::of_lines(lines()).lexicon(minimum_count, minimum_pmi);
        let cut: Vec<Vec<Word>> = lines().map(|line| lexicon.cut(line)).collect();
        let scores = PoemScores::of_lines(&cut);
        Self { lexicon, scores }
    }

    /// Lexicon of words of two characters.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Scores of words in poems.
    pub fn scores(&self) -> &PoemScores {
        &self.scores
    }

    /// Keyword of a line; `None` for an empty line.
    pub fn keyword(&self, line: &[char]) -> Option<Word> {
        self.scores.keyword(&self.lexicon.cut(line))
    }
}
