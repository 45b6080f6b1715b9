//! Small models that are served with the page.

use std::fs;

use serde_json::json;
use strata_tests::browser::Options;

use crate::playground::{PATIENCE, Playground};
use crate::poems::{with_run, written};

/// A script that answers in place of the server: with a list, and with a model that comes or does
/// not.
const SERVE: &str = "
    const others = window.fetch;
    const answer = (body, status = 200) => Promise.resolve(new Response(body, { status }));
    window.fetch = (address, ...rest) => {
        if (String(address).endsWith('poems/models.json'))
            return answer(JSON.stringify([{ name: 'tiny', bytes: bytes.length }]));
        if (!String(address).endsWith('poems/tiny.safetensors')) return others(address, ...rest);
        if (window.fails === 'missing') return answer('', 404);
        if (window.fails === 'offline') return Promise.reject(new TypeError('no network'));
        return answer(bytes);
    };";

#[tokio::test]
async fn a_served_model_is_loaded_by_a_press_or_a_sentence_says_why_not() {
    let place = with_run();
    place
        .run("average --out tiny.safetensors run/checkpoint.safetensors")
        .succeeded();
    let bytes = fs::read(place.path("tiny.safetensors")).expect("a model");

    let page = Playground::open(Options::default(), "").await;
    page.evaluate(&format!(
        "const bytes = new Uint8Array({}); {SERVE}",
        json!(bytes)
    ))
    .await;
    page.choose("#preset", "poems").await;
    page.message_with("learns from quatrains").await;
    let offered =
        "document.querySelector('#small-model-tiny')?.innerText.startsWith('Load a small model (')";
    page.wait_for("offer", PATIENCE, offered).await;
    for (fails, told) in [
        ("missing", "not served any more"),
        ("offline", "could not be fetched"),
    ] {
        page.evaluate(&format!("window.fails = '{fails}'")).await;
        page.click("#small-model-tiny").await;
        let told = format!("document.querySelector('.small-models').innerText.includes('{told}')");
        page.wait_for(fails, PATIENCE, &told).await;
    }
    page.evaluate("window.fails = ''").await;
    page.click("#small-model-tiny").await;
    page.message_with("writes poems below").await;
    assert!(page.has_focus("#poem-text").await);
    assert_eq!(written(&page, "雲月").await.len(), 4);
    // A model is not offered for comparison with itself.
    let offered = "return document.querySelector('#small-beside-tiny')";
    assert!(page.evaluate(offered).await.is_null());
    assert_eq!(page.errors().await, Vec::<String>::new());
}
