//! The curves: crosshair, zoom, scales, several runs.

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

#[tokio::test]
async fn arrow_keys_speak_the_read_out_and_the_numbers_are_a_table() {
    let page = Playground::open(Options::default(), "").await;
    page.train_for(30).await;
    page.evaluate(&format!("{LOSS}.querySelector('.area').focus()"))
        .await;
    let spoken = format!("{LOSS}.querySelector('[aria-live=\"polite\"]').textContent");
    page.press(char::from(Key::Left)).await;
    // Where steps are fast, a validation has come before the run pauses, and is told first.
    let told =
        format!("/^Loss: step \\d+, (validation .+, )?training \\d/.test({spoken}) && {spoken}");
    let first = page.wait_for("spoken read-out", PATIENCE, &told).await;
    page.press(char::from(Key::Left)).await;
    let other = format!("{spoken} !== {first} && {told}");
    page.wait_for("another one", PATIENCE, &other).await;
    // Screen readers say the same values that are shown.
    let same = format!(
        "{LOSS}.querySelector('.read-out .training b').innerText === /training ([^,]+)/.exec({spoken})[1]"
    );
    page.wait_for("the same number", PATIENCE, &same).await;

    let rows = "document.querySelectorAll('.numbers tbody tr').length";
    assert_eq!(page.evaluate(&format!("return {rows}")).await, 0);
    page.click("#curves-numbers").await;
    let shown = format!("{rows} >= 20 && {rows} <= 40");
    page.wait_for("table", PATIENCE, &shown).await;
    let names =
        "return [...document.querySelectorAll('.numbers thead th')].map(it => it.innerText).join()";
    assert_eq!(
        page.evaluate(names).await,
        "Step,Loss, training,Loss, validation,Accuracy, training,Accuracy, validation,Tokens/s"
    );
    page.screenshot("numbers").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// A run without steps, beside one that has trained, is described with words instead of dashes.
#[tokio::test]
async fn a_run_without_steps_says_when_its_curves_begin() {
    let page = Playground::open(Options::default(), "").await;
    page.losses(3).await;
    page.click("#new-seed").await;
    let begins = "document.querySelector('.runs-drawn tbody tr')?.innerText.includes('begins with the next step')";
    page.wait_for("its row", PATIENCE, begins).await;
    page.losses(1).await;
    let gone = format!("document.querySelector('.runs-drawn') && !({begins})");
    page.wait_for("its values", PATIENCE, &gone).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// The steps at which settings change are marked in each chart, and told below the charts and by
/// the read-out.
#[tokio::test]
async fn the_stages_of_a_curriculum_are_marked() {
    let page = Playground::open(
        Options::default(),
        "?preset=arrows&training.curriculum=0: task.hops=2; 10: task.hops=3; 500: task.hops=4",
    )
    .await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    page.train_for(30).await;
    let stages = page.text("#curve-stages").await;
    for (number, step) in [(1, 0), (2, 10), (3, 500)] {
        let told = format!("Stage {number} from step {step}: ");
        assert!(stages.contains(&told), "{stages}");
    }
    // Stages that are still to come are not drawn yet.
    let marks = "return [...document.querySelectorAll('.curve')].map(chart =>
        [...chart.querySelectorAll('.stage-mark')].map(it => it.dataset.step + ':' + it.innerText).join())";
    let marks: Vec<String> = serde_json::from_value(page.evaluate(marks).await).expect("marks");
    assert!(
        marks.len() >= 3 && marks.iter().all(|it| it == "10:2"),
        "{marks:?}"
    );
    page.evaluate(&format!("{LOSS}.querySelector('.area').focus()"))
        .await;
    page.press(char::from(Key::Left)).await;
    let said = format!("{LOSS}.querySelector('[aria-live]').innerText.includes('stage 2')");
    page.wait_for("stage in words", PATIENCE, &said).await;
    page.screenshot("stages").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
