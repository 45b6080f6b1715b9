//! How soon the page is drawn, can train, and has trained a step. `cargo xtask bench` builds and serves the page
//! and runs this, which prints a table of `docs/benchmarks.md`.

use serde_json::Value;
use std::time::Duration;
use strata_tests::browser::{Browser, Options};

/// Each time in a browser of its own, which has kept nothing of the page.
const ROUNDS: usize = 5;

/// What is measured, in milliseconds; all but the last from the moment at which the page was asked for.
const COLUMNS: [&str; 3] = ["drawn", "ready to train", "first step after Train"];

#[tokio::main]
async fn main() {
    println!(
        "| page | {} |\n|---{}|",
        COLUMNS.join(" | "),
        "|--:".repeat(COLUMNS.len())
    );
    for (name, query, webgpu) in [
        ("CPU", "?device=cpu", false),
        (
            "WebGPU on this browser's software adapter",
            "?device=webgpu",
            true,
        ),
    ] {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let options = Options {
                webgpu,
                ..Options::default()
            };
            rounds.push(times(&Browser::open(options, query).await).await);
        }
        let medians: Vec<String> = (0..COLUMNS.len())
            .map(|column| {
                let mut times: Vec<f64> = rounds.iter().map(|times| times[column]).collect();
                times.sort_by(f64::total_cmp);
                format!("{:.0}", times[ROUNDS / 2])
            })
            .collect();
        println!("| {name} | {} |", medians.join(" | "));
    }
}

/// Those of a page that is being loaded.
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
