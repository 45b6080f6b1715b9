//! Sentences with a relative clause, whose verb comes last in German; commas enclose the clause.

use super::clause::{Clause, EnglishOrder, Order, Predicate, Time};
use super::draw::{Draw, Fit};
use super::draw_phrases::Reference;
use super::morphology::{ARTICLE, Case};
use super::nouns::PERSON;
use super::phrase::{NounPhrase, Phrase};
use super::sentence::{STATEMENT, Sentence};
use super::verbs::{Objects, VERBS};

impl Draw {
    pub(super) fn with_relative_clause(&mut self, sentence: &mut Sentence) {
        match self.random.weighted(&[2, 2, 1]) {
            0 => self.subject_that_acts(sentence),
            1 => self.object_that_acts(sentence),
            _ => self.subject_acted_on(sentence),
        }
        sentence.say(".", ".");
    }

    /// Adds a sentence whose subject acts in the relative clause:
    /// `der mann , der das buch liest , schläft`.
    fn subject_that_acts(&mut self, sentence: &mut Sentence) {
        let (time, main_time) = (self.time(), self.time());
        let head = self.noun_phrase(PERSON, Reference::Known, true);
        let clause = self.relative(&head, time);
        let verb = self.verb_of_persons();
        let subject = Phrase::Noun(head.clone());
        let fit = Fit::statement(main_time).brief();
        let main = if self.random.chance(20) {
            self.quality_of(subject.clone(), fit, false)
        } else {
            self.action_of(subject.clone(), verb, fit, false)
        };
        subject.german(Case::Nominative, &mut sentence.german);
        subject.english_subject(&mut sentence.english);
        sentence.say(",", "");
        sentence.say(head.slot(Case::Nominative).of(&ARTICLE), "who");
        sentence.clause(
            &clause,
            Order::VerbLastWithoutSubject,
            EnglishOrder::WithoutSubject,
        );
        sentence.say(",", "");
        sentence.clause(&main, Order::AfterSubject, EnglishOrder::WithoutSubject);
    }

    /// Adds a sentence whose object acts in the relative clause:
    /// `ich kenne den mann , der das buch liest`.
    fn object_that_acts(&mut self, sentence: &mut Sentence) {
        let time = self.time();
        let verb = self.random.one_of(&VERBS, |verb| {
            verb.prefix.is_empty()
                && matches!(verb.objects, Objects::Accusative(kinds) if kinds & PERSON != 0)
        });
        let head = self.noun_phrase(PERSON, Reference::Known, true);
        let clause = self.relative(&head, time);
        let mut main = self.action(verb, Fit::statement(Time::Present).brief().positive());
        main.adverb = None;
        if let Predicate::Action(action) = &mut main.predicate {
            action.accusative = Some(Phrase::Noun(head.clone()));
            action.addition = None;
        }
        sentence.clause(&main, Order::SubjectFirst, STATEMENT);
        sentence.say(",", "");
        sentence.say(head.slot(Case::Nominative).of(&ARTICLE), "who");
        sentence.clause(
            &clause,
            Order::VerbLastWithoutSubject,
            EnglishOrder::WithoutSubject,
        );
    }

    /// Adds a sentence whose subject is the object of the relative clause:
    /// `das buch , das der mann liest , ist alt`. The subject is a thing, because
    /// `die frau , die die tante kennt` would be ambiguous.
    fn subject_acted_on(&mut self, sentence: &mut Sentence) {
        let verb = self.random.one_of(
            &VERBS,
            |verb| matches!(verb.objects, Objects::Accusative(kinds) if kinds != PERSON),
        );
        let Objects::Accusative(kinds) = verb.objects else {
            return;
        };
        let kinds = kinds & !PERSON;
        let head = self.noun_phrase(kinds, Reference::Known, true);
        let time = self.time();
        let mut clause = self.action(verb, Fit::statement(time).dependent().positive());
        clause.adverb = None;
        if let Predicate::Action(action) = &mut clause.predicate {
            action.accusative = None;
        }
        let fit = Fit::statement(Time::Present).brief();
        let main = self.quality_of(Phrase::Noun(head.clone()), fit, false);
        let subject = &main.subject;
        subject.german(Case::Nominative, &mut sentence.german);
        subject.english_subject(&mut sentence.english);
        sentence.say(",", "");
        sentence.say(head.slot(Case::Accusative).of(&ARTICLE), "that");
        sentence.clause(&clause, Order::VerbLast, STATEMENT);
        sentence.say(",", "");
        sentence.clause(&main, Order::AfterSubject, EnglishOrder::WithoutSubject);
    }

    /// Draws a relative clause whose subject is `head`.
    fn relative(&mut self, head: &NounPhrase, time: Time) -> Clause {
        let fit = Fit::statement(time).dependent();
        let verb = self.verb_of_persons();
        let mut clause = self.action_of(Phrase::Noun(head.clone()), verb, fit, false);
        clause.adverb = None;
        clause
    }
}
