//! Noun phrases, and their wording in both languages.

use super::morphology::{ARTICLE, Agreement, Case, EIN, MIXED, Number, STRONG, Slot, WEAK};
use super::nouns::Noun;
use super::words::{Adjective, CONTRACTIONS, Preposition, Pronoun};

/// Words separated by spaces.
#[derive(Debug, Default)]
pub(super) struct Text(pub(super) String);

impl Text {
    /// Appends a word or several words; an empty string adds nothing.
    pub(super) fn say(&mut self, word: &str) {
        if !word.is_empty() {
            if !self.0.is_empty() {
                self.0.push(' ');
            }
            self.0.push_str(word);
        }
    }
}

/// Determiner of a noun phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Determiner {
    /// No determiner: for mass nouns and indefinite plurals.
    Bare,
    Definite,
    Indefinite,
    /// `kein`, which negates the clause.
    No,
    /// Possessive, in German and English: `mein`, `my`.
    Possessive(&'static str, &'static str),
    This,
    Every,
    Which,
    Many,
    /// Number, in German and English: `zwei`, `two`.
    Count(&'static str, &'static str),
}

impl Determiner {
    /// Returns the German determiner, and the ending of an adjective after it.
    fn german(self, slot: Slot) -> (String, &'static str) {
        let inflected = |stem: &str, endings| [stem, slot.of(endings)].concat();
        match self {
            Self::Bare => (String::new(), slot.of(&STRONG)),
            Self::Definite => (slot.of(&ARTICLE).to_owned(), slot.of(&WEAK)),
            Self::Indefinite => (inflected("ein", &EIN), slot.of(&MIXED)),
            Self::No => (inflected("kein", &EIN), slot.of(&MIXED)),
            Self::Possessive(stem, _) => (inflected(stem, &EIN), slot.of(&MIXED)),
            Self::This => (inflected("dies", &STRONG), slot.of(&WEAK)),
            Self::Every => (inflected("jed", &STRONG), slot.of(&WEAK)),
            Self::Which => (inflected("welch", &STRONG), slot.of(&WEAK)),
            Self::Many => (inflected("viel", &STRONG), slot.of(&STRONG)),
            Self::Count(word, _) => (word.to_owned(), slot.of(&STRONG)),
        }
    }

    /// Returns the English determiner before the word `next`.
    fn english(self, number: Number, is_mass: bool, next: &str) -> &'static str {
        let article = if next.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        match self {
            Self::Bare => "",
            Self::Definite => "the",
            Self::No if number == Number::Plural || is_mass => "any",
            Self::Indefinite | Self::No => article,
            Self::Possessive(_, word) | Self::Count(_, word) => word,
            Self::This if number == Number::Plural => "these",
            Self::This => "this",
            Self::Every => "every",
            Self::Which => "which",
            Self::Many => "many",
        }
    }

    /// True if the determiner is definite, so that a negation concerns the verb.
    pub(super) fn is_known(self) -> bool {
        matches!(self, Self::Definite | Self::Possessive(..) | Self::This)
    }
}

/// A noun with its determiner and adjective.
#[derive(Clone, Debug)]
pub(super) struct NounPhrase {
    pub(super) determiner: Determiner,
    pub(super) adjective: Option<&'static Adjective>,
    pub(super) noun: &'static Noun,
    pub(super) number: Number,
}

impl NounPhrase {
    pub(super) fn slot(&self, case: Case) -> Slot {
        Slot {
            case,
            gender: self.noun.gender,
            number: self.number,
        }
    }

    /// True if nominative and accusative of the determiner differ, as for `der`.
    pub(super) fn shows_accusative(&self) -> bool {
        let of = |case| self.determiner.german(self.slot(case)).0;
        of(Case::Nominative) != of(Case::Accusative)
    }

    fn german(&self, case: Case, after: Option<&Preposition>, text: &mut Text) {
        let slot = self.slot(case);
        let (determiner, ending) = self.determiner.german(slot);
        let contraction = after.and_then(|preposition| {
            let parts = (preposition.german, determiner.as_str());
            CONTRACTIONS
                .iter()
                .find(|(before, article, _)| (*before, *article) == parts)
        });
        match (contraction, after) {
            (Some((_, _, contracted)), _) => text.say(contracted),
            (None, preposition) => {
                text.say(preposition.map_or("", |preposition| preposition.german));
                text.say(&determiner);
            }
        }
        if let Some(adjective) = self.adjective {
            text.say(&[adjective.stem, ending].concat());
        }
        let noun = self.noun.german[self.number as usize];
        text.say(noun);
        if case == Case::Dative && self.number == Number::Plural && !noun.ends_with(['n', 's']) {
            text.0.push('n');
        }
    }

    fn english(&self, text: &mut Text) {
        let noun = self.noun.english[self.number as usize];
        let next = self.adjective.map_or(noun, |adjective| adjective.english);
        text.say(
            self.determiner
                .english(self.number, self.noun.is_mass(), next),
        );
        text.say(self.adjective.map_or("", |adjective| adjective.english));
        text.say(noun);
    }
}

/// A subject or object.
#[derive(Clone, Debug)]
pub(super) enum Phrase {
    Noun(NounPhrase),
    Pronoun(&'static Pronoun),
}

impl Phrase {
    pub(super) fn agreement(&self) -> Agreement {
        match self {
            Self::Noun(phrase) if phrase.number == Number::Plural => Agreement::Plural,
            Self::Noun(_) => Agreement::ThirdSingular,
            Self::Pronoun(pronoun) => pronoun.agreement,
        }
    }

    pub(super) fn is_pronoun(&self) -> bool {
        matches!(self, Self::Pronoun(_))
    }

    /// True if the phrase contains `kein`.
    pub(super) fn negates(&self) -> bool {
        matches!(
            self,
            Self::Noun(NounPhrase {
                determiner: Determiner::No,
                ..
            })
        )
    }

    pub(super) fn german(&self, case: Case, text: &mut Text) {
        match self {
            Self::Noun(phrase) => phrase.german(case, None, text),
            Self::Pronoun(pronoun) => text.say(pronoun.german[case as usize]),
        }
    }

    pub(super) fn english_subject(&self, text: &mut Text) {
        match self {
            Self::Noun(phrase) => phrase.english(text),
            Self::Pronoun(pronoun) => text.say(pronoun.english[0]),
        }
    }

    pub(super) fn english_object(&self, text: &mut Text) {
        match self {
            Self::Noun(phrase) => phrase.english(text),
            Self::Pronoun(pronoun) => text.say(pronoun.english[1]),
        }
    }
}

/// A preposition with its phrase.
#[derive(Clone, Debug)]
pub(super) struct Addition {
    pub(super) preposition: &'static Preposition,
    pub(super) phrase: Phrase,
}

impl Addition {
    pub(super) fn german(&self, text: &mut Text) {
        match &self.phrase {
            Phrase::Noun(phrase) => {
                phrase.german(self.preposition.case, Some(self.preposition), text);
            }
            Phrase::Pronoun(_) => {
                text.say(self.preposition.german);
                self.phrase.german(self.preposition.case, text);
            }
        }
    }

    pub(super) fn english(&self, text: &mut Text) {
        text.say(self.preposition.english);
        self.phrase.english_object(text);
    }
}
