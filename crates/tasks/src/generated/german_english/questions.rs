//! Questions: the verb first, or a question word before it.

use super::clause::{Clause, EnglishOrder, Order, Predicate};
use super::draw::{Draw, Fit};
use super::draw_phrases::Reference;
use super::morphology::Case;
use super::nouns::PERSON;
use super::phrase::{Determiner, NounPhrase, Phrase};
use super::sentence::{STATEMENT, Sentence};
use super::verbs::{DIRECTED, Objects, PLACED, VERBS, Verb};
use super::words::{WHAT, WHO};

impl Draw {
    /// Adds a yes–no question: `kauft der mann das buch ?`
    pub(super) fn question(&mut self, sentence: &mut Sentence) {
        let time = self.time();
        let clause = self.clause(Fit::question(time));
        sentence.clause(&clause, Order::VerbFirst, EnglishOrder::Question);
        sentence.say("?", "?");
    }

    /// Adds a question with a question word: `was kauft der mann ?`
    pub(super) fn open_question(&mut self, sentence: &mut Sentence) {
        let time = self.time();
        let fit = Fit::question(time);
        match self.random.weighted(&[3, 4, 2, 2, 2, 2, 1]) {
            0 => {
                let verb = self.verb_of_persons();
                let clause = self.action_of(Phrase::Pronoun(&WHO), verb, fit, false);
                sentence.clause(&clause, Order::SubjectFirst, STATEMENT);
            }
            1 => self.asking_for_object(sentence, fit),
            2 => self.asking_for_receiver(sentence, fit),
            3 => self.asking_for_circumstance(sentence, fit, "wann", "when"),
            4 => self.asking_for_circumstance(sentence, fit, "wo", "where"),
            5 => self.asking_for_circumstance(sentence, fit, "warum", "why"),
            _ => self.asking_for_circumstance(sentence, fit, "wohin", "where"),
        }
        sentence.say("?", "?");
    }

    fn asking_for_object(&mut self, sentence: &mut Sentence, fit: Fit) {
        let has_object = |verb: &Verb| matches!(verb.objects, Objects::Accusative(_));
        let verb = self.random.one_of(&VERBS, has_object);
        let Objects::Accusative(kinds) = verb.objects else {
            return;
        };
        let person = kinds & PERSON != 0 && (kinds == PERSON || self.random.chance(50));
        let kinds = if person { PERSON } else { kinds & !PERSON };
        let which = NounPhrase {
            determiner: Determiner::Which,
            ..self.noun_phrase(kinds, Reference::Known, true)
        };
        // `welche frau sieht das kind ?` would be ambiguous.
        let is_clear = !person || which.shows_accusative();
        let object = match person {
            _ if is_clear && self.random.chance(35) => Phrase::Noun(which),
            true => Phrase::Pronoun(&WHO),
            false => Phrase::Pronoun(&WHAT),
        };
        let mut clause = self.action(verb, fit);
        if let Predicate::Action(action) = &mut clause.predicate {
            action.accusative = None;
        }
        object.german(Case::Accusative, &mut sentence.german);
        object.english_object(&mut sentence.english);
        sentence.clause(&clause, Order::VerbFirst, EnglishOrder::Question);
    }

    fn asking_for_receiver(&mut self, sentence: &mut Sentence, fit: Fit) {
        let has_receiver = |verb: &Verb| matches!(verb.objects, Objects::Dative | Objects::Both(_));
        let verb = self.random.one_of(&VERBS, has_receiver);
        let belongs = self.random.chance(20);
        let mut clause = if belongs {
            self.belonging(fit)
        } else {
            self.action(verb, fit)
        };
        if let Predicate::Action(action) = &mut clause.predicate {
            action.dative = None;
        }
        sentence.say(WHO.german[Case::Dative as usize], WHO.english[1]);
        sentence.clause(&clause, Order::VerbFirst, EnglishOrder::Question);
    }

    fn asking_for_circumstance(
        &mut self,
        sentence: &mut Sentence,
        fit: Fit,
        german: &str,
        english: &str,
    ) {
        let clause = self.without_circumstance(fit, german);
        sentence.say(german, english);
        sentence.clause(&clause, Order::VerbFirst, EnglishOrder::Question);
    }

    /// Draws a clause without the circumstance (such as place or direction) for which a question
    /// word asks.
    pub(super) fn without_circumstance(&mut self, fit: Fit, word: &str) -> Clause {
        let verb = self.random.one_of(&VERBS, |verb| {
            verb.subject == PERSON
                && match word {
                    "wo" => verb.may_have(PLACED),
                    "wohin" => verb.may_have(DIRECTED),
                    _ => true,
                }
        });
        let mut clause = self.action(verb, fit);
        match (word, &mut clause.predicate) {
            ("wann", _) => clause.adverb = None,
            ("wo" | "wohin", Predicate::Action(action)) => action.addition = None,
            _ => {}
        }
        clause
    }
}
