//! The language as a whole: what a sample of its sentences is like.

#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};

use super::*;
use crate::random::Random;
use crate::special::UNK;
use crate::{Example, TaskConfig, Vocabulary};

fn sentences(seed: u64, count: usize) -> impl Iterator<Item = (String, String)> {
    (LANGUAGE.sentences)(Random::new(seed, LANGUAGE.name, 0)).take(count)
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
