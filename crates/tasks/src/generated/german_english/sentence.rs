//! Sentences of all kinds, and those that consist of statements.

use super::clause::{Action, Clause, EnglishOrder, Order, Predicate, Time};
use super::draw::{Draw, Fit};
use super::morphology::Case;
use super::nouns::{CLOTHES, TEXT, THING};
use super::phrase::{Phrase, Text};
use super::verbs::PLEASE;

/// Most words of a German sentence, punctuation marks included.
const MAXIMUM_WORDS: usize = 14;

/// Word order of a statement: the subject first, then the verb.
pub(super) const STATEMENT: EnglishOrder = EnglishOrder::Statement {
    adverb_first: false,
};

/// A sentence in both languages, its words and punctuation marks separated by spaces.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    pub(super) german: Text,
    pub(super) english: Text,
}

impl Sentence {
    /// Returns the sentence in German and in English.
    pub(super) fn into_sides(self) -> (String, String) {
        (self.german.0, self.english.0)
    }

    /// Appends words in both languages.
    pub(super) fn say(&mut self, german: &str, english: &str) {
        self.german.say(german);
        self.english.say(english);
    }

    /// Appends a clause in both languages.
    pub(super) fn clause(&mut self, clause: &Clause, order: Order, english: EnglishOrder) {
        clause.german(order, &mut self.german);
        clause.english(english, &mut self.english);
    }
}

impl Draw {
    /// Draws a sentence of any kind.
    pub(super) fn sentence(&mut self) -> Sentence {
        loop {
            let mut sentence = Sentence::default();
            match self
                .random
                .weighted(&[25, 11, 11, 14, 9, 9, 6, 4, 3, 2, 15])
            {
                0 => self.statement(&mut sentence),
                1 => self.question(&mut sentence),
                2 => self.open_question(&mut sentence),
                3 => self.with_dependent_clause(&mut sentence),
                4 => self.with_dependent_clause_first(&mut sentence),
                5 => self.with_content(&mut sentence),
                6 => self.with_relative_clause(&mut sentence),
                7 => self.with_infinitive(&mut sentence),
                8 => self.liking(&mut sentence),
                9 => self.two_statements(&mut sentence),
                _ => self.naming(&mut sentence),
            }
            if sentence.german.0.split(' ').count() <= MAXIMUM_WORDS {
                return sentence;
            }
        }
    }

    /// Adds a statement: `heute kauft der mann das buch .`
    fn statement(&mut self, sentence: &mut Sentence) {
        let time = self.time();
        let clause = match self.random.weighted(&[92, 5, 3]) {
            0 => self.clause(Fit::statement(time)),
            1 => self.belonging(Fit::statement(time)),
            _ => self.weather(time),
        };
        let order = self.statement_order(&clause);
        let adverb_first = order == Order::AdverbFirst;
        sentence.clause(&clause, order, EnglishOrder::Statement { adverb_first });
        sentence.say(".", ".");
    }

    fn statement_order(&mut self, clause: &Clause) -> Order {
        if clause.adverb.is_some_and(|adverb| adverb.fronts) && self.random.chance(60) {
            return Order::AdverbFirst;
        }
        let Predicate::Action(Action {
            dative, accusative, ..
        }) = &clause.predicate
        else {
            return Order::SubjectFirst;
        };
        // An object may come first only if its case shows that it is one:
        // `den apfel isst die frau`.
        let shows = |phrase: &Phrase| match phrase {
            Phrase::Noun(phrase) => phrase.determiner.is_known() && phrase.shows_accusative(),
            Phrase::Pronoun(_) => false,
        };
        if accusative.as_ref().is_some_and(shows) && self.random.chance(20) {
            Order::ObjectFirst(Case::Accusative)
        } else if dative.as_ref().is_some_and(|it| !it.is_pronoun()) && self.random.chance(10) {
            Order::ObjectFirst(Case::Dative)
        } else {
            Order::SubjectFirst
        }
    }

    /// Adds a sentence with `gefallen`, whose German subject is the English object:
    /// `das haus gefällt mir .`
    fn liking(&mut self, sentence: &mut Sentence) {
        let time = if self.random.chance(30) {
            Time::Past
        } else {
            Time::Present
        };
        let fit = Fit::statement(time);
        let negated = self.random.chance(15);
        let thing = Phrase::Noun(self.topic(THING | TEXT | CLOTHES));
        let german = self.action_of(thing.clone(), &PLEASE, fit, negated);
        let german = Clause {
            adverb: None,
            ..german
        };
        let Predicate::Action(action) = &german.predicate else {
            return;
        };
        let Some(person) = action.dative.clone() else {
            return;
        };
        let predicate = Predicate::Action(Action {
            dative: None,
            accusative: Some(thing),
            ..action.clone()
        });
        let english = Clause {
            subject: person,
            predicate,
            ..german.clone()
        };
        let first = self.random.chance(50);
        let order = if first {
            Order::ObjectFirst(Case::Dative)
        } else {
            Order::SubjectFirst
        };
        german.german(order, &mut sentence.german);
        english.english(STATEMENT, &mut sentence.english);
        sentence.say(".", ".");
    }

    /// Adds a sentence that names a thing: `das ist mein neuer hut .`
    fn naming(&mut self, sentence: &mut Sentence) {
        let time = if self.random.chance(20) {
            Time::Past
        } else {
            Time::Present
        };
        if self.random.chance(25) {
            let clause = self.identity(Fit::question(time));
            sentence.clause(&clause, Order::VerbFirst, EnglishOrder::Question);
            sentence.say("?", "?");
        } else {
            let clause = self.identity(Fit::statement(time));
            sentence.clause(&clause, Order::SubjectFirst, STATEMENT);
            sentence.say(".", ".");
        }
    }

    /// Adds two statements joined by `und` or `aber`: `der mann liest und die frau schläft .`
    fn two_statements(&mut self, sentence: &mut Sentence) {
        for index in 0..2 {
            let time = self.time();
            let clause = self.clause(Fit::statement(time).brief());
            sentence.clause(&clause, Order::SubjectFirst, STATEMENT);
            match (index, self.random.chance(50)) {
                (0, true) => sentence.say("und", "and"),
                (0, false) => sentence.say(", aber", "but"),
                _ => sentence.say(".", "."),
            }
        }
    }
}
