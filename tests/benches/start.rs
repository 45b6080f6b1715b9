//! How soon the page is drawn, can train, and has trained a step. `cargo xtask bench` builds and serves the page
//! and runs this, which prints a line of JSON for each time that the page was opened; their medians are a table
//! of `docs/benchmarks.md`.

use serde_json::{Value, json};
use std::time::Duration;
use strata_tests::browser::{Browser, Options};

/// Each time in a browser of its own, which has kept nothing of the page.
const ROUNDS: usize = 5;

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

/// When a page that is being loaded is drawn and when it can train, in milliseconds since it was asked for, and how
/// long its first step takes from Train on.
async fn times(page: &Browser) -> [f64; 3] {
    let ready = "document.querySelector('#status')?.dataset.state === 'paused' && \
                 !document.querySelector('#train').disabled";
    let ready = moment(page, "", ready).await;
    let drawn = "return performance.getEntriesByName('first-contentful-paint')[0].startTime";
    let drawn = number(&page.evaluate(drawn).await);
    let click = "document.querySelector('#train').click();";
    let step = "document.querySelector('#stat-step').dataset.value > 0";
    let step = moment(page, click, step).await;
    [drawn, ready, step]
}

/// When a condition holds, in milliseconds since this was done, or since the page was asked for if it is nothing.
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
