//! The WebGPU worker: fetched when the user chooses it, and replaced if there is no WebGPU, or no
//! longer.

use crate::playground::Playground;
use serde_json::json;
use std::time::Duration;
use strata_tests::browser::Options;

/// A script that returns the number of files of the WebGPU worker that the page has fetched.
const FETCHED: &str = "return performance.getEntriesByType('resource')\
                       .filter(it => it.name.includes('webgpu')).length";

/// Returns the last number in a message.
fn step_in(message: &str) -> u64 {
    let words = message.split(|letter: char| !letter.is_ascii_digit());
    let number = words.filter_map(|word| word.parse().ok()).next_back();
    number.unwrap_or_else(|| panic!("no step in: {message}"))
}

#[tokio::test]
async fn a_browser_without_webgpu_is_told_so_and_the_cpu_trains_on() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after("delete Navigator.prototype.gpu").await;
    page.click("#train").await;
    page.wait_for_step(10).await;
    let before = page.step().await;
    page.choose("#device", "webgpu").await;
    let message = page.message_with("no WebGPU").await;
    assert!(message.contains("CPU"), "{message}");
    assert_eq!(page.chosen("#device").await, "cpu");
    page.wait_for_step(before + 5).await;
    page.screenshot("without-webgpu").await;

    page.goto("?device=webgpu").await;
    assert_eq!(page.message_with("no WebGPU").await, message);
    page.wait_for_phase("paused").await;
    assert_eq!(page.chosen("#device").await, "cpu");
    page.losses(1).await;
    assert_eq!(page.evaluate(FETCHED).await, json!(0));
}

/// The page is made to believe that there is WebGPU; the worker finds that there is none.
#[tokio::test]
async fn the_webgpu_worker_is_fetched_when_chosen_and_hands_over_where_it_cannot_work() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after("Object.defineProperty(navigator, 'gpu', { value: {} })")
        .await;
    page.click("#train").await;
    page.wait_for_step(10).await;
    assert_eq!(page.evaluate(FETCHED).await, json!(0));

    let before = page.step().await;
    page.choose("#device", "webgpu").await;
    let message = page.message_with("goes on from step").await;
    let step = step_in(&message);
    assert!(step >= before, "step {step} after step {before}");
    page.wait_for_step(step + 5).await;
    assert_ne!(page.evaluate(FETCHED).await, json!(0));
    assert_eq!(page.chosen("#device").await, "cpu");
    assert!(page.text("#device-label").await.contains("CPU"));
}

/// A script that records the GPU inside the WebGPU worker, so that a test can make it fail.
const FRAGILE: &str = "
    const Genuine = Worker;
    window.Worker = function (program, options) {
        const address = new URL(program, location.href).href;
        if (!address.includes('webgpu')) return new Genuine(program, options);
        const script = `
            const request = GPUAdapter.prototype.requestDevice;
            GPUAdapter.prototype.requestDevice = async function (...wishes) {
                const device = await request.apply(this, wishes);
                new BroadcastChannel('lose').onmessage = () => device.destroy();
                return device;
            };
            await import('${address}');`;
        return new Genuine(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })), options);
    };";

#[tokio::test]
async fn a_graphics_card_that_is_lost_in_mid_run_leaves_the_run_to_the_cpu() {
    let options = Options {
        webgpu: true,
        ..Options::default()
    };
    let page = Playground::open(options, "").await;
    // The policy forbids this change to the worker, so it is bypassed.
    page.devtools("Page.setBypassCSP", json!({ "enabled": true }))
        .await;
    page.reopen_after(FRAGILE).await;
    let before = page.train_for(10).await;
    page.choose("#device", "webgpu").await;
    let moved = "document.querySelector('#device-label').innerText.includes('WebGPU')";
    page.wait_for("run on WebGPU", Duration::from_secs(120), moved)
        .await;
    assert_eq!(page.step().await, before);
    page.screenshot("webgpu").await;

    page.click("#train").await;
    page.wait_for_phase("training").await;
    page.evaluate("new BroadcastChannel('lose').postMessage('now')")
        .await;
    let message = page.message_with("goes on from step").await;
    assert!(!message.contains("Caused by"), "not for people: {message}");
    assert!(step_in(&message) >= before, "{message}");
    page.wait_for_step(before + 5).await;
    assert_eq!(page.chosen("#device").await, "cpu");
    assert!(page.text("#device-label").await.contains("CPU"));
}
