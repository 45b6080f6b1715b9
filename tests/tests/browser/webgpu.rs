//! The WebGPU worker: fetched when it is chosen, and what happens when there is none.

use crate::playground::Playground;
use serde_json::json;
use strata_tests::browser::Options;

/// Files of the WebGPU worker that the page has fetched.
const FETCHED: &str = "return performance.getEntriesByType('resource')\
                       .filter(it => it.name.includes('webgpu')).length";

#[tokio::test]
async fn without_webgpu_the_cpu_goes_on() {
    let page = Playground::open(Options::default(), "").await;
    page.click("#train").await;
    page.wait_for_step(10).await;
    let before = page.step().await;
    page.choose("#device", "webgpu").await;
    let message = page.message_with("WebGPU").await;
    println!("{message}");
    assert!(
        message.contains("CPU") && message.ends_with('.'),
        "{message}"
    );
    page.wait_for_phase("training").await;
    page.wait_for_step(before + 5).await;
    assert_eq!(page.chosen("#device").await, "cpu");
    page.screenshot("without-webgpu").await;
}

/// Here the page believes that there is WebGPU, and the worker finds that there is none.
#[tokio::test]
async fn a_webgpu_worker_that_fails_hands_over_to_the_cpu() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after("Object.defineProperty(navigator, 'gpu', { value: {} })")
        .await;
    page.click("#train").await;
    page.wait_for_step(10).await;
    assert_eq!(page.evaluate(FETCHED).await, json!(0));

    let before = page.step().await;
    page.choose("#device", "webgpu").await;
    let message = page.message_with("goes on from step").await;
    println!("{message}");
    let step = message.trim_end_matches('.').rsplit(' ').next();
    let step: u64 = step
        .and_then(|step| step.parse().ok())
        .expect("the message ends in a step");
    assert!(
        step >= before,
        "it goes on from step {step}, before {before}"
    );
    page.wait_for_step(step + 5).await;
    assert!(page.evaluate(FETCHED).await.as_u64() > Some(0));
    assert_eq!(page.chosen("#device").await, "cpu");
    assert!(page.text("#device-label").await.contains("CPU"));
}
