//! Results of training in the page.

use crate::playground::{PATIENCE, Playground};
use std::time::Duration;
use strata_tests::browser::Options;

/// Time limit of a run that takes ten seconds on an idle machine.
const LEARNING: Duration = Duration::from_secs(240);

/// Duration of a long task, as the web platform defines it: from here on a user notices it.
const LONG_TASK: Duration = Duration::from_millis(50);

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
    // The page asks on the way, when nothing is wrong any more.
    let asked = "document.querySelector('#go-on') || document.querySelector('#status').dataset.state === 'finished'";
    page.wait_for("question", LEARNING, asked).await;
    if page.step().await < 1000 {
        page.click("#go-on").await;
    }
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
    let options = Options {
        tasks: true,
        ..Options::default()
    };
    let page = Playground::open(options, "?preset=copy&training.steps=100000").await;
    page.longest_task().await;
    // From the first step on, including the first frames and the first saves.
    page.click("#train").await;
    tokio::time::sleep(Duration::from_secs(12)).await;
    let longest = page.longest_task().await;
    assert!(page.step().await > 20, "there was hardly any training");
    assert!(
        longest < LONG_TASK,
        "a task of the page took {longest:?} of the processor's time"
    );

    // A long task would have been noticed: this one is.
    let hold_up = "const end = performance.now() + 300; while (performance.now() < end);";
    page.evaluate(hold_up).await;
    let longest = page.longest_task().await;
    assert!(longest >= LONG_TASK, "300 ms were measured as {longest:?}");
}
