//! Properties of the language as a whole, in a sample of its sentences.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::TaskConfig;
use crate::generated::toy::tests::{
    assert_every_word_is_frequent, assert_held_out_is_new, assert_one_translation_each,
    assert_sentences_stay, sample,
};
use crate::task::Task;

#[test]
fn a_seed_gives_the_sentences_that_it_always_gave() {
    assert_sentences_stay(
        &LANGUAGE,
        [
            (0, 0xb812_057d_c851_5cb3),
            (1, 0x6f06_5bee_f601_e576),
            (2, 0xb890_75fd_09ca_9cb2),
        ],
    );
}

#[test]
fn a_sentence_has_one_translation_and_there_are_many_sentences() {
    assert_one_translation_each(&LANGUAGE);
}

#[test]
fn sentences_are_short_and_end_as_sentences_do() {
    for (chinese, english) in sample(&LANGUAGE, 12, 20_000) {
        let count = chinese.split(' ').count();
        assert!((3..=16).contains(&count), "{chinese}");
        assert!((3..=26).contains(&english.split(' ').count()), "{english}");
        for side in [&chinese, &english] {
            assert!(side.split(' ').all(|word| !word.is_empty()), "{side}");
        }
        let ends = (chinese.chars().last(), english.chars().last());
        assert!(
            matches!(ends, (Some('。'), Some('.')) | (Some('？'), Some('?'))),
            "{chinese} {english}"
        );
    }
}

#[test]
fn every_word_is_frequent_enough_to_be_learned() {
    let task = TaskConfig::ChineseEnglish(ChineseEnglishConfig::default());
    assert_every_word_is_frequent(&task, 230, 20);
}

#[test]
fn held_out_sentences_are_new() {
    assert_held_out_is_new(&TaskConfig::ChineseEnglish(ChineseEnglishConfig {
        examples: 5000,
        held_out: 500,
    }));
}

#[test]
fn what_is_typed_without_spaces_is_cut_into_words() {
    let config = ChineseEnglishConfig::default();
    let typed = |text: &str| config.normalise(text);
    assert_eq!(
        typed("昨天我在图书馆读了一本书。"),
        "昨天 我 在 图书馆 读 了 一 本 书 。"
    );
    assert_eq!(typed("我 比 他们 高"), "我 比 他们 高 。");
    assert_eq!(typed("你买了自行车吗?"), "你 买 了 自行车 吗 ？");
    assert_eq!(typed("我爱zebra"), "我 爱 zebra 。");
    assert_eq!(typed("  "), "");
}

/// Sentences of the sample show each rule, as a user would check.
#[test]
fn rules_show_in_the_sample() {
    let all: Vec<(String, String)> = sample(&LANGUAGE, 21, 60_000);
    let has = |chinese: &str, english: &str| {
        let found = all
            .iter()
            .any(|(left, right)| left.contains(chinese) && right.contains(english));
        assert!(found, "{chinese}: {english}");
    };
    has("一 杯 茶", "a cup of tea");
    has("一 把 伞", "an umbrella");
    has("两 本 书", "two books");
    has("这 三 只 猫", "these three cats");
    has("我 的 书", "my book");
    has("把 这", "on the table");
    has("没 买", "did not buy");
    has("不 想 买", "does not want to buy");
    has("不 会 去", "will not go");
    has("谁 吃 了", "who ate");
    has("在 哪里", "where do");
    has("为什么", "why did");
    has("坐 火车 去 北京", "to beijing by train");
    has("寄 给 他", "him");
    has("比 我 高", "taller than me");
    has("的 书 很", "the book that");
    has("桌子 上 有 三", "there are three");
    has("虽然", "although");
}
