//! Planner of poems: a lexicon, scores of words and word vectors, learned from training poems, by
//! which a text becomes a plan.

mod stored;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use ahash::AHashMap;
use jieba_rs::Jieba;
use serde::{Deserialize, Serialize};
pub use stored::StoredPlanner;

use crate::expansion::{REACH, missing, near_in_text};
use crate::random::Random;
use crate::{
    CharacterTable, KeywordFinder, KnownNgrams, LINES, Poem, PoemScores, Word, Word2Vec,
    WordVectors, is_ideograph,
};

/// Settings for learning a planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannerSettings {
    /// Smallest number of occurrences of a word of two characters.
    pub minimum_count: u32,
    /// Smallest pointwise mutual information of a word's two characters.
    pub minimum_pmi: f64,
    /// Training of the word vectors.
    pub vectors: Word2Vec,
}

impl Default for PlannerSettings {
    fn default() -> Self {
        Self {
            minimum_count: 10,
            minimum_pmi: 2.0,
            vectors: Word2Vec::new(64, 20),
        }
    }
}

/// Origin of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Text that the poem is about.
    Text,
    /// Knowledge text, in which the keyword is near a word of the text.
    Knowledge,
    /// Word vectors: the keyword is near the words of the text in meaning.
    Neighbour,
    /// Random draw.
    Drawn,
    /// Keyword that the user gave.
    Given,
}

/// Keyword of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyword {
    /// Word of the keyword.
    pub word: Word,
    /// Origin of the keyword.
    pub origin: Origin,
}

/// Planner of poems: the words of the training poems, with their scores and vectors.
pub struct Planner {
    finder: KeywordFinder,
    /// Number of occurrences of characters as words of one.
    characters: BTreeMap<char, u64>,
    /// Number of occurrences of words as keywords, in order of code points.
    keywords: Vec<(Word, u32)>,
    vectors: WordVectors,
    /// Readings and change of script of the characters.
    table: CharacterTable,
    /// 4-grams of the training lines.
    ngrams: KnownNgrams,
    /// Segmenter of texts, created on first use.
    jieba: OnceLock<Jieba>,
}

impl Planner {
    /// Learns from training poems.
    pub fn learn(training: &[Poem], settings: &PlannerSettings, seed: u64) -> Self {
        let finder = KeywordFinder::learn(training, settings.minimum_count, settings.minimum_pmi);
        let lines = training.iter().flat_map(Poem::lines);
        let cut: Vec<Vec<Word>> = lines.map(|line| finder.lexicon().cut(line)).collect();
        let (mut characters, mut keywords) = (BTreeMap::new(), BTreeMap::new());
        for line in &cut {
            for word in line.iter().filter(|word| !word.is_two()) {
                word.characters()
                    .for_each(|it| *characters.entry(it).or_default() += 1);
            }
            if let Some(keyword) = finder.scores().keyword(line) {
                *keywords.entry(keyword).or_default() += 1;
            }
        }
        let vectors = word_vectors(&cut, finder.scores(), &settings.vectors, seed);
        let keywords = keywords.into_iter().collect();
        Self {
            finder,
            characters,
            keywords,
            vectors,
            table: CharacterTable::default(),
            ngrams: KnownNgrams::of(training),
            jieba: OnceLock::new(),
        }
    }

    /// Replaces the table of characters.
    pub fn with_table(self, table: CharacterTable) -> Self {
        Self { table, ..self }
    }

    /// Readings and change of script of the characters; may be empty.
    pub fn table(&self) -> &CharacterTable {
        &self.table
    }

    /// 4-grams of the training lines; empty if the model file has none.
    pub fn ngrams(&self) -> &KnownNgrams {
        &self.ngrams
    }

    /// Lexicon and scores, by which the keyword of a line is found.
    pub fn finder(&self) -> &KeywordFinder {
        &self.finder
    }

    /// Vectors of words.
    pub fn vectors(&self) -> &WordVectors {
        &self.vectors
    }

    /// Keyword of the line that follows lines with the `given` keywords: their nearest neighbour in
    /// meaning, or else the last keyword again. It reveals nothing of the line itself.
    pub fn next_keyword(&self, given: &[Word]) -> Option<Word> {
        let neighbour = self.vectors.neighbours(given, 1).pop();
        neighbour.or_else(|| given.last().copied())
    }

    /// Splits a text into sentences of words: at everything but ideographs, then by jieba, whose
    /// dictionary is the lexicon and all characters. Words that the dictionary lacks fall apart
    /// into characters.
    pub fn sentences(&self, text: &str) -> Vec<Vec<Word>> {
        let jieba = self.jieba.get_or_init(|| self.segmenter());
        let words = |piece: &str| -> Vec<Word> {
            let tokens = jieba.cut(piece, false).into_iter().map(|token| token.word);
            tokens.flat_map(word_or_characters).collect()
        };
        let pieces = text.split(|character| !is_ideograph(character));
        pieces
            .filter(|piece| !piece.is_empty())
            .map(words)
            .collect()
    }

    fn segmenter(&self) -> Jieba {
        let mut jieba = Jieba::empty();
        for (word, statistics) in self.finder.lexicon().words() {
            jieba.add_word(&word.to_string(), Some(statistics.count as usize), None);
        }
        for (character, &count) in &self.characters {
            jieba.add_word(&character.to_string(), Some(count.max(1) as usize), None);
        }
        jieba
    }

    /// Plans four keywords for a text: its own, in the order of the text; then words near them in
    /// `knowledge`; then neighbours in meaning; then words drawn by `seed`.
    pub fn plan(&self, text: &str, knowledge: Option<&str>, seed: u64) -> Vec<Keyword> {
        let own = self.finder.scores().keywords(&self.sentences(text));
        let mut plan = Plan::default();
        plan.add(own, Origin::Text);
        if let Some(knowledge) = knowledge {
            let sentences = self.sentences(knowledge);
            let given = &plan.words;
            let near = near_in_text(
                given,
                &sentences,
                self.finder.scores(),
                REACH,
                missing(given),
            );
            plan.add(near, Origin::Knowledge);
        }
        let near = self.vectors.neighbours(&plan.words, missing(&plan.words));
        plan.add(near, Origin::Neighbour);
        self.draw(&mut plan, seed);
        plan.keywords
    }

    /// Fills a plan with words drawn by their counts as keywords, first those that share no
    /// character with the plan.
    fn draw(&self, plan: &mut Plan, seed: u64) {
        let mut random = Random::new(seed, "keywords");
        for may_share in [false, true] {
            while plan.words.len() < LINES {
                let is_open = |&&(word, _): &&(Word, u32)| {
                    let clashes =
                        |it: &Word| it.shares_a_character(word) && (!may_share || *it == word);
                    !plan.words.iter().any(clashes)
                };
                let open: Vec<_> = self.keywords.iter().filter(is_open).collect();
                let total = open.iter().map(|(_, count)| count).sum();
                let mut rest = random.below(total);
                let drawn = open
                    .iter()
                    .find(|(_, count)| match rest.checked_sub(*count) {
                        Some(left) => {
                            rest = left;
                            false
                        }
                        None => true,
                    });
                let Some(&&(word, _)) = drawn else {
                    break;
                };
                plan.add([word], Origin::Drawn);
            }
        }
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut planner = formatter.debug_struct("Planner");
        planner
            .field("words", &self.finder.lexicon().len())
            .finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Plan {
    words: Vec<Word>,
    keywords: Vec<Keyword>,
}

impl Plan {
    fn add(&mut self, words: impl IntoIterator<Item = Word>, origin: Origin) {
        for word in words {
            self.words.push(word);
            self.keywords.push(Keyword { word, origin });
        }
    }
}

fn word_or_characters(token: &str) -> Vec<Word> {
    match Word::of(token) {
        Some(word) => vec![word],
        None => token.chars().map(Word::one).collect(),
    }
}

/// Trains vectors of candidates; a sequence consists of the candidates of a poem.
fn word_vectors(
    cut: &[Vec<Word>],
    scores: &PoemScores,
    settings: &Word2Vec,
    seed: u64,
) -> WordVectors {
    let words: Vec<Word> = scores.words().into_iter().map(|(word, _)| word).collect();
    let ids: AHashMap<Word, u32> = words.iter().copied().zip(0..).collect();
    let candidates = |poem: &[Vec<Word>]| -> Vec<u32> {
        poem.iter()
            .flatten()
            .filter_map(|word| ids.get(word).copied())
            .collect()
    };
    let sequences: Vec<Vec<u32>> = cut.chunks(LINES).map(candidates).collect();
    let embedding = settings.train(&sequences, words.len(), seed);
    let vector = |(&word, id)| Some((word, embedding.vector(id)?.to_vec()));
    WordVectors::new(words.iter().zip(0..).filter_map(vector), settings.width)
}
