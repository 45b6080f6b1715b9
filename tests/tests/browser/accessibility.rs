//! axe-core finds no barrier in any view: WCAG 2.1 A and AA.

use crate::playground::{PATIENCE, Playground};
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::time::Duration;
use strata_tests::browser::{Browser, Options};

/// A script that runs axe-core and returns its findings, one per line.
const LOOK: &str = "
    window.found = null;
    axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
        rules: { 'label-content-name-mismatch': { enabled: true } } })
        .then(({ violations }) => window.found = violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => `${id}: ${target} — ${failureSummary}`)),
            error => window.found = [`axe failed: ${error}`]);";

/// Fails if axe-core finds barriers; the message lists all.
pub async fn assert_no_barrier(browser: &Browser, view: &str) {
    let path = env::var("STRATA_AXE")
        .expect("STRATA_AXE names the script of axe-core: run `cargo xtask test`");
    let axe = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    browser
        .evaluate(&format!("if (!window.axe) {{ {axe} }}"))
        .await;
    // Colours during a transition would fail for contrast, although nobody reads them.
    let still = "document.getAnimations().every(it => !(it instanceof CSSTransition))";
    browser.wait_for("colours that stay", PATIENCE, still).await;
    browser.evaluate(LOOK).await;
    let limit = Duration::from_secs(120);
    let found = browser
        .wait_for("result of axe", limit, "window.found")
        .await;
    let found: Vec<Value> = serde_json::from_value(found).expect("a list");
    let found: Vec<_> = found.iter().filter_map(Value::as_str).collect();
    assert!(found.is_empty(), "{view}:\n{}", found.join("\n"));
}

#[tokio::test]
async fn no_view_has_a_barrier() {
    look_for_barriers([(false, false), (true, true)]).await;
}

#[tokio::test]
async fn nightly_no_view_has_a_barrier_in_the_other_modes() {
    look_for_barriers([(true, false), (false, true)]).await;
}

/// Looks at views that are dark or not, on a phone or not.
async fn look_for_barriers(modes: [(bool, bool); 2]) {
    for (dark, phone) in modes {
        let size = if phone {
            Options::phone()
        } else {
            Options::default()
        };
        let page = Playground::open(Options { dark, ..size }, "").await;
        let view = |name: &str| {
            let scheme = if dark { "dark" } else { "light" };
            format!(
                "{name}, {scheme}, {}",
                if phone { "phone" } else { "desktop" }
            )
        };
        assert_no_barrier(&page, &view("first look")).await;
        page.train_for(5).await;
        page.click(".sample").await;
        page.heat_map("translation-attention").await;
        assert_no_barrier(&page, &view("translation")).await;
        page.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
            .await;
        assert_no_barrier(&page, &view("everything open")).await;
        page.goto("?preset=german-english-levels&device=quantum")
            .await;
        page.wait_for_phase("paused").await;
        assert_no_barrier(&page, &view("a message")).await;
        page.goto("?embed=curve,heatmap,level,train").await;
        page.wait_for_phase("paused").await;
        assert_no_barrier(&page, &view("frame")).await;
        page.goto("?bench=none").await;
        let told = "document.querySelector('#bench-result')?.textContent";
        page.wait_for("line", Duration::from_secs(60), told).await;
        assert_no_barrier(&page, &view("workload")).await;
    }
}

#[tokio::test]
async fn the_first_tab_leads_past_the_header() {
    let page = Playground::open(Options::default(), "").await;
    page.press(char::from(fantoccini::key::Key::Tab)).await;
    assert!(page.has_focus(".skip").await);
    page.press(char::from(fantoccini::key::Key::Enter)).await;
    let there = "return document.activeElement.matches('main')";
    assert_eq!(page.evaluate(there).await, json!(true));
}

/// On a phone the heat-map and the curves matter most, so they come before rarely used settings.
#[tokio::test]
async fn on_a_phone_heat_map_and_curves_come_before_all_that_is_set_rarely() {
    let page = Playground::open(Options::phone(), "").await;
    let seen = "document.querySelector('#attention') !== null";
    page.wait_for("a heat-map", PATIENCE, seen).await;
    let top = "const top = selector => document.querySelector(selector).getBoundingClientRect().top + scrollY;
               return [top('#attention'), top('.curves'), top('.translate'), top('.settings')]";
    let tops: [f64; 4] = serde_json::from_value(page.evaluate(top).await).expect("four numbers");
    assert!(tops.is_sorted(), "{tops:?}");
    assert!(tops[0] < 844.0, "{tops:?}");
}
