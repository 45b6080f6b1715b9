//! Compares how fast three programs take the steps of workloads, by turns: the page isolated from
//! others, where it computes with several threads; the page with one thread; and the native program
//! with one thread. `cargo xtask bench` builds all of them, serves the page and runs this program,
//! which prints a line of JSON for each measurement; the medians are a table in
//! `docs/benchmarks.md`.

use serde::Deserialize;
use serde_json::{Value, json};
use std::env;
use std::time::Duration;
use strata_tests::browser::{Browser, NOT_ISOLATED, Options};
use strata_tests::cli::{Ended, Workplace};

/// Time limit of a workload.
const PATIENCE: Duration = Duration::from_secs(600);

/// Workloads to measure, given as JSON in `STRATA_BENCH`.
#[derive(Deserialize)]
struct Order {
    workloads: Vec<String>,
    rounds: u32,
    steps: u32,
    warmup: u32,
}

#[tokio::main]
async fn main() {
    let order =
        env::var("STRATA_BENCH").expect("`cargo xtask bench --only browser` says what is wanted");
    let order: Order =
        serde_json::from_str(&order).unwrap_or_else(|error| panic!("{order}: {error}"));
    for workload in &order.workloads {
        for _ in 0..order.rounds {
            println!("{}", in_page(workload, &order, true).await);
            println!("{}", in_page(workload, &order, false).await);
            println!("{}", natively(workload, &order));
        }
    }
}

/// Measures a workload in a fresh browser, whose memory is then that of the measurement.
async fn in_page(workload: &str, order: &Order, isolated: bool) -> Value {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    if !isolated {
        browser.run_first(NOT_ISOLATED).await;
    }
    let Order { steps, warmup, .. } = order;
    let query = format!("?bench={workload}&device=cpu&steps={steps}&warmup={warmup}");
    browser.goto(&query).await;
    let text = "document.querySelector('#bench-result')?.textContent";
    let text = browser.wait_for("line of JSON", PATIENCE, text).await;
    let text = text.as_str().unwrap_or_default();
    let mut line: Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text} is no JSON: {error}"));
    // The number of threads follows from the program that the page has chosen: one, or as many as
    // the processor has, up to eight.
    let threads = "return performance.getEntriesByType('resource')
        .some(({ name }) => name.includes('worker-cpu-threads')) ? Math.min(navigator.hardwareConcurrency, 8) : 1";
    let threads = browser.evaluate(threads).await;
    assert!(
        isolated || threads == 1,
        "a page that is not isolated has {threads} threads"
    );
    let place = match isolated {
        true => "page, several threads",
        false => "page, one thread",
    };
    line["place"] = place.into();
    line["threads"] = threads;
    line["peak_memory_mb"] = json!(
        browser
            .peak_memory()
            .map(|bytes| bytes as f64 / f64::from(1 << 20))
    );
    line
}

/// Measures a workload with the native program and one thread.
fn natively(workload: &str, order: &Order) -> Value {
    let Order { steps, warmup, .. } = order;
    let place = Workplace::new();
    let mut command = place.command(&format!(
        "bench --json --only {workload} --steps {steps} --warmup {warmup}"
    ));
    let command = command.env("RAYON_NUM_THREADS", "1");
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("strata cannot be started: {error}"));
    let text = Ended::from(output).succeeded();
    let mut line: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text} is no JSON: {error}"));
    line["place"] = "native, one thread".into();
    line["threads"] = 1.into();
    line
}
