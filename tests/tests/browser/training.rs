//! What training in the page comes to.

use crate::playground::{PATIENCE, Playground};
use serde_json::json;
use std::time::Duration;
use strata_tests::browser::Options;

/// Long enough for a run that takes ten seconds on a machine with nothing else to do.
const LEARNING: Duration = Duration::from_secs(240);

#[tokio::test]
async fn the_cpu_worker_learns_to_copy_and_then_copies_what_is_typed() {
    let page = Playground::open(Options::default(), "").await;
    let before = page.heat_map("attention").await;
    assert!(
        before.diagonal() < 0.5,
        "the diagonal is there before training"
    );

    page.click("#train").await;
    let learned = "document.querySelector('#stat-validation-accuracy').dataset.value >= 0.95";
    page.wait_for("held-out accuracy of 95 %", LEARNING, learned)
        .await;
    page.screenshot("training").await;
    println!(
        "step {}: {} of the held-out tokens, {} tokens/s",
        page.step().await,
        page.instrument("validation-accuracy").await,
        page.instrument("speed").await,
    );
    // To the end, where the model is the same on every machine.
    let finished = "document.querySelector('#status').dataset.state === 'finished'";
    page.wait_for("end of the run", LEARNING, finished).await;
    assert!(page.instrument("validation-accuracy").await >= 0.95);

    let map = page.heat_map("attention").await;
    assert_eq!(map.site, "decoder.0.cross");
    assert!(
        map.diagonal() >= 0.8,
        "{} of the rows: {:?}",
        map.diagonal(),
        map.weights
    );

    let sequence = "b a t c h d o p e l f i";
    page.type_and_translate(sequence).await;
    let map = page.heat_map("translation-attention").await;
    page.screenshot("translation").await;
    let whole = format!("document.querySelector('#translation').innerText === '{sequence}'");
    page.wait_for("whole translation", PATIENCE, &whole).await;
    assert!(
        map.diagonal() >= 0.8,
        "{} of the rows: {:?}",
        map.diagonal(),
        map.weights
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn training_on_the_cpu_never_holds_up_the_page() {
    let page = Playground::open(Options::default(), "?preset=copy&training.steps=100000").await;
    let observe = "
        window.longTasks = [];
        new PerformanceObserver(list => {
            for (const { startTime, duration } of list.getEntries())
                window.longTasks.push([Math.round(startTime), Math.round(duration)]);
        }).observe({ type: 'longtask' });";
    page.evaluate(observe).await;
    // From the first step on, over the first frames and the first saves. Whatever else this machine
    // does lengthens tasks too: of three times, one must be undisturbed.
    let mut windows = Vec::new();
    while windows.len() < 3 && windows.last() != Some(&json!([])) {
        page.click("#reset").await;
        page.wait_for_exact_step(0).await;
        page.evaluate("window.longTasks = []").await;
        page.click("#train").await;
        // Every question to the page is a task of the page.
        tokio::time::sleep(Duration::from_secs(12)).await;
        windows.push(page.evaluate("return window.longTasks").await);
        assert!(page.step().await > 20, "there was hardly any training");
        page.click("#pause").await;
    }
    assert_eq!(
        windows.last(),
        Some(&json!([])),
        "[when, how long] in milliseconds: {windows:?}"
    );

    // And the observer would have seen one.
    page.evaluate("setTimeout(() => { const end = performance.now() + 80; while (performance.now() < end); })").await;
    page.wait_for(
        "long task",
        Duration::from_secs(10),
        "window.longTasks.length > 0",
    )
    .await;
}
