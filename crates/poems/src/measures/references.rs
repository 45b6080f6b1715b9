//! References of a line in the manner of He et al. and RNNPG: lines that followed the same topic.

use ahash::AHashMap;
use strata_metrics::BleuStatistics;

use crate::measures::{LineStatistics, WrittenLines};
use crate::{KeywordFinder, LINES, Poem, Word};

/// Lines of training poems of one length that follow a line with a given keyword.
#[derive(Clone, Debug)]
pub struct TopicReferences<'a> {
    /// Following lines by keyword, for each number of the line before.
    after: [AHashMap<Word, Vec<&'a [char]>>; LINES - 1],
}

impl<'a> TopicReferences<'a> {
    /// Collects the lines of training poems whose lines have `length` characters.
    pub fn new(training: &'a [Poem], finder: &KeywordFinder, length: usize) -> Self {
        let mut after: [AHashMap<Word, Vec<&'a [char]>>; LINES - 1] = Default::default();
        for poem in training.iter().filter(|poem| poem.length() == length) {
            for (line, after) in after.iter_mut().enumerate() {
                if let Some(keyword) = finder.keyword(poem.line(line)) {
                    after.entry(keyword).or_default().push(poem.line(line + 1));
                }
            }
        }
        Self { after }
    }

    /// Lines that follow a line of number `line`, counted from 0, with this keyword.
    pub fn after(&self, line: usize, keyword: Word) -> &[&'a [char]] {
        self.after[line].get(&keyword).map_or(&[], Vec::as_slice)
    }
}

/// References with which a written line is compared.
pub enum References<'a> {
    /// Poem's own line.
    Gold,
    /// Poem's own line, and lines that follow the same keyword in training poems.
    Topic(&'a KeywordFinder, TopicReferences<'a>),
}

impl References<'_> {
    /// References of the line that follows line `line`, counted from 0.
    pub fn of<'p>(&'p self, poem: &'p Poem, line: usize) -> Vec<&'p [char]> {
        let mut references = vec![poem.line(line + 1)];
        if let Self::Topic(finder, topics) = self
            && let Some(keyword) = finder.keyword(poem.line(line))
        {
            references.extend(topics.after(line, keyword));
        }
        references
    }

    /// Counts the lines that were written for a poem.
    pub fn statistics(&self, poem: &Poem, written: &WrittenLines) -> LineStatistics {
        std::array::from_fn(|line| BleuStatistics::of_tokens(&written[line], &self.of(poem, line)))
    }

    /// Mean number of references per line of some poems; 0 without poems.
    pub fn mean_number(&self, poems: &[&Poem]) -> f64 {
        let lines = poems
            .iter()
            .flat_map(|poem| (0..LINES - 1).map(move |line| (poem, line)));
        let (mut count, mut sum) = (0_usize, 0);
        for (poem, line) in lines {
            count += 1;
            sum += self.of(poem, line).len();
        }
        sum as f64 / count.max(1) as f64
    }
}
