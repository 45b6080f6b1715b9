//! Letters: the spelling of accents, and scripts without spaces.

use unicode_normalization::char::{compose, decompose_canonical};

/// Unicode forms of the letters with accents in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spelling {
    /// True if some letters are one character each (NFC): U+00E9.
    pub composed: bool,
    /// True if some letters are a base letter and an accent (NFD): e, U+0301.
    pub decomposed: bool,
}

impl Spelling {
    /// Finds the forms in a text; both are false if the text has no letters with accents.
    pub fn of(text: &str) -> Self {
        let mut spelling = Self::default();
        let mut before = None;
        for character in text.chars() {
            if !character.is_ascii() {
                let joins = |before| compose(before, character).is_some();
                spelling.decomposed |= before.is_some_and(joins);
                let mut parts = 0;
                decompose_canonical(character, |_| parts += 1);
                spelling.composed |= parts > 1;
            }
            before = Some(character);
        }
        spelling
    }
}

/// A script that is written without spaces between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unspaced {
    /// Chinese characters, also in Japanese.
    Han,
    /// Hiragana and Katakana.
    Kana,
    /// Thai, Lao, Tibetan, Burmese or Khmer.
    Southern,
}

impl Unspaced {
    /// Returns the script without spaces to which a character belongs, if any.
    pub fn of(character: char) -> Option<Self> {
        match character {
            '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Some(Self::Southern),
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Some(Self::Kana),
            '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Some(Self::Han),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_letter_are_told_apart() {
        let spelling = |text| {
            let Spelling {
                composed,
                decomposed,
            } = Spelling::of(text);
            (composed, decomposed)
        };
        assert_eq!(spelling("caf\u{e9}"), (true, false));
        assert_eq!(spelling("cafe\u{301}"), (false, true));
        assert_eq!(spelling("\u{e9} e\u{301}"), (true, true));
        // Vietnamese with two accents, Korean in letters, Japanese with its mark.
        assert_eq!(spelling("\u{1ebf}"), (true, false));
        assert_eq!(spelling("\u{1112}\u{1161}\u{11ab}"), (false, true));
        assert_eq!(spelling("\u{304b}\u{3099}"), (false, true));
        for text in ["", "cafe", "我喜欢", "ß", "हिन्दी", "x\u{301}"] {
            assert_eq!(spelling(text), (false, false), "{text}");
        }
    }
}
