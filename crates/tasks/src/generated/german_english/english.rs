//! Wording of a clause in English: subject, verb, object, place, time, with `do` where needed.

use super::clause::{Action, Clause, EnglishOrder, Predicate, Time};
use super::morphology::Agreement;
use super::phrase::{Phrase, Text};
use super::verbs::Objects;
use super::words::{AdverbPlace, ENGLISH_BE, ENGLISH_WAS, EnglishModal};

/// Words of a verb, in order; absent words are empty strings.
struct Verbs {
    /// Auxiliary, which is inverted with the subject in a question.
    auxiliary: &'static str,
    negation: &'static str,
    rest: [&'static str; 3],
}

impl Clause {
    pub(super) fn english(&self, order: EnglishOrder, text: &mut Text) {
        let adverb_first = matches!(order, EnglishOrder::Statement { adverb_first: true });
        if adverb_first {
            self.say_adverb(text, None);
        }
        let verbs = self.english_verbs(order == EnglishOrder::Question);
        match order {
            EnglishOrder::Question => {
                text.say(verbs.auxiliary);
                self.subject.english_subject(text);
            }
            EnglishOrder::Statement { .. } => {
                self.subject.english_subject(text);
                text.say(verbs.auxiliary);
            }
            EnglishOrder::WithoutSubject => text.say(verbs.auxiliary),
        }
        text.say(verbs.negation);
        if !adverb_first {
            self.say_adverb(text, Some(AdverbPlace::Verb));
        }
        for word in verbs.rest {
            text.say(word);
        }
        self.say_complements(text);
        if !adverb_first {
            self.say_adverb(text, Some(AdverbPlace::End));
        }
    }

    /// Adds the infinitive: `to read the book`.
    pub(super) fn english_infinitive(&self, text: &mut Text) {
        if let Predicate::Action(action) = &self.predicate {
            text.say("to");
            text.say(action.verb.english[0]);
        }
        self.say_complements(text);
    }

    fn english_verbs(&self, is_question: bool) -> Verbs {
        let agreement = self.agreement();
        let is_third = agreement == Agreement::ThirdSingular;
        let negation = if self.is_negative() { "not" } else { "" };
        let needs_do = is_question || self.is_negative();
        let do_form = if is_third { "does" } else { "do" };
        let of = |auxiliary, rest| Verbs {
            auxiliary,
            negation,
            rest,
        };
        let [base, third, past] = match &self.predicate {
            Predicate::Action(Action { verb, .. }) => verb.english,
            _ => ["be", "", ""],
        };
        let is_action = matches!(self.predicate, Predicate::Action(_));
        match (is_action, self.time) {
            (false, Time::Present) => of(ENGLISH_BE[agreement as usize], [""; 3]),
            (false, Time::Past) => of(ENGLISH_WAS[agreement as usize], [""; 3]),
            (_, Time::Present) if needs_do => of(do_form, [base, "", ""]),
            (_, Time::Present) => of("", [if is_third { third } else { base }, "", ""]),
            (_, Time::Past) if needs_do => of("did", [base, "", ""]),
            (_, Time::Past) => of("", [past, "", ""]),
            (_, Time::Modal(modal)) => match modal.english {
                // `cannot` is the only auxiliary that is written together with its negation.
                EnglishModal::Auxiliary("can") if self.is_negative() => Verbs {
                    auxiliary: "cannot",
                    negation: "",
                    rest: [base, "", ""],
                },
                EnglishModal::Auxiliary(word) => of(word, [base, "", ""]),
                EnglishModal::Verb(word, _) if needs_do => of(do_form, [word, "to", base]),
                EnglishModal::Verb(word, third) => {
                    of("", [if is_third { third } else { word }, "to", base])
                }
            },
        }
    }

    fn say_adverb(&self, text: &mut Text, place: Option<AdverbPlace>) {
        if let Some(adverb) = self.adverb
            && place.is_none_or(|place| adverb.place == place)
        {
            text.say(adverb.english);
        }
    }

    /// Adds the words after the verb: particle, objects and place, or the adjective.
    fn say_complements(&self, text: &mut Text) {
        match &self.predicate {
            Predicate::Quality { very, adjective } => {
                text.say(if *very { "very" } else { "" });
                text.say(adjective.english);
            }
            Predicate::Identity(phrase) => phrase.english_object(text),
            Predicate::Action(Action {
                verb,
                dative,
                accusative,
                addition,
            }) => {
                let direct = accusative.as_ref();
                let late_particle = direct.is_some_and(Phrase::is_pronoun);
                if !late_particle {
                    text.say(verb.particle);
                }
                text.say(verb.preposition);
                if let Some(object) = direct {
                    object.english_object(text);
                }
                if late_particle {
                    text.say(verb.particle);
                }
                // `to` remains even if a question has moved the object away: `whom is it given to`.
                text.say(if matches!(verb.objects, Objects::Both(_)) {
                    "to"
                } else {
                    ""
                });
                if let Some(object) = dative {
                    object.english_object(text);
                }
                if let Some(addition) = addition {
                    addition.english(text);
                }
            }
        }
    }
}
