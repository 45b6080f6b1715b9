//! The summary of a lesson: guesses beside measured values, with links that lead back.

use crate::lessons::{lesson, wait_for_stage};
use crate::playground::PATIENCE;
use serde_json::{Value, json};
use strata_tests::browser::Options;

#[tokio::test]
async fn a_summary_has_guess_and_measured_value_and_leads_back() {
    let query = "?lesson=bottleneck&fresh";
    let page = lesson(Options::default(), query, "untrained", "guess").await;
    let field = page.find("#lesson-guess").await;
    field.send_keys("50").await.expect("a guess can be typed");
    page.click("#lesson-take-guess").await;
    wait_for_stage(&page, "untrained", "act").await;
    page.click("#step").await;
    wait_for_stage(&page, "untrained", "done").await;
    let measured = page.text(".lesson-measured .value").await;
    page.click("#lesson-next").await;
    wait_for_stage(&page, "training", "guess").await;
    page.click("#lesson-skip").await;
    page.goto("?lesson=bottleneck&step=free").await;
    wait_for_stage(&page, "free", "free").await;
    page.click("#lesson-summary").await;
    let there = "document.querySelector('#summary-untrained .summary-guess')";
    page.wait_for("summary", PATIENCE, there).await;
    page.screenshot("lesson-summary").await;

    assert!(
        page.text("#summary-facts")
            .await
            .contains("1 of 7 steps done")
    );
    let guess = page.text("#summary-untrained .summary-guess").await;
    assert_eq!(guess, "50");
    assert_eq!(
        page.text("#summary-untrained .summary-measured").await,
        measured
    );
    assert!(page.text("#summary-training").await.contains("skipped"));
    assert!(page.text("#summary-wider").await.contains("not done yet"));
    // A learner gets no answers, and the name is sent nowhere.
    let answers = "return document.querySelectorAll('.summary-answer').length";
    assert_eq!(page.evaluate(answers).await, 0);
    let sheet = page.text("article").await;
    assert!(!sheet.contains("pure guessing"), "{sheet}");
    let field = page.find("#summary-name").await;
    field.send_keys("Ada").await.expect("a name can be typed");
    let kept =
        "return JSON.stringify(localStorage).includes('Ada') || location.href.includes('Ada')";
    assert_eq!(page.evaluate(kept).await, false);

    let link = "return document.querySelector('#summary-untrained .summary-step').href";
    let link = page.evaluate(link).await;
    assert!(
        link.as_str()
            .is_some_and(|it| it.ends_with("?lesson=bottleneck&step=untrained")),
        "{link}"
    );
    page.click("#summary-untrained .summary-step").await;
    wait_for_stage(&page, "untrained", "guess").await;
    page.wait_for_exact_step(0).await;

    page.goto("?summary=bottleneck&print=teacher").await;
    let all = "document.querySelectorAll('.summary-answer').length === 7";
    page.wait_for("answers", PATIENCE, all).await;
    let sheet = page.text("article").await;
    assert!(sheet.contains("pure guessing"), "{sheet}");
    assert!(
        page.text("#summary-wider .summary-answer h4")
            .await
            .contains('%')
    );
    let missing =
        "return [...document.querySelectorAll('.value')].filter(it => it.innerText === '–').length";
    assert_eq!(page.evaluate(missing).await, 0);
    // The experiment of a step has an address of its own.
    page.click("#summary-wider .summary-experiment").await;
    page.wait_for_phase("paused").await;
    let attends = "return location.search.includes('model.attend=false')";
    assert_eq!(page.evaluate(attends).await, true);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_summary_of_no_lesson_says_so_and_a_printed_one_has_no_controls() {
    let page = lesson(Options::default(), "?lesson=levels", "alike", "guess").await;
    page.goto("?summary=%3Cb%3Enone").await;
    let told = "document.querySelector('[role=alert]')?.innerText.includes('<b>none')";
    page.wait_for("sentence", PATIENCE, told).await;
    page.goto("?summary=alignment&lang=de").await;
    let there = "document.querySelectorAll('.summary-steps > li').length === 7";
    page.wait_for("summary", PATIENCE, there).await;
    assert_eq!(page.text("h1").await, "Zusammenfassung");
    let printed = json!({ "media": "print" });
    page.devtools("Emulation.setEmulatedMedia", printed).await;
    let shown = "return ['.summary nav', '.theme'].map(it => document.querySelector(it)?.offsetHeight ?? 0)";
    assert_eq!(page.evaluate(shown).await, json!([0, 0]));
    let wide = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(page.evaluate(wide).await, Value::Bool(true));
    assert_eq!(page.errors().await, Vec::<String>::new());
}
