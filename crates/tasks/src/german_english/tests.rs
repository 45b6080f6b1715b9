#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use super::clause::{Action, Clause, EnglishOrder, Order, Predicate, Time};
use super::morphology::{Case, Number};
use super::nouns::{CLOTHES, FOOD, NOUNS, PERSON, TEXT};
use super::phrase::{Addition, Determiner, NounPhrase, Phrase, Text};
use super::verbs::VERBS;
use super::words::{ADJECTIVES, ADVERBS, INTO, MODALS, PRONOUNS};
use super::*;
use crate::TaskConfig;
use crate::special::UNK;

fn sentences(seed: u64, count: usize) -> impl Iterator<Item = (String, String)> {
    let mut draw = Draw {
        random: Random::new(seed, "german_english", 0),
    };
    (0..count).map(move |_| draw.sentence().into_sides())
}

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

/// A clause in the present, without an object in the dative.
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

/// The three declensions, against a grammar book.
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

#[test]
fn a_sentence_has_one_translation_and_there_are_many_sentences() {
    let mut translations: HashMap<String, String> = HashMap::new();
    for (german, english) in sentences(11, 200_000) {
        let known = translations
            .entry(german.clone())
            .or_insert_with(|| english.clone());
        assert_eq!(*known, english, "{german}");
    }
    assert!(
        translations.len() > 150_000,
        "{} distinct sentences",
        translations.len()
    );
}

#[test]
fn sentences_are_short_and_end_as_sentences_do() {
    for (german, english) in sentences(12, 20_000) {
        let (words, english_words) = (german.split(' '), english.split(' '));
        assert!((3..=14).contains(&words.clone().count()), "{german}");
        assert!(
            (3..=24).contains(&english_words.clone().count()),
            "{english}"
        );
        assert!(
            words.chain(english_words).all(|word| !word.is_empty()),
            "{german} {english}"
        );
        let end = german.chars().last();
        assert_eq!(end, english.chars().last());
        assert!(matches!(end, Some('.' | '?')), "{german}");
    }
}

#[test]
fn every_word_is_frequent_enough_to_be_learned() {
    let data = GermanEnglishConfig::default().load(1).unwrap();
    let sources = data.training.iter().map(|example| &example.source);
    let targets = data.training.iter().map(|example| &example.target);
    let count = |ids: &mut dyn Iterator<Item = &u32>, vocabulary: &Vocabulary| {
        let mut counts = vec![0; vocabulary.len()];
        ids.for_each(|&id| counts[id as usize] += 1);
        assert_eq!(counts[UNK as usize], 0);
        assert!(vocabulary.len() >= 304, "{} words", vocabulary.len() - 4);
        let rarest = (4..vocabulary.len()).min_by_key(|&id| counts[id]).unwrap();
        let word = vocabulary.token(rarest as u32);
        assert!(
            counts[rarest] >= 60,
            "{word} occurs {} times",
            counts[rarest]
        );
    };
    count(&mut sources.flatten(), &data.source_vocabulary);
    count(&mut targets.flatten(), &data.target_vocabulary);
}

#[test]
fn held_out_sentences_are_new() {
    let data = TaskConfig::GermanEnglish(GermanEnglishConfig {
        examples: 5000,
        held_out: 500,
    });
    let data = data.load(2).unwrap();
    assert_eq!((data.training.len(), data.validation.len()), (5000, 500));
    let trained: HashSet<_> = data
        .training
        .iter()
        .map(|example| &example.source)
        .collect();
    assert_eq!(trained.len(), 5000);
    assert!(
        data.validation
            .iter()
            .all(|example| !trained.contains(&example.source))
    );
}

#[test]
fn words_do_not_depend_on_the_sample() {
    let load = |seed, examples| {
        GermanEnglishConfig {
            examples,
            held_out: 10,
        }
        .load(seed)
        .unwrap()
    };
    let (left, right) = (load(1, 10), load(2, 20_000));
    assert_eq!(left.source_vocabulary, right.source_vocabulary);
    assert_eq!(left.target_vocabulary, right.target_vocabulary);
    let ids = |example: &Example| [example.source.clone(), example.target.clone()].concat();
    assert!(!right.training.iter().flat_map(ids).any(|id| id == UNK));
}

/// Written down once: the seed must give the same sentences on every platform.
#[test]
fn the_sentences_are_pinned() {
    let drawn: Vec<(String, String)> = sentences(1, 3).collect();
    let pinned = [
        (
            "morgen darf eine schwester dieser kleinen schwester die guten kartoffeln geben .",
            "tomorrow a sister may give the good potatoes to this small sister .",
        ),
        (
            "wo haben deine jungen männer heute diesen saft getrunken ?",
            "where did your young men drink this juice today ?",
        ),
        ("er sieht den mann .", "he sees the man ."),
    ];
    let drawn: Vec<(&str, &str)> = drawn
        .iter()
        .map(|(left, right)| (&**left, &**right))
        .collect();
    assert_eq!(drawn, pinned);
}

#[test]
fn typed_text_takes_the_form_of_the_language() {
    let task = TaskConfig::default();
    assert_eq!(
        task.tokens("Ich weiß nicht, ob er Äpfel isst."),
        [
            "ich", "weiß", "nicht", ",", "ob", "er", "äpfel", "isst", "."
        ]
    );
    assert_eq!(task.tokens("Hilfst du mir?"), ["hilfst", "du", "mir", "?"]);
    assert_eq!(task.tokens("Es schneit!"), task.tokens("es schneit"));
    assert!(task.tokens("  ").is_empty());
}
