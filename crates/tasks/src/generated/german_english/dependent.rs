//! Sentences with a dependent clause, whose verb comes last in German.

use super::clause::{Clause, EnglishOrder, Order, Time};
use super::draw::{Draw, Fit};
use super::phrase::Phrase;
use super::sentence::{STATEMENT, Sentence};
use super::verbs::{ASK, KNOW, VERBS, VERBS_OF_INTENT, VERBS_OF_SPEECH, Verb};

impl Draw {
    /// Adds a main clause with a dependent clause after it: `er schläft , weil er müde ist .`
    pub(super) fn with_dependent_clause(&mut self, sentence: &mut Sentence) {
        let ((german, english), main, clause) = self.joined();
        sentence.clause(&main, Order::SubjectFirst, STATEMENT);
        sentence.say(",", "");
        sentence.say(german, english);
        sentence.clause(&clause, Order::VerbLast, STATEMENT);
        sentence.say(".", ".");
    }

    /// Adds a main clause with a dependent clause before it: `wenn es regnet , schläft er .`
    pub(super) fn with_dependent_clause_first(&mut self, sentence: &mut Sentence) {
        let ((german, english), main, clause) = self.joined();
        sentence.say(german, english);
        sentence.clause(&clause, Order::VerbLast, STATEMENT);
        sentence.say(",", ",");
        sentence.clause(&main, Order::VerbFirst, STATEMENT);
        sentence.say(".", ".");
    }

    /// Draws a conjunction, and the main and dependent clause that it joins.
    fn joined(&mut self) -> ((&'static str, &'static str), Clause, Clause) {
        let conjunctions = [
            ("weil", "because"),
            ("obwohl", "although"),
            ("wenn", "when"),
            ("bevor", "before"),
            ("während", "while"),
        ];
        let conjunction = conjunctions[self.random.weighted(&[5, 3, 4, 2, 2])];
        let main_time = match (conjunction.0, self.random.weighted(&[52, 26, 22])) {
            ("während", _) | (_, 0) => Time::Present,
            (_, 1) if conjunction.0 != "wenn" => Time::Past,
            _ => self.modal(),
        };
        let time = match (conjunction.0, main_time) {
            (_, Time::Past) => Time::Past,
            ("weil" | "obwohl", _) if self.random.chance(30) => self.modal(),
            _ => Time::Present,
        };
        let fit = Fit::statement(time).dependent();
        if matches!(conjunction.0, "bevor" | "während") {
            // Both clauses tell deeds, because the conjunction relates their times.
            let main_verb = self.random.one_of(&VERBS, Verb::is_deed);
            let verb = self.random.one_of(&VERBS, Verb::is_deed);
            let main = self.action(main_verb, Fit::statement(main_time).brief());
            let clause = self.action(verb, fit.positive());
            return (conjunction, main, clause);
        }
        let main = self.clause(Fit::statement(main_time).brief());
        let gives_reason = matches!(conjunction.0, "weil" | "obwohl");
        let clause = if self.random.chance(12) {
            Clause {
                adverb: None,
                ..self.weather(time)
            }
        } else if gives_reason && self.random.chance(35) {
            match &main.subject {
                Phrase::Pronoun(_) => self.quality_of(main.subject.clone(), fit, false),
                Phrase::Noun(_) => self.quality(fit),
            }
        } else {
            self.clause(fit)
        };
        (conjunction, main, clause)
    }

    /// Adds a main clause with a clause as its object: `er sagt , dass es regnet .`
    pub(super) fn with_content(&mut self, sentence: &mut Sentence) {
        let time = if self.random.chance(30) {
            Time::Past
        } else {
            Time::Present
        };
        let is_question = self.random.chance(15);
        let kind = self.random.weighted(&[6, 2, 2]);
        let fit = match (is_question, kind) {
            (true, _) => Fit::question(time).brief(),
            // The verb that asks with `ob` is never negated.
            (false, 1) => Fit::statement(time).brief().positive(),
            (false, _) => Fit::statement(time).brief(),
        };
        let verb = match kind {
            0 => self.random.one_of(&VERBS_OF_SPEECH, |_| true),
            1 => &ASK,
            _ => &KNOW,
        };
        let mut main = self.action(verb, fit);
        main.adverb = None;
        let (order, english) = if is_question {
            (Order::VerbFirst, EnglishOrder::Question)
        } else {
            (Order::SubjectFirst, STATEMENT)
        };
        sentence.clause(&main, order, english);
        sentence.say(",", "");
        let time = self.time();
        let fit = Fit::statement(time).dependent();
        let clause = if kind == 2 {
            let words = [("wann", "when"), ("wo", "where"), ("warum", "why")];
            let (german, english) = *self.random.pick(&words);
            sentence.say(german, english);
            self.without_circumstance(fit.positive(), german)
        } else {
            let ask = ("ob", "whether");
            let (german, english) = if kind == 1 { ask } else { ("dass", "that") };
            sentence.say(german, english);
            self.clause(fit)
        };
        sentence.clause(&clause, Order::VerbLast, STATEMENT);
        let end = if is_question { "?" } else { "." };
        sentence.say(end, end);
    }

    /// Adds a main clause with an infinitive: `er versucht , das buch zu lesen .`
    pub(super) fn with_infinitive(&mut self, sentence: &mut Sentence) {
        let time = if self.random.chance(30) {
            Time::Past
        } else {
            Time::Present
        };
        let intent = self.random.one_of(&VERBS_OF_INTENT, |_| true);
        let mut main = self.action(intent, Fit::statement(time).brief().positive());
        main.adverb = None;
        let verb = self
            .random
            .one_of(&VERBS, |verb| verb.is_deed() && verb.prefix.is_empty());
        let fit = Fit::statement(Time::Present).brief();
        let mut clause = self.action_of(main.subject.clone(), verb, fit, false);
        clause.adverb = None;
        sentence.clause(&main, Order::SubjectFirst, STATEMENT);
        sentence.say(",", "");
        clause.german_infinitive(&mut sentence.german);
        clause.english_infinitive(&mut sentence.english);
        sentence.say(".", ".");
    }
}
