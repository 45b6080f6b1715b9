//! Attention weights that another program wrote, in the page's views.

use crate::accessibility::assert_no_barrier;
use crate::playground::{PATIENCE, Playground};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use strata_tests::browser::Options;

/// Writes an attention file with one sentence of two heads, whose first row is `first`.
fn written(folder: &tempfile::TempDir, name: &str, first: [f64; 2]) -> PathBuf {
    let file = folder.path().join(name);
    let text = json!({ "format": "strata-attention", "version": 1, "sentences": [{
        "source": ["der", "mann"], "target": ["the", "man"],
        "sites": [{
            "site": "decoder.0.cross", "rows": ["the", "man"], "columns": ["der", "mann"],
            "heads": [[first, [0.25, 0.75]], [[0.5, 0.5], [0.75, 0.25]]],
        }],
    }] });
    fs::write(&file, text.to_string()).expect("the file can be written");
    file
}

#[tokio::test]
async fn a_file_of_weights_opens_in_the_views_while_a_run_goes_on() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let endless = "?v=1&preset=copy&training.steps=100000";
    let page = Playground::open(Options::default(), endless).await;
    page.click("#train").await;
    page.choose_file("#model-file", &written(&folder, "weights.json", [1.0, 0.0]))
        .await;
    let title = "document.querySelector('#file-title')?.innerText";
    page.wait_for("view of the file", PATIENCE, title).await;
    assert_eq!(
        page.text("#file-title").await,
        "Attention from weights.json"
    );
    // The mean of both heads.
    let map = page.heat_map("attention").await;
    assert_eq!(map.weights, [[0.75, 0.25], [0.5, 0.5]]);
    assert_no_barrier(&page, "an attention file").await;

    page.press_tab("overview").await;
    let both = "document.querySelectorAll('#attention-file .thumbnail').length === 2";
    page.wait_for("two heads", PATIENCE, both).await;
    page.click("#attention-file .thumbnail").await;
    let weights = "document.querySelector('#attention-file #attention')?.dataset.weights ?? '[]'";
    let first = format!("JSON.stringify(JSON.parse({weights})) === '[[1,0],[0.25,0.75]]'");
    page.wait_for("map of the first head", PATIENCE, &first)
        .await;

    page.press_tab("rollout").await;
    // One site is too little for it, and the page says which is missing.
    let missing = "document.querySelector('#attention-file #seeing').innerText.includes('no site `decoder.0.self`')";
    page.wait_for("sentence on what is missing", PATIENCE, missing)
        .await;
    page.choose_file("#model-file", &written(&folder, "other.json", [0.0, 1.0]))
        .await;
    let difference = "document.querySelector('#beside-difference')";
    page.wait_for("two files beside each other", PATIENCE, difference)
        .await;
    assert!(page.text("#two-runs").await.contains("other.json"));
    page.screenshot("attention-file").await;

    let damaged = folder.path().join("damaged.json");
    fs::write(&damaged, r#"{"format": "strata-attention", "version": 7}"#)
        .expect("room for a file");
    page.choose_file("#model-file", &damaged).await;
    page.message_with("`version` is 7").await;

    let step = page.step().await;
    page.click("#file-close").await;
    page.wait_for(
        "the run's views",
        PATIENCE,
        "document.querySelector('#watch-title')",
    )
    .await;
    // The run went on all the while, and goes on.
    page.wait_for(
        "further steps",
        PATIENCE,
        &format!("Number(document.querySelector('#stat-step').dataset.value) > {step}"),
    )
    .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
