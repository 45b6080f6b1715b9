//! Translation models in the form of a file: counts of trigrams, and phrases with their features.

use ahash::AHashMap;
use serde::{Deserialize, Serialize};

use crate::ngram::{END, START, TrigramCounts};
use crate::translation::{LONGEST, Phrase, PhraseOption, PhraseTable, Smt, Weights};
use crate::{LINES, PoemError};

/// Name and version of the format.
const FORMAT: &str = "strata-smt 1";

/// Signs for the start and the end of a line, which occur in no line.
const SIGNS: [char; 2] = ['^', '$'];

/// Translation models in the form of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredSmt {
    format: String,
    weights: Weights,
    /// Trigrams, three characters each, one after the other.
    trigrams: String,
    /// Count of each trigram.
    counts: Vec<u32>,
    /// Phrase tables by length, then by line.
    tables: [[StoredTable; LINES - 1]; 2],
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTable {
    /// Source, target, count and features of each phrase pair.
    phrases: Vec<(String, String, u32, [f32; 4])>,
    /// Most frequent characters of target lines.
    frequent: String,
}

impl From<&Smt> for StoredSmt {
    fn from(model: &Smt) -> Self {
        let characters = SIGNS.iter().chain(&model.counts.characters);
        let characters: Vec<char> = characters.copied().collect();
        let trigrams = model.counts.trigrams.iter();
        Self {
            format: FORMAT.to_owned(),
            weights: model.weights,
            trigrams: trigrams
                .clone()
                .flat_map(|it| it.0)
                .map(|it| characters[it as usize])
                .collect(),
            counts: trigrams.map(|&(_, count)| count).collect(),
            tables: model
                .tables
                .each_ref()
                .map(|tables| tables.each_ref().map(StoredTable::from)),
        }
    }
}

impl From<&PhraseTable> for StoredTable {
    fn from(table: &PhraseTable) -> Self {
        let mut sources: Vec<_> = table.options.iter().collect();
        sources.sort_unstable_by_key(|&(&source, _)| source);
        let text = |phrase: Phrase| phrase.characters().collect::<String>();
        let phrases = sources.into_iter().flat_map(|(&source, options)| {
            let phrase =
                move |it: &PhraseOption| (text(source), text(it.target), it.count, it.features);
            options.iter().map(phrase)
        });
        let frequent = table.frequent.iter().flat_map(|it| it.target.characters());
        Self {
            phrases: phrases.collect(),
            frequent: frequent.collect(),
        }
    }
}

impl TryFrom<StoredSmt> for Smt {
    type Error = PoemError;

    fn try_from(stored: StoredSmt) -> Result<Self, PoemError> {
        if stored.format != FORMAT {
            return Err(PoemError::OtherFormat {
                format: stored.format,
            });
        }
        if !stored.weights.iter().all(|weight| weight.is_finite()) {
            return Err(PoemError::Damaged { part: "weights" });
        }
        let counts = stored
            .counts()
            .ok_or(PoemError::Damaged { part: "trigrams" })?;
        let mut tables: [[PhraseTable; LINES - 1]; 2] = Default::default();
        for (table, stored) in tables
            .iter_mut()
            .flatten()
            .zip(stored.tables.iter().flatten())
        {
            *table = stored
                .table()
                .ok_or(PoemError::Damaged { part: "phrases" })?;
        }
        Ok(Self::new(stored.weights, counts, tables))
    }
}

impl StoredSmt {
    fn counts(&self) -> Option<TrigramCounts> {
        let all: Vec<char> = self.trigrams.chars().collect();
        let mut characters: Vec<char> = all
            .iter()
            .copied()
            .filter(|it| !SIGNS.contains(it))
            .collect();
        characters.sort_unstable();
        characters.dedup();
        let symbols = SIGNS.into_iter().zip([START, END]);
        let symbols: AHashMap<char, u32> =
            symbols.chain(characters.iter().copied().zip(2..)).collect();
        let three = |it: &[char]| [symbols[&it[0]], symbols[&it[1]], symbols[&it[2]]];
        let trigrams: Vec<_> = all
            .chunks_exact(3)
            .map(three)
            .zip(self.counts.iter().copied())
            .collect();
        let is_whole = all.len() == 3 * self.counts.len() && !self.counts.contains(&0);
        let is_sorted = trigrams.is_sorted_by(|one, other| one.0 < other.0);
        (is_whole && is_sorted).then_some(TrigramCounts {
            characters,
            trigrams,
        })
    }
}

impl StoredTable {
    fn table(&self) -> Option<PhraseTable> {
        let mut options: AHashMap<Phrase, Vec<PhraseOption>> = AHashMap::new();
        for (source, target, count, features) in &self.phrases {
            let (source, target) = (phrase(source)?, phrase(target)?);
            if source.len() != target.len() || !features.iter().all(|it| it.is_finite()) {
                return None;
            }
            let option = PhraseOption {
                target,
                count: *count,
                features: *features,
            };
            options.entry(source).or_default().push(option);
        }
        Some(PhraseTable::new(
            options,
            self.frequent.chars().map(|it| Phrase::of(&[it])),
        ))
    }
}

fn phrase(text: &str) -> Option<Phrase> {
    let characters: Vec<char> = text.chars().collect();
    let is_phrase = (1..=LONGEST).contains(&characters.len()) && !characters.contains(&'\0');
    is_phrase.then(|| Phrase::of(&characters))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Poem;

    fn learned() -> Smt {
        let poems = [
            "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。",
            "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。",
            "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
        ];
        Smt::learn(&poems.map(|poem| Poem::read(poem).unwrap()))
    }

    #[test]
    fn what_is_stored_translates_alike() {
        let model = learned();
        let text = serde_json::to_string(&StoredSmt::from(&model)).unwrap();
        let again = Smt::try_from(serde_json::from_str::<StoredSmt>(&text).unwrap()).unwrap();
        assert_eq!(again.tables, model.tables);
        assert_eq!(again.counts, model.counts);
        for line in ["白日望山月", "龙日依山光"] {
            let line: Vec<char> = line.chars().collect();
            let next = model.next_line(&line, 1).unwrap();
            assert_eq!(next.len(), 5);
            assert_eq!(again.next_line(&line, 1).unwrap(), next);
        }
        let line: Vec<char> = "白日依山尽".chars().collect();
        assert_eq!(
            model
                .next_line(&line, 0)
                .unwrap()
                .iter()
                .collect::<String>(),
            "黄河入海流"
        );
        assert_eq!(model.next_line(&line, 3), None);
        assert_eq!(model.next_line(&line[..4], 0), None);
        assert_eq!(model.next_line(&[line[0]; 7], 0), None);
    }

    #[test]
    fn damaged_models_are_refused() {
        let stored = StoredSmt::from(&learned());
        let refused = |change: &dyn Fn(&mut StoredSmt)| {
            let mut changed = stored.clone();
            change(&mut changed);
            Smt::try_from(changed).unwrap_err().to_string()
        };
        assert!(refused(&|it| it.format = "strata-smt 9".to_owned()).contains("strata-smt 9"));
        assert!(refused(&|it| it.weights[0] = f64::NAN).contains("weights"));
        assert!(refused(&|it| it.counts[0] = 0).contains("trigrams"));
        assert!(refused(&|it| _ = it.counts.pop()).contains("trigrams"));
        assert!(
            refused(&|it| it.trigrams = it.trigrams.chars().rev().collect()).contains("trigrams")
        );
        assert!(refused(&|it| it.tables[0][0].phrases[0].1.push('山')).contains("phrases"));
        assert!(refused(&|it| it.tables[0][0].phrases[0].3[2] = f32::INFINITY).contains("phrases"));
    }
}
