//! `?bench=…`: workloads in the page have the same losses as in PyTorch.

use serde_json::Value;
use std::time::Duration;
use strata_tests::browser::{Browser, NOT_ISOLATED, Options};

/// Time limit of a workload: WebGPU computes on the CPU here, after compiling its shaders.
const PATIENCE: Duration = Duration::from_secs(400);

/// Returns the line that the page writes.
async fn line(browser: &Browser, query: &str) -> Value {
    browser.goto(query).await;
    let text = browser
        .wait_for(
            "line of JSON",
            PATIENCE,
            "document.querySelector('#bench-result')?.textContent",
        )
        .await;
    let text = text.as_str().expect("a text");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text} is no JSON: {error}"))
}

fn assert_close(line: &Value, key: &str, expected: f64) {
    let loss = line[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key}: {line}"));
    assert!((loss - expected).abs() < 1e-4, "{key}: {line}");
}

/// First and last losses of PyTorch 2.15.0 in F32 on a CPU.
#[tokio::test]
async fn losses_on_the_cpu_are_those_of_pytorch() {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    for (query, first, last) in [
        ("tiny-transformer", 4.15461, 3.70859),
        ("multilevel-4-tiny&steps=1&warmup=0", 4.14568, 4.14568),
        ("ham-5-tiny&steps=1&warmup=0", 4.1525, 4.1525),
        ("lstm-additive&steps=1&warmup=0", 6.90686, 6.90686),
        ("attn-plain-128-fwd", 0.01038, 0.01038),
        ("attn-pyramid-512-fwdbwd&steps=3", -0.06108, -0.06108),
    ] {
        let line = line(&browser, &format!("?bench={query}&device=cpu")).await;
        assert_close(&line, "loss_first", first);
        assert_close(&line, "loss_last", last);
        assert_eq!(
            (&line["peer"], &line["device"]),
            (&"strata".into(), &"cpu".into())
        );
        assert!(line["ms_per_step"].as_f64() > Some(0.0), "{line}");
        let name = query.split('&').next().unwrap_or_default();
        assert_eq!(line["workload"], name);
    }
    assert_eq!(browser.errors().await, Vec::<String>::new());
}

/// The division of work into jobs does not depend on the number of threads.
#[tokio::test]
async fn threads_change_no_bit_of_a_loss() {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    let query = "?bench=small-transformer&device=cpu&warmup=0&steps=2";
    let together = line(&browser, query).await;
    browser.run_first(NOT_ISOLATED).await;
    let alone = line(&browser, query).await;
    assert!(together["loss_last"].as_f64() > Some(0.0), "{together}");
    for loss in ["loss_first", "loss_last"] {
        assert_eq!(together[loss], alone[loss]);
    }
    assert_eq!(browser.errors().await, Vec::<String>::new());
}

/// A sleeping thread answers no message, but tools send one to all workers of the page.
#[tokio::test]
async fn no_thread_sleeps_on_once_the_line_is_there() {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    let line = line(
        &browser,
        "?bench=tiny-transformer&device=cpu&warmup=0&steps=2",
    )
    .await;
    assert!(line["ms_per_step"].as_f64() > Some(0.0), "{line}");
    let locks = "navigator.locks.query().then(({ held }) => window.free = held.length === 0)";
    let free = format!("{locks}, window.free");
    let limit = Duration::from_secs(30);
    browser.wait_for("end of the worker", limit, &free).await;
}

#[tokio::test]
async fn losses_on_webgpu_are_those_of_pytorch() {
    let options = Options {
        webgpu: true,
        ..Options::default()
    };
    let browser = Browser::open(options, "?bench=none").await;
    let query = "?bench=tiny-transformer&device=webgpu&steps=2&warmup=0";
    let line = line(&browser, query).await;
    assert_close(&line, "loss_first", 4.15461);
    assert!(
        line["loss_last"].as_f64() < line["loss_first"].as_f64(),
        "{line}"
    );
    assert_eq!(
        (&line["device"], &line["steps"]),
        (&"webgpu".into(), &2.into())
    );
}

#[tokio::test]
async fn what_cannot_be_run_is_a_line_too() {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    for (query, part) in [
        ("?bench=%3Cb%3Emany%3C/b%3E", "tiny-transformer"),
        ("?bench=tiny-transformer&device=abacus", "`device`"),
        ("?bench=tiny-transformer&steps=0", "`steps`"),
        ("?bench=", "no workload"),
    ] {
        let line = line(&browser, query).await;
        let error = line["error"].as_str().unwrap_or_else(|| panic!("{line}"));
        assert!(error.contains(part), "no {part}: {error}");
        let elements = "return document.querySelectorAll('#app *').length";
        assert_eq!(browser.evaluate(elements).await, 2);
    }
}
