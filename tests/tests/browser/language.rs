//! The page in another language than English: nothing stays English, and a run goes on when the
//! language changes.

use crate::lessons::lesson;
use crate::playground::{PATIENCE, Playground};
use strata_tasks::corpora;
use strata_tests::browser::{Browser, Options};

/// Opens everything that is folded.
const UNFOLD: &str = "document.querySelectorAll('details').forEach(it => it.open = true)";

/// Asserts that the words lack no text that the page has shown so far.
async fn speaks(page: &Browser, place: &str) {
    let settled = "await new Promise(done => setTimeout(done, 300)); ";
    let unknown = page
        .evaluate(&format!("{settled} return window.strataUnknownTexts()"))
        .await;
    let mut unknown = unknown.as_array().expect("a list of texts").clone();
    // Public files keep the names that they have on their server.
    unknown.retain(|text| corpora::all().all(|it| text != it.name));
    assert!(unknown.is_empty(), "{place}: {unknown:#?}");
}

async fn all_tabs(page: &Playground) {
    let tabs = page
        .evaluate("return [...document.querySelectorAll('[role=tab]')].map(it => it.id)")
        .await;
    for tab in tabs.as_array().expect("a list of tabs") {
        let name = tab.as_str().expect("an id").trim_start_matches("tab-");
        page.evaluate(&format!("document.getElementById('tab-{name}')?.click()"))
            .await;
        let shown = format!("document.querySelector('#seeing').dataset.view === '{name}'");
        page.wait_for(name, PATIENCE, &shown).await;
        page.evaluate(UNFOLD).await;
    }
}

#[tokio::test]
async fn a_german_page_says_nothing_in_english() {
    let query = "?preset=copy&training.steps=60&lang=de";
    let page = Playground::open(Options::default(), query).await;
    let language = "return document.documentElement.lang";
    assert_eq!(page.evaluate(language).await, "de");
    assert_eq!(page.text("#train").await, "Trainieren");
    // The page's address is written without the language: the tab keeps it.
    page.reload().await;
    assert_eq!(page.evaluate(language).await, "de");
    page.evaluate(UNFOLD).await;
    speaks(&page, "before training").await;
    page.click("#train").await;
    page.wait_for_phase("finished").await;
    assert_eq!(page.text("#status").await, "Fertig");
    speaks(&page, "after training").await;
    all_tabs(&page).await;
    speaks(&page, "the tabs").await;
    page.click(".sample").await;
    page.click("#translate-button").await;
    let answered = "document.querySelector('#translation')?.innerText.trim()";
    page.wait_for("an answer", PATIENCE, answered).await;
    page.evaluate(UNFOLD).await;
    speaks(&page, "a translation").await;
    page.choose("#model-architecture", "seq2seq").await;
    page.choose("#model-attention-kind", "pyramid").await;
    speaks(&page, "other settings").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn every_preset_is_told_in_german() {
    for preset in ["arrows", "reading", "sentences", "german-english-levels"] {
        let query = format!("?preset={preset}&lang=de");
        let page = Playground::open(Options::default(), &query).await;
        page.wait_for_phase("paused").await;
        all_tabs(&page).await;
        speaks(&page, preset).await;
    }
}

#[tokio::test]
async fn the_other_pages_speak_german() {
    for (query, ready) in [
        ("?lessons&lang=de", ".lesson-card"),
        ("?class&lang=de", "#class-link, .in-class table"),
        ("?summary=arrows&lang=de", ".summary article"),
        (
            "?embed=train,curve,heatmap,level&preset=copy&lang=de",
            "#train",
        ),
    ] {
        let page = Browser::open(Options::default(), query).await;
        let there = format!("document.querySelector('{ready}')");
        page.wait_for(query, PATIENCE, &there).await;
        page.evaluate(UNFOLD).await;
        speaks(&page, query).await;
    }
}

#[tokio::test]
async fn a_run_and_a_lesson_go_on_in_another_language() {
    let page = Playground::open(Options::default(), "?preset=copy").await;
    let step = page.train_for(20).await;
    page.choose("#language", "de").await;
    let german = "document.querySelector('#status').innerText === 'Angehalten'";
    page.wait_for("German", PATIENCE, german).await;
    assert_eq!(page.step().await, step);
    page.train_for(10).await;
    assert_eq!(page.text("#status").await, "Angehalten");
    let step = page.step().await;
    page.choose("#language", "en").await;
    let english = "document.querySelector('#status').innerText === 'Paused'";
    page.wait_for("English", PATIENCE, english).await;
    // What the page writes from now on, and what it wrote in German, is English.
    let left = "return [...document.querySelectorAll('button, h2, label')].map(it => it.innerText.trim()) \
                .filter(it => /[äöüß]|Trainieren|Schritt/.test(it))";
    assert_eq!(page.evaluate(left).await, serde_json::json!([]));
    assert_eq!(page.step().await, step);

    let page = lesson(Options::default(), "?lesson=arrows", "one-arrow", "guess").await;
    page.choose("#language", "de").await;
    let german = "document.querySelector('#lesson').innerText.includes('Wohin blickt')";
    page.wait_for("a German lesson", PATIENCE, german).await;
    let stage = "return document.querySelector('#lesson').dataset.stage";
    assert_eq!(page.evaluate(stage).await, "guess");
    page.choose("#language", "en").await;
    let english = "!document.querySelector('#lesson').innerText.includes('Wohin')";
    page.wait_for("an English lesson", PATIENCE, english).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn texts_that_come_and_go_are_always_in_the_language() {
    let page = Playground::open(Options::default(), "?preset=copy&lang=de").await;
    // From one text to another and back: a component writes what it wrote before.
    for (word, there) in [
        ("off", "Ansicht aus"),
        ("on", "Ansicht an"),
        ("off again", "Ansicht aus"),
    ] {
        page.click("#watching").await;
        let said = format!("document.querySelector('#watching').innerText.trim() === '{there}'");
        page.wait_for(word, PATIENCE, &said).await;
    }
    // A user's words stay, even if the page has the same.
    page.type_and_translate("t r a i n").await;
    let typed = "return document.querySelector('#translate-input').value";
    assert_eq!(page.evaluate(typed).await, "t r a i n");
    assert_eq!(page.errors().await, Vec::<String>::new());
}
