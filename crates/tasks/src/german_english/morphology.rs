//! How German words change with case, gender and number.

/// The gender of a German noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gender {
    Masculine,
    Feminine,
    Neuter,
}

/// One or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Singular,
    Plural,
}

/// The cases that the language has; it does without the genitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Nominative,
    Accusative,
    Dative,
}

/// Who a finite verb agrees with. The plural has one form for all persons, as `ihr` is left out:
/// it is also `her`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    I,
    You,
    ThirdSingular,
    Plural,
}

/// What words in front of a noun agree with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) case: Case,
    pub(super) gender: Gender,
    pub(super) number: Number,
}

/// Endings by case (rows) and masculine, feminine, neuter, plural (columns).
type Endings = [[&'static str; 4]; 3];

/// The definite article itself, and relative pronouns but for the dative plural.
pub(super) const ARTICLE: Endings = [
    ["der", "die", "das", "die"],
    ["den", "die", "das", "die"],
    ["dem", "der", "dem", "den"],
];

/// `dieser`, `jeder`, `welcher`, `viele`; also adjectives with no determiner that shows the case.
pub(super) const STRONG: Endings = [
    ["er", "e", "es", "e"],
    ["en", "e", "es", "e"],
    ["em", "er", "em", "en"],
];

/// `ein`, `kein`, `mein`, …
pub(super) const EIN: Endings = [
    ["", "e", "", "e"],
    ["en", "e", "", "e"],
    ["em", "er", "em", "en"],
];

/// Adjectives after `der`, `dieser`, `jeder`, `welcher`.
pub(super) const WEAK: Endings = [
    ["e", "e", "e", "en"],
    ["en", "e", "e", "en"],
    ["en", "en", "en", "en"],
];

/// Adjectives after `ein`, `kein`, `mein`, …
pub(super) const MIXED: Endings = [
    ["er", "e", "es", "en"],
    ["en", "e", "es", "en"],
    ["en", "en", "en", "en"],
];

impl Slot {
    /// The ending for this slot.
    pub(super) fn of(self, endings: &Endings) -> &'static str {
        let column = match (self.number, self.gender) {
            (Number::Plural, _) => 3,
            (Number::Singular, Gender::Masculine) => 0,
            (Number::Singular, Gender::Feminine) => 1,
            (Number::Singular, Gender::Neuter) => 2,
        };
        endings[self.case as usize][column]
    }
}
