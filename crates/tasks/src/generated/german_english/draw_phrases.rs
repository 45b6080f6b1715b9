//! Random phrases: nouns with determiners and adjectives, and persons.

use super::clause::Time;
use super::draw::{Draw, Fit};
use super::morphology::{Agreement, Case, Number};
use super::nouns::{Kinds, NOUNS, Noun, PERSON, PLACE};
use super::phrase::{Determiner, NounPhrase, Phrase};
use super::verbs::Verb;
use super::words::{ADJECTIVES, Adjective, PRONOUNS, Pronoun};

const POSSESSIVES: [Determiner; 4] = [
    Determiner::Possessive("mein", "my"),
    Determiner::Possessive("dein", "your"),
    Determiner::Possessive("sein", "his"),
    Determiner::Possessive("unser", "our"),
];
const COUNTS: [Determiner; 3] = [
    Determiner::Count("zwei", "two"),
    Determiner::Count("drei", "three"),
    Determiner::Count("vier", "four"),
];

/// Constraint that a clause puts on a noun phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// Any determiner that suits the noun.
    Any,
    /// Definite: `der`, `mein`, `dieser`.
    Known,
    /// Negated: `kein`.
    No,
}

impl Reference {
    /// Returns the constraint of a clause, which is negated if `is_negative`.
    pub(super) fn of_clause(is_negative: bool) -> Self {
        if is_negative { Self::Known } else { Self::Any }
    }
}

impl Draw {
    pub(super) fn noun_phrase(
        &mut self,
        kinds: Kinds,
        reference: Reference,
        brief: bool,
    ) -> NounPhrase {
        let noun = self.random.one_of(&NOUNS, |noun| noun.is(kinds));
        let number = if noun.has_plural() && self.random.chance(34) {
            Number::Plural
        } else {
            Number::Singular
        };
        let determiner = self.determiner(noun, number, reference);
        let wish = if brief || noun.is(PLACE) { 26 } else { 50 };
        let adjective = self.random.chance(wish).then(|| self.adjective(noun.kinds));
        NounPhrase {
            determiner,
            adjective,
            noun,
            number,
        }
    }

    /// Draws a definite noun phrase, the subject of a clause about a thing.
    pub(super) fn topic(&mut self, kinds: Kinds) -> NounPhrase {
        let phrase = self.noun_phrase(kinds, Reference::Known, false);
        let adjective = self
            .random
            .chance(78)
            .then(|| self.adjective(phrase.noun.kinds));
        NounPhrase {
            adjective,
            ..phrase
        }
    }

    pub(super) fn adjective(&mut self, kinds: Kinds) -> &'static Adjective {
        self.random
            .one_of(&ADJECTIVES, |adjective| adjective.kinds & kinds != 0)
    }

    fn determiner(&mut self, noun: &Noun, number: Number, reference: Reference) -> Determiner {
        let possessive = *self.random.pick(&POSSESSIVES);
        let count = *self.random.pick(&COUNTS);
        if reference == Reference::No {
            return Determiner::No;
        }
        // Weights: definite, possessive, this; bare, indefinite, every, many, a number.
        let weights = match (number, noun.is_mass(), reference) {
            (_, true, Reference::Known) => [3, 2, 1, 0, 0, 0, 0, 0],
            (_, true, _) => [5, 2, 1, 12, 0, 0, 0, 0],
            (_, _, Reference::Known) => [7, 7, 2, 0, 0, 0, 0, 0],
            _ if noun.is(PLACE) => [12, 2, 2, 0, 2, 0, 0, 0],
            (Number::Singular, ..) => [10, 5, 2, 0, 6, 2, 0, 0],
            (Number::Plural, ..) => [8, 4, 2, 4, 0, 0, 2, 4],
        };
        match self.random.weighted(&weights) {
            0 => Determiner::Definite,
            1 => possessive,
            2 => Determiner::This,
            3 => Determiner::Bare,
            4 => Determiner::Indefinite,
            5 => Determiner::Every,
            6 => Determiner::Many,
            _ => count,
        }
    }

    /// Draws a person who acts: a pronoun or a noun phrase.
    pub(super) fn person(&mut self, fit: Fit, reference: Reference, verb: &Verb) -> Phrase {
        let joined =
            fit.is_dependent && !verb.prefix.is_empty() && matches!(fit.time, Time::Present);
        // The first two pronouns would give `anrufe` and `anrufst`, which occur only in dependent
        // clauses and would be too rare to learn.
        let weights = match (joined, fit.is_question) {
            (true, _) => [0, 0, 2, 2, 1, 1, 8],
            (false, true) => [2, 9, 2, 2, 1, 2, 8],
            (false, false) => [9, 8, 3, 3, 2, 2, 10],
        };
        match self.random.weighted(&weights) {
            index @ 0..6 => Phrase::Pronoun(&PRONOUNS[index]),
            _ => Phrase::Noun(self.noun_phrase(PERSON, reference, fit.is_brief)),
        }
    }

    /// Draws a person other than `subject`, for the object of an action.
    pub(super) fn other_person(
        &mut self,
        case: Case,
        subject: &Phrase,
        reference: Reference,
        brief: bool,
    ) -> Phrase {
        let pronoun = *self.random.pick(&[0, 1, 2, 3, 4, 5]);
        let pronoun: &'static Pronoun = &PRONOUNS[pronoun];
        let is_same = match (subject.agreement(), pronoun.agreement) {
            (Agreement::ThirdSingular, _) => false,
            (Agreement::Plural | Agreement::I, other) => {
                matches!(other, Agreement::Plural | Agreement::I)
            }
            (Agreement::You, other) => other == Agreement::You,
        };
        let has_form = !pronoun.german[case as usize].is_empty();
        if reference != Reference::No && !is_same && has_form && self.random.chance(35) {
            Phrase::Pronoun(pronoun)
        } else {
            Phrase::Noun(self.noun_phrase(PERSON, reference, brief))
        }
    }
}
