//! Baselines: lines that no model wrote, whose scores put a BLEU of poems into perspective.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::measures::TopicReferences;
use crate::random::Random;
use crate::{KeywordFinder, Poem};

/// Method of making a line without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Most frequent character at each place.
    FrequentCharacters,
    /// Repetition of the line before.
    LineBefore,
    /// Line with the same number of any training poem.
    AnyLine,
    /// Keyword of the reference line, then the most frequent characters at the other places.
    KeywordFirst,
    /// Line of a training poem that follows a line with the same keyword.
    SameTopic,
}

impl Baseline {
    /// All baselines.
    pub const ALL: [Self; 5] = [
        Self::FrequentCharacters,
        Self::LineBefore,
        Self::AnyLine,
        Self::KeywordFirst,
        Self::SameTopic,
    ];

    /// Name of the baseline in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrequentCharacters => "frequent_characters",
            Self::LineBefore => "line_before",
            Self::AnyLine => "any_line",
            Self::KeywordFirst => "keyword_first",
            Self::SameTopic => "same_topic",
        }
    }

    /// Name of the baseline in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::FrequentCharacters => "the most frequent character of each place",
            Self::LineBefore => "the line before, again",
            Self::AnyLine => "the line of any training poem",
            Self::KeywordFirst => "the gold keyword, then frequent characters",
            Self::SameTopic => "a training poem's line after the same keyword",
        }
    }
}

/// Training poems of one length, from which baselines take their lines.
pub struct Baselines<'a> {
    finder: &'a KeywordFinder,
    poems: Vec<&'a Poem>,
    topics: TopicReferences<'a>,
    /// Most frequent character at each place of lines 2 to 4.
    frequent: Vec<char>,
    random: Random,
}

impl<'a> Baselines<'a> {
    /// Collects training poems whose lines have `length` characters. `seed` seeds the draws of
    /// poems.
    pub fn new(training: &'a [Poem], finder: &'a KeywordFinder, length: usize, seed: u64) -> Self {
        let poems: Vec<&Poem> = training
            .iter()
            .filter(|poem| poem.length() == length)
            .collect();
        let at = |place: usize| {
            let lines = poems.iter().flat_map(|poem| poem.lines().skip(1));
            most_frequent(lines.map(move |line| line[place]))
        };
        Self {
            finder,
            topics: TopicReferences::new(training, finder, length),
            frequent: (0..length).filter_map(at).collect(),
            poems,
            random: Random::new(seed, "baselines"),
        }
    }

    /// Makes the line that follows line `line` of `poem`, counted from 0.
    pub fn write(&mut self, baseline: Baseline, poem: &Poem, line: usize) -> Vec<char> {
        match baseline {
            Baseline::FrequentCharacters => self.frequent.clone(),
            Baseline::LineBefore => poem.line(line).to_vec(),
            Baseline::AnyLine => self.any_line(line),
            Baseline::KeywordFirst => {
                let keyword = self.finder.keyword(poem.line(line + 1));
                let mut line = self.frequent.clone();
                let characters = keyword.into_iter().flat_map(|word| word.characters());
                line.iter_mut()
                    .zip(characters)
                    .for_each(|(place, it)| *place = it);
                line
            }
            Baseline::SameTopic => {
                let keyword = self.finder.keyword(poem.line(line));
                let lines = keyword.map_or(&[][..], |keyword| self.topics.after(line, keyword));
                match lines.len() {
                    0 => self.any_line(line),
                    count => lines[self.random.below(count as u32) as usize].to_vec(),
                }
            }
        }
    }

    fn any_line(&mut self, line: usize) -> Vec<char> {
        match self.poems.len() {
            0 => Vec::new(),
            count => self.poems[self.random.below(count as u32) as usize]
                .line(line + 1)
                .to_vec(),
        }
    }
}

/// Most frequent character; of equally frequent ones the lowest code point.
fn most_frequent(characters: impl Iterator<Item = char>) -> Option<char> {
    let mut counts = BTreeMap::new();
    characters.for_each(|character| *counts.entry(character).or_insert(0_u64) += 1);
    let best = counts.into_iter().min_by_key(|&(_, count)| Reverse(count));
    best.map(|(character, _)| character)
}
