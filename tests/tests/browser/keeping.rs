//! Runs that outlive the page.

use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use strata_tests::browser::Options;

/// Selector of a kept run that is not the present one.
pub const OTHER: &str = "#runs-list .run:not([aria-current])";

/// Waits until this number of runs is kept.
pub async fn wait_for_runs(page: &Playground, count: usize) {
    let expression = format!("document.querySelectorAll('#runs-list .run').length === {count}");
    page.wait_for(&format!("list of {count} runs"), PATIENCE, &expression)
        .await;
}

#[tokio::test]
async fn a_run_goes_on_after_a_reload_as_if_there_had_been_none() {
    let page = Playground::open(Options::default(), "").await;
    let whole = page.losses(5).await;
    page.click("#reset").await;
    page.wait_for_exact_step(0).await;
    page.losses(3).await;
    page.wait_until_kept(3).await;
    wait_for_runs(&page, 2).await;

    page.reload().await;
    page.wait_for_exact_step(3).await;
    assert_eq!(page.instrument("loss").await, whole[2]);
    assert_eq!(page.losses(2).await, whole[3..]);
    page.wait_until_kept(5).await;
    wait_for_runs(&page, 2).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn training_is_kept_without_being_asked_for() {
    let page = Playground::open(Options::default(), "?preset=german-english-transformer").await;
    page.click("#train").await;
    page.wait_until_kept(1).await;
    page.wait_for_phase("training").await;
    page.goto("").await;
    page.wait_for_phase("paused").await;
    assert!(page.step().await >= 1);
    assert_eq!(page.chosen("#preset").await, "german-english-transformer");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn who_leaves_a_page_that_trains_is_told_what_was_kept() {
    let page = Playground::open(Options::default(), "?v=1&preset=copy").await;
    page.click("#train").await;
    page.wait_until_kept(1).await;
    page.reload().await;
    let said = page.text("#beside").await;
    let step = page.step().await;
    assert!(step >= 1);
    assert!(
        said.starts_with(&format!("Paused at step {step},")),
        "{said}"
    );
    assert!(said.contains("the page was left"), "{said}");
    page.losses(1).await;
    let line = "document.querySelector('#beside').dataset.note === 'line'";
    page.wait_for("what there is to see", PATIENCE, line).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_large_run_is_kept_as_a_blob() {
    let query = "?v=1&preset=copy&model.width=192&training.batch_size=2";
    let page = Playground::open(Options::default(), query).await;
    let next = page.amid_a_run().await;
    page.wait_until_kept(2).await;
    let kinds = "return new Promise(done => {
        indexedDB.open('strata').onsuccess = ({ target: { result } }) => {
            const all = result.transaction('checkpoints').objectStore('checkpoints').getAll();
            all.onsuccess = () => { result.close(); done(all.result.map(it => it.constructor.name).join()) };
        };
    })";
    assert_eq!(page.evaluate(kinds).await, "Blob,Blob");
    page.reload().await;
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(2).await, next);
    // A run is deleted, and restored unchanged.
    page.wait_until_kept(4).await;
    page.click("#runs summary").await;
    page.click("#runs-list .run[aria-current] .delete").await;
    wait_for_runs(&page, 1).await;
    page.click("#undelete").await;
    wait_for_runs(&page, 2).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn runs_are_renamed_branched_opened_and_deleted() {
    let page = Playground::open(Options::default(), "").await;
    page.losses(2).await;
    page.wait_until_kept(2).await;
    page.click("#runs summary").await;
    let facts = page.text("#runs-list .run-facts").await;
    let written = facts.rsplit(" · ").next().unwrap_or_default();
    assert!(facts.starts_with("Step 2 of "), "{facts}");
    let (day, time) = written.split_once(' ').unwrap_or_default();
    assert!(
        day.starts_with("20") && day.len() == 10 && time.len() == 5,
        "{facts}"
    );

    page.click("#runs-list .rename").await;
    page.wait_for(
        "box",
        PATIENCE,
        "document.querySelector('.run-rename input')",
    )
    .await;
    page.click(".run-rename input").await;
    let select_all = "document.querySelector('.run-rename input').select()";
    page.evaluate(select_all).await;
    let name = "<b>first</b> & mine";
    let input = page
        .client()
        .find(fantoccini::Locator::Css(".run-rename input"));
    let input = input.await.expect("the box is there");
    let keys = format!("{name}{}", char::from(Key::Enter));
    let typed = input.send_keys(&keys).await;
    typed.expect("a name can be typed");
    let named = format!("document.querySelector('.run-title')?.innerText.includes('{name}')");
    page.wait_for("new name", PATIENCE, &named).await;

    page.click("#runs-list .branch").await;
    let gone = format!(
        "document.querySelector('{OTHER}') && !document.querySelector('.run[aria-current]')"
    );
    page.wait_for("branch", PATIENCE, &gone).await;
    page.wait_for_exact_step(2).await;
    page.losses(1).await;
    page.wait_until_kept(3).await;
    wait_for_runs(&page, 2).await;
    assert!(
        page.text("#runs-list .run[aria-current] .run-title")
            .await
            .contains("(branch)")
    );

    page.click(&format!("{OTHER} input[type=checkbox]")).await;
    let compared = format!("document.querySelector('{OTHER} input[type=checkbox]').checked");
    page.wait_for("compared run", PATIENCE, &compared).await;
    page.screenshot("runs").await;

    page.click(&format!("{OTHER} .delete")).await;
    wait_for_runs(&page, 1).await;
    page.click("#undelete").await;
    wait_for_runs(&page, 2).await;

    page.click(&format!("{OTHER} .open")).await;
    page.wait_for_exact_step(2).await;
    assert!(
        page.text("#runs-list .run[aria-current] .run-title")
            .await
            .contains(name)
    );
    assert_eq!(
        page.evaluate("return document.querySelectorAll('#runs b').length")
            .await,
        0
    );
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn two_tabs_do_not_overwrite_each_other() {
    let page = Playground::open(Options::default(), "").await;
    page.losses(2).await;
    page.wait_until_kept(2).await;
    let first = page.client().window().await.expect("a window");
    let second = page.client().new_window(true).await.expect("another tab");
    let switched = page.client().switch_to_window(second.handle).await;
    switched.expect("the other tab");
    page.goto("").await;
    page.wait_for_exact_step(2).await;
    page.losses(1).await;
    page.wait_until_kept(3).await;

    let switched = page.client().switch_to_window(first).await;
    switched.expect("the first tab");
    page.losses(2).await;
    let message = page.message_with("another tab").await;
    assert!(message.contains("run of its own"), "{message}");
    page.wait_until_kept(4).await;
    wait_for_runs(&page, 2).await;
    let steps = "return [...document.querySelectorAll('#runs-list .run')].map(run => run.dataset.step).sort().join()";
    assert_eq!(page.evaluate(steps).await, "3,4");
}

#[tokio::test]
async fn a_full_disk_is_told_and_training_goes_on() {
    let page = Playground::open(Options::default(), "").await;
    let full = "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }";
    page.reopen_after(full).await;
    page.losses(1).await;
    let message = page.message_with("no room").await;
    assert!(message.contains("delete runs"), "{message}");
    page.losses(2).await;
    wait_for_runs(&page, 0).await;
}

#[tokio::test]
async fn without_a_database_all_else_works() {
    let page = Playground::open(Options::default(), "").await;
    page.reopen_after("Object.defineProperty(window, 'indexedDB', { value: undefined })")
        .await;
    page.losses(2).await;
    page.click("#runs summary").await;
    let told = "document.querySelector('#runs-unavailable')";
    page.wait_for("word on it", PATIENCE, told).await;
    let told = page.text("#runs-unavailable").await;
    assert!(told.contains("to a file"), "{told}");
    page.losses(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}
