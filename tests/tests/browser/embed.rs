//! Parts of the page, in the frame of an article.

use crate::playground::PATIENCE;
use serde_json::{Value, json};
use strata_tests::browser::{Browser, Options};
use strata_tests::server::{Reply, Server};

/// Opens an article on another server with a frame of 480 × 320 pixels, enters the frame, and waits
/// for a prepared run.
async fn article(options: Options, query: &str) -> Browser {
    let browser = framed(options, query, "").await;
    browser
        .wait_for(
            "run that is prepared",
            PATIENCE,
            "document.querySelector('#status')?.dataset.state === 'paused'",
        )
        .await;
    browser
}

/// Opens an article whose frame has these attributes, and enters the frame.
async fn framed(options: Options, query: &str, attributes: &str) -> Browser {
    let browser = Browser::open(options, "?bench=none").await;
    let address = browser.client().current_url().await.expect("an address");
    let address = address.join(&format!("./{query}")).expect("an address");
    let address = address.as_str().replace('&', "&amp;");
    let article = format!(
        "<!doctype html><html lang=en><title>An article</title><p>Look:<p>\
         <iframe src=\"{address}\" width=480 height=320 title=Strata {attributes}></iframe>"
    );
    // The browser may request an icon, too.
    let replies = (0..3).map(|_| Reply::ok(article.as_bytes())).collect();
    let server = Server::start(replies);
    let loaded = browser.client().goto(&server.address()).await;
    loaded.expect("the article loads");
    let entered = browser.client().enter_frame(0).await;
    entered.expect("the article has a frame");
    browser
}

#[tokio::test]
async fn a_frame_in_a_sandbox_says_what_its_owner_must_write() {
    let query = "?embed=curve,train&preset=copy";
    let browser = framed(Options::default(), query, "sandbox=allow-scripts").await;
    let told =
        "document.querySelector('#loading')?.innerText.includes('allow-scripts allow-same-origin')";
    browser.wait_for("sentence", PATIENCE, told).await;
    let taken = "const event = new DragEvent('drop', { bubbles: true, cancelable: true });
                 document.body.dispatchEvent(event);
                 return event.defaultPrevented";
    assert_eq!(browser.evaluate(taken).await, true);
}

async fn train_to(browser: &Browser, step: u64) {
    browser.click("#train").await;
    let reached = format!("document.querySelector('#stat-step').dataset.value >= {step}");
    browser.wait_for("steps", PATIENCE, &reached).await;
    browser.click("#pause").await;
}

#[tokio::test]
async fn a_frame_trains_and_shows_what_was_asked_for() {
    let browser = article(
        Options::default(),
        "?embed=curve,heatmap,train&preset=reverse",
    )
    .await;
    train_to(&browser, 10).await;
    let drawn = "document.querySelector('.curve .smooth').getAttribute('d').length > 20
                 && document.querySelector('#attention canvas')";
    browser
        .wait_for("curve and heat-map", PATIENCE, drawn)
        .await;
    browser.screenshot("embed").await;
    let too_large = "const page = document.documentElement;
        return [page.scrollWidth > innerWidth, page.scrollHeight > innerHeight,
            [...document.querySelectorAll('button, a, .plot, .chart')].some(it => {
                const { right, bottom } = it.getBoundingClientRect();
                return right > innerWidth || bottom > innerHeight;
            })]";
    assert_eq!(
        browser.evaluate(too_large).await,
        json!([false, false, false])
    );
    let absent = "return document.querySelectorAll('header, footer, .settings, #level').length";
    assert_eq!(browser.evaluate(absent).await, 0);
    let link = "return document.querySelector('a').getAttribute('href')";
    assert_eq!(browser.evaluate(link).await, "./?preset=reverse");
    assert_eq!(browser.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_slider_chooses_the_level() {
    let query = "?embed=heatmap,level&preset=german-english-levels";
    let browser = article(
        Options {
            dark: true,
            ..Options::default()
        },
        query,
    )
    .await;
    let picture = "document.querySelector('#level:not(:disabled)')";
    browser.wait_for("picture", PATIENCE, picture).await;
    let weights = "return document.querySelector('#attention').dataset.weights";
    let last = browser.evaluate(weights).await;
    let slider = browser
        .client()
        .find(fantoccini::Locator::Id("level"))
        .await
        .expect("there is a slider");
    let left = String::from(char::from(fantoccini::key::Key::Left));
    for _ in 0..3 {
        slider.send_keys(&left).await.expect("keys move it");
    }
    let first = "document.querySelector('.level').innerText.startsWith('Level 1')";
    browser.wait_for("first level", PATIENCE, first).await;
    let drawn = format!("document.querySelector('#attention').dataset.weights !== {last}");
    browser.wait_for("its picture", PATIENCE, &drawn).await;
    browser.screenshot("embed-level").await;
    assert_eq!(
        browser
            .evaluate("return document.querySelector('#train')")
            .await,
        Value::Null
    );
}

#[tokio::test]
async fn a_part_that_is_not_known_is_told() {
    let browser = article(Options::default(), "?embed=curve,%3Cb%3Emoon").await;
    let told = "document.querySelector('#messages').innerText";
    let told = browser.wait_for("sentence", PATIENCE, told).await;
    let told = told.as_str().unwrap_or_default();
    assert!(
        told.contains("<b>moon") && told.contains("heatmap"),
        "{told}"
    );
}

/// The frame of `docs/embedding.md`, with the very code that is printed there.
#[tokio::test]
async fn in_the_documented_frame_no_text_lies_on_another_and_no_label_is_cut() {
    let query = "?embed=curve,heatmap,level,train&preset=german-english-levels";
    let browser = article(Options::default(), query).await;
    train_to(&browser, 10).await;
    let drawn = "document.querySelector('#attention .row-labels span span')";
    browser.wait_for("labels", PATIENCE, drawn).await;
    let faults = "const texts = [];
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
            const node = walk.currentNode;
            if (!node.data.trim() || node.parentElement.closest('.unseen, h1, script')) continue;
            const range = document.createRange();
            range.selectNodeContents(node);
            const it = range.getBoundingClientRect();
            if (it.width > 2 && it.height > 2) texts.push([node.data.trim(), it]);
        }
        const faults = [];
        texts.forEach(([text, one], at) => texts.slice(at + 1).forEach(([word, other]) => {
            const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
            if (across > 3 && down > 3) faults.push(`${text} on ${word}`);
        }));
        document.querySelectorAll('.matrix span > span').forEach(it => {
            if (it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1)
                faults.push(`${it.textContent} is cut`);
        });
        return faults";
    assert_eq!(browser.evaluate(faults).await, json!([]));
    browser.screenshot("embed-documented").await;
    assert_eq!(browser.errors().await, Vec::<String>::new());
}

/// A frame with nothing but the map: the map moves by itself, and can be stopped.
#[tokio::test]
async fn a_map_alone_plays_and_can_be_stopped() {
    let browser = framed(Options::default(), "?embed=map&preset=copy", "").await;
    let moves = "document.querySelector('#stat-step')?.dataset.value >= 20 && \
                 document.querySelector('#attention canvas')";
    browser.wait_for("map that moves", PATIENCE, moves).await;
    browser.click("#pause").await;
    let paused = "document.querySelector('#status').dataset.state === 'paused'";
    browser.wait_for("pause", PATIENCE, paused).await;
    browser.screenshot("embed-map").await;
    let shown =
        "return [document.querySelectorAll('button').length, !!document.querySelector('.curve'),
        !!document.querySelector('.message')]";
    assert_eq!(browser.evaluate(shown).await, json!([1, false, false]));
}
