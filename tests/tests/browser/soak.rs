//! The page in use for long: models are started and dropped, runs reset, own texts read. The memory
//! of the process with page and worker must not grow.
//!
//! `cargo xtask soak --minutes 120` takes two hours for sixty models; a shorter soak runs in every
//! test.

use crate::data::{found, paste};
use crate::playground::{PATIENCE, Playground};
use crate::settings::{fill, present};
use serde_json::json;
use std::env;
use std::time::{Duration, Instant};
use strata_tests::browser::Options;

/// Least number of models in a soak; each gets an equal part of the time, but at least
/// [`SHORTEST`]. If they are done early, others follow until the time is over.
const MODELS: u32 = 60;
const SHORTEST: Duration = Duration::from_secs(4);
/// Time in which memory settles: compiled code, first validations, first pictures.
const SETTLING: Duration = Duration::from_secs(600);
/// Number of measurements that are combined, since compiled code comes and goes by a twentieth.
const LOOKS: usize = 5;

/// Models that are started one after the other; memory is compared after each round.
const CIRCLE: [Start; 6] = [
    Start::Preset("german-english-transformer"),
    Start::Reset,
    Start::Wide,
    Start::Own,
    Start::Preset("german-english-gru"),
    Start::Preset("copy"),
];

/// How a model is started.
#[derive(Clone, Copy, Debug)]
enum Start {
    Preset(&'static str),
    /// Resets the same model.
    Reset,
    /// Loads a model with a hundred times the parameters.
    Wide,
    /// Trains on pasted text.
    Own,
}

impl Start {
    async fn take(self, page: &Playground) {
        match self {
            Self::Preset(name) => page.choose("#preset", name).await,
            Self::Reset => page.click("#reset").await,
            Self::Wide => {
                fill(page, "#model-width", "256").await;
                page.click("#apply").await;
                return present(page).await;
            }
            Self::Own => {
                let lines = |line: &str| -> String {
                    (0..400)
                        .map(|number| format!("{line} {number}\n"))
                        .collect()
                };
                paste(page, &lines("der hund sieht"), &lines("the dog sees")).await;
                found(page, 200).await;
                page.click("#data-prepare").await;
                let own = "document.querySelector('footer').innerText.startsWith('200 examples')";
                page.wait_for("own data", PATIENCE, own).await;
            }
        }
        page.wait_for_phase("paused").await;
    }
}

/// Trains until the time is over or the run has ended.
async fn train(page: &Playground, time: Duration) {
    let start = Instant::now();
    let ended = "return document.querySelector('#status').dataset.state === 'finished'";
    page.click("#train").await;
    page.wait_for_step(1).await;
    while start.elapsed() < time {
        tokio::time::sleep(Duration::from_millis(500)).await;
        if page.evaluate(ended).await == true {
            return;
        }
    }
    page.evaluate("document.querySelector('#pause')?.click()")
        .await;
    let rests = "document.querySelector('#status').dataset.state !== 'training'";
    page.wait_for("run that rests", PATIENCE, rests).await;
}

/// Returns the mebibytes of memory that the process of page and worker takes, with the tensors,
/// which the browser's own figures leave out.
async fn memory(page: &Playground) -> f64 {
    let mut looks = Vec::new();
    for _ in 0..LOOKS {
        page.devtools("HeapProfiler.collectGarbage", json!({}))
            .await;
        let bytes = page.resident_memory();
        let bytes = bytes.expect("the system tells what a process has");
        looks.push(bytes as f64 / 1024.0 / 1024.0);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    looks.sort_by(f64::total_cmp);
    looks[LOOKS / 2]
}

/// Uses the page for at least this time and this number of models; returns, for each round of
/// models, the time and the memory in MiB.
async fn soak(time: Duration, least: usize) -> Vec<(Duration, f64)> {
    let page = Playground::open(Options::default(), "?preset=copy").await;
    page.unfold(".settings").await;
    page.unfold(".data").await;
    let each = (time / MODELS).max(SHORTEST);
    let (start, mut looks, mut models) = (Instant::now(), Vec::new(), 0);
    for (model, way) in (1..).zip(CIRCLE.iter().cycle()) {
        models = model;
        way.take(&page).await;
        train(&page, each.saturating_sub(Duration::from_secs(1))).await;
        let step = page.step().await;
        let mut line = format!(
            "{:5} s: model {model}, {way:?}, step {step}",
            start.elapsed().as_secs()
        );
        if model % CIRCLE.len() == 0 {
            let now = memory(&page).await;
            looks.push((start.elapsed(), now));
            line += &format!(", {now:.1} MiB");
        }
        println!("{line}");
        let circle_is_closed = model % CIRCLE.len() == 0;
        if circle_is_closed && model >= least && start.elapsed() >= time {
            break;
        }
    }
    // A worker must be replaced in time, or the largest model's memory would stay.
    let workers = page.programs().await.len();
    println!("{workers} workers for {models} models");
    assert!(workers > models / CIRCLE.len(), "{workers} workers");
    assert_eq!(page.errors().await, Vec::<String>::new());
    looks
}

/// Fails if a later measurement differs from the first by more than this share of it.
fn is_flat(looks: &[(Duration, f64)], share: f64) {
    let [(_, settled), later @ ..] = looks else {
        panic!("nobody looked at the memory");
    };
    for (time, now) in later {
        assert!(
            (now - settled).abs() <= share * settled,
            "{now:.1} MiB after {} s, {settled:.1} MiB when it had settled",
            time.as_secs()
        );
    }
}

#[tokio::test]
async fn nightly_some_models_one_after_the_other_leave_their_memory() {
    let looks = soak(Duration::ZERO, 2 * CIRCLE.len()).await;
    assert_eq!(looks.len(), 2);
    // In the first minute code is still compiled.
    is_flat(&looks, 0.25);
}

#[tokio::test]
#[ignore = "takes as many minutes as STRATA_SOAK_MINUTES says"]
async fn memory_stays_flat_for_hours() {
    let minutes = env::var("STRATA_SOAK_MINUTES").ok();
    let minutes: u64 = minutes.and_then(|it| it.parse().ok()).unwrap_or(120);
    let time = Duration::from_secs(60 * minutes);
    let looks = soak(time, MODELS as usize).await;
    let settled = looks.iter().filter(|(at, _)| *at >= SETTLING.min(time / 3));
    is_flat(&settled.copied().collect::<Vec<_>>(), 0.05);
}
