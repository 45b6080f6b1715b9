//! Rows that are given weights by hand, and muted nodes of a pyramid.

use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use serde_json::json;
use strata_tests::browser::Options;

const AS_COMPUTED: &str = "!document.querySelector('#muted')";

#[tokio::test]
async fn a_row_is_forced_the_map_and_the_loss_follow_and_it_is_put_back() {
    let page = Playground::open(Options::default(), "").await;
    page.heat_map("attention").await;
    page.train_for(20).await;
    page.click("#tab-site").await;
    page.wait_for(
        "the control",
        PATIENCE,
        "document.querySelector('#force-row')",
    )
    .await;
    page.choose("#attention-site", "decoder.0.cross").await;
    let cross = "document.querySelector('#attention[data-site=\"decoder.0.cross\"]')";
    page.wait_for("the site", PATIENCE, cross).await;
    let before = page.heat_map("attention").await.weights;
    let text = page.text(".sentences .written").await;

    // Arrow keys in the map choose the row, too.
    page.evaluate("document.querySelector('#attention .plot').focus()")
        .await;
    page.press(char::from(Key::Down)).await;
    page.wait_for(
        "the row",
        PATIENCE,
        "document.querySelector('#force-row').value === '1'",
    )
    .await;
    page.click("#force summary").await;
    page.choose("#force-weights", "uniform").await;
    let forced = "document.querySelector('#force').dataset.given === 'uniform' && \
                  document.querySelector('#muted-measured')";
    page.wait_for("a forced row", PATIENCE, forced).await;
    let said = page.text("#muted").await;
    assert!(said.contains("row 2: even"), "{said}");
    let columns = before[1].len() as f64;
    let even = format!(
        "JSON.parse(document.querySelector('#attention').dataset.weights)[1].every(it => Math.abs(it - {}) < 0.002)",
        1.0 / columns
    );
    page.wait_for("an even row", PATIENCE, &even).await;
    let during = page.heat_map("attention").await.weights;
    assert_eq!(during[0], before[0]);
    page.screenshot("forced-row").await;

    page.choose("#force-weights", "key").await;
    page.wait_for("a word", PATIENCE, "document.querySelector('#force-word')")
        .await;
    page.choose("#force-word", "2").await;
    let one = "JSON.parse(document.querySelector('#attention').dataset.weights)[1][2] === 1";
    page.wait_for("one word", PATIENCE, one).await;

    page.choose("#force-row", "all").await;
    page.choose("#force-weights", "diagonal").await;
    let diagonal = "JSON.parse(document.querySelector('#attention').dataset.weights)[0][0] === 1";
    page.wait_for("the diagonal", PATIENCE, diagonal).await;
    page.click("#put-back").await;
    page.wait_for("as computed", PATIENCE, AS_COMPUTED).await;
    let back = format!(
        "JSON.stringify(JSON.parse(document.querySelector('#attention').dataset.weights)[1]) === '{}'",
        json!(before[1])
    );
    page.wait_for("the earlier weights", PATIENCE, &back).await;
    assert_eq!(page.text(".sentences .written").await, text);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_node_of_a_pyramid_is_taken_away_by_pointer_and_keys() {
    let query =
        "?v=1&preset=copy&model.cross.kind=pyramid&model.cross.block=2&model.cross.levels=3";
    let page = Playground::open(Options::default(), query).await;
    page.press_tab("descent").await;
    let nodes = "document.querySelector('#node-2-0')";
    page.wait_for("the tree", PATIENCE, nodes).await;
    page.evaluate("document.querySelector('#node-1-0').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        .await;
    let away = |node: &str| {
        format!(
            "document.querySelector('#{node}').getAttribute('aria-pressed') === 'true' && \
             document.querySelector('#{node}').dataset.reached === '0'"
        )
    };
    page.wait_for("a node that nobody reaches", PATIENCE, &away("node-1-0"))
        .await;
    let said = page.text("#muted").await;
    assert!(said.contains("node 1 of level 1"), "{said}");
    page.screenshot("muted-node").await;
    page.evaluate("document.querySelector('#node-1-0').focus()")
        .await;
    page.press(char::from(Key::Right)).await;
    page.wait_for(
        "the next node",
        PATIENCE,
        "document.activeElement.id === 'node-1-1'",
    )
    .await;
    page.press(' ').await;
    page.wait_for("another node", PATIENCE, &away("node-1-1"))
        .await;
    page.click("#put-back").await;
    page.wait_for("the whole pyramid", PATIENCE, AS_COMPUTED)
        .await;
    let whole = "document.querySelector('#node-2-0').dataset.reached > 0";
    page.wait_for("a pyramid that is reached", PATIENCE, whole)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
