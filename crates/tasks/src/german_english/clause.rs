//! A clause before it is put into words: subject, predicate, time and place.

use super::morphology::{Agreement, Case};
use super::phrase::{Addition, Phrase};
use super::verbs::Verb;
use super::words::{Adjective, Adverb, LATER, Modal, NOW, PAST};

/// A clause on which both languages agree; `german` and `english` put it into words.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) subject: Phrase,
    pub(super) predicate: Predicate,
    pub(super) time: Time,
    pub(super) adverb: Option<&'static Adverb>,
    /// True if negated by `nicht`; `kein` belongs to the object.
    pub(super) negated: bool,
}

/// Predicate of the subject.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// An action or a state.
    Action(Action),
    /// An adjective.
    Quality {
        very: bool,
        adjective: &'static Adjective,
    },
    /// A noun.
    Identity(Phrase),
}

/// A verb with its objects; an object that a question or relative clause moves away is missing.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) verb: &'static Verb,
    pub(super) dative: Option<Phrase>,
    pub(super) accusative: Option<Phrase>,
    pub(super) addition: Option<Addition>,
}

/// Tense of a clause, or its modal verb.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    Present,
    /// The German perfect, the English past; with adjectives the past of both.
    Past,
    Modal(&'static Modal),
}

impl Time {
    /// Set of adverb times that agree with it.
    pub(super) fn adverbs(self) -> u8 {
        match self {
            Self::Present => NOW,
            Self::Past => PAST,
            Self::Modal(_) => LATER,
        }
    }
}

/// The order of a German clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The verb is second, after the subject.
    SubjectFirst,
    /// The verb is second, after a subject that has been said.
    AfterSubject,
    /// The verb is second, after the adverb.
    AdverbFirst,
    /// The verb is second, after the object in this case.
    ObjectFirst(Case),
    /// The verb is first: in a question, or after words that were already said.
    VerbFirst,
    /// The verb is last, after a conjunction.
    VerbLast,
    /// The verb is last, and the subject has been said: a relative pronoun.
    VerbLastWithoutSubject,
}

/// The order of an English clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnglishOrder {
    /// The subject comes first, or the adverb before it.
    Statement { adverb_first: bool },
    /// As a statement whose subject has been said.
    WithoutSubject,
    /// The auxiliary comes before the subject.
    Question,
}

impl Clause {
    pub(super) fn agreement(&self) -> Agreement {
        self.subject.agreement()
    }

    /// True if it says that something is not so.
    pub(super) fn is_negative(&self) -> bool {
        let object = match &self.predicate {
            Predicate::Action(action) => action.accusative.as_ref(),
            Predicate::Identity(phrase) => Some(phrase),
            Predicate::Quality { .. } => None,
        };
        self.negated || object.is_some_and(Phrase::negates)
    }
}
