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

/// How many looks at the memory are taken together.
const LOOKS: usize = 9;

/// Mebibytes that the page and its worker, which share a process, have of the machine: the tensors
/// too, which the browser's own account of memory leaves out.
async fn memory(page: &Playground) -> f64 {
    page.devtools("HeapProfiler.collectGarbage", json!({}))
        .await;
    let bytes = page.resident_memory();
    bytes.expect("the system tells what a process has") as f64 / 1024.0 / 1024.0
}

#[tokio::test]
#[ignore = "takes as many minutes as STRATA_SOAK_MINUTES says"]
async fn memory_stays_flat() {
    let minutes = env::var("STRATA_SOAK_MINUTES").ok();
    let minutes: u64 = minutes.and_then(|it| it.parse().ok()).unwrap_or(10);
    let page = Playground::open(Options::default(), "?preset=german-english-transformer").await;
    page.click("#train").await;
    let (start, end) = (Instant::now(), Duration::from_secs(60 * minutes));
    // Compiled code comes and goes by a twentieth: only the middle of several looks says something.
    let (mut looks, mut settled) = (Vec::new(), None);
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
        let step = page.step().await;
        println!("{seconds:5} s: step {step}, {now:.1} MiB");
        if start.elapsed() < SETTLING {
            continue;
        }
        looks.push(now);
        if looks.len() == LOOKS {
            looks.sort_by(f64::total_cmp);
            let middle = looks[LOOKS / 2];
            let settled = *settled.get_or_insert(middle);
            assert!(
                (middle - settled).abs() <= 0.05 * settled,
                "{middle:.1} MiB after {seconds} s, {settled:.1} MiB when it had settled"
            );
            looks.clear();
        }
    }
    assert_eq!(page.errors().await, Vec::<String>::new());
}
