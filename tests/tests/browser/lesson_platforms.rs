//! Lessons in a frame report to the surrounding page, and to a learning platform.

use crate::lessons::wait_for_stage;
use crate::playground::PATIENCE;
use fantoccini::Locator;
use serde_json::json;
use strata_tests::browser::{Browser, Options};
use strata_tests::server::{Reply, Server};

#[tokio::test]
async fn the_page_around_a_frame_hears_of_the_lesson_and_may_ask_for_a_step() {
    let browser = Browser::open(Options::default(), "?bench=none").await;
    let page = browser.client().current_url().await.expect("an address");
    let article = "<!doctype html><html lang=en><title>A course</title>
        <script>window.told = []; addEventListener('message', it => told.push(it.data));</script>
        <p>Look:<p><iframe width=1000 height=700 title=Strata></iframe>";
    let replies = (0..3).map(|_| Reply::ok(article.as_bytes())).collect();
    let server = Server::start(replies);
    let loaded = browser.client().goto(&server.address()).await;
    loaded.expect("the article loads");
    let frame = format!(
        "document.querySelector('iframe').src =
             '{}?embed=lesson&lesson=alignment&notify=' + encodeURIComponent(location.origin)",
        page.join("./").expect("an address")
    );
    browser.evaluate(&frame).await;
    let heard =
        |event: &str| format!("told.find(it => it.event === '{event}' && it.step !== undefined)");
    let ready = browser.wait_for("ready", PATIENCE, &heard("ready")).await;
    assert_eq!(
        (&ready["strata"], &ready["step"]),
        (&json!(1), &json!("row"))
    );
    let height = "told.some(it => it.event === 'height' && it.height > 100)";
    browser.wait_for("height", PATIENCE, height).await;

    let entered = browser.client().enter_frame(0).await;
    entered.expect("the article has a frame");
    let field = browser.client().find(Locator::Id("lesson-guess")).await;
    let typed = field.expect("there is a field").send_keys("1").await;
    typed.expect("a guess can be typed");
    browser.click("#lesson-take-guess").await;
    wait_for_stage(&browser, "row", "act").await;
    browser.click("#step").await;
    wait_for_stage(&browser, "row", "done").await;
    let left = browser.client().clone().enter_parent_frame().await;
    left.expect("there is a page around");
    let done = browser.wait_for("done", PATIENCE, &heard("done")).await;
    assert_eq!(
        (
            &done["lesson"],
            &done["how"],
            done["guess"].as_f64(),
            done["measured"].as_f64()
        ),
        (&json!("alignment"), &json!("did"), Some(1.0), Some(1.0))
    );
    let go = "document.querySelector('iframe').contentWindow
        .postMessage({ strata: 1, do: 'go', step: 'german' }, '*')";
    browser.evaluate(go).await;
    let there = "told.some(it => it.event === 'ready' && it.step === 'german')";
    browser.wait_for("other step", PATIENCE, there).await;
    let entered = browser.client().clone().enter_frame(0).await;
    entered.expect("the article has a frame");
    browser.click("#lesson-skip").await;
    let left = browser.client().clone().enter_parent_frame().await;
    left.expect("there is a page around");
    let skipped = "told.find(it => it.how === 'skipped')?.step";
    let skipped = browser.wait_for("skipping", PATIENCE, skipped).await;
    assert_eq!(skipped, "german");
}

/// A learning platform: records what a module reports, and what a strict platform would refuse
/// (`faults`).
const PLATFORM: &str = include_str!("learning_platform.html");

#[tokio::test]
async fn a_learning_platform_is_told_completion_score_and_location() {
    for (version, names) in [
        (
            "1.2",
            [
                "cmi.core.lesson_status",
                "cmi.core.score.raw",
                "cmi.core.lesson_location",
                "cmi.core.session_time",
            ],
        ),
        (
            "2004",
            [
                "cmi.completion_status",
                "cmi.score.raw",
                "cmi.location",
                "cmi.session_time",
            ],
        ),
    ] {
        let [status, score, location, time] = names.map(|name| format!("kept['{name}']"));
        let browser = Browser::open(Options::default(), "?bench=none").await;
        let page = browser.client().current_url().await.expect("an address");
        let page = page.join("./").expect("an address");
        let bridge = include_str!("../../../crates/xtask/src/lessons/scorm.html");
        let bridge = bridge.replace(
            "data-page=\"./index.html\"",
            &format!("data-page=\"{page}\""),
        );
        let mut replies = vec![Reply::ok(PLATFORM.as_bytes())];
        replies.extend((0..2).map(|_| Reply::ok(bridge.as_bytes())));
        let server = Server::start(replies);
        let platform = format!("{}?{version}", server.address());
        let loaded = browser.client().goto(&platform).await;
        loaded.expect("the platform loads");
        let module = "document.querySelector('iframe').src = '/scorm.html?lesson=levels&steps=alike.forgotten&show=1'";
        browser.evaluate(module).await;
        let begun = format!("{status} === 'incomplete' && {location} === 'alike'");
        browser.wait_for("location", PATIENCE, &begun).await;
        for (step, percent) in [("alike", 50), ("forgotten", 100)] {
            for _ in 0..2 {
                let entered = browser.client().enter_frame(0).await;
                entered.expect("there is a frame in it");
            }
            wait_for_stage(&browser, step, "guess").await;
            browser.click("#lesson-pass").await;
            wait_for_stage(&browser, step, "act").await;
            browser.click("#lesson-show").await;
            wait_for_stage(&browser, step, "done").await;
            if percent < 100 {
                browser.click("#lesson-next").await;
            }
            for _ in 0..2 {
                let left = browser.client().clone().enter_parent_frame().await;
                left.expect("there is a page around");
            }
            let told = format!("{score} === '{percent}'");
            browser.wait_for("score", PATIENCE, &told).await;
            if percent < 100 {
                let unfinished = format!("return {status}");
                assert_eq!(browser.evaluate(&unfinished).await, "incomplete");
            }
        }
        let complete = format!("{status} === 'completed' && {location} === 'forgotten'");
        browser.wait_for("completion", PATIENCE, &complete).await;
        // A learner who comes back is at the recorded location, and nothing is lost.
        browser.evaluate(module).await;
        let ended = "calls.includes('Finish') || calls.includes('Terminate')";
        browser
            .wait_for("end of the first visit", PATIENCE, ended)
            .await;
        for _ in 0..2 {
            let entered = browser.client().enter_frame(0).await;
            entered.expect("there is a frame in it");
        }
        wait_for_stage(&browser, "forgotten", "guess").await;
        for _ in 0..2 {
            let left = browser.client().clone().enter_parent_frame().await;
            left.expect("there is a page around");
        }
        let faults = browser.evaluate("return faults").await;
        assert_eq!(faults, json!([]), "SCORM {version}");
        let time = browser.evaluate(&format!("return {time}")).await;
        let is_time = time.as_str().is_some_and(|it| !it.is_empty());
        assert!(is_time, "{time}");
    }
}
