//! Hours of training, for who asks for them: the memory of page and worker must stay as it is.
//!
//! `STRATA_SOAK_MINUTES=60 cargo xtask test --only test -- --test browser -- --ignored soak`

use crate::playground::Playground;
use serde_json::{Value, json};
use std::env;
use std::time::{Duration, Instant};
use strata_tests::browser::Options;

/// Memory settles in this time: first validations, first pictures, first translations.
const SETTLING: Duration = Duration::from_secs(300);

/// Bytes of the page and of its worker, once the browser has collected its garbage.
const MEASURE: &str = "
    window.memory = null;
    performance.measureUserAgentSpecificMemory().then(({ breakdown }) => {
        const bytes = { page: 0, worker: 0 };
        for (const part of breakdown)
            bytes[part.attribution.some(it => it.scope.includes('Worker')) ? 'worker' : 'page'] += part.bytes;
        window.memory = [bytes.page, bytes.worker];
    }, error => window.memory = `${error}`);";

/// Mebibytes of page and worker.
async fn memory(page: &Playground) -> [f64; 2] {
    page.devtools("HeapProfiler.collectGarbage", json!({}))
        .await;
    page.evaluate(MEASURE).await;
    let limit = Duration::from_secs(180);
    let bytes = page.wait_for("measure", limit, "window.memory").await;
    let bytes: [f64; 2] = serde_json::from_value(bytes.clone())
        .unwrap_or_else(|_| panic!("memory cannot be measured: {bytes}"));
    bytes.map(|it| it / 1024.0 / 1024.0)
}

#[tokio::test]
#[ignore = "takes as many minutes as STRATA_SOAK_MINUTES says"]
async fn memory_stays_flat() {
    let minutes = env::var("STRATA_SOAK_MINUTES").ok();
    let minutes: u64 = minutes.and_then(|it| it.parse().ok()).unwrap_or(10);
    let page = Playground::open(Options::default(), "?preset=german-english-transformer").await;
    page.click("#train").await;
    let (start, end) = (Instant::now(), Duration::from_secs(60 * minutes));
    let mut settled: Option<[f64; 2]> = None;
    while start.elapsed() < end {
        tokio::time::sleep(Duration::from_secs(30)).await;
        let ended = "return document.querySelector('#status').dataset.state === 'finished'";
        if page.evaluate(ended).await == Value::Bool(true) {
            page.click("#reset").await;
            page.wait_for_phase("paused").await;
            page.click("#train").await;
        }
        let now = memory(&page).await;
        let seconds = start.elapsed().as_secs();
        println!(
            "{seconds:5} s: page {:.1} MiB, worker {:.1} MiB",
            now[0], now[1]
        );
        if start.elapsed() < SETTLING {
            continue;
        }
        let settled = *settled.get_or_insert(now);
        for (name, now, then) in [("page", now[0], settled[0]), ("worker", now[1], settled[1])] {
            assert!(
                // A mebibyte is noise where there are few.
                (now - then).abs() <= (0.05 * then).max(1.0),
                "{name}: {now:.1} MiB after {seconds} s, {then:.1} MiB when it had settled"
            );
        }
    }
    assert_eq!(page.errors().await, Vec::<String>::new());
}
