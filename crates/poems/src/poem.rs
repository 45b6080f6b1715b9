//! Quatrains and their text.

use std::slice::Chunks;

/// Number of lines of a quatrain.
pub const LINES: usize = 4;

/// Lengths that the lines of a poem can have, in characters.
pub const LENGTHS: [usize; 2] = [5, 7];

/// Reason why a line of a file is not read as a poem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Line of a table with fewer than four columns.
    Columns,
    /// Poem that does not have four lines.
    Lines,
    /// Character that is no ideograph.
    Characters,
    /// Lines that are not all of 5 or all of 7 characters.
    Length,
}

/// Quatrain: four lines, all of 5 or all of 7 ideographs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Poem {
    /// Characters of the lines, one line after the other.
    characters: Box<[char]>,
}

impl Poem {
    /// Reads a poem from its text, which is split at punctuation and white space.
    ///
    /// # Errors
    /// The reason why the text is no quatrain.
    pub fn read(text: &str) -> Result<Self, Reason> {
        let cut = |character: char| character.is_whitespace() || MARKS.contains(character);
        let lines: Vec<&str> = text.split(cut).filter(|line| !line.is_empty()).collect();
        if lines.len() != LINES {
            return Err(Reason::Lines);
        }
        let characters: Box<[char]> = lines.iter().flat_map(|line| line.chars()).collect();
        if !characters.iter().copied().all(is_ideograph) {
            return Err(Reason::Characters);
        }
        let length = characters.len() / LINES;
        let is_even = lines.iter().all(|line| line.chars().count() == length);
        if is_even && LENGTHS.contains(&length) {
            Ok(Self { characters })
        } else {
            Err(Reason::Length)
        }
    }

    /// Number of characters of each line: 5 or 7.
    pub fn length(&self) -> usize {
        self.characters.len() / LINES
    }

    /// Characters of all lines.
    pub fn characters(&self) -> &[char] {
        &self.characters
    }

    /// Line of this index, counted from 0.
    pub fn line(&self, index: usize) -> &[char] {
        let length = self.length();
        &self.characters[index * length..(index + 1) * length]
    }

    /// Iterates over the four lines.
    pub fn lines(&self) -> Chunks<'_, char> {
        self.characters.chunks(self.length())
    }
}

/// Punctuation marks at which a poem is split, also in their ASCII forms.
const MARKS: &str = "，。！？；、：,.!?;:";

/// True for Chinese characters.
pub fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_poem_is_cut_at_any_mark() {
        let one = Poem::read("白日依山尽，黄河入海流。欲穷千里目，更上一层楼。").unwrap();
        let other = Poem::read("白日依山尽 黄河入海流\t欲穷千里目;更上一层楼!?").unwrap();
        assert_eq!(one, other);
        assert_eq!(one.length(), 5);
        assert_eq!(one.line(3).iter().collect::<String>(), "更上一层楼");
        assert_eq!(one.lines().count(), 4);
    }

    #[test]
    fn what_is_no_quatrain_has_its_reason() {
        let reason = |text| Poem::read(text).unwrap_err();
        assert_eq!(reason(""), Reason::Lines);
        assert_eq!(reason("白日依山尽，黄河入海流。"), Reason::Lines);
        let latin = "白日依山尽，黄河入海流。欲穷千里目，更上one楼。";
        assert_eq!(reason(latin), Reason::Characters);
        let lost = "白日依山尽，黄河入海流。欲穷千里目，更上□层楼。";
        assert_eq!(reason(lost), Reason::Characters);
        let uneven = "白日依山尽，黄河入海流远。欲穷千里目，更上层楼。";
        assert_eq!(reason(uneven), Reason::Length);
        let six = "白日依山尽处，黄河入海流远，欲穷千里目远，更上一层高楼";
        assert_eq!(reason(six), Reason::Length);
    }
}
