//! Phrases of one to three characters.

/// Length of the longest phrases.
pub const LONGEST: usize = 3;

/// Number of bits of a character.
const BITS: u32 = 21;

/// Phrase of one to three characters. Phrases are ordered by length, then by code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phrase(u64);

impl Phrase {
    /// Makes a phrase of at most [`LONGEST`] characters, none of which is U+0000.
    pub fn of(characters: &[char]) -> Self {
        Self(
            characters
                .iter()
                .fold(0, |phrase, &it| (phrase << BITS) | u64::from(it)),
        )
    }

    /// Characters of the phrase.
    pub fn characters(self) -> impl Iterator<Item = char> {
        let at = move |place: usize| (self.0 >> (BITS * place as u32)) as u32 & ((1 << BITS) - 1);
        let places = (0..LONGEST).rev();
        places
            .map(at)
            .filter(|&code| code != 0)
            .filter_map(char::from_u32)
    }

    /// Number of characters.
    #[allow(clippy::len_without_is_empty, reason = "no phrase is empty")]
    pub fn len(self) -> usize {
        self.characters().count()
    }
}
