//! A clause before it is put into words: who does what to whom, when and where.

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
    /// By `nicht`; `kein` stands in the object.
    pub(super) negated: bool,
}

/// What is said of the subject.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// It does something.
    Action(Action),
    /// It is somehow.
    Quality {
        very: bool,
        adjective: &'static Adjective,
    },
    /// It is something.
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

/// When it is, and with which modal verb.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    Present,
    /// The German perfect, the English past; with adjectives the past of both.
    Past,
    Modal(&'static Modal),
}

impl Time {
    /// The times of adverbs that go with it.
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
    /// The verb is first in what is said here: a question, or something else stands before it.
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
