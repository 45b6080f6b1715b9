//! A link means what it says, whatever the browser has stored; a reload and Back continue the run
//! that was there.

use crate::keeping::wait_for_runs;
use crate::playground::{PATIENCE, Playground};
use strata_tests::browser::Options;

/// Waits until the query contains this text.
async fn address_with(page: &Playground, text: &str) {
    let expression = format!("location.search.includes('{text}')");
    page.wait_for(&format!("address with {text}"), PATIENCE, &expression)
        .await;
}

/// Waits until the page shows an experiment at a step.
async fn shown(page: &Playground, preset: &str, step: u64) {
    let chosen = format!("document.querySelector('#preset')?.value === '{preset}'");
    page.wait_for(preset, PATIENCE, &chosen).await;
    page.wait_for_exact_step(step).await;
}

#[tokio::test]
async fn a_link_begins_anew_and_a_reload_goes_on() {
    let page = Playground::open(Options::default(), "?v=1&preset=reverse").await;
    let first = page.losses(2).await;
    page.wait_until_kept(2).await;
    page.reload().await;
    shown(&page, "reverse", 2).await;
    for preset in ["copy", "reverse"] {
        // The second time, the link equals the page's own address.
        for _ in 0..2 {
            page.goto(&format!("?v=1&preset={preset}")).await;
            shown(&page, preset, 0).await;
            address_with(&page, preset).await;
        }
    }
    assert_eq!(page.losses(2).await, first);
    page.wait_until_kept(2).await;
    wait_for_runs(&page, 2).await;
    // An address that names no experiment opens the last run.
    page.goto("").await;
    shown(&page, "reverse", 2).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn back_goes_to_the_experiment_before_with_its_run() {
    let page = Playground::open(Options::default(), "?v=1&preset=reverse").await;
    page.losses(2).await;
    let before = page.evaluate("return history.length").await;
    page.choose("#preset", "copy").await;
    shown(&page, "copy", 0).await;
    address_with(&page, "copy").await;
    page.losses(1).await;
    // The run before is still offered, as long as nothing is trained in its place.
    page.click("#reset").await;
    // The browser's history follows a moment later.
    let entry = before.as_u64().map_or(0, |before| before + 2);
    let written = format!("history.length === {entry}");
    page.wait_for("entry of the reset", PATIENCE, &written)
        .await;
    page.wait_for(
        "link back to the run",
        PATIENCE,
        "document.querySelector('#back-to-run')",
    )
    .await;
    page.client().back().await.expect("there is a page before");
    shown(&page, "copy", 1).await;
    page.client().back().await.expect("there is a page before");
    shown(&page, "reverse", 2).await;
    page.client()
        .forward()
        .await
        .expect("there is a page after");
    shown(&page, "copy", 1).await;
    let after = page.evaluate("return history.length").await;
    assert_eq!(after.as_u64(), before.as_u64().map(|before| before + 2));
    wait_for_runs(&page, 2).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_an_address_does_not_mean_is_told() {
    let page = Playground::open(Options::default(), "").await;
    page.losses(1).await;
    page.wait_until_kept(1).await;
    for (query, told) in [
        ("?v=1&preset=nonsense", "“nonsense”"),
        ("?v=99&preset=copy", "“99”"),
        ("?v=1&preset=copy&colour=blue", "“colour”"),
        ("?v=1&preset=copy&training.steps=0", "“Steps” is 0"),
    ] {
        page.goto(query).await;
        page.message_with(told).await;
        shown(&page, "copy", 0).await;
    }
    let files = "?v=1&preset=copy&task.kind=files&task.source=de.txt&task.target=en.txt";
    page.goto(files).await;
    let message = page.message_with("“de.txt” and “en.txt”").await;
    assert!(message.contains("Your own data"), "{message}");
    shown(&page, "copy", 0).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_published_figure_is_run_small_here() {
    let page = Playground::open(Options::default(), "").await;
    page.goto("published.html").await;
    let styled = "getComputedStyle(document.querySelector('a.here')).borderTopStyle === 'solid'";
    page.wait_for("the page with its style sheet", PATIENCE, styled)
        .await;
    let tables = "return [...document.querySelectorAll('h2')].map(it => it.id).join(' ')";
    assert_eq!(page.evaluate(tables).await, "e1 e2 e3 e4 e5 e6");
    // A table that is wider than a phone can be scrolled.
    let wide = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(page.evaluate(wide).await, true);
    let row = "[...document.querySelectorAll('a.here')].find(it => it.ariaLabel.includes('MultiAttention_4'))";
    page.evaluate(&format!("{row}.click()")).await;
    page.wait_for_phase("paused").await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.chosen("#model-cross-levels").await, "4");
    page.click("#train").await;
    page.wait_for_step(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
