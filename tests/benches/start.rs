//! Measures how soon the page is drawn, can train, and has trained a step. `cargo xtask bench`
//! builds and serves the page and runs this program, which prints a line of JSON each time that it
//! opens the page; the medians of the times are a table in `docs/benchmarks.md`.

use serde_json::{Value, json};
use std::time::Duration;
use strata_tests::browser::{Browser, Options};

/// Number of times that the page is opened, each in a fresh browser without any cache.
const ROUNDS: usize = 5;
/// Time from the moment when the page can train to the press.
const LOOK: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() {
    for (name, query, webgpu) in [
        ("CPU", "?device=cpu", false),
        (
            "WebGPU on this browser's software adapter",
            "?device=webgpu",
            true,
        ),
    ] {
        for _ in 0..ROUNDS {
            let options = Options {
                webgpu,
                ..Options::default()
            };
            let [drawn, ready, first_step] = times(&Browser::open(options, query).await).await;
            let line = json!({
                "page": name,
                "drawn": drawn,
                "ready": ready,
                "first_step": first_step,
            });
            println!("{line}");
        }
    }
}

/// Returns three times in milliseconds: when the page is drawn and when it can train, both since it
/// was requested, and how long its first step takes after Train.
async fn times(page: &Browser) -> [f64; 3] {
    let ready = "document.querySelector('#status')?.dataset.state === 'paused' && \
                 !document.querySelector('#train').disabled";
    let ready = moment(page, "", ready).await;
    let drawn = "return performance.getEntriesByName('first-contentful-paint')[0].startTime";
    let drawn = number(&page.evaluate(drawn).await);
    // A visitor looks before the press: drawing the beginning is over by then.
    tokio::time::sleep(LOOK).await;
    let click = "document.querySelector('#train').click();";
    let step = "document.querySelector('#stat-step').dataset.value > 0";
    let step = moment(page, click, step).await;
    [drawn, ready, step]
}

/// Returns the time at which a condition holds, in milliseconds since `act` was done, or, if `act`
/// is empty, since the page was requested.
async fn moment(page: &Browser, act: &str, condition: &str) -> f64 {
    let limit = Duration::from_secs(120);
    let begin = if act.is_empty() {
        "0"
    } else {
        "performance.now()"
    };
    let watch = format!(
        "const begin = {begin}; {act}
         const look = () => {{
             if ({condition}) window.moment = performance.now() - begin;
             else requestAnimationFrame(look);
         }};
         window.moment = null;
         look();"
    );
    page.evaluate(&watch).await;
    let seen = page.wait_for("moment to measure", limit, "window.moment");
    number(&seen.await)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}
