//! Wording of a clause in German: the finite verb second, first or last, all other verbs at the
//! end.

use super::clause::{Action, Clause, Order, Predicate, Time};
use super::morphology::Case;
use super::phrase::{Phrase, Text};
use super::words::{BE, HAVE, WAS};

impl Clause {
    pub(super) fn german(&self, order: Order, text: &mut Text) {
        let (finite, end) = self.german_verbs();
        match order {
            Order::SubjectFirst => self.subject.german(Case::Nominative, text),
            Order::AdverbFirst => text.say(self.adverb.map_or("", |adverb| adverb.german)),
            Order::ObjectFirst(case) => {
                if let Some(object) = self.object(case) {
                    object.german(case, text);
                }
            }
            _ => {}
        }
        let verb_last = matches!(order, Order::VerbLast | Order::VerbLastWithoutSubject);
        if !verb_last {
            text.say(finite);
        }
        let subject_is_said = matches!(
            order,
            Order::SubjectFirst | Order::AfterSubject | Order::VerbLastWithoutSubject
        );
        if !subject_is_said {
            self.subject.german(Case::Nominative, text);
        }
        self.german_middle(order, text);
        match (&self.predicate, self.time, verb_last) {
            (Predicate::Action(action), Time::Present, true) => {
                text.say(&action.verb.finite_joined(self.agreement()));
            }
            (_, _, true) => {
                text.say(&end);
                text.say(finite);
            }
            (_, _, false) => text.say(&end),
        }
    }

    /// Adds the infinitive of a verb without prefix: `das buch nicht zu lesen`.
    pub(super) fn german_infinitive(&self, text: &mut Text) {
        self.german_middle(Order::VerbLastWithoutSubject, text);
        if let Predicate::Action(action) = &self.predicate {
            text.say("zu");
            text.say(&action.verb.infinitive());
        }
    }

    /// Returns the finite verb, and the part of the verb at the end of the clause.
    fn german_verbs(&self) -> (&'static str, String) {
        let agreement = self.agreement();
        let form = |forms: [&'static str; 4]| forms[agreement as usize];
        match (&self.predicate, self.time) {
            (Predicate::Action(Action { verb, .. }), time) => match time {
                Time::Present => (verb.finite(agreement), verb.prefix.to_owned()),
                Time::Past if verb.perfect_with_be => (form(BE), verb.participle.to_owned()),
                Time::Past => (form(HAVE), verb.participle.to_owned()),
                Time::Modal(modal) => (form(modal.german), verb.infinitive()),
            },
            (_, Time::Present) => (form(BE), String::new()),
            (_, Time::Past) => (form(WAS), String::new()),
            (_, Time::Modal(modal)) => (form(modal.german), "sein".to_owned()),
        }
    }

    /// Adds the words between the subject and the verbs at the end: pronouns, time, objects,
    /// `nicht`, place, adjective.
    fn german_middle(&self, order: Order, text: &mut Text) {
        let objects = [Case::Dative, Case::Accusative]
            .into_iter()
            .filter(|&case| order != Order::ObjectFirst(case))
            .filter_map(|case| self.object(case).map(|object| (object, case)));
        let (pronouns, nouns): (Vec<_>, Vec<_>) =
            objects.partition(|(object, _)| object.is_pronoun());
        for (object, case) in pronouns {
            object.german(case, text);
        }
        if order != Order::AdverbFirst {
            text.say(self.adverb.map_or("", |adverb| adverb.german));
        }
        for (object, case) in nouns {
            object.german(case, text);
        }
        if self.negated {
            text.say("nicht");
        }
        match &self.predicate {
            Predicate::Action(Action {
                addition: Some(addition),
                ..
            }) => addition.german(text),
            Predicate::Action(_) => {}
            Predicate::Identity(phrase) => phrase.german(Case::Nominative, text),
            Predicate::Quality { very, adjective } => {
                text.say(if *very { "sehr" } else { "" });
                text.say(adjective.german);
            }
        }
    }

    fn object(&self, case: Case) -> Option<&Phrase> {
        match (&self.predicate, case) {
            (Predicate::Action(action), Case::Dative) => action.dative.as_ref(),
            (Predicate::Action(action), Case::Accusative) => action.accusative.as_ref(),
            _ => None,
        }
    }
}
