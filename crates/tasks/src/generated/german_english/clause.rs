//! Content of a clause, before it is worded: subject, predicate, time and place.

use super::morphology::{Agreement, Case};
use super::phrase::{Addition, Phrase};
use super::verbs::Verb;
use super::words::{Adjective, Adverb, LATER, Modal, NOW, PAST};

/// Content of a clause, the same in both languages; `german` and `english` word it.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) subject: Phrase,
    pub(super) predicate: Predicate,
    pub(super) time: Time,
    pub(super) adverb: Option<&'static Adverb>,
    /// True if the clause is negated by `nicht`; `kein` belongs to the object.
    pub(super) negated: bool,
}

/// Predicate of a clause.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// An action or a state.
    Action(Action),
    /// An adjective after a form of `sein`.
    Quality {
        very: bool,
        adjective: &'static Adjective,
    },
    /// A noun after a form of `sein`.
    Identity(Phrase),
}

/// A verb with its objects; without the object that a question or relative clause moves to the
/// front.
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
    /// The German perfect, and the English past; with adjectives, the simple past of both.
    Past,
    Modal(&'static Modal),
}

impl Time {
    /// Returns the set of times whose adverbs agree with this tense.
    pub(super) fn adverbs(self) -> u8 {
        match self {
            Self::Present => NOW,
            Self::Past => PAST,
            Self::Modal(_) => LATER,
        }
    }
}

/// Word order of a German clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The verb is second, after the subject.
    SubjectFirst,
    /// The verb is second, after a subject that is already written.
    AfterSubject,
    /// The verb is second, after the adverb.
    AdverbFirst,
    /// The verb is second, after the object in this case.
    ObjectFirst(Case),
    /// The verb is first: in a question, or after words that are already written.
    VerbFirst,
    /// The verb is last, after a conjunction.
    VerbLast,
    /// The verb is last, and the subject is already written: a relative pronoun.
    VerbLastWithoutSubject,
}

/// Word order of an English clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnglishOrder {
    /// The subject comes first, or the adverb before it.
    Statement { adverb_first: bool },
    /// Like a statement, but the subject is already written.
    WithoutSubject,
    /// The auxiliary comes before the subject.
    Question,
}

impl Clause {
    pub(super) fn agreement(&self) -> Agreement {
        self.subject.agreement()
    }

    /// True if the clause is negative, by `nicht` or by `kein`.
    pub(super) fn is_negative(&self) -> bool {
        let object = match &self.predicate {
            Predicate::Action(action) => action.accusative.as_ref(),
            Predicate::Identity(phrase) => Some(phrase),
            Predicate::Quality { .. } => None,
        };
        self.negated || object.is_some_and(Phrase::negates)
    }
}
