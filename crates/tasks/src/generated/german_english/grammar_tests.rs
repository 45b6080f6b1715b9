//! The grammar, compared with sentences of a grammar book.

#![allow(clippy::unwrap_used)]

use super::clause::{Action, Clause, EnglishOrder, Order, Predicate, Time};
use super::morphology::{Case, Number};
use super::nouns::{CLOTHES, FOOD, NOUNS, PERSON, TEXT};
use super::phrase::{Addition, Determiner, NounPhrase, Phrase, Text};
use super::verbs::VERBS;
use super::words::{ADJECTIVES, ADVERBS, INTO, MODALS, PRONOUNS};

fn phrase(determiner: Determiner, adjective: &str, noun: &str, number: Number) -> Phrase {
    Phrase::Noun(NounPhrase {
        determiner,
        adjective: ADJECTIVES.iter().find(|it| it.german == adjective),
        noun: NOUNS.iter().find(|it| it.german[0] == noun).unwrap(),
        number,
    })
}

fn the(noun: &str) -> Phrase {
    phrase(Determiner::Definite, "", noun, Number::Singular)
}

/// Returns a clause in the present, without a dative object.
fn clause(subject: Phrase, infinitive: &str, accusative: Option<Phrase>) -> Clause {
    let verb = VERBS
        .iter()
        .find(|it| it.infinitive() == infinitive)
        .unwrap();
    Clause {
        subject,
        predicate: Predicate::Action(Action {
            verb,
            dative: None,
            accusative,
            addition: None,
        }),
        time: Time::Present,
        adverb: None,
        negated: false,
    }
}

fn german(clause: &Clause, order: Order) -> String {
    let mut text = Text::default();
    clause.german(order, &mut text);
    text.0
}

fn english(clause: &Clause, order: EnglishOrder) -> String {
    let mut text = Text::default();
    clause.english(order, &mut text);
    text.0
}

const STATEMENT: EnglishOrder = EnglishOrder::Statement {
    adverb_first: false,
};

#[test]
fn separable_verbs_part_in_main_clauses_alone() {
    let mut calls = clause(the("mann"), "anrufen", Some(the("arzt")));
    assert_eq!(
        german(&calls, Order::SubjectFirst),
        "der mann ruft den arzt an"
    );
    assert_eq!(german(&calls, Order::VerbLast), "der mann den arzt anruft");
    assert_eq!(english(&calls, STATEMENT), "the man calls the doctor");
    calls.time = Time::Past;
    assert_eq!(
        german(&calls, Order::SubjectFirst),
        "der mann hat den arzt angerufen"
    );
    assert_eq!(
        german(&calls, Order::VerbLast),
        "der mann den arzt angerufen hat"
    );
    calls.time = Time::Modal(&MODALS[0]);
    assert_eq!(
        german(&calls, Order::SubjectFirst),
        "der mann kann den arzt anrufen"
    );
    assert_eq!(english(&calls, STATEMENT), "the man can call the doctor");
}

#[test]
fn the_finite_verb_stays_second() {
    let adverb = |german: &str| ADVERBS.iter().find(|it| it.german == german);
    let mut eats = clause(the("frau"), "essen", Some(the("apfel")));
    eats.adverb = adverb("heute");
    assert_eq!(
        german(&eats, Order::AdverbFirst),
        "heute isst die frau den apfel"
    );
    let order = EnglishOrder::Statement { adverb_first: true };
    assert_eq!(english(&eats, order), "today the woman eats the apple");
    let object_first = Order::ObjectFirst(Case::Accusative);
    assert_eq!(german(&eats, object_first), "den apfel isst die frau heute");
    assert_eq!(english(&eats, STATEMENT), "the woman eats the apple today");
    eats.adverb = adverb("oft");
    eats.time = Time::Modal(&MODALS[4]);
    assert_eq!(
        german(&eats, Order::VerbFirst),
        "will die frau oft den apfel essen"
    );
    assert_eq!(
        english(&eats, STATEMENT),
        "the woman often wants to eat the apple"
    );
}

#[test]
fn english_needs_do() {
    let mut reads = clause(Phrase::Pronoun(&PRONOUNS[2]), "lesen", Some(the("buch")));
    assert_eq!(
        english(&reads, EnglishOrder::Question),
        "does he read the book"
    );
    reads.negated = true;
    assert_eq!(
        german(&reads, Order::SubjectFirst),
        "er liest das buch nicht"
    );
    assert_eq!(english(&reads, STATEMENT), "he does not read the book");
    reads.time = Time::Past;
    assert_eq!(english(&reads, STATEMENT), "he did not read the book");
    reads.time = Time::Modal(&MODALS[0]);
    assert_eq!(english(&reads, STATEMENT), "he cannot read the book");
    reads.time = Time::Modal(&MODALS[5]);
    assert_eq!(
        english(&reads, STATEMENT),
        "he does not have to read the book"
    );
}

#[test]
fn kein_negates_the_english_verb() {
    let none = |noun, number| Some(phrase(Determiner::No, "", noun, number));
    let subject = || Phrase::Pronoun(&PRONOUNS[0]);
    let one = clause(subject(), "kaufen", none("apfel", Number::Singular));
    assert_eq!(german(&one, Order::SubjectFirst), "ich kaufe keinen apfel");
    assert_eq!(english(&one, STATEMENT), "i do not buy an apple");
    let several = clause(subject(), "kaufen", none("apfel", Number::Plural));
    assert_eq!(
        german(&several, Order::SubjectFirst),
        "ich kaufe keine äpfel"
    );
    assert_eq!(english(&several, STATEMENT), "i do not buy any apples");
    let substance = clause(subject(), "kaufen", none("brot", Number::Singular));
    assert_eq!(
        german(&substance, Order::SubjectFirst),
        "ich kaufe kein brot"
    );
    assert_eq!(english(&substance, STATEMENT), "i do not buy any bread");
}

#[test]
fn movement_takes_the_accusative_and_the_perfect_with_sein() {
    let mut runs = clause(the("kind"), "laufen", None);
    runs.time = Time::Past;
    if let Predicate::Action(action) = &mut runs.predicate {
        action.addition = Some(Addition {
            preposition: &INTO,
            phrase: the("museum"),
        });
    }
    assert_eq!(
        german(&runs, Order::SubjectFirst),
        "das kind ist ins museum gelaufen"
    );
    assert_eq!(english(&runs, STATEMENT), "the child ran into the museum");
}

#[test]
fn particles_follow_pronouns() {
    let him = Phrase::Pronoun(&PRONOUNS[2]);
    let picks = clause(the("mutter"), "abholen", Some(him));
    assert_eq!(
        german(&picks, Order::SubjectFirst),
        "die mutter holt ihn ab"
    );
    assert_eq!(english(&picks, STATEMENT), "the mother picks him up");
    let picks = clause(the("mutter"), "abholen", Some(the("kind")));
    assert_eq!(english(&picks, STATEMENT), "the mother picks up the child");
}

/// The three declensions of adjectives, compared with a grammar book.
#[test]
fn adjectives_agree() {
    let mine = Determiner::Possessive("mein", "my");
    let rows = [
        (
            Determiner::Definite,
            "hut",
            ["der alte hut", "den alten hut", "dem alten hut"],
        ),
        (
            Determiner::Indefinite,
            "hut",
            ["ein alter hut", "einen alten hut", "einem alten hut"],
        ),
        (
            Determiner::This,
            "tür",
            ["diese alte tür", "diese alte tür", "dieser alten tür"],
        ),
        (
            mine,
            "tür",
            ["meine alte tür", "meine alte tür", "meiner alten tür"],
        ),
        (
            Determiner::Every,
            "kleid",
            ["jedes alte kleid", "jedes alte kleid", "jedem alten kleid"],
        ),
        (
            Determiner::Indefinite,
            "kleid",
            ["ein altes kleid", "ein altes kleid", "einem alten kleid"],
        ),
    ];
    let cases = [Case::Nominative, Case::Accusative, Case::Dative];
    let say = |phrase: &Phrase, case| {
        let mut text = Text::default();
        phrase.german(case, &mut text);
        text.0
    };
    for (determiner, noun, expected) in rows {
        let phrase = phrase(determiner, "alt", noun, Number::Singular);
        assert_eq!(cases.map(|case| say(&phrase, case)), expected);
    }
    let plurals = [
        (
            Determiner::Definite,
            ["die alten männer", "die alten männer", "den alten männern"],
        ),
        (
            Determiner::No,
            [
                "keine alten männer",
                "keine alten männer",
                "keinen alten männern",
            ],
        ),
        (
            Determiner::Many,
            [
                "viele alte männer",
                "viele alte männer",
                "vielen alten männern",
            ],
        ),
        (
            Determiner::Bare,
            ["alte männer", "alte männer", "alten männern"],
        ),
    ];
    for (determiner, expected) in plurals {
        let phrase = phrase(determiner, "alt", "mann", Number::Plural);
        assert_eq!(cases.map(|case| say(&phrase, case)), expected);
    }
    let milk = phrase(Determiner::Bare, "kalt", "milch", Number::Singular);
    assert_eq!(say(&milk, Case::Accusative), "kalte milch");
}

#[test]
fn every_noun_has_adjectives_to_choose_from() {
    for noun in &NOUNS {
        let count = ADJECTIVES
            .iter()
            .filter(|it| it.kinds & noun.kinds != 0)
            .count();
        assert!(count >= 2, "{noun:?}");
    }
    assert!(
        [PERSON, TEXT, FOOD, CLOTHES]
            .iter()
            .all(|&kinds| NOUNS.iter().any(|it| it.is(kinds)))
    );
}
