//! A clause in English: subject, verb, object, place, time, with `do` where it is needed.

use super::clause::{Action, Clause, EnglishOrder, Predicate, Time};
use super::morphology::Agreement;
use super::phrase::{Phrase, Text};
use super::words::{AdverbPlace, ENGLISH_BE, ENGLISH_WAS, EnglishModal};

/// The words of a verb in the order in which they come.
struct Verbs {
    /// What changes places with the subject in a question, with its negation.
    auxiliary: &'static str,
    negation: &'static str,
    /// What follows it.
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
                text.say(verbs.negation);
            }
            EnglishOrder::Statement { .. } => {
                self.subject.english_subject(text);
                // One word: the negation of `can` holds it.
                text.say(if verbs.negation == "cannot" { "" } else { verbs.auxiliary });
                text.say(verbs.negation);
            }
            EnglishOrder::WithoutSubject => {
                text.say(if verbs.negation == "cannot" { "" } else { verbs.auxiliary });
                text.say(verbs.negation);
            }
        }
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

    /// `to read the book`.
    pub(super) fn english_infinitive(&self, text: &mut Text) {
        if let Predicate::Action(action) = &self.predicate {
            text.say("to");
            text.say(action.verb.english[0]);
        }
        self.say_complements(text);
    }

    fn english_verbs(&self, is_question: bool) -> Verbs {
        let agreement = self.agreement();
        let third = agreement == Agreement::ThirdSingular;
        let negation = if self.is_negative() { "not" } else { "" };
        let needs_do = is_question || self.is_negative();
        let do_form = if third { "does" } else { "do" };
        let Predicate::Action(Action { verb, .. }) = &self.predicate else {
            return match self.time {
                Time::Past => plain(ENGLISH_WAS[agreement as usize], negation, [""; 3]),
                _ => plain(ENGLISH_BE[agreement as usize], negation, [""; 3]),
            };
        };
        let [base, singular, past] = verb.english;
        match self.time {
            Time::Present if needs_do => plain(do_form, negation, [base, "", ""]),
            Time::Present => plain("", "", [if third { singular } else { base }, "", ""]),
            Time::Past if needs_do => plain("did", negation, [base, "", ""]),
            Time::Past => plain("", "", [past, "", ""]),
            Time::Modal(modal) => match modal.english {
                EnglishModal::Auxiliary(word) => {
                    let joined = word == "can" && self.is_negative() && !is_question;
                    let (word, negation) = if joined { ("cannot", "") } else { (word, negation) };
                    plain(word, negation, [base, "", ""])
                }
                EnglishModal::Verb(word, _) if needs_do => plain(do_form, negation, [word, "to", base]),
                EnglishModal::Verb(word, singular) => {
                    plain("", "", [if third { singular } else { word }, "to", base])
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

    /// What follows the verb: particle, objects, place; or the adjective.
    fn say_complements(&self, text: &mut Text) {
        match &self.predicate {
            Predicate::Quality { very, adjective } => {
                text.say(if *very { "very" } else { "" });
                text.say(adjective.english);
            }
            Predicate::Action(Action { verb, dative, accusative, addition }) => {
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
                if let Some(object) = dative {
                    if verb.takes_both() {
                        text.say("to");
                    }
                    object.english_object(text);
                }
                if let Some(addition) = addition {
                    addition.english(text);
                }
            }
        }
    }
}
