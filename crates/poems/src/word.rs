//! Words of one or two characters, into which poems are split.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Characters that no keyword may contain: particles, pronouns, auxiliaries, numbers.
const STOP: &str = "一不无有何谁如是此其之而以于与为则乃且若也矣者所已未莫须应可能欲得更还又却只但惟唯岂犹尚曾从自向似将把被教令使即便都皆亦那这个吾我尔汝的了";

/// Word of one or two characters. Words are ordered by code points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Word {
    first: char,
    second: Option<char>,
}

impl Word {
    /// Makes a word of one character.
    pub fn one(character: char) -> Self {
        Self {
            first: character,
            second: None,
        }
    }

    /// Makes a word of two characters.
    pub fn two(first: char, second: char) -> Self {
        Self {
            first,
            second: Some(second),
        }
    }

    /// Makes a word of a text; `None` unless the text has one or two characters.
    pub fn of(text: &str) -> Option<Self> {
        let mut characters = text.chars();
        let (first, second) = (characters.next()?, characters.next());
        characters
            .next()
            .is_none()
            .then_some(Self { first, second })
    }

    /// Characters of the word.
    pub fn characters(self) -> impl Iterator<Item = char> {
        std::iter::once(self.first).chain(self.second)
    }

    /// True if the word has two characters.
    pub fn is_two(self) -> bool {
        self.second.is_some()
    }

    /// True if the word can be a keyword: it contains no stop character.
    pub fn is_candidate(self) -> bool {
        !self.characters().any(|character| STOP.contains(character))
    }

    /// True if both words have a character in common.
    pub fn shares_a_character(self, other: Self) -> bool {
        self.characters()
            .any(|character| other.characters().any(|it| it == character))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.characters()
            .try_for_each(|character| write!(formatter, "{character}"))
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl From<Word> for String {
    fn from(word: Word) -> Self {
        word.to_string()
    }
}

impl TryFrom<String> for Word {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::of(&text).ok_or("a word has one or two characters")
    }
}
