//! A worker is replaced in time: its memory only grows, so another one takes its run over.

use crate::playground::{PATIENCE, Playground};
use crate::settings::{fill, present};
use serde_json::json;
use std::time::{Duration, Instant};
use strata_tests::browser::Options;

/// Waits until more than `before` workers were started.
async fn another_worker(page: &Playground, before: usize) {
    let started = format!(
        "performance.getEntriesByType('resource')
         .filter(({{ name }}) => name.endsWith('_loader.js')).length > {before}"
    );
    page.wait_for("another worker", PATIENCE, &started).await;
    page.wait_for_phase("paused").await;
}

#[tokio::test]
async fn a_large_model_that_is_dropped_gives_its_memory_back() {
    let page = Playground::open(Options::default(), "").await;
    let expected = page.losses(3).await;
    let small = page.resident_memory().expect("the system tells of memory");
    page.unfold(".settings").await;
    fill(&page, "#model-width", "256").await;
    fill(&page, "#model-layers", "4").await;
    page.click("#apply").await;
    present(&page).await;
    page.losses(2).await;
    let large = page.resident_memory().expect("the system tells of memory");
    let before = page.programs().await.len();
    page.choose("#preset", "copy").await;
    another_worker(&page, before).await;
    // Steps that are requested during the change are taken by the new worker.
    assert_eq!(page.losses(3).await, expected);
    // The system gets the memory back some seconds after the worker's end.
    let most = small + 2 * (large - small) / 3;
    let start = Instant::now();
    loop {
        page.devtools("HeapProfiler.collectGarbage", json!({}))
            .await;
        let now = page.resident_memory().expect("the system tells of memory");
        if now < most {
            break;
        }
        assert!(
            start.elapsed() < PATIENCE,
            "{now} bytes, {small} before, {large} with a large model"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn after_many_runs_another_worker_goes_on() {
    let page = Playground::open(Options::default(), "").await;
    let expected = page.losses(2).await;
    let before = page.programs().await.len();
    for _ in 0..12 {
        page.click("#reset").await;
        page.wait_for_exact_step(0).await;
    }
    // At once, while the worker is being replaced.
    assert_eq!(page.losses(2).await, expected);
    another_worker(&page, before).await;
    assert_eq!(page.step().await, 2);
    assert_eq!(page.errors().await, Vec::<String>::new());
}
