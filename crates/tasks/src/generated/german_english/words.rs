//! Adjectives, pronouns, adverbs, prepositions and modal verbs.

use super::morphology::{Agreement, Case};
use super::nouns::{
    ANIMAL, CLOTHES, DRINK, FOOD, Kinds, LANDMARK, LARGE, OPENING, PERSON, PLACE, TEXT, THING,
};

/// An adjective in both languages.
#[derive(Debug)]
pub(super) struct Adjective {
    /// German form after `ist`.
    pub(super) german: &'static str,
    /// German stem to which endings are added.
    pub(super) stem: &'static str,
    pub(super) english: &'static str,
    /// Kinds of nouns that the adjective can describe.
    pub(super) kinds: Kinds,
    /// True for a passing state: a person is often tired, but not often old.
    pub(super) passes: bool,
}

const fn adjective(german: &'static str, english: &'static str, kinds: Kinds) -> Adjective {
    Adjective {
        german,
        stem: german,
        english,
        kinds,
        passes: false,
    }
}

impl Adjective {
    const fn stem(self, stem: &'static str) -> Self {
        Self { stem, ..self }
    }

    const fn passes(self) -> Self {
        Self {
            passes: true,
            ..self
        }
    }
}

/// Kinds of tangible things of any use.
const OBJECT: Kinds = THING | CLOTHES | LARGE | OPENING | LANDMARK;

/// Kinds of beings that can feel.
const BEING: Kinds = PERSON | ANIMAL;

#[rustfmt::skip]
pub(super) static ADJECTIVES: [Adjective; 17] = [
    adjective("alt", "old", BEING | TEXT | OBJECT | PLACE),
    adjective("neu", "new", TEXT | OBJECT),
    adjective("gut", "good", PERSON | TEXT | FOOD | DRINK),
    adjective("schön", "beautiful", ANIMAL | TEXT | OBJECT | PLACE),
    adjective("klein", "small", BEING | OBJECT | PLACE),
    adjective("groß", "big", ANIMAL | OBJECT | PLACE),
    adjective("jung", "young", BEING),
    adjective("müde", "tired", BEING).stem("müd").passes(),
    adjective("krank", "sick", BEING).passes(),
    adjective("klug", "clever", BEING),
    adjective("glücklich", "happy", BEING).passes(),
    adjective("traurig", "sad", BEING | TEXT).passes(),
    adjective("teuer", "expensive", OBJECT).stem("teur"),
    adjective("rot", "red", OBJECT),
    adjective("blau", "blue", OBJECT),
    adjective("frisch", "fresh", FOOD | DRINK),
    adjective("kalt", "cold", FOOD | DRINK | PLACE),
];

/// A personal or interrogative pronoun in both languages.
#[derive(Debug)]
pub(super) struct Pronoun {
    pub(super) agreement: Agreement,
    /// German forms by case; empty if a form would have several translations.
    pub(super) german: [&'static str; 3],
    /// English forms as subject and as object.
    pub(super) english: [&'static str; 2],
}

const fn pronoun(
    agreement: Agreement,
    german: [&'static str; 3],
    english: [&'static str; 2],
) -> Pronoun {
    Pronoun {
        agreement,
        german,
        english,
    }
}

/// Personal pronouns. As an object, `sie` is left out, because it means both `her` and `them`.
pub(super) static PRONOUNS: [Pronoun; 6] = [
    pronoun(Agreement::I, ["ich", "mich", "mir"], ["i", "me"]),
    pronoun(Agreement::You, ["du", "dich", "dir"], ["you", "you"]),
    pronoun(
        Agreement::ThirdSingular,
        ["er", "ihn", "ihm"],
        ["he", "him"],
    ),
    pronoun(Agreement::ThirdSingular, ["sie", "", "ihr"], ["she", "her"]),
    pronoun(Agreement::Plural, ["wir", "uns", "uns"], ["we", "us"]),
    pronoun(Agreement::Plural, ["sie", "", "ihnen"], ["they", "them"]),
];

pub(super) static WHO: Pronoun = pronoun(
    Agreement::ThirdSingular,
    ["wer", "wen", "wem"],
    ["who", "who"],
);
pub(super) static WHAT: Pronoun = pronoun(Agreement::ThirdSingular, ["", "was", ""], ["", "what"]);
pub(super) static IT: Pronoun = pronoun(Agreement::ThirdSingular, ["es", "", ""], ["it", ""]);

/// The pronoun `das` for one thing, and for several.
pub(super) static THIS: [Pronoun; 2] = [
    pronoun(Agreement::ThirdSingular, ["das", "", ""], ["this", ""]),
    pronoun(Agreement::Plural, ["das", "", ""], ["these", ""]),
];

/// Position of an adverb in English; in German all adverbs come before the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdverbPlace {
    /// Adverb at the end of the clause: today.
    End,
    /// Adverb at the verb: often.
    Verb,
}

/// An adverb of time in both languages, of one or several words.
#[derive(Debug)]
pub(super) struct Adverb {
    pub(super) german: &'static str,
    pub(super) english: &'static str,
    pub(super) place: AdverbPlace,
    /// True if the adverb can begin a sentence.
    pub(super) fronts: bool,
    /// Set of the times that agree with the adverb.
    pub(super) times: u8,
}

pub(super) const NOW: u8 = 1;
pub(super) const PAST: u8 = 1 << 1;
pub(super) const LATER: u8 = 1 << 2;

const fn at_end(german: &'static str, english: &'static str, times: u8) -> Adverb {
    Adverb {
        german,
        english,
        place: AdverbPlace::End,
        fronts: true,
        times,
    }
}

const fn at_verb(german: &'static str, english: &'static str, fronts: bool) -> Adverb {
    Adverb {
        german,
        english,
        place: AdverbPlace::Verb,
        fronts,
        times: NOW | PAST,
    }
}

pub(super) static ADVERBS: [Adverb; 13] = [
    at_end("heute", "today", NOW | PAST | LATER),
    at_end("gestern", "yesterday", PAST),
    at_end("morgen", "tomorrow", LATER),
    at_end("jetzt", "now", NOW | LATER),
    at_end("am morgen", "in the morning", NOW | PAST | LATER),
    at_end("am abend", "in the evening", NOW | PAST | LATER),
    at_end("im sommer", "in the summer", NOW | PAST | LATER),
    at_end("im winter", "in the winter", NOW | PAST | LATER),
    at_verb("oft", "often", false),
    at_verb("manchmal", "sometimes", true),
    at_verb("immer", "always", false),
    at_verb("selten", "rarely", false),
    at_verb("nie", "never", false),
];

/// A preposition in both languages, and the case that it governs in German.
#[derive(Debug)]
pub(super) struct Preposition {
    pub(super) german: &'static str,
    pub(super) english: &'static str,
    pub(super) case: Case,
}

const fn preposition(german: &'static str, english: &'static str, case: Case) -> Preposition {
    Preposition {
        german,
        english,
        case,
    }
}

pub(super) static IN: Preposition = preposition("in", "in", Case::Dative);
pub(super) static INTO: Preposition = preposition("in", "into", Case::Accusative);
pub(super) static TO: Preposition = preposition("zu", "to", Case::Dative);
pub(super) static WITH: Preposition = preposition("mit", "with", Case::Dative);
pub(super) static FOR: Preposition = preposition("für", "for", Case::Accusative);
pub(super) static WITHOUT: Preposition = preposition("ohne", "without", Case::Accusative);
/// Prepositions for places where things lie.
pub(super) static ON_OR_UNDER: [Preposition; 2] = [
    preposition("auf", "on", Case::Dative),
    preposition("unter", "under", Case::Dative),
];
/// Prepositions for places where things stand.
pub(super) static BESIDE: [Preposition; 3] = [
    preposition("neben", "beside", Case::Dative),
    preposition("hinter", "behind", Case::Dative),
    preposition("vor", "in front of", Case::Dative),
];

/// Contractions: preposition, definite article after it, and the contracted word.
pub(super) const CONTRACTIONS: [(&str, &str, &str); 4] = [
    ("in", "dem", "im"),
    ("in", "das", "ins"),
    ("zu", "dem", "zum"),
    ("zu", "der", "zur"),
];

/// A verb with an infinitive; includes `werden` for the future.
#[derive(Debug)]
pub(super) struct Modal {
    /// German forms by agreement.
    pub(super) german: [&'static str; 4],
    pub(super) english: EnglishModal,
}

/// English form of a modal verb.
#[derive(Debug)]
pub(super) enum EnglishModal {
    /// An auxiliary with its only form.
    Auxiliary(&'static str),
    /// A verb with `to`: base form and third person.
    Verb(&'static str, &'static str),
}

const fn modal(german: [&'static str; 4], english: EnglishModal) -> Modal {
    Modal { german, english }
}

pub(super) static MODALS: [Modal; 6] = [
    modal(
        ["kann", "kannst", "kann", "können"],
        EnglishModal::Auxiliary("can"),
    ),
    modal(
        ["soll", "sollst", "soll", "sollen"],
        EnglishModal::Auxiliary("should"),
    ),
    modal(
        ["darf", "darfst", "darf", "dürfen"],
        EnglishModal::Auxiliary("may"),
    ),
    modal(
        ["werde", "wirst", "wird", "werden"],
        EnglishModal::Auxiliary("will"),
    ),
    modal(
        ["will", "willst", "will", "wollen"],
        EnglishModal::Verb("want", "wants"),
    ),
    modal(
        ["muss", "musst", "muss", "müssen"],
        EnglishModal::Verb("have", "has"),
    ),
];

/// `haben`, by agreement.
pub(super) const HAVE: [&str; 4] = ["habe", "hast", "hat", "haben"];
/// `sein`, by agreement.
pub(super) const BE: [&str; 4] = ["bin", "bist", "ist", "sind"];
/// `sein` in the past, by agreement.
pub(super) const WAS: [&str; 4] = ["war", "warst", "war", "waren"];
/// `be`, by agreement.
pub(super) const ENGLISH_BE: [&str; 4] = ["am", "are", "is", "are"];
/// `be` in the past, by agreement.
pub(super) const ENGLISH_WAS: [&str; 4] = ["was", "were", "was", "were"];
