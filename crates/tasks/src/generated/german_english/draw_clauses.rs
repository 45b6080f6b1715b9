//! Random clauses that make sense: persons read texts, food is eaten, machines are repaired.

use super::clause::{Action, Clause, Predicate, Time};
use super::draw::{Draw, Fit};
use super::draw_phrases::Reference;
use super::morphology::{Case, Number};
use super::nouns::{
    ANIMAL, CLOTHES, DRINK, FOOD, Kinds, LANDMARK, PERSON, PLACE, SURFACE, TEXT, THING,
};
use super::phrase::{Addition, Determiner, NounPhrase, Phrase};
use super::verbs::{
    BELONG, DIRECTED, DONE_FOR, LAID, Objects, PLACED, SHARED, STOOD, VERBS, Verb, WEATHER,
};
use super::words::{
    ADJECTIVES, ADVERBS, Adjective, AdverbPlace, BESIDE, FOR, IN, INTO, IT, ON_OR_UNDER, THIS, TO,
    WITH, WITHOUT,
};

impl Draw {
    /// Draws a clause: mostly an action, sometimes a quality or an identity.
    pub(super) fn clause(&mut self, fit: Fit) -> Clause {
        match self.random.weighted(&[86, 9, 5]) {
            0 => {
                let verb = self.verb_of_persons();
                self.action(verb, fit)
            }
            1 => self.quality(fit),
            _ => {
                let verb = self.random.one_of(&VERBS, |verb| verb.subject != PERSON);
                self.action(verb, fit)
            }
        }
    }

    /// Draws a verb whose subject is a person. Verbs with a prefix have more forms, so they are
    /// drawn more often.
    pub(super) fn verb_of_persons(&mut self) -> &'static Verb {
        let with_prefix = self.random.chance(28);
        self.random.one_of(&VERBS, |verb| {
            verb.subject == PERSON && !(with_prefix && verb.prefix.is_empty())
        })
    }

    /// Draws a clause with this verb.
    pub(super) fn action(&mut self, verb: &'static Verb, fit: Fit) -> Clause {
        let is_negative = fit.may_deny && self.random.chance(15);
        let known = Reference::of_clause(is_negative);
        let subject = if verb.subject == PERSON {
            self.person(fit, known, verb)
        } else {
            Phrase::Noun(self.topic(verb.subject))
        };
        self.action_of(subject, verb, fit, is_negative)
    }

    /// Draws a clause with this subject and verb.
    pub(super) fn action_of(
        &mut self,
        subject: Phrase,
        verb: &'static Verb,
        fit: Fit,
        is_negative: bool,
    ) -> Clause {
        let brief = fit.is_brief;
        let time = match fit.time {
            Time::Modal(_) if verb.is_state => Time::Present,
            time => time,
        };
        let known = Reference::of_clause(is_negative);
        let direct = if is_negative && self.random.chance(60) {
            Reference::No
        } else {
            known
        };
        let (dative, accusative) = match verb.objects {
            Objects::None => (None, None),
            Objects::Dative => (
                Some(self.other_person(Case::Dative, &subject, known, brief)),
                None,
            ),
            Objects::Accusative(kinds) => (None, Some(self.object(kinds, &subject, direct, brief))),
            Objects::Both(kinds) => (
                Some(self.other_person(Case::Dative, &subject, known, true)),
                Some(self.object(kinds, &subject, direct, true)),
            ),
        };
        let addition = self.addition(verb, &subject, is_negative, brief);
        let negated = is_negative && !accusative.as_ref().is_some_and(Phrase::negates);
        let predicate = Predicate::Action(Action {
            verb,
            dative,
            accusative,
            addition,
        });
        let mut clause = Clause {
            subject,
            predicate,
            time,
            adverb: None,
            negated,
        };
        if !verb.is_state && self.random.chance(if brief { 10 } else { 34 }) {
            self.add_adverb(&mut clause, fit);
        }
        clause
    }

    fn object(
        &mut self,
        kinds: Kinds,
        subject: &Phrase,
        reference: Reference,
        brief: bool,
    ) -> Phrase {
        if kinds & PERSON != 0 && (kinds == PERSON || self.random.chance(50)) {
            self.other_person(Case::Accusative, subject, reference, brief)
        } else {
            Phrase::Noun(self.noun_phrase(kinds & !PERSON, reference, brief))
        }
    }

    fn addition(
        &mut self,
        verb: &Verb,
        subject: &Phrase,
        is_negative: bool,
        brief: bool,
    ) -> Option<Addition> {
        let known = Reference::of_clause(is_negative);
        let place = |preposition, phrase| {
            Some(Addition {
                preposition,
                phrase: Phrase::Noun(phrase),
            })
        };
        if verb.may_have(LAID) {
            let preposition = self.random.one_of(&ON_OR_UNDER, |_| true);
            return place(preposition, self.landmark(SURFACE));
        }
        if verb.may_have(STOOD) {
            let preposition = self.random.one_of(&BESIDE, |_| true);
            return place(preposition, self.landmark(LANDMARK));
        }
        if verb.may_have(DIRECTED) && self.random.chance(75) {
            return if self.random.chance(35) {
                place(&INTO, self.noun_phrase(PLACE, known, brief))
            } else {
                place(&TO, self.noun_phrase(PERSON, Reference::Known, brief))
            };
        }
        if is_negative || !self.random.chance(if brief { 14 } else { 40 }) {
            return None;
        }
        let wanted = *self.random.pick(&[PLACED, SHARED, DONE_FOR]);
        if !verb.may_have(wanted) {
            return None;
        }
        if wanted == PLACED {
            return place(&IN, self.noun_phrase(PLACE, known, brief));
        }
        let preposition = match (wanted, self.random.chance(65)) {
            (DONE_FOR, _) => &FOR,
            (_, true) => &WITH,
            (_, false) => &WITHOUT,
        };
        let phrase = self.other_person(preposition.case, subject, known, brief);
        Some(Addition {
            preposition,
            phrase,
        })
    }

    fn landmark(&mut self, kinds: Kinds) -> NounPhrase {
        let phrase = self.noun_phrase(kinds, Reference::Known, true);
        NounPhrase {
            number: Number::Singular,
            ..phrase
        }
    }

    /// Adds an adverb of time that agrees with the tense.
    pub(super) fn add_adverb(&mut self, clause: &mut Clause, fit: Fit) {
        let only_at_end = fit.is_question || clause.is_negative();
        let times = clause.time.adverbs();
        clause.adverb = Some(self.random.one_of(&ADVERBS, |adverb| {
            adverb.times & times != 0 && (adverb.place == AdverbPlace::End || !only_at_end)
        }));
    }

    /// Draws a clause of possession: `das buch gehört dem mann`.
    pub(super) fn belonging(&mut self, fit: Fit) -> Clause {
        let time = if matches!(fit.time, Time::Past) {
            Time::Past
        } else {
            Time::Present
        };
        let subject = Phrase::Noun(self.topic(THING | CLOTHES));
        let is_negative = fit.may_deny && self.random.chance(15);
        let mut clause = self.action_of(subject, &BELONG, Fit { time, ..fit }, is_negative);
        clause.adverb = None;
        clause
    }

    /// Draws a clause about the weather: `heute regnet es`.
    pub(super) fn weather(&mut self, time: Time) -> Clause {
        let time = if matches!(time, Time::Past) {
            Time::Past
        } else {
            Time::Present
        };
        let verb = self.random.one_of(&WEATHER, |_| true);
        let fit = Fit::statement(time);
        let mut clause = self.action_of(Phrase::Pronoun(&IT), verb, fit, false);
        self.add_adverb(&mut clause, fit);
        clause
    }

    /// Draws a clause about a quality of a person or thing: `der mann ist alt`.
    pub(super) fn quality(&mut self, fit: Fit) -> Clause {
        let is_negative = fit.may_deny && self.random.chance(15);
        let known = Reference::of_clause(is_negative);
        let subject = if self.random.chance(45) {
            self.person(fit, known, &VERBS[0])
        } else {
            let kinds = ANIMAL | TEXT | FOOD | DRINK | CLOTHES | THING | PLACE;
            Phrase::Noun(self.topic(kinds))
        };
        self.quality_of(subject, fit, is_negative)
    }

    /// Draws a clause about a quality of this subject.
    pub(super) fn quality_of(&mut self, subject: Phrase, fit: Fit, is_negative: bool) -> Clause {
        let (kinds, said) = match &subject {
            Phrase::Noun(phrase) => (phrase.noun.kinds, phrase.adjective),
            Phrase::Pronoun(_) => (PERSON, None),
        };
        let very = self.random.chance(25);
        // Avoids an adjective that the subject already has: `der alte mann ist alt`.
        let is_new = |adjective: &Adjective| {
            adjective.kinds & kinds != 0 && said.is_none_or(|it| it.german != adjective.german)
        };
        let adjective = self.random.one_of(&ADJECTIVES, is_new);
        let time = match fit.time {
            Time::Modal(_) if !adjective.passes => Time::Present,
            time => time,
        };
        let predicate = Predicate::Quality { very, adjective };
        let mut clause = Clause {
            subject,
            predicate,
            time,
            adverb: None,
            negated: is_negative,
        };
        if adjective.passes && self.random.chance(if fit.is_brief { 10 } else { 40 }) {
            self.add_adverb(&mut clause, fit);
        }
        clause
    }

    /// Draws a clause of identity: `das ist mein neuer hut`.
    pub(super) fn identity(&mut self, fit: Fit) -> Clause {
        let kinds = match self.random.weighted(&[11, 9, 4]) {
            0 => THING | CLOTHES | TEXT,
            1 => FOOD | DRINK | PLACE,
            _ => PERSON | ANIMAL,
        };
        let phrase = self.topic(kinds);
        let is_mass = phrase.noun.is_mass();
        let determiner = match (phrase.number, phrase.determiner) {
            (Number::Singular, _) if is_mass && self.random.chance(60) => Determiner::Bare,
            (Number::Singular, _) if !is_mass && self.random.chance(65) => {
                let is_negative = fit.may_deny && self.random.chance(25);
                if is_negative {
                    Determiner::No
                } else {
                    Determiner::Indefinite
                }
            }
            (_, Determiner::This) => Determiner::Definite,
            (_, determiner) => determiner,
        };
        let subject = Phrase::Pronoun(&THIS[phrase.number as usize]);
        let predicate = Predicate::Identity(Phrase::Noun(NounPhrase {
            determiner,
            ..phrase
        }));
        Clause {
            subject,
            predicate,
            time: fit.time,
            adverb: None,
            negated: false,
        }
    }
}
