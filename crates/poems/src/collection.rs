//! Poems in parts: training poems have no line in common with held-out ones.

use std::collections::BTreeMap;

use ahash::AHashSet;
use serde::{Deserialize, Serialize};

use crate::{Part, Poem, PoemError, PoemReader, Script, ScriptChange, Unread, part};

/// Poems of each part, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// Poems to train on.
    pub training: Vec<Poem>,
    /// Poems by which checkpoints and settings are chosen.
    pub validation: Vec<Poem>,
    /// Poems to measure on.
    pub test: Vec<Poem>,
    /// Most frequent characters of the training part, the most frequent first; equally frequent
    /// ones are in the order of their code points.
    pub vocabulary: Vec<char>,
    /// Numbers of poems that were read and left out.
    pub counts: CollectionCounts,
}

/// Numbers of poems, from reading to the three parts. Arrays hold training, validation and test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionCounts {
    /// Poems that were left out while reading.
    pub unread: Unread,
    /// Number of poems read.
    pub read: usize,
    /// Number of different poems.
    pub distinct: usize,
    /// Number of poems of each part, before any are left out.
    pub parts: [usize; 3],
    /// Number of held-out poems that have a line in common with a training poem; 0 for training.
    pub sharing_a_line: [usize; 3],
    /// Number of poems with a character outside the vocabulary.
    pub outside_vocabulary: [usize; 3],
}

impl CollectionCounts {
    /// Says in words how many poems were left out of the parts, and why.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let sum = |parts: [usize; 3]| parts.into_iter().sum::<usize>();
        [
            (self.read - self.distinct, "repeated"),
            (
                sum(self.sharing_a_line),
                "held out, with a line of a training poem",
            ),
            (
                sum(self.outside_vocabulary),
                "with a character outside the vocabulary",
            ),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, which)| {
            let poems = if count == 1 { "poem" } else { "poems" };
            format!("Left out: {count} {poems} {which}.")
        })
    }
}

/// Converts a poem to its script.
fn converted(poem: &Poem, change: &ScriptChange) -> Poem {
    let line = |line: &[char]| change.convert(&line.iter().collect::<String>());
    let text: Vec<String> = poem.lines().map(line).collect();
    // Tables map one character to one; a poem that conversion makes uneven stays as it is.
    Poem::read(&text.join("，")).unwrap_or_else(|_| poem.clone())
}

/// Selection of poems for a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Script of the poems.
    pub script: Script,
    /// Number of characters of which poems may consist, the most frequent ones of the training
    /// part.
    pub vocabulary: usize,
    /// Length of the lines; `None` for both lengths.
    pub length: Option<usize>,
    /// Largest number of training poems, chosen by the lowest hash; `None` for all.
    pub training: Option<usize>,
    /// Largest number of validation poems, and of test poems; `None` for all.
    pub held_out: Option<usize>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            script: Script::Simplified,
            vocabulary: 6000,
            length: None,
            training: None,
            held_out: None,
        }
    }
}

/// Hash of a poem as read, and the poem in its script.
type Hashed = (u64, Poem);

impl Collection {
    /// Divides poems into parts. Repeated poems are dropped, and the hash of a poem as read decides
    /// its part. Then held-out poems that share a line with a training poem are dropped, and all
    /// poems with a character outside the most frequent ones of the training part. From the rest
    /// the selection takes a length and a number.
    ///
    /// # Errors
    /// If there is no poem, a part is left empty, or the script is not available in this program.
    pub fn new(reader: PoemReader, selection: &Selection) -> Result<Self, PoemError> {
        let change = ScriptChange::new(selection.script)?;
        let unread = reader.unread();
        if reader.poems.is_empty() {
            return Err(PoemError::NoPoem { unread });
        }
        let mut counts = CollectionCounts {
            unread,
            read: reader.count(),
            ..CollectionCounts::default()
        };
        let mut parts: [Vec<Hashed>; 3] = Default::default();
        let mut seen = AHashSet::new();
        for read in reader.poems {
            let poem = converted(&read, &change);
            if seen.insert(poem.clone()) {
                let hash = part::hash(&read);
                parts[Part::of_hash(hash) as usize].push((hash, poem));
            }
        }
        counts.distinct = seen.len();
        drop(seen);
        counts.parts = parts.each_ref().map(Vec::len);
        let [training, held_out @ ..] = &mut parts;
        let trained: AHashSet<&[char]> = training.iter().flat_map(|it| it.1.lines()).collect();
        for (part, count) in held_out.iter_mut().zip(&mut counts.sharing_a_line[1..]) {
            *count = drop_where(part, |poem| poem.lines().any(|line| trained.contains(line)));
        }
        drop(trained);
        let vocabulary = most_frequent(&parts[0], selection.vocabulary);
        let known: AHashSet<char> = vocabulary.iter().copied().collect();
        let is_known = |character: &char| known.contains(character);
        for (part, count) in parts.iter_mut().zip(&mut counts.outside_vocabulary) {
            *count = drop_where(part, |poem| !poem.characters().iter().all(is_known));
        }
        let most = [selection.training, selection.held_out, selection.held_out];
        let names = [Part::Training, Part::Validation, Part::Test];
        for ((part, most), name) in parts.iter_mut().zip(most).zip(names) {
            let of_all_lengths = part.len();
            part.retain(|(_, poem)| selection.length.is_none_or(|it| it == poem.length()));
            keep_lowest(part, most);
            if part.is_empty() {
                return Err(PoemError::EmptyPart {
                    read: counts.read,
                    part: name.name(),
                    other_length: selection
                        .length
                        .filter(|_| of_all_lengths > 0)
                        .map(|length| (length, of_all_lengths)),
                });
            }
        }
        let [training, validation, test] =
            parts.map(|part| part.into_iter().map(|(_, poem)| poem).collect());
        Ok(Self {
            training,
            validation,
            test,
            vocabulary,
            counts,
        })
    }
}

/// Keeps the `most` poems with the lowest hashes, in their order.
fn keep_lowest(poems: &mut Vec<Hashed>, most: Option<usize>) {
    if let Some(most) = most.filter(|&most| most < poems.len()) {
        let mut hashes: Vec<u64> = poems.iter().map(|it| it.0).collect();
        hashes.sort_unstable();
        let first_left_out = hashes[most];
        poems.retain(|it| it.0 < first_left_out);
    }
}

/// Drops the poems for which `is_out` holds, and returns their number.
fn drop_where(poems: &mut Vec<Hashed>, is_out: impl Fn(&Poem) -> bool) -> usize {
    let before = poems.len();
    poems.retain(|(_, poem)| !is_out(poem));
    before - poems.len()
}

/// Most frequent characters; of equally frequent ones the lower code point comes first.
fn most_frequent(poems: &[Hashed], most: usize) -> Vec<char> {
    let mut counts = BTreeMap::new();
    for &character in poems.iter().flat_map(|it| it.1.characters()) {
        *counts.entry(character).or_insert(0_u64) += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
        .into_iter()
        .take(most)
        .map(|(character, _)| character)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Generates poems whose lines consist of a few characters, each poem different.
    fn poems(count: u32) -> PoemReader {
        let ideograph = |number: u32| char::from_u32(0x4e00 + number).unwrap();
        let line = |poem: u32, line: u32| -> String {
            let number = poem * 4 + line;
            let places = (0..5).map(|place| number / 6_u32.pow(place) % 6);
            places.map(ideograph).collect()
        };
        let poem = |poem| {
            (0..4)
                .map(|it| line(poem, it))
                .collect::<Vec<_>>()
                .join("，")
        };
        let mut reader = PoemReader::default();
        reader.read(&(0..count).map(poem).collect::<Vec<_>>().join("\n"));
        reader
    }

    fn as_read() -> Selection {
        Selection {
            script: Script::AsRead,
            ..Selection::default()
        }
    }

    #[test]
    fn where_no_poem_has_lines_of_the_asked_length_both_lengths_are_named() {
        let selection = Selection {
            length: Some(7),
            ..as_read()
        };
        let error = Collection::new(poems(1500), &selection).err().unwrap();
        let told = error.to_string();
        assert!(
            told.contains("lines of 7 characters are asked for") && told.contains("lines of 5"),
            "{told}"
        );
    }

    #[test]
    fn no_held_out_line_is_trained_on() {
        let mut reader = poems(1500);
        // Each line of a new poem is taken from another poem.
        let lines = |at: usize| reader.poems[at * 7].line(at % 4).iter().collect::<String>();
        let centos = (0..200).map(|it| [0, 1, 2, 3].map(|place| lines(it + place)).join("，"));
        let centos: Vec<String> = centos.collect();
        reader.read(&centos.join("\n"));
        let collection = Collection::new(reader, &as_read()).unwrap();
        let trained: AHashSet<&[char]> = collection.training.iter().flat_map(Poem::lines).collect();
        let held_out = collection.validation.iter().chain(&collection.test);
        assert!(
            held_out
                .flat_map(Poem::lines)
                .all(|line| !trained.contains(line))
        );
        assert!(collection.counts.sharing_a_line.iter().sum::<usize>() > 0);
        assert_eq!(collection.counts.sharing_a_line[0], 0);
    }

    #[test]
    fn a_selection_takes_the_lowest_hashes() {
        let all = Collection::new(poems(1500), &as_read()).unwrap();
        let selection = Selection {
            training: Some(100),
            held_out: Some(3),
            ..as_read()
        };
        let some = Collection::new(poems(1500), &selection).unwrap();
        assert_eq!(some.training.len(), 100);
        assert_eq!([some.validation.len(), some.test.len()], [3, 3]);
        let highest = some.training.iter().map(part::hash).max().unwrap();
        let lower = all.training.iter().filter(|it| part::hash(it) <= highest);
        assert!(lower.eq(&some.training));
    }

    #[test]
    fn nothing_to_learn_from_is_told() {
        let refused = |reader, selection: &Selection| {
            Collection::new(reader, selection).unwrap_err().to_string()
        };
        let none = refused(PoemReader::default(), &as_read());
        assert!(none.starts_with("there is no quatrain"), "{none}");
        let few = refused(poems(3), &as_read());
        assert!(few.contains("none is left for"), "{few}");
        let long = Selection {
            length: Some(7),
            ..as_read()
        };
        assert!(refused(poems(1500), &long).contains("training"));
    }
}
