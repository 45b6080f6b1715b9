//! Readings of a model's characters, and pairs of characters for its change of script, so that a
//! program that uses the model needs no dictionary.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Reading;
use crate::{Script, ScriptChange};

/// Ideographs that may change in another script.
const CHANGED: std::ops::RangeInclusive<char> = '\u{3400}'..='\u{9fff}';

/// Readings of a model's characters, and the characters of another script that stand for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CharacterTable {
    /// Readings in pinyin with tone marks, the most frequent first, separated by spaces.
    readings: BTreeMap<char, String>,
    /// Characters of the other script, each with the model's character.
    script: BTreeMap<char, char>,
}

impl CharacterTable {
    /// Collects what the dictionaries of this program say of the characters of a vocabulary; empty
    /// if the program has no dictionaries.
    pub fn learn(vocabulary: &[char], script: Script) -> Self {
        let known: BTreeSet<char> = vocabulary.iter().copied().collect();
        let reading = |&character: &char| Some((character, readings_of(character)?));
        Self {
            readings: vocabulary.iter().filter_map(reading).collect(),
            script: match (script, ScriptChange::new(script)) {
                (Script::Simplified, Ok(change)) => pairs(&known, &change),
                _ => BTreeMap::new(),
            },
        }
    }

    /// True if the table has neither readings nor pairs.
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty() && self.script.is_empty()
    }

    /// Converts a character to the model's script.
    pub fn character(&self, character: char) -> char {
        self.script.get(&character).copied().unwrap_or(character)
    }

    /// Readings of a character with tone marks, separated by spaces; `None` if no reading is known.
    pub fn readings(&self, character: char) -> Option<&str> {
        self.readings.get(&character).map(String::as_str)
    }

    /// Readings of a character as syllables with tones; empty if no reading is known.
    pub fn syllables(&self, character: char) -> Vec<Reading> {
        let readings = self.readings(character).unwrap_or_default();
        readings.split(' ').filter_map(Reading::marked).collect()
    }
}

/// Pairs each character that changes with the character it becomes, if that is in the vocabulary.
fn pairs(known: &BTreeSet<char>, change: &ScriptChange) -> BTreeMap<char, char> {
    let pair = |from: char| {
        let converted = change.convert(from.encode_utf8(&mut [0; 4]));
        let mut characters = converted.chars();
        let to = characters.next()?;
        let is_pair = characters.next().is_none() && to != from && known.contains(&to);
        is_pair.then_some((from, to))
    };
    CHANGED.filter_map(pair).collect()
}

#[cfg(feature = "pinyin")]
fn readings_of(character: char) -> Option<String> {
    use pinyin::ToPinyinMulti;

    let mut readings: Vec<&str> = Vec::new();
    for reading in character.to_pinyin_multi()? {
        if !readings.contains(&reading.with_tone()) {
            readings.push(reading.with_tone());
        }
    }
    Some(readings.join(" "))
}

#[cfg(not(feature = "pinyin"))]
fn readings_of(_: char) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn characters_change_one_by_one_and_others_stay() {
        let table: CharacterTable =
            serde_json::from_str(r#"{"readings":{"行":"xíng háng"},"script":{"馬":"马"}}"#)
                .unwrap();
        let changed: String = "馬行 ok 鬱".chars().map(|it| table.character(it)).collect();
        assert_eq!(changed, "马行 ok 鬱");
        assert_eq!(table.readings('行'), Some("xíng háng"));
        let tones: Vec<u8> = table.syllables('行').iter().map(|it| it.tone).collect();
        assert_eq!(tones, [2, 2]);
        assert_eq!(table.readings('马'), None);
        assert_eq!(table.syllables('马'), []);
    }

    #[test]
    fn as_read_there_are_no_pairs() {
        let table = CharacterTable::learn(&['马', '春'], Script::AsRead);
        assert_eq!(table.character('馬'), '馬');
    }

    #[cfg(feature = "opencc")]
    #[test]
    fn only_pairs_into_known_characters_are_kept() {
        let table = CharacterTable::learn(&['马', '春'], Script::Simplified);
        assert_eq!(
            ['馬', '鳥', '春'].map(|it| table.character(it)),
            ['马', '鳥', '春']
        );
    }

    #[cfg(feature = "pinyin")]
    #[test]
    fn a_character_may_have_several_readings() {
        let table = CharacterTable::learn(&['春', '行', 'x'], Script::AsRead);
        // The most usual reading comes first.
        assert!(table.readings('春').unwrap().starts_with("chūn"));
        assert!(table.readings('行').unwrap().contains("háng"));
        assert_eq!(table.readings('x'), None);
    }
}
