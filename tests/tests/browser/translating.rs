//! The person's own sentence.

use crate::playground::{PATIENCE, Playground};
use strata_tests::browser::Options;

#[tokio::test]
async fn unknown_words_are_told_and_an_empty_sentence_is_refused() {
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

    for text in ["", "   "] {
        page.type_and_translate(text).await;
        let message = page.message_with("nothing to translate").await;
        assert!(message.ends_with('.'), "no sentence: {message}");
        page.click("#messages button").await;
        page.wait_for(
            "empty list of messages",
            PATIENCE,
            "!document.querySelector('.message')",
        )
        .await;
    }
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
    // Perhaps with the end of the sentence.
    let tokens = sample.split(' ').count();
    assert!(
        (tokens..=tokens + 1).contains(&map.weights[0].len()),
        "{:?}",
        map.weights
    );
    page.wait_for_step(page.step().await + 5).await;
}
