//! The curves: crosshair, zoom, scales, runs beside each other.

use crate::playground::{PATIENCE, Playground};
use fantoccini::actions::{InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use fantoccini::key::Key;
use std::time::Duration;
use strata_tests::browser::Options;

const LOSS: &str = "document.querySelector('[data-quantity=\"loss\"]')";

#[tokio::test]
async fn the_crosshair_is_linked_and_a_range_can_be_dragged_to_zoom() {
    let page = Playground::open(Options::default(), "").await;
    page.train_for(30).await;
    page.evaluate("document.querySelector('[data-quantity=\"loss\"] .area').scrollIntoView({ block: 'center' })")
        .await;
    let area = page
        .evaluate("const it = document.querySelector('[data-quantity=\"loss\"] .area').getBoundingClientRect();
                   return [it.left, it.top, it.width, it.height]")
        .await;
    let [left, top, width, height]: [f64; 4] = serde_json::from_value(area).expect("a place");
    let to = |share: f64| PointerAction::MoveTo {
        duration: Some(Duration::from_millis(200)),
        x: left + share * width,
        y: top + height / 2.0,
    };
    let drag = MouseActions::new("mouse".to_owned())
        .then(to(0.25))
        .then(PointerAction::Down {
            button: MOUSE_BUTTON_LEFT,
        })
        .then(to(0.5))
        .then(to(0.75))
        .then(PointerAction::Up {
            button: MOUSE_BUTTON_LEFT,
        });
    page.client().perform_actions(drag).await.expect("a drag");
    let zoomed = format!("{LOSS}.dataset.from > 0 && {LOSS}.dataset.to - {LOSS}.dataset.from > 0");
    page.wait_for("zoomed chart", PATIENCE, &zoomed).await;
    let linked = "new Set([...document.querySelectorAll('.curve')].map(it => [it.dataset.from, it.dataset.to].join())).size === 1 \
                  && document.querySelectorAll('.crosshair').length === 3";
    page.wait_for("charts that are linked", PATIENCE, linked)
        .await;
    page.screenshot("zoomed").await;

    page.evaluate(&format!("{LOSS}.querySelector('.area').focus()"))
        .await;
    page.press(char::from(Key::Escape)).await;
    let whole = format!("{LOSS}.dataset.from === '0'");
    page.wait_for("whole run", PATIENCE, &whole).await;
    page.press(char::from(Key::Left)).await;
    let read = format!("/step \\d/.test({LOSS}.querySelector('.read-out').innerText)");
    page.wait_for("read-out at a step", PATIENCE, &read).await;
    page.press('+').await;
    page.wait_for(
        "zoom by keyboard",
        PATIENCE,
        &format!("{LOSS}.dataset.from > 0"),
    )
    .await;
    page.click("#zoom-all").await;
    page.wait_for("whole run", PATIENCE, &whole).await;

    page.click("#log-scale").await;
    page.wait_for(
        "logarithmic scale",
        PATIENCE,
        &format!("{LOSS}.dataset.log === 'true'"),
    )
    .await;
    page.screenshot("logarithmic").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn earlier_runs_stay_beside_the_present_one_named_by_what_differs() {
    let page = Playground::open(Options::default(), "").await;
    page.losses(5).await;
    let seed = page.text("#seed").await;
    page.click("#new-seed").await;
    let begun = "document.querySelector('#stat-step').dataset.value === '0'";
    page.wait_for("new run", PATIENCE, begun).await;
    page.losses(4).await;
    let named = format!(
        "[...document.querySelectorAll('.runs-drawn label')].some(it => it.innerText === 'seed {seed}')"
    );
    page.wait_for("run with another seed", PATIENCE, &named)
        .await;
    let lines = |count: u32| format!("{LOSS}.querySelectorAll('.area .other').length === {count}");
    page.wait_for("its line", PATIENCE, &lines(1)).await;
    page.screenshot("overlay").await;
    page.click("#run-1").await;
    page.wait_for("no line", PATIENCE, &lines(0)).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
