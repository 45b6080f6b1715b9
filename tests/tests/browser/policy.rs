//! The page keeps its own strict policy: nothing runs that it was not built of.

use crate::playground::{PATIENCE, Playground};
use serde_json::{Value, json};
use strata_tasks::corpora::HOST;
use strata_tests::browser::Options;

/// Keeps what the policy forbids, from before anything of the page runs.
const WATCH: &str = "window.violations = [];
    document.addEventListener('securitypolicyviolation', event =>
        window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));";

#[tokio::test]
async fn training_needs_nothing_that_the_policy_forbids() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after(WATCH).await;
    page.train_for(10).await;
    page.click(".sample").await;
    page.heat_map("translation-attention").await;
    page.click(".settings summary").await;
    page.click("#attention .plot").await;
    assert_eq!(page.evaluate("return window.violations").await, json!([]));
    // Styles that the page sets by itself have arrived.
    let bar = "return document.querySelector('.progress span').getBoundingClientRect().width > 0";
    assert_eq!(page.evaluate(bar).await, Value::Bool(true));
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_script_that_gets_into_the_page_does_not_run() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after(WATCH).await;
    page.evaluate(
        "const script = document.createElement('script');
         script.textContent = 'window.broken = 1';
         document.body.append(script);
         const image = document.createElement('div');
         image.innerHTML = '<img src=x: onerror=\"window.broken = 2\"><b style=\"color: red\">x</b>';
         document.body.append(image);
         const frame = document.createElement('iframe');
         frame.src = 'https://example.com/';
         document.body.append(frame);",
    )
    .await;
    page.wait_for("refusal", PATIENCE, "window.violations.length >= 4")
        .await;
    assert_eq!(page.evaluate("return window.broken").await, Value::Null);
}

#[tokio::test]
async fn the_policy_lets_public_corpora_be_fetched_and_nothing_else() {
    let page = Playground::open(Options::default(), "").await;
    let policy = "return document.querySelector('meta[http-equiv]').content.split(';')\
                  .find(it => it.includes('connect-src')).trim().split(/\\s+/)";
    let expected = json!(["connect-src", "'self'", HOST]);
    assert_eq!(page.evaluate(policy).await, expected);
}
