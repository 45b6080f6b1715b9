//! Properties of the language as a whole, in a sample of its sentences.

#![allow(clippy::unwrap_used)]

use strata_text::{Uploads, special::UNK};

use super::*;
use crate::generated::toy::tests::{
    assert_every_word_is_frequent, assert_held_out_is_new, assert_one_translation_each,
    assert_sentences_stay, sample,
};
use crate::task::Task;
use crate::{Example, TaskConfig};

#[test]
fn a_seed_gives_the_sentences_that_it_always_gave() {
    assert_sentences_stay(
        &LANGUAGE,
        [
            (0, 0xf8fb_2033_18a3_4ca5),
            (1, 0x52bd_8a76_b537_cf38),
            (2, 0xb360_57ef_2924_ceff),
        ],
    );
}

#[test]
fn a_sentence_has_one_translation_and_there_are_many_sentences() {
    assert_one_translation_each(&LANGUAGE);
}

#[test]
fn sentences_are_short_and_end_as_sentences_do() {
    for (german, english) in sample(&LANGUAGE, 12, 20_000) {
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
    let task = TaskConfig::GermanEnglish(GermanEnglishConfig::default());
    assert_every_word_is_frequent(&task, 304, 60);
}

#[test]
fn held_out_sentences_are_new() {
    assert_held_out_is_new(&TaskConfig::GermanEnglish(GermanEnglishConfig {
        examples: 5000,
        held_out: 500,
    }));
}

#[test]
fn words_do_not_depend_on_the_sample() {
    let load = |seed, examples| {
        GermanEnglishConfig {
            examples,
            held_out: 10,
        }
        .load(seed, &Uploads::default())
        .unwrap()
    };
    let (left, right) = (load(1, 10), load(2, 20_000));
    assert_eq!(left.source_vocabulary, right.source_vocabulary);
    assert_eq!(left.target_vocabulary, right.target_vocabulary);
    let ids = |example: &Example| [example.source.clone(), example.target.clone()].concat();
    assert!(!right.training().iter().flat_map(ids).any(|id| id == UNK));
}

/// The expected sentences were written down once: the seed must give the same ones on every
/// platform.
#[test]
fn the_sentences_are_pinned() {
    let drawn: Vec<(String, String)> = sample(&LANGUAGE, 1, 3);
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
    let tokens = |text: &str| -> Vec<String> {
        let text = task.normalise(text);
        text.split_whitespace().map(String::from).collect()
    };
    assert_eq!(
        tokens("Ich weiß nicht, ob er Äpfel isst."),
        [
            "ich", "weiß", "nicht", ",", "ob", "er", "äpfel", "isst", "."
        ]
    );
    assert_eq!(tokens("Hilfst du mir?"), ["hilfst", "du", "mir", "?"]);
    assert_eq!(tokens("Es schneit!"), tokens("es schneit"));
    assert!(tokens("  ").is_empty());
}
