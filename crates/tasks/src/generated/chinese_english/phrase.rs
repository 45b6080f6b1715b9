//! Pronouns, and nouns with determiner, number, classifier and adjectives.

use super::words::{ADJECTIVES, COLOURS, Kinds, NOUNS, NUMBERS, Noun, PRONOUNS};
use crate::random::Random;

/// Person and number with which the English verb agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    First,
    Third,
    /// Plural, and `you` in the singular.
    Other,
}

impl Agreement {
    /// Returns the form of `be` that agrees.
    pub(super) fn be(self) -> &'static str {
        match self {
            Self::First => "am",
            Self::Third => "is",
            Self::Other => "are",
        }
    }
}

/// A pronoun or noun phrase in both languages.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    pub(super) chinese: String,
    /// English phrase as a subject.
    pub(super) english: String,
    /// English phrase as an object.
    pub(super) object: String,
    pub(super) agreement: Agreement,
    pub(super) kind: Kinds,
}

/// Definiteness of a noun phrase: subjects are definite, and so are objects after `把`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Definite: `这`, `那`, or a possessor.
    Only,
    /// Definite or indefinite: a number and `一` as well.
    OrNot,
}

/// Draws a pronoun.
pub(super) fn pronoun(random: &mut Random) -> Phrase {
    let [chinese, english, object, _] = *random.pick(PRONOUNS);
    Phrase {
        chinese: chinese.to_owned(),
        english: english.to_owned(),
        object: object.to_owned(),
        agreement: match english {
            "i" => Agreement::First,
            "he" | "she" => Agreement::Third,
            _ => Agreement::Other,
        },
        kind: super::words::PERSON,
    }
}

/// Draws a noun of these kinds with a determiner or number, and sometimes with an adjective.
pub(super) fn noun(random: &mut Random, kinds: Kinds, known: Known) -> Phrase {
    let noun = random.one_of(NOUNS, |noun| noun.kind & kinds != 0);
    let (chinese_adjective, english_adjective) = adjective(random, noun);
    let measure = noun.measure;
    let number = random.pick(NUMBERS);
    let owner = random.pick(PRONOUNS);
    // With `Only`, the indefinite phrases have weight 0.
    let open = u32::from(known == Known::OrNot);
    let (before, english, many) = match random.weighted(&[3, 3, 4, 1, 1, 5 * open, 3 * open]) {
        0 => (format!("这 {measure}"), "this".to_owned(), false),
        1 => (format!("那 {measure}"), "that".to_owned(), false),
        2 => (format!("{} 的", owner[0]), owner[3].to_owned(), false),
        3 => (
            format!("这 {} {measure}", number.0),
            format!("these {}", number.1),
            true,
        ),
        4 => (
            format!("那 {} {measure}", number.0),
            format!("those {}", number.1),
            true,
        ),
        5 => {
            let next = if english_adjective.is_empty() {
                noun.english
            } else {
                english_adjective
            };
            (format!("一 {measure}"), article(next).to_owned(), false)
        }
        _ => (format!("{} {measure}", number.0), number.1.to_owned(), true),
    };
    let english_noun = if many { noun.plural } else { noun.english };
    let adjective = match chinese_adjective {
        "" => String::new(),
        // `我 的 红 的 车` would have `的` twice.
        word if before.ends_with('的') => word.to_owned(),
        word => format!("{word} 的"),
    };
    let english = words(&[&english, english_adjective, english_noun]);
    Phrase {
        chinese: words(&[&before, &adjective, noun.chinese]),
        object: english.clone(),
        english,
        agreement: if many {
            Agreement::Other
        } else {
            Agreement::Third
        },
        kind: noun.kind,
    }
}

/// Draws a phrase for the person who acts.
pub(super) fn subject(random: &mut Random) -> Phrase {
    if random.chance(55) {
        pronoun(random)
    } else {
        noun(random, super::words::PERSON, Known::Only)
    }
}

/// Draws a phrase for the object of an action.
pub(super) fn object(random: &mut Random, kinds: Kinds) -> Phrase {
    if kinds & super::words::PERSON != 0 && random.chance(30) {
        pronoun(random)
    } else {
        noun(random, kinds, Known::OrNot)
    }
}

fn adjective(random: &mut Random, noun: &Noun) -> (&'static str, &'static str) {
    let described = noun.is_described && random.chance(30);
    if !described {
        return ("", "");
    }
    let coloured = noun.kind & (super::words::CLOTHES | super::words::VEHICLE) != 0;
    if coloured && random.chance(50) {
        return *random.pick(COLOURS);
    }
    let adjective = random.one_of(ADJECTIVES, |it| it.kinds & noun.kind != 0);
    (adjective.chinese, adjective.english)
}

fn article(next: &str) -> &'static str {
    if next.starts_with(['a', 'e', 'i', 'o', 'u']) && !next.starts_with("us") {
        "an"
    } else {
        "a"
    }
}

/// Joins the parts that are not empty with spaces.
pub(super) fn words(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|it| !it.is_empty()).collect();
    parts.join(" ")
}
