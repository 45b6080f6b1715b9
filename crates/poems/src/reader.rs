//! Reads texts of poems: a table of source, author, title and poem, or one poem per line.

use serde::{Deserialize, Serialize};

use crate::{Poem, Reason};

/// Numbers of poems left out while reading, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unread {
    /// Number of lines of a table that lack a column.
    pub columns: usize,
    /// Number of poems that do not have four lines.
    pub lines: usize,
    /// Number of poems with a character that is no ideograph.
    pub characters: usize,
    /// Number of poems whose lines are not all of 5 or all of 7 characters.
    pub length: usize,
}

impl Unread {
    /// Number of all poems left out.
    pub fn total(&self) -> usize {
        self.columns + self.lines + self.characters + self.length
    }

    fn add(&mut self, reason: Reason) {
        let count = match reason {
            Reason::Columns => &mut self.columns,
            Reason::Lines => &mut self.lines,
            Reason::Characters => &mut self.characters,
            Reason::Length => &mut self.length,
        };
        *count += 1;
    }

    /// Says in words how many poems were left out for each reason; reasons without poems are
    /// skipped.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        [
            (self.columns, "with fewer than four columns"),
            (self.lines, "without exactly four lines"),
            (self.characters, "with a character that is no ideograph"),
            (
                self.length,
                "whose lines are not all of 5 or all of 7 characters",
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

/// Reader that collects the poems of one text after the other.
#[derive(Clone, Debug, Default)]
pub struct PoemReader {
    pub(crate) poems: Vec<Poem>,
    unread: Unread,
}

impl PoemReader {
    /// Reads a text: a table if its first line has a tab, otherwise one poem per line. Blank lines
    /// do not count.
    pub fn read(&mut self, text: &str) {
        let is_table = text.lines().next().is_some_and(|line| line.contains('\t'));
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let poem = if is_table {
                line.split('\t').nth(3).ok_or(Reason::Columns)
            } else {
                Ok(line)
            };
            match poem.and_then(Poem::read) {
                Ok(poem) => self.poems.push(poem),
                Err(reason) => self.unread.add(reason),
            }
        }
    }

    /// Number of poems read so far.
    pub fn count(&self) -> usize {
        self.poems.len()
    }

    /// Numbers of poems left out so far.
    pub fn unread(&self) -> Unread {
        self.unread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POEM: &str = "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。";

    #[test]
    fn tables_and_plain_texts_are_told_apart() {
        let mut reader = PoemReader::default();
        reader.read(&format!(
            "tang\t王之涣\t登鹳雀楼\t{POEM}\n\ntang\t\t\t{POEM}\ntang\t{POEM}\n"
        ));
        reader.read(&format!("{POEM}\r\n{POEM}"));
        assert_eq!(reader.count(), 4);
        let unread = Unread {
            columns: 1,
            ..Unread::default()
        };
        assert_eq!(reader.unread(), unread);
    }

    #[test]
    fn reasons_are_counted() {
        let mut reader = PoemReader::default();
        reader.read("a line of prose\n白日依山尽，黄河入海流。\nab，cd，ef，gh\n一，一，一，一");
        let unread = Unread {
            columns: 0,
            lines: 1,
            characters: 2,
            length: 1,
        };
        assert_eq!(reader.unread(), Unread { lines: 1, ..unread });
        let sentences: Vec<_> = unread.sentences().collect();
        assert_eq!(sentences[0], "Left out: 1 poem without exactly four lines.");
        assert_eq!(sentences.len(), 3);
    }
}
