//! The end of a run, and settings that are changed while a run is paused.

use crate::keeping::wait_for_runs;
use crate::playground::{PATIENCE, Playground};
use crate::settings::fill;
use strata_tests::browser::Options;

async fn finished(query: &str) -> Playground {
    let page = Playground::open(Options::default(), query).await;
    page.click("#train").await;
    page.wait_for_phase("finished").await;
    page
}

/// Waits for this note below the buttons, and returns its text.
async fn beside(page: &Playground, note: &str) -> String {
    let expression = format!("document.querySelector('#beside').dataset.note === '{note}'");
    page.wait_for(note, PATIENCE, &expression).await;
    page.text("#beside").await
}

#[tokio::test]
async fn a_finished_run_goes_on_with_more_steps() {
    let page = finished("?v=1&preset=copy&training.steps=6").await;
    assert_eq!(page.text("#train").await, "Train 6 more");
    let said = beside(&page, "ended").await;
    assert!(said.contains("6 steps are taken"), "{said}");
    assert_eq!(
        page.client().title().await.expect("a title"),
        "Finished · Strata"
    );
    page.click("#to-translate").await;
    assert!(page.has_focus("#translate-input").await);
    page.click("#train").await;
    page.wait_for_step(12).await;
    page.wait_for_phase("finished").await;
    assert_eq!(page.step().await, 12);

    // From the form as well, at another rate; and the stored run has the changed settings, too.
    page.unfold("#settings").await;
    fill(&page, "#training-steps", "14").await;
    fill(&page, "#training-optimizer-learning-rate", "0.001").await;
    let note = "document.querySelector('#settings-note').innerText.includes('goes on')";
    page.wait_for("what applying does", PATIENCE, note).await;
    page.click("#apply").await;
    page.wait_for_exact_step(12).await;
    let followed = "location.search.includes('training.steps=14')";
    page.wait_for("the address", PATIENCE, followed).await;
    page.reload().await;
    page.wait_for_exact_step(12).await;
    assert_eq!(page.chosen("#training-steps").await, "14");
    page.click("#train").await;
    page.wait_for_phase("finished").await;
    assert_eq!(page.step().await, 14);
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn settings_that_were_applied_are_there_though_the_page_was_left_before_they_were_stored() {
    let page = finished("?v=1&preset=copy&training.steps=6").await;
    page.wait_until_kept(6).await;
    page.evaluate("IDBObjectStore.prototype.put = () => { throw new Error('too late') }")
        .await;
    page.unfold("#settings").await;
    fill(&page, "#training-steps", "9").await;
    page.click("#apply").await;
    page.wait_for_exact_step(6).await;
    page.reload().await;
    page.wait_for_exact_step(6).await;
    assert_eq!(page.chosen("#training-steps").await, "9");
    page.click("#train").await;
    page.wait_for_phase("finished").await;
    page.wait_until_kept(9).await;
    page.client().refresh().await.expect("the page loads again");
    page.wait_for_phase("finished").await;
    assert_eq!(page.step().await, 9);
    assert_eq!(page.chosen("#training-steps").await, "9");
}

#[tokio::test]
async fn changed_settings_are_trained_or_it_is_said_that_they_are_not() {
    let page = Playground::open(Options::default(), "?v=1&preset=copy").await;
    page.unfold("#settings").await;
    fill(&page, "#model-width", "64").await;
    beside(&page, "unapplied").await;
    page.click("#step").await;
    page.wait_for_exact_step(1).await;
    let followed = "location.search.includes('model.width=64')";
    page.wait_for("the address", PATIENCE, followed).await;

    // Now the settings would begin another run, which needs its own button.
    fill(&page, "#model-width", "48").await;
    let said = beside(&page, "unapplied").await;
    assert!(said.contains("not applied"), "{said}");
    page.losses(1).await;
    assert_eq!(page.chosen("#model-width").await, "48");
    beside(&page, "unapplied").await;
    page.click("#apply-here").await;
    page.wait_for_exact_step(0).await;
    let followed = "location.search.includes('model.width=48')";
    page.wait_for("the address", PATIENCE, followed).await;

    // Settings that cannot be trained are not replaced by the ones before.
    fill(&page, "#model-width", "0").await;
    beside(&page, "unapplied").await;
    page.click("#train").await;
    page.message_with("Width must be").await;
    page.wait_for_exact_step(0).await;
    page.click("#discard-here").await;
    beside(&page, "left").await;
    assert_eq!(page.chosen("#model-width").await, "48");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_run_that_diverged_begins_anew_at_a_lower_rate() {
    // Each step multiplies every parameter by 1 - 10, on every processor; at a tenth of the rate, by 0.
    let query = "?v=1&preset=copy&training.optimizer.learning_rate=1000\
                 &training.optimizer.weight_decay=0.01&training.schedule=constant&training.schedule.warmup=0";
    let page = Playground::open(Options::default(), query).await;
    page.click("#train").await;
    page.wait_for_phase("diverged").await;
    let message = page.message_with("Learning rate").await;
    assert!(!message.contains('`'), "{message}");
    beside(&page, "ended").await;
    assert_eq!(page.text("#train").await, "Train at rate 100");
    page.click("#train").await;
    let lower = "location.search.includes('learning_rate=100')";
    page.wait_for("a lower rate", PATIENCE, lower).await;
    page.wait_for_step(1).await;
    // The diverged run is kept beside the new one.
    wait_for_runs(&page, 2).await;
    let nan = "return /NaN|Infinity/.test(document.querySelector('main').innerHTML)";
    assert_eq!(page.evaluate(nan).await, false);
    assert_eq!(page.errors().await, Vec::<String>::new());
}
