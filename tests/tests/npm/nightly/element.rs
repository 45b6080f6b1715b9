//! The element `<strata-run>`.

use serde_json::json;
use strata_tests::browser::Options;
use strata_tests::site::PLAIN;

use crate::nightly::installed::{PATIENCE, opened, unpacked};

/// The element's own tree, in scripts.
const IN: &str = "document.querySelector('strata-run').shadowRoot";

#[tokio::test]
async fn the_element_trains_shows_attention_and_answers_by_keyboard_alone() {
    let folder = unpacked();
    let browser = opened(folder.path(), PLAIN, "page.html", Options::default()).await;
    let ready = format!("{IN}.querySelector('#go')");
    browser.wait_for("element", PATIENCE, &ready).await;
    let press =
        |id: &str| format!("{IN}.querySelector('#{id}').focus(); return {IN}.activeElement.id;");
    assert_eq!(browser.evaluate(&press("go")).await, "go");
    let keys = |key: &str| json!({ "type": "keyDown", "key": key, "code": key });
    let enter = json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r" });
    browser.devtools("Input.dispatchKeyEvent", enter).await;
    let finished = "document.querySelector('strata-run').run?.activity === 'finished'";
    browser.wait_for("end of the run", PATIENCE, finished).await;
    let shown = browser
        .evaluate(&format!(
            "const get = (id) => {IN}.querySelector('#' + id);
             return [get('go').textContent, get('numbers').textContent, get('map').hidden,
               get('map').getAttribute('aria-label'), get('progress').value, get('note').textContent];"
        ))
        .await;
    assert_eq!(shown[0], "Again", "{shown}");
    assert!(
        shown[1]
            .as_str()
            .is_some_and(|it| it.starts_with("step 60 of 60")),
        "{shown}"
    );
    assert_eq!(shown[2], false, "{shown}");
    assert!(
        shown[3]
            .as_str()
            .is_some_and(|it| it.contains("decoder.0.cross")),
        "{shown}"
    );
    assert_eq!(shown[4], 60, "{shown}");
    assert!(
        shown[5]
            .as_str()
            .is_some_and(|it| it.contains("One thread")),
        "{shown}"
    );
    browser.screenshot("npm-element").await;
    // The map is read by the arrow keys.
    let cell = format!("{IN}.querySelector('#cell').textContent");
    let before = browser.evaluate(&format!("return {cell}")).await;
    browser.evaluate(&press("map")).await;
    browser
        .devtools("Input.dispatchKeyEvent", keys("ArrowRight"))
        .await;
    let moved = format!("{cell} !== {before}");
    browser.wait_for("another cell", PATIENCE, &moved).await;
    browser.evaluate(&press("ask")).await;
    let enter = json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r" });
    browser.devtools("Input.dispatchKeyEvent", enter).await;
    let answered = format!("{IN}.querySelector('#answer').textContent");
    browser.wait_for("answer", PATIENCE, &answered).await;
    assert_eq!(browser.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_element_is_narrow_dark_and_tells_faults() {
    let folder = unpacked();
    let options = Options {
        dark: true,
        ..Options::phone()
    };
    let browser = opened(folder.path(), PLAIN, "page.html", options).await;
    let ready = format!("{IN}.querySelector('#go')");
    browser.wait_for("element", PATIENCE, &ready).await;
    let seen = browser
        .evaluate(
            "const it = document.querySelector('strata-run');
             return [it.scrollWidth <= it.clientWidth, getComputedStyle(it).backgroundColor];",
        )
        .await;
    assert_eq!(seen[0], true, "{seen}");
    assert_eq!(seen[1], "rgb(23, 27, 31)", "{seen}");
    browser
        .evaluate("document.querySelector('strata-run').setAttribute('preset', 'copi');")
        .await;
    browser
        .evaluate("document.querySelector('strata-run').start();")
        .await;
    let told = format!("{IN}.querySelector('#fault').textContent.includes('Did you mean `copy`?')");
    browser.wait_for("sentence", PATIENCE, &told).await;
}
