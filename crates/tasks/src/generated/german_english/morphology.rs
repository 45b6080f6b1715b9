//! Inflection of German words by case, gender and number.

/// Gender of a German noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gender {
    Masculine,
    Feminine,
    Neuter,
}

/// Singular or plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Singular,
    Plural,
}

/// Cases of the toy language, which has no genitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Nominative,
    Accusative,
    Dative,
}

/// Person and number with which a finite verb agrees. The plural has one form for all persons,
/// because the pronoun `ihr` is left out: it also means `her`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    I,
    You,
    ThirdSingular,
    Plural,
}

/// Case, gender and number with which determiner and adjective agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) case: Case,
    pub(super) gender: Gender,
    pub(super) number: Number,
}

/// Endings by case (rows) and by masculine, feminine, neuter, plural (columns).
type Endings = [[&'static str; 4]; 3];

/// Forms of the definite article, and of relative pronouns except the dative plural.
pub(super) const ARTICLE: Endings = [
    ["der", "die", "das", "die"],
    ["den", "die", "das", "die"],
    ["dem", "der", "dem", "den"],
];

/// Endings of `dieser`, `jeder`, `welcher`, `viele`, and of adjectives if no determiner shows the
/// case.
pub(super) const STRONG: Endings = [
    ["er", "e", "es", "e"],
    ["en", "e", "es", "e"],
    ["em", "er", "em", "en"],
];

/// Endings of `ein`, `kein`, `mein`, …
pub(super) const EIN: Endings = [
    ["", "e", "", "e"],
    ["en", "e", "", "e"],
    ["em", "er", "em", "en"],
];

/// Endings of adjectives after `der`, `dieser`, `jeder`, `welcher`.
pub(super) const WEAK: Endings = [
    ["e", "e", "e", "en"],
    ["en", "e", "e", "en"],
    ["en", "en", "en", "en"],
];

/// Endings of adjectives after `ein`, `kein`, `mein`, …
pub(super) const MIXED: Endings = [
    ["er", "e", "es", "en"],
    ["en", "e", "es", "en"],
    ["en", "en", "en", "en"],
];

impl Slot {
    /// Returns the ending for this case, gender and number.
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
