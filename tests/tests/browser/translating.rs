//! A user's own sentence.

use crate::playground::{PATIENCE, Playground};
use strata_tests::browser::Options;

#[tokio::test]
async fn unknown_words_are_told_and_a_sentence_of_blanks_is_refused() {
    let page = Playground::open(Options::default(), "").await;
    page.type_and_translate("a b zebra c").await;
    let told = "document.querySelector('.answer .note').innerText.includes('zebra')";
    page.wait_for("word on zebra", PATIENCE, told).await;
    let map = page.heat_map("translation-attention").await;
    assert!(
        map.weights.iter().all(|row| row.len() >= 4),
        "{:?}",
        map.weights
    );

    page.type_and_translate("   ").await;
    let message = page.message_with("nothing to translate").await;
    assert!(message.ends_with('.'), "no sentence: {message}");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_sentence_that_stands_in_an_empty_box_is_translated() {
    let page = Playground::open(Options::default(), "").await;
    let shown = page
        .evaluate("return document.querySelector('#translate-input').placeholder")
        .await;
    page.click("#translate-button").await;
    let map = page.heat_map("translation-attention").await;
    assert!(!map.weights.is_empty());
    assert_eq!(page.chosen("#translate-input").await, shown);
    // With the box empty, the example sentence is translated again.
    page.type_and_translate("").await;
    assert_eq!(page.chosen("#translate-input").await, shown);
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_sample_is_translated_while_the_model_trains() {
    let page = Playground::open(Options::default(), "").await;
    page.click("#train").await;
    page.wait_for_step(5).await;
    page.click(".sample").await;
    let sample = page.text(".sample").await;
    assert_eq!(page.chosen("#translate-input").await, sample);
    let map = page.heat_map("translation-attention").await;
    // The tokens may include the end of the sentence.
    let tokens = sample.split(' ').count();
    assert!(
        (tokens..=tokens + 1).contains(&map.weights[0].len()),
        "{:?}",
        map.weights
    );
    page.wait_for_step(page.step().await + 5).await;
}

/// Expression for the number of tokens that have appeared.
const GROWN: &str = "Number(document.querySelector('.steps')?.dataset.grown)";

#[tokio::test]
async fn a_translation_grows_and_goes_on_from_another_candidate() {
    let page = Playground::open(Options::default(), "").await;
    page.train_for(20).await;
    page.type_and_translate("a b c d e").await;
    let all = format!(
        "{GROWN} > 0 && {GROWN} === Number(document.querySelector('.steps').dataset.length)"
    );
    page.wait_for("whole translation", PATIENCE, &all).await;

    // Back to the first token by keyboard; its candidates are listed with their probabilities.
    page.click(".steps .token[tabindex='0']").await;
    page.press(char::from(fantoccini::key::Key::Home)).await;
    page.wait_for(
        "first token",
        PATIENCE,
        "document.querySelector('.steps').dataset.at === '0'",
    )
    .await;
    let candidates = page
        .evaluate(
            "return [...document.querySelectorAll('#candidates .tokens')].map(it => it.innerText)",
        )
        .await;
    let candidates: Vec<String> = serde_json::from_value(candidates).expect("texts");
    assert_eq!(candidates.len(), 5);
    let first = page.text(".steps .token span").await;
    let other = candidates
        .iter()
        .position(|it| *it != first)
        .expect("another");
    page.click(&format!("#candidates li:nth-child({}) button", other + 1))
        .await;
    let begins = format!(
        "document.querySelector('.steps .token span').innerText === {:?}",
        candidates[other]
    );
    page.wait_for("other beginning", PATIENCE, &begins).await;
    page.screenshot("translate-steps").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_beam_is_a_tree_and_a_list_of_the_best() {
    let page = Playground::open(Options::default(), "").await;
    page.train_for(20).await;
    page.choose("#search-kind", "beam").await;
    page.type_and_translate("a b c d e").await;
    page.wait_for(
        "tree",
        PATIENCE,
        "document.querySelector('#beam-tree .marked')",
    )
    .await;
    let best = "document.querySelectorAll('#best-list .best').length === 4";
    page.wait_for("four translations", PATIENCE, best).await;
    page.click("#best-list li:nth-child(2) button").await;
    let second =
        "document.querySelector('#best-list li:nth-child(2) button').ariaPressed === 'true'";
    page.wait_for("second best", PATIENCE, second).await;
    page.screenshot("translate-beam").await;
    // The settings of sampling with a seed are shown.
    page.choose("#search-kind", "sampling").await;
    page.wait_for(
        "temperature",
        PATIENCE,
        "document.querySelector('#search-temperature')",
    )
    .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_language_model_writes_a_beginning_on() {
    let page = Playground::open(Options::default(), "?preset=sentences").await;
    page.train_for(10).await;
    page.type_and_translate("The man zebra").await;
    let typed = "document.querySelectorAll('.steps .typed').length === 3";
    page.wait_for("what was typed", PATIENCE, typed).await;
    let told = "document.querySelector('.answer .note').innerText.includes('zebra')";
    page.wait_for("word on zebra", PATIENCE, told).await;
    let more = "document.querySelectorAll('.steps .token').length > 3";
    page.wait_for("what was written on", PATIENCE, more).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
