//! A worker of the page, started by the test, whose GPU calls are counted.

use std::ops::Sub;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use strata_session::protocol::Event;
use strata_tests::browser::Browser;
use strata_training::Experiment;

use crate::run::{Run, commands};

/// Counts of calls to the GPU.
#[derive(Deserialize, Clone, Copy, Debug, Default)]
pub struct Calls {
    /// Number of kernels launched.
    pub dispatches: u64,
    /// Number of command buffers submitted.
    pub submits: u64,
    /// Number of buffers read back.
    pub read_backs: u64,
}

impl Sub for Calls {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            dispatches: self.dispatches - earlier.dispatches,
            submits: self.submits - earlier.submits,
            read_backs: self.read_backs - earlier.read_backs,
        }
    }
}

/// An event, and the number of calls before it since the worker began.
#[derive(Deserialize)]
struct Heard {
    event: Event,
    #[serde(default)]
    calls: Calls,
}

/// A worker in a browser's page.
pub struct Worker<'a> {
    browser: &'a Browser,
}

impl<'a> Worker<'a> {
    /// Starts the page's worker of this name.
    pub async fn start(browser: &'a Browser, name: &str) -> Self {
        // The page's policy allows no foreign script around its own.
        let bypass = json!({ "enabled": true });
        browser.devtools("Page.setBypassCSP", bypass).await;
        browser.goto("").await;
        let script = json!(include_str!("counted.js"));
        let start = format!(
            "const script = new Blob([{script}], {{ type: 'text/javascript' }});
             const name = new URL('worker-{name}_loader.js', location.href).href;
             const worker = new Worker(URL.createObjectURL(script), {{ type: 'module', name }});
             const lost = reason => ({{ event: {{ lost: {{ reason }} }} }});
             worker.onerror = error => window.heard.push(lost(error.message));
             worker.onmessage = ({{ data }}) => window.heard.push(data);
             window.heard = [];
             window.worker = worker;"
        );
        browser.evaluate(&start).await;
        let limit = Duration::from_secs(60);
        let first = browser.wait_for("word from the worker", limit, "window.heard.shift()");
        assert_eq!(first.await["event"], "listening");
        Self { browser }
    }

    /// Returns the results of a whole run, and the calls of its last step.
    pub async fn run(&self, experiment: &Experiment, limit: Duration) -> (Run, Calls) {
        let commands = json!(commands(experiment));
        let send = format!("{commands}.forEach(command => window.worker.postMessage(command))");
        self.browser.evaluate(&send).await;
        let over = "window.heard.some(({ event }) => \
                    ['view', 'refused', 'diverged', 'lost'].some(end => end in event))";
        self.browser.wait_for("end of the run", limit, over).await;
        let heard = self.browser.evaluate("return window.heard.splice(0)").await;
        let heard: Vec<Heard> =
            serde_json::from_value(heard).expect("events as the protocol has them");
        let after_steps: Vec<_> = heard
            .iter()
            .filter(|heard| matches!(heard.event, Event::Progress { .. }))
            .map(|heard| heard.calls)
            .collect();
        let run = Run::from_events(heard.into_iter().map(|heard| heard.event));
        match after_steps[..] {
            [.., before, after] => (run, after - before),
            _ => panic!("a run tells of each of its steps alone"),
        }
    }
}
