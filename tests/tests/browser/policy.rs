//! The page obeys its own strict content security policy: nothing runs that is not part of the
//! build.

use crate::playground::{PATIENCE, Playground};
use serde_json::{Value, json};
use strata_tasks::corpora::HOST;
use strata_tests::browser::{Browser, Options};
use strata_tests::server::{Reply, Server};

/// A script that records violations of the policy, from before anything of the page runs.
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
    // Styles that the page sets by itself have been applied.
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

#[tokio::test]
async fn the_server_says_of_every_file_what_the_page_says_of_itself() {
    let page = Playground::open(Options::default(), "").await;
    // Fetched from the server itself: a service worker would answer from its cache.
    let script = "const read = async name => {
            const answer = await fetch(name, { cache: 'no-store' });
            const header = name => answer.headers.get(name);
            return { name, status: answer.status, type: header('content-type'),
                policy: header('content-security-policy'), sniff: header('x-content-type-options'),
                opener: header('cross-origin-opener-policy'),
                embedder: header('cross-origin-embedder-policy'),
                resource: header('cross-origin-resource-policy') };
        };
        const list = await (await fetch('service-worker.js', { cache: 'no-store' })).text();
        const names = [...list.matchAll(/\"([\\w./-]+\\.[a-z0-9]+)\":/g)].map(it => it[1]);
        window.answers = await Promise.all(['', 'none', ...new Set(names)].map(read));";
    page.evaluate(&format!("(async () => {{ {script} }})()"))
        .await;
    let answers = page.wait_for("answers", PATIENCE, "window.answers").await;
    let answers = answers.as_array().expect("a list");
    assert!(answers.len() > 12, "{answers:?}");
    let stated = "return document.querySelector('meta[http-equiv]').content
        .trim().replace(/\\s+/g, ' ').replace(/;$/, '')";
    let stated = page.evaluate(stated).await;
    let stated = stated.as_str().expect("a policy");
    for answer in answers {
        assert_eq!(
            answer["policy"],
            format!("{stated}; frame-ancestors *"),
            "{answer}"
        );
        assert_eq!(answer["sniff"], "nosniff", "{answer}");
        assert_eq!(answer["opener"], "same-origin", "{answer}");
        assert_eq!(answer["embedder"], "require-corp", "{answer}");
        assert_eq!(answer["resource"], "cross-origin", "{answer}");
        let known = answer["type"] != "application/octet-stream";
        assert!(known && answer["type"].is_string(), "{answer}");
        assert_eq!(
            answer["status"] == 404,
            answer["name"] == "none",
            "{answer}"
        );
    }
}

/// Opens a page of another origin with a script, and with this page in a frame.
async fn another_origin(script: &str) -> (Browser, Server) {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    let address = browser.client().current_url().await.expect("an address");
    let page = address.join("./").expect("an address");
    let hostile = format!(
        "<!doctype html><title>x</title><p>x<p><iframe src=\"{page}\"></iframe>\
         <script>const page = '{page}'; {script}</script>"
    );
    let server = Server::start((0..3).map(|_| Reply::ok(hostile.as_bytes())).collect());
    let loaded = browser.client().goto(&server.address()).await;
    loaded.expect("the other page loads");
    (browser, server)
}

/// A page of another origin that frames the page, or opens it in a window, can neither read nor
/// control it.
#[tokio::test]
async fn a_page_of_another_origin_has_no_hold_on_this_one() {
    let script = "window.seen = [];
        window.reach = what => { try { window.seen.push([what(), 'reached']); }
                                 catch (error) { window.seen.push(error.name); } };";
    let (browser, _server) = another_origin(script).await;
    let client = browser.client();
    client
        .clone()
        .enter_frame(0)
        .await
        .expect("there is a frame");
    let prepared = "document.querySelector('#status')?.dataset.state === 'paused'";
    browser
        .wait_for("run in the frame", PATIENCE, prepared)
        .await;
    let step = "return document.querySelector('#stat-step').dataset.value";
    client
        .clone()
        .enter_parent_frame()
        .await
        .expect("it is in a page");
    browser
        .evaluate(
            "const inner = frames[0];
             reach(() => inner.document.title);
             reach(() => inner.localStorage.length);
             reach(() => inner.indexedDB.databases());
             for (const message of ['train', { train: null }, ['train'], { load: { experiment: {} } }])
                 inner.postMessage(message, '*');",
        )
        .await;
    let seen = browser.evaluate("return window.seen").await;
    assert_eq!(
        seen,
        json!(["SecurityError", "SecurityError", "SecurityError"])
    );
    client
        .clone()
        .enter_frame(0)
        .await
        .expect("there is a frame");
    assert_eq!(browser.evaluate(step).await, "0");
    assert_eq!(
        browser
            .evaluate("return document.querySelector('#status').dataset.state")
            .await,
        "paused"
    );
    client
        .clone()
        .enter_parent_frame()
        .await
        .expect("it is in a page");
    // A window of its own does not know which page has opened it.
    browser.evaluate("window.opened = window.open(page)").await;
    let windows = client.windows().await.expect("there are windows");
    assert_eq!(windows.len(), 2);
    client
        .switch_to_window(windows[1].clone())
        .await
        .expect("it is open");
    browser
        .wait_for("run in the window", PATIENCE, prepared)
        .await;
    assert_eq!(browser.evaluate("return window.opener").await, Value::Null);
}
