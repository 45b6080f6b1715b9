//! The controls: train, pause, step, reset and new seed.

use crate::playground::Playground;
use std::time::Duration;
use strata_tests::browser::Options;

/// Time for several steps.
const A_WHILE: Duration = Duration::from_secs(1);

#[tokio::test]
async fn pause_stops_and_step_takes_exactly_one() {
    let page = Playground::open(Options::default(), "").await;
    let paused_at = page.train_for(5).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(page.step().await, paused_at);

    page.click("#step").await;
    page.wait_for_step(paused_at + 1).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(page.step().await, paused_at + 1);

    page.click("#train").await;
    page.wait_for_step(paused_at + 6).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn reset_repeats_the_losses_and_a_new_seed_changes_them() {
    let page = Playground::open(Options::default(), "").await;
    let first = page.losses(3).await;
    assert!(first[0] != first[1] && first[1] != first[2], "{first:?}");
    page.train_for(5).await;

    page.click("#reset").await;
    let at_zero = "document.querySelector('#stat-step').dataset.value === '0'";
    page.wait_for("step 0", A_WHILE * 60, at_zero).await;
    assert_eq!(page.losses(3).await, first);

    let seed = page.text("#seed").await;
    page.click("#new-seed").await;
    page.wait_for("step 0", A_WHILE * 60, at_zero).await;
    let other = page.losses(3).await;
    assert_ne!(page.text("#seed").await, seed);
    assert!(
        other
            .iter()
            .zip(&first)
            .all(|(other, first)| other != first),
        "{other:?}, {first:?}"
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn another_preset_begins_another_run() {
    let page = Playground::open(Options::default(), "?preset=reverse").await;
    assert_eq!(page.chosen("#preset").await, "reverse");
    page.losses(1).await;
    let parameters = page.instrument("parameters").await;
    page.choose("#preset", "german-english-gru").await;
    let changed = format!(
        "document.querySelector('#stat-parameters').dataset.value !== '{parameters}' && \
         document.querySelector('#status').dataset.state === 'paused'"
    );
    page.wait_for("other model", A_WHILE * 60, &changed).await;
    assert_eq!(page.step().await, 0);
    page.losses(2).await;
    let map = page.heat_map("attention").await;
    assert!(map.site.contains("cross"), "the site is {}", map.site);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_mechanism_brings_its_controls_and_must_fit_its_site() {
    let page = Playground::open(Options::default(), "").await;
    page.click(".settings summary").await;
    let disabled = async |site: &str| {
        let script = format!(
            "return document.querySelector('#model-{site}-kind [value=\"ham_s\"]').disabled"
        );
        page.evaluate(&script).await
    };
    assert_eq!(disabled("cross").await, true);
    assert_eq!(disabled("encoder-self").await, false);
    // The reason is shown when the field has the focus.
    page.evaluate("document.querySelector('#model-cross-kind').focus()")
        .await;
    page.unfold("#model-cross-kind-help .impossible").await;
    let reason = page.text("#model-cross-kind-help .impossible").await;
    assert!(reason.contains("no cross-attention"), "{reason}");

    page.choose("#model-cross-kind", "multilevel").await;
    let levels = "document.querySelector('#model-cross-levels')?.value";
    let levels = page.wait_for("levels", A_WHILE * 10, levels).await;
    assert_eq!(levels, "4");
    page.choose("#model-cross-chain", "causal").await;
    page.click("#apply").await;
    let applied = "document.querySelector('#settings-note').innerText.includes('present run')";
    page.wait_for("the new settings", A_WHILE * 60, applied)
        .await;
    assert_eq!(page.chosen("#model-cross-chain").await, "causal");
    page.losses(1).await;

    // Changes a control of each kind, and checks the run that they ask for.
    page.choose("#model-cross-kind", "pyramid").await;
    let shown = "document.querySelector('#model-cross-summary')";
    page.wait_for("a pyramid's settings", A_WHILE * 10, shown)
        .await;
    page.choose("#model-cross-summary", "act").await;
    page.click("#model-cross-beam-all").await;
    let hidden = "!document.querySelector('#model-cross-beam')";
    page.wait_for("hidden number of nodes", A_WHILE * 10, hidden)
        .await;
    page.screenshot("pyramid-settings").await;
    page.click("#apply").await;
    page.wait_for("the new settings", A_WHILE * 60, applied)
        .await;
    let begun = "document.querySelector('#stat-step')?.dataset.value == 0";
    page.wait_for("the new run", A_WHILE * 60, begun).await;
    page.losses(3).await;
    page.screenshot("pyramid").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
