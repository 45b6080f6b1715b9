//! Planner in the form of a checkpoint: words with their numbers, and the vectors apart.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::lexicon::WordStatistics;
use crate::{
    CharacterTable, KeywordFinder, KnownNgrams, Lexicon, Planner, PoemError, PoemScores, Word,
    WordVectors,
};

/// Planner without the numbers of its vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredPlanner {
    /// Words of two characters, each with its count and pmi.
    lexicon: Vec<(Word, u32, f64)>,
    /// Number of occurrences of characters as words of one.
    characters: BTreeMap<char, u64>,
    /// Scores of words in poems.
    scores: Vec<(Word, f64)>,
    /// Number of occurrences of words as keywords.
    keywords: Vec<(Word, u32)>,
    /// Words that have a vector, in the order of their rows.
    vectors: Vec<Word>,
    /// Readings and change of script of the characters.
    #[serde(default, skip_serializing_if = "CharacterTable::is_empty")]
    table: CharacterTable,
    /// 4-grams of the training lines.
    #[serde(
        default,
        rename = "pieces",
        skip_serializing_if = "KnownNgrams::is_empty"
    )]
    ngrams: KnownNgrams,
}

impl From<&Planner> for StoredPlanner {
    fn from(planner: &Planner) -> Self {
        let words = planner.finder.lexicon().words().into_iter();
        Self {
            lexicon: words.map(|(word, it)| (word, it.count, it.pmi)).collect(),
            characters: planner.characters.clone(),
            scores: planner.finder.scores().words(),
            keywords: planner.keywords.clone(),
            vectors: planner.vectors.words().to_vec(),
            table: planner.table.clone(),
            ngrams: planner.ngrams.clone(),
        }
    }
}

impl StoredPlanner {
    /// Number of rows of the vectors.
    pub fn vectors(&self) -> usize {
        self.vectors.len()
    }

    /// Restores the planner, given its vectors, `[words, width]`.
    ///
    /// # Errors
    /// If parts contradict each other, or a number is not finite.
    pub fn with_vectors(self, values: Vec<f32>, width: usize) -> Result<Planner, PoemError> {
        let numbers = self.lexicon.iter().map(|it| it.2);
        let numbers = numbers.chain(self.scores.iter().map(|it| it.1));
        let are_finite = numbers
            .chain(values.iter().map(|&it| f64::from(it)))
            .all(f64::is_finite);
        let are_pairs = self.lexicon.iter().all(|it| it.0.is_two());
        let is_drawable = self.keywords.iter().map(|it| u64::from(it.1)).sum::<u64>();
        let is_whole = Some(values.len()) == self.vectors.len().checked_mul(width);
        let is_drawable = (1..=u64::from(u32::MAX)).contains(&is_drawable);
        if !(are_finite && are_pairs && is_whole && is_drawable) {
            return Err(PoemError::Damaged { part: "plan" });
        }
        let lexicon = self.lexicon.into_iter();
        let lexicon = lexicon.map(|(word, count, pmi)| (word, WordStatistics { count, pmi }));
        let scores: PoemScores = self.scores.into_iter().collect();
        Ok(Planner {
            finder: KeywordFinder::new(Lexicon::of_words(lexicon), scores),
            characters: self.characters,
            keywords: self.keywords,
            vectors: WordVectors::of_units(self.vectors, values, width),
            table: self.table,
            ngrams: self.ngrams,
            jieba: OnceLock::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{PlannerSettings, Poem, Word2Vec};

    fn learned() -> Planner {
        let poems = [
            "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。",
            "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
            "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。",
        ];
        let poem = |at: usize| Poem::read(poems[at % 3]).unwrap();
        let poems: Vec<Poem> = (0..12).map(poem).collect();
        let vectors = Word2Vec {
            minimum_count: 1,
            ..Word2Vec::new(8, 3)
        };
        let settings = PlannerSettings {
            minimum_count: 3,
            minimum_pmi: 2.0,
            vectors,
        };
        Planner::learn(&poems, &settings, 0)
    }

    #[test]
    fn a_stored_planner_plans_alike() {
        let planner = learned();
        let text = serde_json::to_string(&StoredPlanner::from(&planner)).unwrap();
        let stored: StoredPlanner = serde_json::from_str(&text).unwrap();
        let values = planner.vectors.values().to_vec();
        let again = stored.with_vectors(values, 8).unwrap();
        assert!(!planner.ngrams().is_empty());
        assert_eq!(again.ngrams(), planner.ngrams());
        for text in [
            "明月",
            "白日黄河",
            "今天下雪",
            "no ideograph",
            "花落千里明月故乡春眠",
        ] {
            let plan = planner.plan(text, None, 3);
            assert_eq!(plan.len(), 4, "{text}");
            assert_eq!(again.plan(text, None, 3), plan);
            assert_ne!(plan[0].word, plan[1].word);
        }
    }

    #[test]
    fn damaged_planners_are_refused() {
        let planner = learned();
        let stored = StoredPlanner::from(&planner);
        let values = planner.vectors.values().to_vec();
        assert!(
            stored
                .clone()
                .with_vectors(values[1..].to_vec(), 8)
                .is_err()
        );
        let mut broken = values.clone();
        broken[0] = f32::NAN;
        assert!(stored.clone().with_vectors(broken, 8).is_err());
        let empty = StoredPlanner {
            keywords: Vec::new(),
            ..stored
        };
        assert!(empty.with_vectors(values, 8).is_err());
    }
}
