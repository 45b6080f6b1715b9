//! The model as a drawing, in which a user can look at blocks, set them and mute them.

use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use serde_json::{Value, json};
use strata_tests::browser::Options;

/// Waits until the keyboard's focus is on a block.
async fn focus_on(page: &Playground, block: &str) {
    let id = format!("block-{}", block.replace('.', "-"));
    let there = format!("document.activeElement.id === '{id}'");
    page.wait_for(block, PATIENCE, &there).await;
}

/// Returns the accessible name of a block.
async fn name(page: &Playground, block: &str) -> String {
    let id = format!("block-{}", block.replace('.', "-"));
    let script = format!("return document.getElementById('{id}').getAttribute('aria-label')");
    let name = page.evaluate(&script).await;
    name.as_str().expect("a block has a name").to_owned()
}

#[tokio::test]
async fn every_site_has_its_stamp_and_arrow_keys_go_from_block_to_block() {
    let page = Playground::open(Options::default(), "").await;
    page.heat_map("attention").await;
    page.train_for(5).await;
    let stamps = "return [...document.querySelectorAll('.network .block.site')]
        .map(it => [it.dataset.block, it.dataset.change > 0, it.querySelectorAll('path[shape-rendering]').length > 0])";
    assert_eq!(
        page.evaluate(stamps).await,
        json!([
            ["encoder.0.self", true, true],
            ["decoder.0.self", true, true],
            ["decoder.0.cross", true, true]
        ])
    );
    let spoken = name(&page, "encoder.0.self").await;
    assert!(
        spoken.starts_with(
            "Encoder 1, self-attention, multi-head scaled dot product, changes its input by"
        ),
        "{spoken}"
    );
    // Tab stops only once: at the site that is shown in full.
    let stops =
        "return [...document.querySelectorAll('.network .body[tabindex=\"0\"]')].map(it => it.id)";
    assert_eq!(page.evaluate(stops).await, json!(["block-decoder-0-cross"]));

    page.evaluate("document.querySelector('#block-decoder-0-cross').focus()")
        .await;
    page.press(char::from(Key::Home)).await;
    focus_on(&page, "source_embedding").await;
    page.press(char::from(Key::Down)).await;
    page.press(char::from(Key::Down)).await;
    focus_on(&page, "encoder.0.self").await;
    let shown = "document.querySelector('#attention[data-site=\"encoder.0.self\"]')";
    page.wait_for("the site of the focus in full", PATIENCE, shown)
        .await;
    let words = page.text("#block-words").await;
    assert!(words.contains("[batch, source length, 32]"), "{words}");
    page.press(char::from(Key::Right)).await;
    focus_on(&page, "decoder.0.self").await;
    page.screenshot("network").await;

    page.press(char::from(Key::Enter)).await;
    let opened = "document.querySelector('#seeing[data-view=\"site\"] #attention[data-site=\"decoder.0.self\"]')";
    page.wait_for("the site", PATIENCE, opened).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_block_is_taken_away_and_put_back_and_its_mechanism_leads_to_the_settings() {
    let page = Playground::open(Options::default(), "").await;
    page.heat_map("attention").await;
    page.click("[data-block='decoder.0.feed_forward'] .sign")
        .await;
    let away = "document.querySelector('[data-block=\"decoder.0.feed_forward\"].muted-block') && \
                document.querySelector('#muted')";
    page.wait_for("a block that is struck through", PATIENCE, away)
        .await;
    let spoken = name(&page, "decoder.0.feed_forward").await;
    assert!(spoken.ends_with("taken away"), "{spoken}");
    page.screenshot("network-muted").await;
    page.evaluate("document.querySelector('#block-decoder-0-feed_forward').focus()")
        .await;
    page.press(char::from(Key::Delete)).await;
    let back = "!document.querySelector('.muted-block') && !document.querySelector('#muted')";
    page.wait_for("the whole model", PATIENCE, back).await;

    page.click("[data-block='encoder.0.self'] .mechanism").await;
    let chosen = "document.querySelector('#settings').open && \
                  document.activeElement.id === 'model-encoder-self-kind'";
    page.wait_for("the settings of the mechanism", PATIENCE, chosen)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn other_models_are_drawn_of_their_own_blocks() {
    let page = Playground::open(Options::default(), "?preset=german-english-gru").await;
    page.heat_map("attention").await;
    let blocks =
        "return [...document.querySelectorAll('.network .block')].map(it => it.dataset.block)";
    assert_eq!(
        page.evaluate(blocks).await,
        json!([
            "source_embedding",
            "encoder.0",
            "target_embedding",
            "decoder.0",
            "decoder.cross",
            "output"
        ])
    );
    page.screenshot("network-gru").await;
    page.choose("#preset", "sentences").await;
    let one = "document.querySelectorAll('.network [role=group][aria-label] .block.site').length === 2 && \
               document.querySelector('[data-block=\"decoder.1.self\"]')";
    page.wait_for("one stack", PATIENCE, one).await;
    page.screenshot("network-text").await;
    let tabs = "return [...document.querySelectorAll('[role=tab]')].map(it => it.id)";
    let tabs: Vec<Value> = serde_json::from_value(page.evaluate(tabs).await).expect("tabs");
    assert!(!tabs.contains(&json!("tab-shares")) && !tabs.contains(&json!("tab-descent")));
    assert_eq!(page.errors().await, Vec::<String>::new());
}
