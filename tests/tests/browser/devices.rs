//! Devices: which one computes, how fast it is, and what happens when it fails.

use crate::playground::{PATIENCE, Playground};
use std::time::Duration;
use strata_tests::browser::{NOT_ISOLATED, Options};

/// A script that records the workers which the page starts, so that a test can end them.
pub const MORTAL: &str = "
    const Genuine = Worker;
    window.workers = [];
    window.Worker = function (program, options) {
        const worker = new Genuine(window.broken ? './missing.js' : program, options);
        window.workers.push(worker);
        window.lastName = options.name;
        return worker;
    };";

/// A script that ends the worker which the page started last.
pub const KILL: &str = "window.workers.at(-1).terminate()";

/// Opens a page whose worker can be ended; returns the step up to which it has trained and saved
/// the run.
async fn paused() -> (Playground, u64) {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after(MORTAL).await;
    let kept = page.train_for(5).await;
    page.wait_until_kept(kept).await;
    (page, kept)
}

/// Opens such a page, trains on beyond the saved step, and keeps training.
async fn at_work() -> (Playground, u64) {
    let (page, kept) = paused().await;
    page.click("#train").await;
    page.wait_for_step(kept + 1).await;
    (page, kept)
}

#[tokio::test]
async fn a_killed_worker_is_replaced_where_the_run_was() {
    let (page, kept) = at_work().await;
    page.evaluate(KILL).await;
    let message = page.message_with("goes on from step").await;
    assert!(message.contains("ended the CPU worker"), "{message}");
    let phase = "document.querySelector('#status').dataset.state === 'training'";
    page.wait_for("training", PATIENCE, phase).await;
    page.wait_for_step(kept + 5).await;
    assert_eq!(page.chosen("#device").await, "cpu");
}

/// A script that makes the page's first worker one that never runs, as Firefox sometimes starts one;
/// checks for silence come every quarter of a second.
const STILL: &str = "
    const Genuine = Worker;
    const every = window.setInterval;
    window.setInterval = (check, time, ...rest) => every(check, time === 5000 ? 250 : time, ...rest);
    window.Worker = function (program, options) {
        if (window.still) return new Genuine(program, options);
        window.still = Object.assign(new EventTarget(), { postMessage() {}, terminate() {} });
        return window.still;
    };";

#[tokio::test]
async fn a_worker_that_never_begins_is_replaced() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after(STILL).await;
    let message = page.message_with("has not begun").await;
    assert!(
        message.ends_with("Another one starts the run from the beginning."),
        "{message}"
    );
    page.wait_for_phase("paused").await;
    page.losses(2).await;
}

/// The worker itself cannot report the failure, since it blocks while it waits for the thread.
#[tokio::test]
async fn a_worker_is_replaced_if_one_of_its_threads_fails() {
    let (page, kept) = at_work().await;
    page.evaluate("new BroadcastChannel(window.lastName).postMessage('on purpose')")
        .await;
    let message = page.message_with("goes on from step").await;
    assert!(
        message.contains("A thread of the CPU worker failed: on purpose"),
        "{message}"
    );
    page.wait_for_step(kept + 3).await;
}

#[tokio::test]
async fn a_worker_that_fails_again_and_again_is_given_up_until_somebody_asks() {
    let (page, kept) = paused().await;
    page.evaluate("window.broken = true").await;
    page.evaluate(KILL).await;
    let message = page.message_with("third time").await;
    assert!(message.contains(&format!("from step {kept}")), "{message}");
    page.wait_for_phase("lost").await;
    page.evaluate("window.broken = false").await;
    page.click("#train").await;
    page.wait_for_step(kept + 3).await;
}

#[tokio::test]
async fn the_cpus_program_is_what_browser_and_page_allow() {
    let page = Playground::open(Options::default(), "").await;
    page.train_for(2).await;
    assert_eq!(page.programs().await, [page.best_program().await]);
    page.reopen_after(NOT_ISOLATED).await;
    page.train_for(2).await;
    assert_eq!(page.programs().await, ["worker-cpu-relaxed"]);
    page.reopen_after(
        "const genuine = WebAssembly.validate;
         WebAssembly.validate = program => program.length < 32 && genuine(program);",
    )
    .await;
    page.train_for(2).await;
    assert_eq!(page.programs().await, ["worker-cpu"]);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// As in Safari, which is isolated and has shared memory, but no relaxed SIMD.
#[tokio::test]
async fn threads_need_no_relaxed_simd() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after(
        "const genuine = WebAssembly.validate;
         WebAssembly.validate = program => {
             const bytes = new Uint8Array(program.buffer ?? program);
             const is_probe = bytes.length < 80
                 && bytes.some((byte, at) => byte === 253 && bytes[at + 1] === 133 && bytes[at + 2] === 2);
             return !is_probe && genuine(program);
         };",
    )
    .await;
    page.train_for(2).await;
    let several = page.evaluate("return navigator.hardwareConcurrency > 1");
    let (program, label) = match several.await.as_bool() {
        Some(true) => ("worker-cpu-threads-plain", "threads"),
        _ => ("worker-cpu", "CPU (flex)"),
    };
    assert_eq!(page.programs().await, [program]);
    assert!(page.text("#device-label").await.contains(label));
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_report_says_what_computes_and_the_measure_how_fast() {
    let page = Playground::open(Options::default(), "").await;
    let before = page.train_for(3).await;
    page.click("#devices summary").await;
    let shown = "document.querySelector('#devices-why')?.innerText";
    let why = page.wait_for("report", PATIENCE, shown).await;
    let why = why.as_str().unwrap_or_default().to_owned();
    let threads = page.evaluate("return Math.min(navigator.hardwareConcurrency, 8)");
    let worker = match threads.await.as_u64() {
        Some(threads @ 2..) => format!("CPU (flex, {threads} threads) does the work"),
        _ => "CPU (flex) does the work".to_owned(),
    };
    assert!(why.contains(&worker), "{why}");
    page.wait_for(
        "word on SIMD",
        PATIENCE,
        "document.querySelector('#devices').innerText.includes('SIMD')",
    )
    .await;
    page.click("#measure").await;
    let done = "document.querySelector('#measured[data-done=true]')?.innerText";
    let measured = page.wait_for("times", Duration::from_secs(240), done).await;
    let measured = measured.as_str().unwrap_or_default().to_owned();
    assert!(measured.contains("ms a step"), "{measured}");
    page.screenshot("devices").await;
    // The run was not touched.
    page.wait_for_exact_step(before).await;
    page.losses(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
